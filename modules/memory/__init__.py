"""Searches, lists and forgets what the butler has read."""

from modules.memory.module import MemoryModule

MODULE = MemoryModule
