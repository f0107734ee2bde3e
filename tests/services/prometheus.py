"""Prometheus in the foreground on a loopback port, with a history that is written before it starts."""

import shutil
import subprocess
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Iterable, Mapping

from tests.services.support import Foreground, free_ports, make_folder, need_binary

Sample = tuple[Mapping[str, str], float, float]
"""Labels with `__name__`, seconds of the epoch, value."""
USER, PASSWORD = "butler", "a-password-of-the-tests"
SIGNED_IN = {"Authorization": "Basic " + b64encode(f"{USER}:{PASSWORD}".encode()).decode("ascii")}
_WEB = f"basic_auth_users:\n  {USER}: $2b$04$abcdefghijklmnopqrstuuKFZ0q2semF/p2kYa7/GtH6iuoBOhxfK\n"
"""The password with bcrypt, as Prometheus takes it, at its lowest cost."""
_CONFIG = "global:\n  scrape_interval: 15s\n"


class Prometheus:
    """A running Prometheus that scrapes nothing; with `guarded`, it asks for `USER` and `PASSWORD`."""

    def __init__(self, samples: Iterable[Sample], *, guarded: bool = False) -> None:
        prometheus, promtool = need_binary("prometheus"), need_binary("promtool")
        self._folder = make_folder("prometheus")
        (port,) = free_ports(1)
        self.url = f"http://127.0.0.1:{port}"
        (self._folder / "prometheus.yml").write_text(_CONFIG)
        (self._folder / "web.yml").write_text(_WEB if guarded else "")
        history = self._folder / "history.txt"
        history.write_text(open_metrics(samples))
        subprocess.run(
            [str(promtool), "tsdb", "create-blocks-from", "openmetrics", str(history), str(self._folder / "data")],
            check=True,
            capture_output=True,
        )
        self._process = Foreground(
            [
                *(str(prometheus), f"--config.file={self._folder / 'prometheus.yml'}"),
                *(f"--web.config.file={self._folder / 'web.yml'}", f"--web.listen-address=127.0.0.1:{port}"),
                *(f"--storage.tsdb.path={self._folder / 'data'}", "--log.level=warn"),
            ],
            self._folder / "prometheus.log",
        )
        self._process.wait_ready(self._is_ready)

    def stop(self) -> None:
        self._process.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _is_ready(self) -> bool:
        request = urllib.request.Request(f"{self.url}/-/ready", headers=SIGNED_IN)
        try:
            with urllib.request.urlopen(request, timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False


def open_metrics(samples: Iterable[Sample]) -> str:
    """Samples in the format that `promtool` makes blocks of, those of one metric together."""
    metrics: dict[str, list[str]] = {}
    for labels, at, value in samples:
        name = labels["__name__"]
        more = ",".join(f'{label}="{text}"' for label, text in labels.items() if label != "__name__")
        metrics.setdefault(name, []).append(f"{name}{{{more}}} {value} {at:.3f}")
    lines = [line for name, found in metrics.items() for line in (f"# TYPE {name} gauge", *found)]
    return "\n".join([*lines, "# EOF", ""])
