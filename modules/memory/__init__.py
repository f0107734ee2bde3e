"""What the butler has read: questions about it, lists of it, and having it forgotten."""

from modules.memory.module import MemoryModule

MODULE = MemoryModule
