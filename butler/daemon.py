"""Runs the daemon: start, serve, drain, stop. `butler.app` builds and wires its objects."""

import asyncio
import contextlib
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import structlog

from butler.app import App, build
from butler.audit_head import HeadKeeper, refuse_lost
from butler.background_tasks import learn_contacts, publish_commands, tell_redefined
from butler.clock import RealClock
from butler.contract.errors import ConfigError, Retryable
from butler.contract.integration import CallProbe
from butler.contract.ports import Clock
from butler.contract.speech import speak
from butler.follow_up import event_starts
from butler.guardrails.agent import prepare
from butler.inbound import COMMANDS
from butler.logs import Redactor
from butler.metrics import Metrics
from butler.orchestrator.chat.preference_commands import language_of
from butler.orchestrator.planning.plan_types import Planner
from butler.own_packages import foreign_package
from butler.store.lock import DataLock
from butler.store.open import open_store
from butler.store.store import CommitProbe, Store
from config.load import load

log = structlog.get_logger(__name__)

DRAIN_S = 6.0
TASK_END_S = 1.5
END_S = 9.5
SWITCH_S = 0.001
"""The interpreter's switch interval: the store's thread asks for its turn at every statement, and by default it would
wait 5 ms for it."""
OTHERS = stat.S_IRWXG | stat.S_IRWXO
"""The permissions that nobody else gets on our files, whichever library creates them."""
LOCK_LOOK_S = 2.0
FENCED_END_S = 3.0
"""The seconds until a replaced daemon ends, as it has nothing left to finish."""
OnStop = Callable[[float, str], None]
"""Called when the daemon begins to end: with the seconds within which it must end, and the reason if it failed."""


@dataclass(frozen=True, slots=True)
class Probes:
    """The probes for every commit and provider call, by which crash tests kill the process."""

    commit: CommitProbe | None = None
    call: CallProbe | None = None


def run(path: Path, *, clock: Clock | None = None, probes: Probes | None = None, redactor: Redactor) -> None:
    """Run `serve()` as a process of its own, which ends within ten seconds of a signal even if something hangs.

    A library's thread, or a task that cannot be cancelled, must not delay the end: unfinished work is still a row.
    """

    def end_in_time(seconds: float, said: str) -> None:
        timer = threading.Timer(seconds, give_up, (said,))
        timer.daemon = True
        timer.start()

    asyncio.run(serve(path, clock=clock, probes=probes, redactor=redactor, on_stop=end_in_time))


def give_up(said: str = "") -> None:
    """End the process at once; after a failure, write a sentence for whoever started it."""
    log.warning("ended_without_waiting", threads=[thread.name for thread in threading.enumerate()])
    if said:
        sys.stderr.write(f"butler: {said}\n")
        sys.stderr.flush()
    os._exit(1 if said else 0)


async def serve(
    path: Path,
    *,
    clock: Clock | None = None,
    probes: Probes | None = None,
    planner: Planner | None = None,
    redactor: Redactor | None = None,
    on_stop: OnStop = lambda _seconds, _said: None,
) -> None:
    """Run the daemon until SIGTERM or SIGINT. Raises `ButlerError` if it cannot start, or was replaced."""
    sys.setswitchinterval(SWITCH_S)
    os.umask(OTHERS)
    stop = asyncio.Event()

    def on_stop_signal() -> None:
        on_stop(END_S, "")
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, on_stop_signal)
    if wrong := foreign_package():
        raise ConfigError(wrong)
    loaded, clock, probes = load(path), clock or RealClock(), probes or Probes()
    metrics = Metrics(probes.commit, probes.call)
    url = loaded.settings.store.url
    lock = take_lock(url, loaded.data_dir)
    try:
        await asyncio.to_thread(refuse_lost, url, loaded.data_dir)
        store = await asyncio.to_thread(open_store, url, data_dir=loaded.data_dir, probe=metrics)
        try:
            lock.lock_file()
            lock.hand_over()
            await store.take_over(lock.place)
            speak(await store.read(lambda c: language_of(c, loaded.settings.butler.language)))
            app = await build(
                loaded, store, clock=clock, redactor=redactor or Redactor(), metrics=metrics, planner=planner
            )
            await live(app, stop, on_stop)
        finally:
            await store.close()
    finally:
        lock.release()


def keep_private(data_dir: Path) -> None:
    """Remove others' access to the files of the data folder, in case the folder itself is opened to them some day."""
    for folder, _, files in os.walk(data_dir):
        for name in files:
            path = Path(folder, name)
            # A library may delete a file of its own meanwhile.
            with contextlib.suppress(OSError):
                if not path.is_symlink() and (mode := stat.S_IMODE(path.stat().st_mode)) & OTHERS:
                    path.chmod(mode & ~OTHERS)


