"""Where a dialogue is played: the demo's world on a fixed day, the whole daemon in it, and the scripted model."""

import asyncio
import contextlib
import os
import sqlite3
import tempfile
from collections.abc import AsyncGenerator, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from butler_demo.daemon import Daemon
from butler_demo.daemon_config import DaemonOptions
from butler_demo.people import OWNER, OWNER_ID
from butler_demo.script import Line, MailForward, MailFrom, MailRaw, MailReply, Reply, Say, Tap
from butler_demo.world import World
from tests.agents.wire import CHAT, KEY
from tests.crash.daemon_harness import Nursery
from tests.crash.forked_daemon import ForkedDaemon
from tests.dialogues.scripted_model import ScriptedModel

_LOOK_EVERY_S, _AT_REST_FOR_S = 0.05, 0.3
_SOON = timedelta(seconds=2)
"""Work that is due within this time belongs to what was just done: an undo window, a message edited in steps."""
_BY_CHAT, _BY_MAIL = (Say, Reply, Tap), (MailFrom, MailForward, MailRaw, MailReply)
_WRITES = ("send", "edit", "copy", "forward")


class Stage:
    """One world with its daemon and its model."""

    def __init__(self, world: World, daemon: Daemon, model: ScriptedModel, patience_s: float) -> None:
        self.world, self.daemon, self.model = world, daemon, model
        self._said = self._mailed = 0
        self._patience_s = patience_s

    def note(self, lines: tuple[Line, ...]) -> None:
        """Count what the owner and others have done, so that its arrival is waited for."""
        self._said += sum(isinstance(line.step, _BY_CHAT) for line in lines)
        self._mailed += sum(isinstance(line.step, _BY_MAIL) for line in lines)

    async def rest(self) -> bool:
        """Wait until all that was said, tapped and mailed is handled, and nothing more comes of it; False if never."""
        loop = asyncio.get_running_loop()
        until, since = loop.time() + self._patience_s, None
        while loop.time() < until:
            since = (since or loop.time()) if self._rests() else None
            if since is not None and loop.time() - since >= _AT_REST_FOR_S:
                return True
            await asyncio.sleep(_LOOK_EVERY_S)
        return False

    def effects(self) -> dict[str, Any]:
        """Everything that anybody but the owner could see, and what stands in the owner's accounts."""
        mailbox = self.world.gmail.mailbox(OWNER.email)
        return {
            "telegrams": [str(sent) for sent in self.world.sent_telegrams()],
            "mails": [str(sent) for sent in self.world.sent_mails() if set(sent.recipients) != {OWNER.email}],
            "the bot's messages to others": list(self._bot_to_others()),
            "drafts": [mail.id for mail in mailbox if "DRAFT" in mail.label_ids],
            "events": self.world.events(),
            "cards": self.world.cards(),
        }

    def passed_by_policy(self) -> list[str]:
        """The calls in the owner's name that ran without anybody's yes."""
        passed = "select tool from approvals where tool like 'user_%' and decided_by = 'policy'"
        return [tool for (tool,) in self._rows(passed)]

    def has_standing_rule(self) -> bool:
        """Whether a rule of the owner's has allowed a call."""
        return bool(self._rows("select 1 from approvals where decided_by like 'rule:%'"))

    def _rests(self) -> bool:
        handled = "select count(*) from inbox where identity = 'bot' and state <> 'new' and channel = '{}'"
        soon = (self.world.clock.now() + _SOON) - datetime.fromtimestamp(0, self.world.clock.now().tzinfo)
        # Whether a plan takes long is looked at later, and matters only while it does.
        ready = "select 1 from work where state = 'ready' and kind <> 'plan_progress'"
        due = f"{ready} and run_at <= {soon // timedelta(microseconds=1)}"
        return (
            self._rows(handled.format("telegram"))[0][0] >= self._said
            and self._rows(handled.format("email"))[0][0] >= self._mailed
            and not self._rows("select 1 from inbox where state = 'new'")
            and not self._rows(due)
        )

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        path = self.world.folder / "data" / "butler.db"
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return connection.execute(query).fetchall()

    def _bot_to_others(self) -> Iterator[tuple[str, str]]:
        for call in self.world.bot_api.calls:
            chat = str(call.params.get("chat_id", OWNER_ID))
            if call.method.startswith(_WRITES) and call.method != "sendChatAction" and chat != str(OWNER_ID):
                yield chat, call.params.get("text", "")


@contextlib.asynccontextmanager
async def stage(begins: datetime, nursery: Nursery | None = None, patience_s: float = 60.0) -> AsyncGenerator[Stage]:
    """A stage whose clock begins at a time; its daemon is forked by the nursery, where there is one.

    `patience_s` is how long the model may take, and how long it may take until nothing more comes of a turn.
    """
    model = ScriptedModel(CHAT)
    with tempfile.TemporaryDirectory(prefix="butler-dialogue-") as folder, _in_utc():
        await model.start()
        options = DaemonOptions(
            llm_model=CHAT.model, llm_base_url=model.base_url, llm_key=KEY, llm_limit_s=patience_s, undo_window="1s"
        )
        world = World(Path(folder))
        world.clock.advance(begins - world.clock.now())
        daemon = ForkedDaemon(world, nursery, options) if nursery is not None else Daemon(world, options)
        try:
            await world.start()
            await daemon.start()
            yield Stage(world, daemon, model, patience_s)
        finally:
            await daemon.stop()
            await world.stop()
            await model.stop()


@contextlib.contextmanager
def _in_utc() -> Iterator[None]:
    """The demo lives in the machine's zone."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
