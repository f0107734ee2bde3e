"""The root of the one error tree; it stands on the lowest floor so that every floor can raise its own kind.

Four kinds decide what is done about an error: `Retryable` (again later), `Reconfigure` (the owner must change
something), `Refuse` (asked for what may not be), `Bug` (ours). A class's docstring is its message.
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
        """What an error of this kind says; the first line of its docstring."""
        return (cls.__doc__ or "").strip().splitlines()[0]


class Retryable(ButlerError):
    """It did not work now and may work later."""

    def __init__(self, detail: str = "", *, wait: timedelta = timedelta(), until: datetime | None = None) -> None:
        """`wait` is for how long at least it is not worth trying again, `until` the moment before which it is not."""
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
