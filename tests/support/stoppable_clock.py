"""The time of a stand-in, which a test may stop: what it says of seconds then depends on no machine."""

from datetime import UTC, datetime


class StoppableClock:
    """The real time, until it is stopped."""

    def __init__(self) -> None:
        self._stopped: datetime | None = None

    def now(self) -> datetime:
        """The time, aware."""
        return self._stopped or datetime.now(UTC)

    def stop(self) -> None:
        """Stand still from now on."""
        self._stopped = datetime.now(UTC)
