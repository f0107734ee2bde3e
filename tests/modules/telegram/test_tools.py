"""The bot's tools as the registry sees and calls them."""

from typing import Any, cast

import pytest
from pydantic import ValidationError

from approvals.preview import left_out, preview_of
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import Idempotency
from butler.contract.names import ApprovalDefault, Direction, Identity, ToolName
from butler.contract.tools import ArgRole, Recipient, Settled, ToolCall, ToolSpec
from butler_demo.botapi.server import BotApiServer
from modules.telegram.config import TelegramSettings
from modules.telegram.module import TelegramModule
from tests.modules.telegram.conftest import ANNA, EVE, GROUP, OWNER, TOKEN, Harness, MakeHouse
from tests.support.context import make_context


@pytest.fixture
def both() -> TelegramModule:
    return TelegramModule(TelegramSettings.model_validate({"bot": {}, "user": {}}), make_context())


def test_every_tool_names_its_identity_and_comes_from_the_method_of_it(both: TelegramModule) -> None:
    declared = {
        (Identity.USER, Direction.INPUT): both.user_inputs(),
        (Identity.USER, Direction.OUTPUT): both.user_outputs(),
        (Identity.BOT, Direction.INPUT): both.bot_inputs(),
        (Identity.BOT, Direction.OUTPUT): both.bot_outputs(),
    }
    for (identity, direction), specs in declared.items():
        for spec in specs:
            assert ToolName.parse(spec.tool_name).identity is identity is spec.identity
            assert spec.direction is direction
            assert ToolName.parse(spec.tool_name).channel == spec.channel == "telegram"
    assert sorted(spec.tool_name for specs in declared.values() for spec in specs) == [
        "bot_telegram_get_chat_messages",
        "bot_telegram_get_updates",
        "bot_telegram_reply_to_message",
        "bot_telegram_send_message",
        "user_telegram_delete_message",
        "user_telegram_edit_message",
        "user_telegram_find_group",
        "user_telegram_get_message_history",
        "user_telegram_get_updates",
        "user_telegram_list_dialogs",
        "user_telegram_read_message",
        "user_telegram_reply_to_message",
        "user_telegram_send_message",
    ]


def test_every_argument_has_a_role_and_whatever_may_ask_a_preview(both: TelegramModule) -> None:
    specs = [*both.user_inputs(), *both.user_outputs(), *both.bot_inputs(), *both.bot_outputs()]
    metadata = both.tool_metadata()
    for spec in cast("list[ToolSpec]", specs):
        assert set(metadata[spec.tool_name].args) == set(spec.args.model_fields)
        assert (spec.preview is not None) is (spec.direction is Direction.OUTPUT or spec.identity is Identity.USER)
    assert metadata["user_telegram_send_message"].args["to"] is ArgRole.RECIPIENT
    assert metadata["user_telegram_get_message_history"].sensitive_read


@pytest.mark.parametrize(
    ("tool", "args", "effect", "facts"),
    [
        (
            "user_telegram_get_message_history",
            {"chat": "telegram:@anna", "limit": 10},
            "Reads the newest 10 messages of one of your Telegram conversations",
            (("Conversation", "telegram:@anna"),),
        ),
        (
            "user_telegram_get_message_history",
            {"chat": "telegram:1002", "limit": 1},
            "Reads the newest message of one of your Telegram conversations",
            (("Conversation", "telegram:1002"),),
        ),
        ("user_telegram_list_dialogs", {}, "Lists the newest 20 conversations of your Telegram account", ()),
    ],
)
def test_a_look_into_the_persons_conversations_is_shown_in_one_sentence(
    both: TelegramModule, tool: str, args: dict[str, Any], effect: str, facts: tuple[tuple[str, str], ...]
) -> None:
    spec = next(spec for spec in cast("list[ToolSpec]", both.user_inputs()) if spec.tool_name == tool)
    values = spec.args.model_validate(args)
    shown = preview_of(spec, values)
    assert (shown.effect, shown.facts) == (effect, facts)
    assert left_out(shown, values.model_dump(mode="json")) == ()


def test_sends_in_the_persons_name_always_ask(both: TelegramModule) -> None:
    specs = {spec.tool_name: spec for spec in cast("list[ToolSpec]", both.user_outputs())}

    assert {spec.approval_default for spec in specs.values()} == {ApprovalDefault.ALWAYS}
    assert {name for name, spec in specs.items() if spec.idempotency is Idempotency.PROVIDER} == {
        "user_telegram_send_message",
        "user_telegram_reply_to_message",
    }
    spec = specs["user_telegram_send_message"]
    assert spec.preview is not None
    args = spec.args.model_validate({"to": {"address": "telegram:5", "name": "Anna"}, "text": "hi"})
    preview = spec.preview(args)
    assert preview.effect == "Sends a Telegram message as you"
    assert (preview.recipients, preview.body) == ((Recipient(address="telegram:5", name="Anna"),), "hi")


async def test_after_a_lost_answer_a_send_as_the_person_repeats_and_the_bots_own_asks(both: TelegramModule) -> None:
    call = ToolCall(tool="user_telegram_send_message", args=None, call_id="c", trace_id="t", token="1")
    user_send = cast("ToolSpec", both.user_outputs()[0])
    bot_send = cast("ToolSpec", both.bot_outputs()[0])
    assert user_send.reconcile is not None
    assert bot_send.reconcile is not None

    assert (await user_send.reconcile(call)).settled is Settled.REPEAT
    assert (await bot_send.reconcile(call)).settled is Settled.UNKNOWN