def take_lock(url: str, data_dir: Path) -> DataLock:
    """Create the data folder and lock it, so that no other daemon uses it."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        return DataLock(url, data_dir).acquire()
    except OSError as error:
        raise ConfigError(f"the data folder {data_dir} cannot be used ({error.strerror})") from None


async def live(app: App, stop: asyncio.Event, on_stop: OnStop) -> None:
    """Serve until `stop` is set, then drain. Raises the error that ended the engine, the sources or the lock."""
    heads = HeadKeeper(app.store, app.clock, app.loaded.data_dir)
    await app.approvals.after_restore()
    await app.approvals.schedule_weekly()
    await app.day.begin()
    await app.retention.begin()
    await heads.note()
    await app.agents.workspace.clean()
    await event_starts.begin(app.store, app.clock)
    await learn_contacts(app.store, app.loaded.settings.contacts, app.clock.now())
    sources = asyncio.create_task(app.supervisor.run(), name="sources")
    vital = [
        sources,
        asyncio.create_task(app.engine.run(), name="engine"),
        asyncio.create_task(keep_lock(app.store), name="lock"),
    ]
    fenced = asyncio.create_task(app.store.until_fenced(), name="fence")
    background_tasks = [
        asyncio.create_task(app.books.keep(), name="address_books"),
        asyncio.create_task(publish_commands(app.channel, COMMANDS), name="commands"),
        asyncio.create_task(serve_web(app), name="web"),
        asyncio.create_task(heads.keep(), name="audit_head"),
        asyncio.create_task(app.ingestion.keep(), name="ingestion"),
        asyncio.create_task(asyncio.to_thread(keep_private, app.loaded.data_dir), name="modes"),
        asyncio.create_task(app.health.keep(), name="health"),
        asyncio.create_task(asyncio.to_thread(prepare), name="patterns"),
        asyncio.create_task(tell_redefined(app.modules, app.tell), name="contracts"),
    ]
    log.info("started", version=version("butler"))
    stopped = asyncio.create_task(stop.wait(), name="stop")
    await asyncio.wait([stopped, fenced, *vital], return_when=asyncio.FIRST_COMPLETED)
    log.info("stopping")
    if replaced := app.store.fenced:
        log.error("fenced", why=str(replaced))
        on_stop(FENCED_END_S, str(replaced))
    sources.cancel()
    await app.engine.drain(0.0 if replaced else DRAIN_S)
    await ended_in_time([stopped, fenced, *vital, *background_tasks])
    ending = [asyncio.create_task(m.stop(), name=f"stop {m.channel}") for m in app.modules]
    await ended_in_time([*ending, asyncio.create_task(app.agents.stop(), name="stop agents")], cancel=False)
    if not replaced:
        await heads.note()
    for task in (fenced, *vital):
        if task.done() and not task.cancelled() and (error := task.exception()):
            raise error


async def ended_in_time(tasks: Sequence[asyncio.Task[Any]], *, cancel: bool = True) -> None:
    """Wait a moment for tasks to end; log the name of one that does not, and leave it to the end of the process."""
    for task in tasks:
        if cancel:
            task.cancel()
    _, late = await asyncio.wait(tasks, timeout=TASK_END_S)
    for task in late:
        log.warning("task_does_not_end", task=task.get_name(), stands=str(task.get_stack(limit=1)))


async def keep_lock(store: Store) -> None:
    """Check the lock regularly, so that an idle daemon also notices its successor; raises `FencedError` then.

    Takes the lock again if a restarted database server has forgotten it.
    """
    while True:
        await asyncio.sleep(LOCK_LOOK_S)
        try:
            await store.hold()
        except Retryable as error:
            log.warning("lock_not_held", why=str(error))


async def serve_web(app: App) -> None:
    """Serve `/healthz`, `/metrics` and `/hooks`, if the web port is on."""
    web = app.loaded.settings.web
    if not web.enabled:
        return
    from butler.web.health import health_app  # noqa: PLC0415 - only where the web port is on
    from butler.web.hosts import known_hosts  # noqa: PLC0415 - the same
    from butler.web.serve import serve as serve_pages  # noqa: PLC0415 - the same

    async def pages() -> bytes:
        return await app.metrics.page(app.store, app.health.now(), app.supervisor.health, app.health.last_tick)

    more = app.hooks.routes()
    made = health_app(
        *(app.clock, app.supervisor.health, pages, more, app.health.last_tick),
        not_stored=app.health.storing.trouble,
        known=known_hosts(web),
    )
    await serve_pages(made, web)
