"""The person's own account: the real Telethon on an MTProto data centre over loopback."""

import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.tools import ToolCall, ToolSpec
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.faults import Moment
from modules.telegram.config import TelegramSettings
from modules.telegram.module import TelegramModule
from modules.telegram.user_account import UserAccount
from tests.support.context import make_context

SAM, ANNA, EVE = 42, 5, 666
SEND = "messages.sendMessage"


@pytest.fixture
async def centre() -> AsyncIterator[DataCentre]:
    centre = DataCentre()
    centre.add_account(SAM, "+15550042", "Sam", username="sam_home")
    centre.add_account(ANNA, "+15550005", "Anna", "Berg", username="anna_b")
    centre.add_account(EVE, "+15550666", "Eve", username="eve_e")
    centre.befriend(SAM, ANNA, as_first_name="Annie", as_last_name="from work")
    await centre.start()
    yield centre
    await centre.stop()


MakeModule = Callable[..., TelegramModule]


@pytest.fixture
async def make_module(centre: DataCentre, tmp_path: Path) -> AsyncIterator[MakeModule]:
    key_file = tmp_path / "centre.pem"
    key_file.write_text(centre.public_key_pem)
    modules: list[TelegramModule] = []

    def make(session: str | None = None) -> TelegramModule:
        secrets = {
            "USER_TELEGRAM_SESSION": centre.session_string(SAM) if session is None else session,
            "USER_TELEGRAM_API_HASH": "a" * 32,
        }
        dc = f"{centre.dc_id} {centre.host}:{centre.port} {key_file}"
        settings = TelegramSettings.model_validate({"user": {"api_id": 1, "dc": dc}})
        module = TelegramModule(settings, make_context(secrets=secrets))
        modules.append(module)
        return module

    yield make
    for module in modules:
        await module.stop()


@pytest.fixture
def module(make_module: MakeModule) -> TelegramModule:
    return make_module()


def account(module: TelegramModule) -> UserAccount:
    assert module.user is not None
    return module.user.accounts[0]


async def use(module: TelegramModule, name: str, *, token: str = "", **args: Any) -> IntegrationResult:
    specs = cast("list[ToolSpec]", [*module.user_inputs(), *module.user_outputs()])
    spec = next(spec for spec in specs if spec.tool_name == name)
    call = ToolCall(tool=name, args=spec.args.model_validate(args), call_id="c", trace_id="t", token=token)
    return await spec.handler(call)


async def send(module: TelegramModule, to: str, text: str, token: str = "4611686018427387904") -> IntegrationResult:
    return await use(module, "user_telegram_send_message", token=token, to={"address": to}, text=text)


def texts(centre: DataCentre) -> list[str]:
    return [message.text for message in centre.sent_by(SAM)]


@pytest.mark.parametrize("to", [f"telegram:{ANNA}", "telegram:@anna_b"])
async def test_a_message_goes_out_in_the_persons_name(module: TelegramModule, centre: DataCentre, to: str) -> None:
    result = await send(module, to, "I'll be ten minutes late")

    assert result.ok, result.error
    (sent,) = centre.sent_by(SAM)
    assert result.data == {"message_id": sent.id, "repeated": False, "message_ids": [sent.id]}
    assert [message.text for message in centre.messages(ANNA, SAM)] == ["I'll be ten minutes late"]


async def test_a_repeat_with_the_same_token_is_done_and_not_sent_again(
    module: TelegramModule, make_module: MakeModule, centre: DataCentre
) -> None:
    sent = (await send(module, f"telegram:{ANNA}", "once")).data
    await module.stop()

    result = await send(make_module(), f"telegram:{ANNA}", "once")

    # The chat shows the one message that it can be, so that it can still be corrected or deleted.
    assert sent is not None
    assert result.data == sent | {"repeated": True}
    assert texts(centre) == ["once"]


async def test_a_lost_answer_leaves_the_outcome_open_and_the_repeat_settles_it(
    module: TelegramModule, make_module: MakeModule, centre: DataCentre
) -> None:
    centre.drop(SEND, Moment.AFTER_EFFECT)

    first = await send(module, f"telegram:{ANNA}", "once")
    again = await send(make_module(), f"telegram:{ANNA}", "once")

    assert first.error is not None
    assert (first.error.code, first.error.effect) == (IntegrationErrorCode.UNAVAILABLE, Effect.UNKNOWN)
    assert again.ok
    assert texts(centre) == ["once"]


async def test_a_send_without_a_token_is_refused(module: TelegramModule, centre: DataCentre) -> None:
    result = await send(module, f"telegram:{ANNA}", "hello", token="")

    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.INVALID_INPUT
    assert texts(centre) == []


async def test_somebody_who_wrote_before_is_found_by_id(module: TelegramModule, centre: DataCentre) -> None:
    centre.inject(EVE, SAM, "hello Sam")

    assert (await send(module, f"telegram:{EVE}", "hello Eve")).ok


