"""A world with a daemon in it: killed at a point and started again by itself, or started and stopped by a test."""

import asyncio
import contextlib
import inspect
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from email import message_from_bytes, policy
from pathlib import Path

import aiohttp
import psycopg

from butler_demo.daemon_config import WORK_ADDRESS, DaemonOptions, write_config
from butler_demo.people import BUTLER_ADDRESS, OWNER, OWNER_ID
from butler_demo.world import AUTHSERV_ID, World
from tests.services.support import free_ports

WITHIN_S = 90.0
"""Only ends what hangs."""
FORKED_WITHIN_S = 90.0
"""The first order waits until everything is loaded, on a busy machine beside other nurseries."""
LATER = (
    "('expire_approval', 'remind_approval', 'close_follow_ups', 'send_email_fallback', 'end_rule', 'weekly_digest', "
    "'bulk_due', 'digest', 'wait_overdue', 'waits_look', 'prepare_meetings', 'quiet_over', 'run_retention', "
    "'event_starting')"
)
"""Kinds of work that wait for hours and days."""


class Nursery:
    """The process that forks daemons; it serves one test after another, one daemon at a time."""

    def __init__(self):
        self._process = None

    async def order(self, order):
        """Have a daemon forked; its pid."""
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-m", "tests.crash.nursery"]
            self._process = await asyncio.to_thread(
                subprocess.Popen,
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            assert await self._line() == "ready"
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int((await self._line()).removeprefix("pid "))

    async def ended(self):
        """Wait until the child has ended; its exit code, negative for a signal."""
        return os.waitstatus_to_exitcode(int((await self._line()).removeprefix("ended ")))

    def close(self):
        if self._process is not None:
            # With whatever it has forked, also where a test ended in the middle of an order.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process.stdin.close()
            self._process.stdout.close()

    async def _line(self):
        # In a thread, so that one nursery serves tests with event loops of their own.
        line = (await asyncio.to_thread(self._process.stdout.readline)).strip()
        assert line, "the nursery has ended"
        return line


class DaemonHarness:
    """One world, one data folder, and its daemon.

    `replaced` maps texts of the configuration to what stands there instead; `store_url` names a PostgreSQL database,
    `mail` a mail host instead of the world's own. `work` gives the person a mailbox on that host: a further account,
    or the only one without `gmail`. `beside` are servers that stand beside the world, already open. A daemon that dies
    is started again; `respawn=False` leaves that to the test, as `run=False` does with the first start.
    """

    def __init__(
        self,
        folder: Path,
        nursery: Nursery,
        kill_at=None,
        *,
        store_url="",
        mail=None,
        gmail=True,
        work=False,
        beside=None,
        replaced=(),
        respawn=True,
        run=True,
        debug=False,
    ):
        self.world = World(folder)
        self.folder, self.kill_at = folder, kill_at
        self.deaths = 0
        self.ended_with = None
        self.config = folder / "butler.toml"
        self.data = folder / "data"
        (self.web_port,) = free_ports(1)
        self._nursery = nursery
        self.beside = beside
        more = f"[store]\nurl = {json.dumps(store_url)}\n" if store_url else ""
        options = DaemonOptions(
            undo_window="0s",
            mail_poll_interval="1s",
            gmail=gmail,
            work=work,
            # They have a scenario of their own.
            watch=False,
            watch_interval="1s",
            more_toml=more,
        )
        self._options = options if beside is None else beside.known_to(options)
        self.store_url = store_url or f"sqlite:///{folder}/data/butler.db"
        self.has_gmail = gmail
        self._replaced = {"[web]\nport = 0": f"[web]\nport = {self.web_port}", **dict(replaced)}
        self._mail, self._worlds_mail = mail, self.world.mail
        self._respawn, self._run, self._debug = respawn, run, debug
        self._pid = None
        self._keeper = None
        self._stopping = False
        self._database = None

    async def __aenter__(self):
        await self.world.start()
        if self._mail is not None:
            self._mail.authserv_id = AUTHSERV_ID
            self._mail.add_mailbox(BUTLER_ADDRESS, self.world.mail_password)
            # The host is shared by the tests of a run, and a first look tells what lies in the mailbox.
            self._mail.empty(BUTLER_ADDRESS)
            # Of the same domain as the butler, so theirs lies there, too.
            self._mail.add_mailbox(OWNER.email, self.world.mail_password)
            self.world.mail = self._mail
        if self._options.work:
            self.world.mail.add_mailbox(WORK_ADDRESS, self.world.mail_password)
        write_config(self.world, self._options)
        self.configure(self._replaced)
        if self._run:
            try:
                await self.start()
            except BaseException:
                await self.__aexit__()
                raise
        return self

    async def __aexit__(self, *_):
        if self._pid is not None and not self._keeper.done():
            await self.stop(signal.SIGKILL)
        if self._database is not None:
            self._database.close()
        self.world.mail = self._worlds_mail
        await self.world.stop()

    def configure(self, replaced):
        """Replace texts of the configuration; the next start reads them."""
        text = self.config.read_text()
        for old, new in replaced.items():
            assert old in text, f"the configuration does not hold {old}"
            text = text.replace(old, new)
        self.config.write_text(text)

    def set_secret(self, name, value):
        """Replace one line of the secrets file; the next start reads it."""
        path = self.folder / "secrets.env"
        lines = [line for line in path.read_text().splitlines() if not line.startswith(f"{name}=")]
        path.write_text("\n".join([*lines, f"{name}={value}", ""]))

    async def start(self):
        """Fork the daemon."""
        self._stopping, self.ended_with = False, None
        forked = asyncio.Event()
        self._keeper = asyncio.create_task(self._keep(forked))
        await asyncio.wait_for(forked.wait(), FORKED_WITHIN_S)

    async def stop(self, number=signal.SIGTERM):
        """Send it a signal and wait for its end; how many seconds that took."""
        self._stopping = True
        began, signalled = time.monotonic(), None
        async with asyncio.timeout(WITHIN_S):
            while not self._keeper.done():
                # One that died by itself just now may be followed by another that was ordered already.
                if self._pid != signalled:
                    signalled = self._pid
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(signalled, number)
                await asyncio.wait([self._keeper], timeout=0.05)
        self._keeper.result()
        return time.monotonic() - began

    async def end(self):
        """Wait until it ends by itself; its exit code."""
        await asyncio.wait_for(asyncio.shield(self._keeper), WITHIN_S)
        return self.ended_with

    @property
    def pid(self):
        return self._pid

    async def _keep(self, forked):
        kill_at = self.kill_at
        while True:
            self._pid = await self._nursery.order(
                {
                    "config": str(self.config),
                    "clock": str(self.world.clock.path),
                    "trace": str(self.folder / f"trace-{self.deaths}"),
                    "log": str(self.folder / "daemon.log"),
                    "kill_at": kill_at,
                    "debug": self._debug,
                    "load": self.beside.clients if self.beside is not None else (),
                }
            )
            forked.set()
            self.ended_with = await self._nursery.ended()
            if self._stopping or not self._respawn:
                return
            self.deaths += 1
            kill_at = None
            assert self.deaths < 5, f"the daemon does not live:\n{self.log()}"

    async def page(self, path):
        """A page of the daemon's web port: its status and its text; 0 while nobody answers."""
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.get(f"http://127.0.0.1:{self.web_port}{path}") as answer,
            ):
                return answer.status, await answer.text()
        except aiohttp.ClientError:
            return 0, ""

    def log(self):
        path = self.folder / "daemon.log"
        return path.read_text()[-6000:] if path.exists() else ""

    def points(self):
        """The points that the first life passed."""
        return (self.folder / "trace-0").read_text().split("\n")[:-1]

    async def until(self, condition, what, within=WITHIN_S, every=0.02):
        """Wait for a condition of the world, looked at every so many seconds; fails with the daemon's log."""
        deadline = asyncio.get_running_loop().time() + within
        while not (found := await _value(condition())):
            if self._keeper.done():
                self._keeper.result()
            assert asyncio.get_running_loop().time() < deadline, (
                f"{what} did not come; killed at {self.kill_at}, {self.deaths} deaths\n"
                f"{[m.get('text') for m in self.bot_messages()]}\n"
                f"{self.rows('select state, tool, detail from approvals')}\n{self.log()}"
            )
            await asyncio.sleep(every)
        return found

    def bot_messages(self):
        """What the bot's side of the owner's chat shows now."""
        return [m for m in self.world.bot_api.messages(self.world.bot_token, OWNER_ID) if m["from"]["is_bot"]]

    def answers(self):
        """The mails that the butler wrote to the owner, wherever they lie, oldest first."""
        if self._mail is not None:
            raws = [mail.raw for mail in self._mail.mailbox(OWNER.email)]
        else:
            raws = [mail.raw for mail in self.world.mail.outgoing if OWNER.email in mail.rcpt_tos]
        return [message_from_bytes(raw, policy=policy.default) for raw in raws]

    def buttons(self, label):
        """Messages that have a button of this label, with its data; oldest first."""
        return [
            (m["message_id"], b["callback_data"])
            for m in self.bot_messages()
            for row in m.get("reply_markup", {}).get("inline_keyboard", [])
            for b in row
            if b["text"].startswith(label)
        ]

    def rows(self, query):
        """The rows of a query on the daemon's store; none before it has any."""
        if self.store_url.startswith("postgresql"):
            self._database = self._database or psycopg.connect(self.store_url, autocommit=True)
            try:
                return self._database.execute(query).fetchall()
            except psycopg.errors.UndefinedTable:
                return []
        path = self.data / "butler.db"
        if not path.exists():
            return []
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            try:
                return connection.execute(query).fetchall()
            except sqlite3.OperationalError:
                return []

    async def settled(self):
        """Wait until nothing that is due is left to do."""
        due = f"select kind, subject from work where state = 'ready' and kind not in {LATER}"
        new = "select inbound_id from inbox where state = 'new'"
        await self.until(lambda: self.rows("select 1 from inbox") and not self.rows(due) and not self.rows(new), "rest")


async def _value(found):
    return await found if inspect.isawaitable(found) else found
