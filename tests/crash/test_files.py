"""Files as the person, whose answer is lost or whose process dies amid the call: Telegram's own number settles it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler.contract.integration import Json
from butler.contract.module import ModuleContext
from butler.registry import Registry
from butler.store.store import Store
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.faults import Moment
from modules.telegram.config import TelegramSettings
from modules.telegram.module import TelegramModule
from tests.approvals.harness import Harness, create_tables
from tests.support.context import make_context
from tests.support.waiting import until

SAM, ANNA = 42, 5
SEND = "user_telegram_send_message"


@pytest.fixture
async def centre() -> AsyncIterator[DataCentre]:
    centre = DataCentre()
    centre.add_account(SAM, "+15550042", "Sam")
    centre.add_account(ANNA, "+15550005", "Anna")
    centre.befriend(SAM, ANNA)
    await centre.start()
    yield centre
    await centre.stop()


@pytest.fixture
def context(centre: DataCentre) -> ModuleContext:
    secrets = {"USER_TELEGRAM_API_HASH": "a" * 32, "USER_TELEGRAM_SESSION": centre.session_string(SAM)}
    return make_context(secrets=secrets)


@pytest.fixture
async def harness(centre: DataCentre, context: ModuleContext, tmp_path: Path) -> AsyncIterator[Harness]:
    """Approvals whose tools are the real module's, on the data centre."""
    key_file = tmp_path / "centre.pem"
    key_file.write_text(centre.public_key_pem)
    user = {"api_id": 1, "dc": f"{centre.dc_id} {centre.host}:{centre.port} {key_file}"}
    module = TelegramModule(TelegramSettings.model_validate({"user": user}), context)
    harness = Harness(create_tables(Store("sqlite://")))
    harness.invoker = Registry()
    harness.invoker.add_module(module)
    harness.blobs = context.storage.blobs
    harness.start()
    yield harness
    await module.stop()
    await harness.store.close()


@pytest.mark.parametrize(
    ("dies", "count", "method"),
    [(False, 3, "messages.sendMultiMedia"), (True, 1, "messages.sendMedia"), (True, 3, "messages.sendMultiMedia")],
    ids=["an album's answer is lost", "the process dies amid a file", "the process dies amid an album"],
)
async def test_files_leave_once_whatever_is_lost(
    harness: Harness, centre: DataCentre, context: ModuleContext, dies: bool, count: int, method: str
) -> None:
    files: list[Json] = []
    for number in range(count):
        sha256 = await context.storage.blobs.put(f"plan {number}".encode())
        files.append({"name": f"{number}.pdf", "size": 6, "sha256": sha256, "media_type": "application/pdf"})
    args: Json = {"to": {"address": f"telegram:{ANNA}"}, "text": "the plan", "attachments": files}
    approval_id = await harness.approved(tool=SEND, args=args)
    centre.drop(method, Moment.AFTER_EFFECT, cut=not dies)

    acting = asyncio.create_task(harness.after_undo_window())
    await until(lambda: len(centre.sent_by(SAM)) == count)
    if dies:
        acting.cancel()
        await asyncio.wait([acting])
        harness.restart()
        await harness.run()
    else:
        await acting

    first, second = await harness.attempts(approval_id)
    assert (first.outcome, second.outcome) == ("repeat", "done")
    assert first.token == second.token
    assert await harness.state(approval_id) == "done"
    got = centre.messages(ANNA, SAM)
    assert [message.text for message in got] == ["the plan", *[""] * (count - 1)]
    assert [centre.read_file(m.media) for m in got if m.media] == [f"plan {n}".encode() for n in range(count)]
