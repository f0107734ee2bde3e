"""Digests of the day, and watches for answers."""

from modules.digests.module import DigestsModule

MODULE = DigestsModule
