"""Webhooks of any sender, as the settings describe them."""

from modules.hooks.module import HooksModule

MODULE = HooksModule
