"""One daemon per data: a second one is refused and told who holds it, until the first has ended, however it ended."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from butler.contract.errors import AlreadyRunningError
from butler.store.lock import DataLock
from tests.store.fixtures import FILE, empty_postgres

HOLD = """
import pathlib, sys
from butler.store.lock import DataLock
lock = DataLock(sys.argv[1], pathlib.Path(sys.argv[2])).acquire()
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_daemon(url: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    argv = [sys.executable, "-c", HOLD, url, str(folder)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout
        assert other.stdout.readline() == b"held\n"
        yield other
        other.kill()


def test_a_second_daemon_on_the_same_folder_is_refused_with_the_pid_of_the_first(tmp_path: Path):
    with another_daemon(FILE, tmp_path) as other:
        with pytest.raises(AlreadyRunningError, match=f"process {other.pid} uses {tmp_path}; stop it first"):
            DataLock(FILE, tmp_path).acquire()
        other.send_signal(signal.SIGKILL)
        other.wait()
        with DataLock(FILE, tmp_path):
            assert (tmp_path / "butler.lock").read_text() == f"{os.getpid()}\n"


def test_a_lock_that_was_released_can_be_taken_again(lasting_url: str, tmp_path: Path):
    for _ in range(2):
        with DataLock(lasting_url, tmp_path):
            pass


@pytest.mark.services
def test_a_second_daemon_in_another_folder_on_the_same_postgresql_is_refused(request, tmp_path: Path):
    url = empty_postgres(request)
    first, second = tmp_path / "first", tmp_path / "second"
    with another_daemon(url, first) as other:
        with pytest.raises(AlreadyRunningError, match=f"'butler daemon {other.pid}' uses this PostgreSQL database"):
            DataLock(url, second).acquire()
        with DataLock(FILE, second):
            pass  # the refused one let go of its folder


@pytest.mark.services
def test_two_databases_of_one_server_have_a_daemon_each(request, tmp_path: Path):
    with DataLock(empty_postgres(request), tmp_path / "a"), DataLock(empty_postgres(request), tmp_path / "b"):
        pass


@pytest.mark.services
def test_a_lock_lost_with_its_connection_is_taken_again_unless_somebody_else_has_it(request, tmp_path: Path):
    url = empty_postgres(request)
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s"
    with DataLock(url, tmp_path / "a") as lock, psycopg.connect(url, autocommit=True) as server:
        lock.ensure()
        server.execute(cut, (f"butler daemon {os.getpid()}",))
        lock.ensure()
        with pytest.raises(AlreadyRunningError):
            DataLock(url, tmp_path / "b").acquire()
        server.execute(cut, (f"butler daemon {os.getpid()}",))
        with another_daemon(url, tmp_path / "b"), pytest.raises(AlreadyRunningError):
            lock.ensure()
        lock.ensure()


def test_a_file_database_has_nothing_to_lose(tmp_path: Path):
    with DataLock(FILE, tmp_path) as lock:
        lock.ensure()
