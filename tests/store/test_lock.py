"""One daemon per data: a second one is refused and told who holds it, until the first has ended, however it ended."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from butler.store.connect import make_engine, resolve_url
from butler.store.errors import AlreadyRunningError
from butler.store.lock import DataLock
from tests.store.fixtures import FILE, empty_postgres

HOLD = """
import pathlib, sys
from butler.store.connect import make_engine, resolve_url
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
            assert (tmp_path / "butler.lock").read_text().splitlines()[0] == str(os.getpid())


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


def test_two_folders_with_one_database_file_have_one_daemon_whatever_path_leads_to_it(tmp_path: Path):
    first, linked, hard = tmp_path / "first", tmp_path / "linked", tmp_path / "hard"
    first.mkdir()
    database = first / "butler.db"
    database.touch()
    linked.symlink_to(first)
    hard.mkdir()
    (hard / "other.db").hardlink_to(database)
    urls = (f"sqlite:///{database}", f"sqlite:///{linked}/butler.db", f"sqlite:///{hard}/other.db")
    with another_daemon(urls[0], first):
        for url in urls:
            with pytest.raises(AlreadyRunningError, match="uses the database file"):
                DataLock(url, tmp_path / "second").acquire()
    for url in urls:
        with DataLock(url, tmp_path / "second"):
            pass


def test_a_file_that_is_made_after_the_lock_is_locked_then(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/butler.db"
    with DataLock(url, tmp_path / "a") as one, DataLock(url, tmp_path / "b") as two:
        (tmp_path / "butler.db").touch()
        one.lock_file()
        one.lock_file()
        with pytest.raises(AlreadyRunningError):
            two.lock_file()


def test_a_place_is_the_lock_file_itself_and_not_a_copy_of_it(tmp_path: Path):
    with DataLock(FILE, tmp_path / "a") as lock:
        place = lock.place
    with DataLock(FILE, tmp_path / "a") as again:
        assert again.place == place
    (tmp_path / "b").mkdir()
    shutil.copy(tmp_path / "a" / "butler.lock", tmp_path / "b" / "butler.lock")
    with DataLock(FILE, tmp_path / "b") as copy:
        assert copy.place not in {"", place}


def test_opening_a_database_once_more_leaves_the_locks_of_this_process(tmp_path: Path):
    """SQLite's locks are the process's: closing any file of the database would let go of them."""
    url = resolve_url(FILE, tmp_path)
    engine = make_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (n INTEGER)")
    make_engine(url).dispose()
    script = f"import sqlite3; c = sqlite3.connect({str(url.database)!r}); c.execute('SELECT * FROM t'); c.close()"
    subprocess.run([sys.executable, "-c", script], check=True)
    assert (tmp_path / "butler.db-wal").exists(), "the other one took the log for abandoned"
    engine.dispose()