@pytest.mark.parametrize("to", [f"telegram:{EVE}", "telegram:@nobody_here", "telegram:987654321"])
async def test_one_whom_the_account_does_not_know_is_said_to_be_unknown(
    module: TelegramModule, centre: DataCentre, to: str
) -> None:
    result = await send(module, to, "hello")

    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.NOT_FOUND, Effect.NONE)
    assert texts(centre) == []


async def test_tl_08_ids_are_looked_up_once(module: TelegramModule, centre: DataCentre) -> None:
    for _ in range(3):
        await send(module, f"telegram:{EVE}", "hello")

    assert len([call for call in centre.calls if call.method == "messages.getDialogs"]) == 1


async def test_tl_08_a_flood_wait_is_reported_and_never_slept_through(
    module: TelegramModule, centre: DataCentre
) -> None:
    centre.fail(SEND, 420, "FLOOD_WAIT_25")
    started = time.monotonic()

    result = await send(module, f"telegram:{ANNA}", "hello")

    assert time.monotonic() - started < 3
    assert result.error is not None
    assert (result.error.code, result.error.retry_after_s) == (IntegrationErrorCode.RATE_LIMITED, 25.0)
    assert result.error.effect is Effect.NONE
    assert texts(centre) == []


@pytest.mark.parametrize(
    ("code", "message", "expected"),
    [
        (400, "PEER_FLOOD", IntegrationErrorCode.FORBIDDEN),
        (403, "CHAT_WRITE_FORBIDDEN", IntegrationErrorCode.FORBIDDEN),
        (403, "USER_PRIVACY_RESTRICTED", IntegrationErrorCode.FORBIDDEN),
        (400, "PEER_ID_INVALID", IntegrationErrorCode.NOT_FOUND),
        (400, "MESSAGE_TOO_LONG", IntegrationErrorCode.INVALID_INPUT),
    ],
)
async def test_a_refusal_has_a_code_and_surely_no_effect(
    module: TelegramModule, centre: DataCentre, code: int, message: str, expected: IntegrationErrorCode
) -> None:
    centre.fail(SEND, code, message)

    result = await send(module, f"telegram:{ANNA}", "hello")

    assert result.error is not None
    assert (result.error.code, result.error.effect) == (expected, Effect.NONE)


async def test_tl_01_a_session_used_from_elsewhere_is_given_up_at_once(
    module: TelegramModule, centre: DataCentre
) -> None:
    centre.fail(SEND, 406, "AUTH_KEY_DUPLICATED")

    first = await send(module, f"telegram:{ANNA}", "hello")
    calls = len(centre.calls)
    second = await send(module, f"telegram:{ANNA}", "hello")

    for result in (first, second):
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.AUTH_REQUIRED
        assert "butler login telegram" in result.error.message
    assert len(centre.calls) == calls, "no loop of reconnections, no further call"


async def test_a_centre_that_is_away_surely_got_nothing(module: TelegramModule, centre: DataCentre) -> None:
    await centre.go_offline()

    result = await send(module, f"telegram:{ANNA}", "hello")

    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.UNAVAILABLE, Effect.NONE)


async def test_the_account_works_again_after_the_network_was_away(module: TelegramModule, centre: DataCentre) -> None:
    await send(module, f"telegram:{ANNA}", "before", token="1")
    await centre.go_offline()
    during = await send(module, f"telegram:{ANNA}", "during", token="2")
    await centre.come_back()
    after = await send(module, f"telegram:{ANNA}", "after", token="3")

    assert (during.ok, after.ok) == (False, True)
    assert texts(centre) == ["before", "after"]


@pytest.mark.parametrize(("session", "complaint"), [("", "is not set"), ("not a session", "holds no Telegram session")])
async def test_a_session_that_is_none_is_named(make_module: MakeModule, session: str, complaint: str) -> None:
    (check,) = await make_module(session).checks()

    assert (check.ok, check.todo) == (False, "Run `butler login telegram`.")
    assert complaint in check.detail
    assert "not a session" not in check.detail


async def test_a_session_in_order_passes_the_check(module: TelegramModule) -> None:
    (check,) = await module.checks()

    assert (check.name, check.ok) == ("Your Telegram account", True)
    assert "@sam_home" in check.detail


async def test_the_address_book_holds_the_names_that_the_owner_gave(module: TelegramModule) -> None:
    (entry,) = await module.address_book()

    assert entry.name == "Annie from work"
    assert entry.addresses == (f"telegram:{ANNA}", "telegram:@anna_b")


async def test_conversations_and_their_messages_are_listed(module: TelegramModule, centre: DataCentre) -> None:
    centre.inject(ANNA, SAM, "are you coming?")

    dialogs = await use(module, "user_telegram_list_dialogs", limit=10)
    history = await use(module, "user_telegram_get_message_history", chat=f"telegram:{ANNA}", limit=10)

    assert dialogs.data is not None
    assert [(item["id"], item["unread"], item["last_text"]) for item in dialogs.data["items"]] == [
        (f"telegram:{ANNA}", 1, "are you coming?")
    ]
    assert history.data is not None
    (message,) = history.data["items"]
    assert (message["sender"], message["outgoing"], message["text"]) == (f"telegram:{ANNA}", False, "are you coming?")
