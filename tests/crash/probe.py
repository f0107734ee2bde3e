"""Kill points, found by instrumentation: each commit and each provider call, before and after."""

import os
import signal
import threading
from collections import Counter

from butler.contract.integration import IntegrationCall, IntegrationResult


class KillingProbe:
    """Writes every point it passes to `trace_fd`, and kills its own process at the one it was told.

    A point is `moment:label#n`: the n-th time that this moment of this label is passed in the life of the process.
    """

    def __init__(self, trace_fd: int, kill_at: str | None) -> None:
        self._fd, self._kill_at = trace_fd, kill_at
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()

    def before_commit(self, labels: list[str]) -> None:
        for label in labels:
            self._point(f"before-commit:{label}")

    def after_commit(self, labels: list[str]) -> None:
        for label in labels:
            self._point(f"after-commit:{label}")

    def before_call(self, call: IntegrationCall) -> None:
        self._point(f"before-call:{call.method_id}")

    def after_call(self, call: IntegrationCall, result: IntegrationResult) -> None:
        del result
        self._point(f"after-call:{call.method_id}")

    def _point(self, name: str) -> None:
        with self._lock:
            self._seen[name] += 1
            point = f"{name}#{self._seen[name]}"
            os.write(self._fd, f"{point}\n".encode())
            if point == self._kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
