"""Refusals as Loki gives them: plain text under a status."""


class LokiError(Exception):
    """A refusal."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def not_parsed(at: int, why: str) -> LokiError:
    """A query that cannot be read; `at` is the place in its only line, from 0."""
    return LokiError(400, f"parse error at line 1, col {at + 1}: {why}")
