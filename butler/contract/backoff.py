"""Back-off: how long to wait after a failure, longer each time and with jitter."""

import random

LONGEST_S = 30.0


class Backoff:
    """Doubles from `first_s` to `longest_s`, each wait between half and whole of that."""

    def __init__(self, first_s: float = 1.0, longest_s: float = LONGEST_S) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._failures = 0

    def reset(self) -> None:
        """Begin anew after a success."""
        self._failures = 0

    def next_s(self) -> float:
        """Return the next wait in seconds."""
        whole = min(self._first_s * 2 ** min(self._failures, 16), self._longest_s)
        self._failures += 1
        return whole * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, no secret
