"""A butler with its day, over SQLite in memory."""

from tests.digests.conftest import home, store

__all__ = ["home", "store"]
