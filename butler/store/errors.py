"""How the store can fail."""

from config.errors import Reconfigure, Retryable


class StoreBusyError(Retryable):
    """The database is locked by another program."""


class StoreFullError(Retryable):
    """The disk is full."""


class StoreUnavailableError(Retryable):
    """The database cannot be reached."""


class StoreDamagedError(StoreUnavailableError):
    """The database is damaged."""


class StoreLostError(StoreUnavailableError):
    """The database file is no longer there."""


class AlreadyRunningError(Reconfigure):
    """Another Butler is running on this data."""


class FencedError(Reconfigure):
    """Another Butler has taken over this data, so this one has stopped."""