def test_an_identity_that_is_off_has_no_tools() -> None:
    module = TelegramModule(TelegramSettings.model_validate({"bot": {"enabled": False}}), make_context())

    assert not [*module.bot_inputs(), *module.bot_outputs(), *module.user_inputs(), *module.user_outputs()]
    assert module.tool_metadata() == {}
    assert module.sources() == module.integrations() == []
    assert module.owner_channel() is None


async def test_the_newest_updates_are_read_from_the_inbox(harness: Harness) -> None:
    async with harness.polling():
        harness.server.say(TOKEN, OWNER, "first")
        harness.server.say(TOKEN, OWNER, "second")
        await harness.taken()

    result = await harness.use("bot_telegram_get_updates", limit=2)

    assert result.data is not None
    assert [item["text"] for item in result.data["items"]] == ["second", "first"]
    assert result.data["count"] == 2
    assert result.data["items"][0]["trust"] == "owner"


async def test_a_chat_without_messages_says_so(harness: Harness) -> None:
    result = await harness.use("bot_telegram_get_chat_messages", chat="telegram:5")

    assert result.data == {"count": 0, "items": [], "empty_because": "the bot has nothing from this chat"}


async def test_the_bot_writes_to_one_who_knows_it(harness: Harness) -> None:
    harness.server.say(TOKEN, ANNA, "/start")

    result = await harness.use("bot_telegram_send_message", to={"address": f"telegram:{ANNA}"}, text="Hello Anna")

    assert result.ok
    assert [message["text"] for message in harness.sent(ANNA)] == ["Hello Anna"]


async def test_the_bot_answers_a_message(harness: Harness) -> None:
    asked = harness.server.say(TOKEN, ANNA, "/start")

    await harness.use(
        "bot_telegram_reply_to_message",
        to={"address": f"telegram:{ANNA}"},
        text="Hello",
        message_id=asked["message_id"],
    )

    assert harness.sent(ANNA)[0]["reply_to_message"]["message_id"] == asked["message_id"]


async def test_a_send_of_unknown_outcome_says_so(harness: Harness) -> None:
    harness.server.say(TOKEN, ANNA, "/start")
    harness.server.fail("sendMessage", 500, "lost", after_effect=True)

    result = await harness.use("bot_telegram_send_message", to={"address": f"telegram:{ANNA}"}, text="once")

    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.UNAVAILABLE, Effect.UNKNOWN)
    assert len(harness.sent(ANNA)) == 1


async def test_a_server_that_is_away_surely_got_nothing(harness: Harness) -> None:
    await harness.server.go_offline()

    result = await harness.use("bot_telegram_send_message", to={"address": f"telegram:{OWNER}"}, text="hello")

    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.UNAVAILABLE, Effect.NONE)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (401, IntegrationErrorCode.AUTH_REQUIRED),
        (403, IntegrationErrorCode.FORBIDDEN),
        (409, IntegrationErrorCode.CONFLICT),
        (400, IntegrationErrorCode.REJECTED),
        (429, IntegrationErrorCode.RATE_LIMITED),
    ],
)
async def test_a_refusal_has_a_code_and_surely_no_effect(
    harness: Harness, code: int, expected: IntegrationErrorCode
) -> None:
    harness.server.fail("sendMessage", code, "Refused", retry_after=9 if code == 429 else None)

    result = await harness.use("bot_telegram_send_message", to={"address": f"telegram:{OWNER}"}, text="hello")

    assert result.error is not None
    assert (result.error.code, result.error.effect) == (expected, Effect.NONE)


async def test_a_stranger_who_never_wrote_cannot_be_reached(harness: Harness) -> None:
    result = await harness.use("bot_telegram_send_message", to={"address": f"telegram:{EVE}"}, text="hello")

    assert result.error is not None
    assert result.error.code in {IntegrationErrorCode.FORBIDDEN, IntegrationErrorCode.NOT_FOUND}


async def test_after_a_wait_was_asked_for_the_tool_does_not_call_either(harness: Harness) -> None:
    harness.server.fail("sendMessage", 429, "Too Many Requests: retry after 60", retry_after=60)
    to = {"address": f"telegram:{OWNER}"}
    await harness.use("bot_telegram_send_message", to=to, text="one")

    result = await harness.use("bot_telegram_send_message", to=to, text="two")

    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.RATE_LIMITED
    assert len(harness.calls("sendMessage")) == 1


async def test_tb_10_a_send_to_a_moved_group_is_reported(make_harness: MakeHouse, server: BotApiServer) -> None:
    server.add_group(GROUP, "Family")
    new_id = server.upgrade_group(TOKEN, GROUP)
    harness = make_harness(allowed_groups=[GROUP])

    result = await harness.use("bot_telegram_send_message", to={"address": f"telegram:{GROUP}"}, text="hello")

    assert result.data is not None
    assert result.data["chat_id"] == new_id
    assert [item.payload["old"] for item in harness.sink.items] == [f"telegram:{GROUP}"]


@pytest.mark.parametrize(
    ("to", "text", "complaint"),
    [
        ("mail:anna@friends.example", "hi", "no Telegram address"),
        ("telegram:@a", "hi", "no Telegram address"),
        ("telegram:5", "😀" * 2049, "at most 4096"),
        ("telegram:5", " \n", "needs a text"),
    ],
)
def test_arguments_that_cannot_work_are_refused_in_words(harness: Harness, to: str, text: str, complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        harness.tool("bot_telegram_send_message").args.model_validate({"to": {"address": to}, "text": text})
