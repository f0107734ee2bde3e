"""What is to be sent later: approved now, sent once when its time has come, wherever the daemon died around it."""

from datetime import timedelta

from tests.crash.scenarios import Scenario, approve, states

MESSAGE = "the train leaves at nine"
TOOL = "user_telegram_send_message"


def sent(home):
    return [message for message in home.world.sent_telegrams() if MESSAGE in message.text]


async def send_later(home):
    """A yes for a time: nothing leaves before it, exactly one message after it."""
    home.world.say(f"tell Anna in 20 minutes on Telegram: {MESSAGE}")
    await approve(home)
    await home.until(lambda: states(home, TOOL) == ["approved"], "an approval that waits for its time")
    assert sent(home) == []
    home.world.advance(timedelta(minutes=20))
    await home.until(lambda: states(home, TOOL) == ["done"], "a done approval")
    await home.settled()
    assert len(sent(home)) == 1
    ((not_before, execute_at),) = home.rows("select not_before, execute_at from approvals")
    assert execute_at >= not_before


LATER_SCENARIO = Scenario("send_later", send_later)
