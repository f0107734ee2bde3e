"""Faults by order: the next calls of an operation fail in the way a test or a demo asks for."""

from dataclasses import dataclass

from butler_demo.google.errors import GoogleError


@dataclass(frozen=True)
class Fault:
    """One failing call. Status 0 closes the connection without an answer; `after_effect` does so with the work done."""

    status: int
    reason: str
    retry_after: int | None = None
    after_effect: bool = False
    message: str = ""

    @property
    def drops(self) -> bool:
        """Whether the connection closes before anything is done."""
        return self.status == 0 and not self.after_effect

    def error(self) -> GoogleError:
        """Return the error that the client is to see."""
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        message = self.message or f"Fault by order: {self.reason}"
        return GoogleError(self.status, self.reason, message, headers=headers)
