"""What the butler has read: search it, list it, and forget it."""

from modules.memory.module import MemoryModule

MODULE = MemoryModule
