"""The root of all errors; it is in the lowest layer so that every layer can raise its own kind.

Four kinds say what to do about an error: `Retryable` (try again later), `Reconfigure` (the owner must change
something), `Refuse` (the request is not allowed), `Bug` (our own fault). A class's docstring is its message.
"""

from datetime import datetime, timedelta


class ButlerError(Exception):
    """Something went wrong."""

    def __init__(self, detail: str = "") -> None:
        message = self.sentence()
        super().__init__(f"{message.rstrip('.')}: {detail}" if detail else message)
        self.detail = detail

    @classmethod
    def sentence(cls) -> str:
        """Return the message of this kind of error: the first line of its docstring."""
        return (cls.__doc__ or "").strip().splitlines()[0]


class Retryable(ButlerError):
    """It did not work now and may work later."""

    def __init__(self, detail: str = "", *, wait: timedelta = timedelta(), until: datetime | None = None) -> None:
        """`wait` is the least delay before a retry makes sense, `until` the moment before which it does not."""
        super().__init__(detail)
        self.wait, self.until = wait, until


class Reconfigure(ButlerError):
    """You have to change something first."""


class Refuse(ButlerError):
    """This may not be done."""


class Bug(ButlerError):
    """Butler itself is wrong here."""


class ConfigError(Reconfigure):
    """The configuration does not work."""
