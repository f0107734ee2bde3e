"""Webhooks of anybody's, as the settings describe them."""

from modules.hooks.module import HooksModule

MODULE = HooksModule
