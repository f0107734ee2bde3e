"""The facts that the bot's tools declare are in what they yield."""

from modules.telegram.config import TelegramSettings
from modules.telegram.module import TelegramModule
from tests.modules.telegram.conftest import OWNER, TOKEN, Harness
from tests.support.context import make_context
from tests.support.declared_facts import assert_facts, tools_with_facts

CHAT = f"telegram:{OWNER}"


async def test_what_the_bots_tools_yield(harness: Harness) -> None:
    asked = harness.server.say(TOKEN, OWNER, "hello")
    async with harness.polling():
        await harness.taken()
    to = {"address": CHAT}
    calls = {
        "get_updates": {},
        "get_chat_messages": {"chat": CHAT},
        "send_message": {"to": to, "text": "Hello"},
        "reply_to_message": {"to": to, "text": "Hello", "message_id": asked["message_id"]},
    }
    for name, args in calls.items():
        tool = f"bot_telegram_{name}"
        assert_facts(harness.tool(tool), await harness.use(tool, **args))
    declaring = tools_with_facts([*harness.module.bot_inputs(), *harness.module.bot_outputs()])
    assert declaring == {f"bot_telegram_{name}" for name in calls}


def test_all_tools_of_the_module_are_run_here_or_for_the_person() -> None:
    both = TelegramModule(TelegramSettings.model_validate({"bot": {}, "user": {}}), make_context())
    specs = [*both.user_inputs(), *both.user_outputs(), *both.bot_inputs(), *both.bot_outputs()]
    assert len(tools_with_facts(specs)) == 11
