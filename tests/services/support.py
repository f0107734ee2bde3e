"""What every real server of the suite needs: a folder, free ports, a process in the foreground, a way to skip."""

import asyncio
import contextlib
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NoReturn

import pytest

_MORE_BINARIES = "/usr/sbin:/usr/local/sbin:/sbin"


def unavailable(reason: str) -> NoReturn:
    """Skip the tests of a service; where the suite must be whole, fail them."""
    message = f"{reason}; run scripts/install-services.sh as root on Debian"
    if os.environ.get("BUTLER_REQUIRE_SERVICES") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def need_root(service: str) -> None:
    if os.geteuid() != 0:
        unavailable(f"{service} needs root to start")


def need_binary(name: str, *folders: Path) -> Path:
    """The path of a program, looked for in `folders` first, then where administrators' programs lie."""
    places = os.pathsep.join([*map(str, folders), os.environ.get("PATH", ""), _MORE_BINARIES])
    found = shutil.which(name, path=places)
    if found is None:
        unavailable(f"{name} is not installed")
    return Path(found)


def make_folder(prefix: str) -> Path:
    """A temporary folder that the servers' own users may enter."""
    folder = Path(tempfile.mkdtemp(prefix=f"{prefix}-"))
    folder.chmod(0o755)
    return folder


_FIRST_PORT = 16_384


def free_ports(count: int) -> list[int]:
    """Loopback ports that nobody listens on now.

    They lie below those that the system gives to connections and to servers that take any port, so that none of these
    gets one before its server has started.
    """
    ports: list[int] = []
    while len(ports) < count:
        # Not by `random`, which starts alike for a test in every process.
        port = secrets.choice(range(_FIRST_PORT, _first_given_out()))
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            ports.append(port)
    return ports


def _first_given_out() -> int:
    return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])


def wait_until(ready: Callable[[], bool], what: str, seconds: float = 120) -> None:
    """Return when `ready()` is true; TimeoutError naming `what` otherwise."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} was not ready in {seconds} s")
        time.sleep(0.02)


def accepts(port: int) -> bool:
    """Whether somebody listens on a loopback port."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def identity(user: str | None) -> dict[str, Any]:
    """The arguments of `subprocess` that run a program as `user`; none keeps who we are."""
    if user is None:
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


# Runs a program until it ends or standard input does, which the system closes even when the test run is killed.
_LIFELINE = 'exec 3<&0; "$@" 3<&- </dev/null & pid=$!; (read -r _ <&3; kill -"$END" "$pid") & wait "$pid"'


class Foreground:
    """A server process with its output in a log; it lives no longer than the test run.

    `end_with` is the name of the signal that stops it. It runs as `user` where one is given.
    """

    def __init__(self, argv: list[str], log: Path, *, user: str | None = None, end_with: str = "TERM") -> None:
        self._log = log
        self._name = argv[0]
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _LIFELINE, "lifeline", *argv],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=log.parent,
                env={**os.environ, "END": end_with},
                **identity(user),
            )

    def wait_ready(self, ready: Callable[[], bool]) -> None:
        """Wait for readiness; an early end or a time-out is an error that shows the end of the log."""

        def ready_or_over() -> bool:
            if self._process.poll() is not None:
                raise RuntimeError(f"{self._name} ended at once:")
            return ready()

        try:
            wait_until(ready_or_over, self._name)
        except (RuntimeError, TimeoutError) as error:
            self.stop()
            raise RuntimeError(f"{error}\n{self.tail()}") from error

    def stop(self) -> None:
        """End the process, by force if it takes longer than ten seconds."""
        assert self._process.stdin is not None, "it was opened as a pipe"
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def tail(self) -> str:
        return self._log.read_text(errors="replace")[-2000:]


class LoopThread:
    """An event loop in a thread, for servers of ours that must answer while a test blocks its own loop."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(10)

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()
