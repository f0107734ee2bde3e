"""Checks files, disk, database, daemon, clock and port: part of `butler doctor`."""

import errno
import shutil
import socket
import stat
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import aiohttp
import sqlalchemy as sa
from sqlalchemy import exc

from butler.audit_head import read_heads, refuse_lost
from butler.cli.output import counted
from butler.contract.errors import ButlerError, ConfigError
from butler.contract.module import CheckResult
from butler.source_names import in_words
from butler.store.chain import Head
from butler.store.connect import in_memory, make_engine, reader_of, resolve_url
from butler.store.errors import AlreadyRunningError
from butler.store.faults import in_our_words
from butler.store.lock import DataLock
from butler.store.queries import audit, cursors
from butler.store.revisions import stored_revision
from butler.store.tables import OLDEST_REVISION, REVISION
from config.load import Loaded
from config.settings import ButlerSettings, WebSettings

LEAST_FREE_MB = 500
MOST_SKEW_S = 30.0
WAIT_S = 10.0
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_secrets_file(config: Path) -> CheckResult:
    """Check that only the owner can read the secrets. Needs no valid configuration."""
    path = config.resolve().parent / _secrets_name(config)
    if not path.exists():
        return CheckResult("Secrets file", ok=True, detail=f"there is no {path}; secrets come from the environment")
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & OTHERS:
        return CheckResult("Secrets file", ok=False, detail=f"others can read {path}", todo=f"Run `chmod 600 {path}`.")
    return CheckResult("Secrets file", ok=True, detail=f"{path} is yours only")


def _secrets_name(config: Path) -> str:
    default = ButlerSettings().secrets_file
    try:
        section = tomllib.loads(config.read_text(encoding="utf-8")).get("butler", {})
        return str(section.get("secrets_file", default))
    except (OSError, ValueError, AttributeError):
        return default


def check_data_folder(loaded: Loaded) -> Iterator[CheckResult]:
    """Check modes and free space."""
    folder = loaded.data_dir
    if not folder.exists():
        yield CheckResult("Data folder", ok=True, detail=f"{folder} is not there yet; `butler run` makes it")
        return
    open_to_others = [path for path in (folder, *folder.glob("*.db")) if stat.S_IMODE(path.stat().st_mode) & OTHERS]
    if open_to_others:
        todo = f"Run `chmod -R go= {folder}`."
        yield CheckResult("Data folder", ok=False, detail=f"others may look into {open_to_others[0]}", todo=todo)
    else:
        yield CheckResult("Data folder", ok=True, detail=f"{folder} is yours only")
    free = shutil.disk_usage(folder).free // 2**20
    todo = "" if free >= LEAST_FREE_MB else f"Free some space: Butler wants {LEAST_FREE_MB} MB."
    yield CheckResult("Disk", ok=free >= LEAST_FREE_MB, detail=f"{free:,} MB free", todo=todo)


def check_database(loaded: Loaded) -> Iterator[CheckResult]:
    """Check the database's availability and revision, the audit log, and the paired owner."""
    try:
        url = resolve_url(loaded.settings.store.url, loaded.data_dir)
        if url.get_backend_name() == "sqlite" and (in_memory(url) or not Path(str(url.database)).exists()):
            yield _empty_database(loaded, "there is none yet; `butler run` makes it")
            return
        noted = read_heads(loaded.data_dir)  # before the log is read: a running daemon may note another one
        engine = make_engine(url)
        try:
            with reader_of(engine).connect() as connection:
                yield from _look_into(connection, loaded, noted.heads if noted else ())
        finally:
            engine.dispose()
    except exc.DBAPIError as error:
        detail = str(in_our_words(error)) if isinstance(in_our_words(error), ButlerError) else "it cannot be read"
        yield CheckResult("Database", ok=False, detail=detail, todo="Look at [store] url, the disk, and the server.")
    except ButlerError as error:
        yield CheckResult("Database", ok=False, detail=str(error), todo="Correct [store] url.")


def _empty_database(loaded: Loaded, detail: str) -> CheckResult:
    """Check an empty database, which is fine unless there was one before."""
    try:
        refuse_lost(loaded.settings.store.url, loaded.data_dir)
    except ConfigError as error:
        todo = "Do as it says; Butler does not start before."
        return CheckResult("Database", ok=False, detail=error.detail, todo=todo)
    return CheckResult("Database", ok=True, detail=detail)


