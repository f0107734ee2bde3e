"""PostgreSQL in the foreground on a loopback port, with a database for whoever asks for one."""

import os
import pwd
import re
import secrets
import shutil
import subprocess
from itertools import count
from pathlib import Path

import psycopg
from psycopg import sql

from tests.services.support import Foreground, free_ports, identity, make_folder, need_binary, unavailable

_USERS = ("postgres", "nobody")


class Postgres:
    """A running PostgreSQL; each `create_database` gives an empty one."""

    def __init__(self, *programs: Path) -> None:
        """`programs` are folders to look in for them first."""
        folders = [*programs, *sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)]
        initdb, postgres = need_binary("initdb", *folders), need_binary("postgres", *folders)
        user = _unprivileged_user()
        self._folder = make_folder("postgres")
        self._password = secrets.token_hex(16)
        self._numbers = count(1)
        (self._port,) = free_ports(1)
        password_file = self._folder / "password"
        password_file.write_text(self._password)
        if user is not None:
            shutil.chown(self._folder, user)
            shutil.chown(password_file, user)
        data = self._folder / "data"
        subprocess.run(
            [
                *(str(initdb), "--pgdata", str(data), "--username", "butler", "--pwfile", str(password_file)),
                *("--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync"),
            ],
            check=True,
            capture_output=True,
            cwd=self._folder,
            **identity(user),
        )
        settings = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=16MB")
        argv = [str(postgres), "-D", str(data), "-h", "127.0.0.1", "-p", str(self._port)]
        argv += ["-k", str(self._folder), *(part for setting in settings for part in ("-c", setting))]
        # SIGINT is the fast shutdown: open sessions are ended.
        self._process = Foreground(argv, self._folder / "postgres.log", user=user, end_with="INT")
        self._process.wait_ready(self._answers)

    def stop(self) -> None:
        self._process.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def url(self) -> str:
        """The database of the server itself."""
        return self._url("postgres")

    def create_database(self) -> str:
        """The URL of a new, empty database."""
        name = f"test_{next(self._numbers)}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self._url(name)

    def _url(self, database: str) -> str:
        return f"postgresql://butler:{self._password}@127.0.0.1:{self._port}/{database}"

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


def _version(folder: Path) -> int:
    number = re.match(r"\d+", folder.parent.name)
    return int(number[0]) if number else 0


def _unprivileged_user() -> str | None:
    """PostgreSQL refuses to run as root; None where we are not root ourselves."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    user = next((user for user in _USERS if user in known), None)
    return user or unavailable("PostgreSQL needs a user that is not root")
