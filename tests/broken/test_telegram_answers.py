"""What Telegram answers to a sent message, and the library cannot read, must not have it sent again and again."""

from typing import Any

import pytest

from butler.contract.card import OwnerMessage, plain
from butler.contract.errors import Bug, IntegrationErrorCode, Refuse, Retryable
from butler.contract.integration import IntegrationError
from butler_demo.botapi.server import BotApiServer
from modules.telegram.owner_channel import failure
from tests.modules.telegram.conftest import OWNER, TOKEN, Harness

# A server that is older than the library leaves out what the library takes for granted.
OLD_POLL: dict[str, Any] = {"id": "1", "question": "Tea?", "options": [], "total_voter_count": 0}


async def test_a_reply_to_a_message_that_the_library_cannot_read_is_sent_once(
    telegram: Harness, server: BotApiServer
) -> None:
    state = server.state
    state.validate = False
    bot = state.known_bot(TOKEN)
    asked = state.post(bot, bot.private[OWNER], {"from": state.person(OWNER).as_user(), "poll": OLD_POLL})
    message = OwnerMessage(text=plain("I cannot read polls."), reply_to=str(asked["message_id"]))
    await telegram.bot.channel.say(f"telegram:{OWNER}", message)
    assert [sent["text"] for sent in telegram.sent()] == ["I cannot read polls."]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (IntegrationErrorCode.INTERNAL, Bug),
        (IntegrationErrorCode.UNAVAILABLE, Retryable),
        (IntegrationErrorCode.REJECTED, Refuse),
    ],
)
def test_a_send_that_breaks_the_library_is_given_up_after_a_few_tries(
    code: IntegrationErrorCode, kind: type[Exception]
) -> None:
    assert isinstance(failure(IntegrationError(code=code, message="it did not work")), kind)