def _look_into(connection: sa.Connection, loaded: Loaded, heads: Sequence[Head]) -> Iterator[CheckResult]:
    revision = stored_revision(connection)
    if revision is None:
        yield _empty_database(loaded, "it is empty; `butler run` makes the tables")
        return
    if revision != REVISION:
        detail = f"it is at revision {revision}, this Butler wants {REVISION}"
        todo = "Run `butler db upgrade`; it makes a backup first."
        if revision > REVISION:
            todo = "Install the newer Butler again."
        elif revision < OLDEST_REVISION:
            todo = "Put it aside, and begin with an empty one: it was written before the first release."
        yield CheckResult("Database", ok=False, detail=detail, todo=todo)
        return
    yield CheckResult("Database", ok=True, detail=f"reachable, revision {revision}")
    broken = audit.verify(connection, heads)
    seq, _digest = audit.head(connection)
    todo = "Somebody or something changed what was recorded: restore a backup that is whole." if broken else ""
    yield CheckResult(
        "Audit log", ok=not broken, detail=broken or f"whole, {counted(seq, 'entry', 'entries')}", todo=todo
    )
    owner = loaded.settings.owner.telegram_user_id or cursors.fact(connection, "paired")
    detail = f"Telegram user {owner}" if owner else "the bot knows nobody yet"
    yield CheckResult("Owner", ok=bool(owner), detail=detail, todo="" if owner else "Run `butler pair`.")


def check_daemon(loaded: Loaded) -> tuple[CheckResult, bool]:
    """Report whether a daemon runs on this data; both are fine."""
    name = "Daemon"
    if not loaded.data_dir.exists():
        return CheckResult(name, ok=True, detail="not running"), False
    try:
        DataLock(loaded.settings.store.url, loaded.data_dir).acquire().release()
    except AlreadyRunningError as error:
        return CheckResult(name, ok=True, detail=f"running: {error.detail.partition(';')[0]}"), True
    except (ButlerError, OSError) as error:
        todo = "Look at the data folder's owner and at [store] url."
        return CheckResult(name, ok=False, detail=f"cannot tell: {_why(error)}", todo=todo), False
    return CheckResult(name, ok=True, detail="not running"), False


def _why(error: ButlerError | OSError) -> str:
    return str(error) if isinstance(error, ButlerError) else error.strerror or "the system gives no reason"


def check_web_port(web: WebSettings, *, running: bool) -> CheckResult:
    """Check that the port is Butler's, or free for it."""
    name, where = "Web port", f"{web.host}:{web.port}"
    if not web.enabled:
        return CheckResult(name, ok=True, detail="switched off")
    if running:
        return CheckResult(name, ok=True, detail=f"{where}, used by the daemon")
    family = socket.AF_INET6 if ":" in web.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((web.host, web.port))
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            detail = f"another program uses {where}" if taken else f"{where} cannot be used ({error.strerror})"
            return CheckResult(name, ok=False, detail=detail, todo="Choose another [web] port, or host.")
    return CheckResult(name, ok=True, detail=f"{where} is free")


async def check_channels(web: WebSettings) -> CheckResult:
    """Report what the running daemon says about its channels on the web port."""
    name, todo = "Channels", "Say /status to the bot, and look at the daemon's log."
    if not web.enabled or not web.port:
        return CheckResult(name, ok=True, detail="not asked: the daemon's web port is not known here")
    host = f"[{web.host}]" if ":" in web.host else web.host
    try:
        timeout = aiohttp.ClientTimeout(total=WAIT_S)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.get(f"http://{host}:{web.port}/healthz") as answer,
        ):
            channels: dict[str, Any] = (await answer.json())["channels"]
        dead = [
            f"{in_words(channel)}: {found['detail'] or 'no round trip of late'}"
            for channel, found in channels.items()
            if not found["alive"]
        ]
    except (aiohttp.ClientError, TimeoutError, ValueError, KeyError):
        return CheckResult(name, ok=False, detail="the daemon does not answer on its web port", todo=todo)
    if dead:
        return CheckResult(name, ok=False, detail="; ".join(dead), todo=todo)
    return CheckResult(name, ok=True, detail=f"alive: {', '.join(map(in_words, channels))}")


async def check_clock(server: str, name: str = "Clock") -> CheckResult:
    """Compare this machine's clock with the date of an answer of `server`, to a second or two."""
    try:
        timeout = aiohttp.ClientTimeout(total=WAIT_S)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.get(server, allow_redirects=False) as answer,
        ):
            theirs = parsedate_to_datetime(answer.headers["Date"])
    except (aiohttp.ClientError, TimeoutError, KeyError, ValueError) as error:
        todo = "Check the network, and a firewall or proxy in between."
        unreached = isinstance(error, aiohttp.ClientError | TimeoutError)
        detail = f"{server} {'cannot be reached' if unreached else 'tells no time'}"
        return CheckResult(name, ok=False, detail=detail, todo=todo)
    skew = (datetime.now(UTC) - theirs).total_seconds()
    todo = "" if abs(skew) <= MOST_SKEW_S else "Set the clock: switch time synchronisation (NTP) on."
    word = "fast" if skew > 0 else "slow"
    detail = f"{abs(skew):.0f} s {word}" if todo else f"agrees with {server}"
    return CheckResult(name, ok=not todo, detail=detail, todo=todo)
