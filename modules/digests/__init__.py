"""Digests of the day, and answers that are waited for."""

from modules.digests.module import DigestsModule

MODULE = DigestsModule
