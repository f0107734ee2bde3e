"""The butler itself: what waits, what it does, and how it behaves, as tools."""

from modules.butler.module import ButlerModule

MODULE = ButlerModule
