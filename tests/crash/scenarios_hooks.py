"""What webhooks bring: stored before the sender is answered, acted on once, whenever the daemon died."""

from butler_demo.people import ANNA
from tests.crash.scenarios import LATE, Scenario, approve, card_tells, states

PUBLIC = "https://butler.example"
BY_WEBHOOK = {
    "[web]\n": f'[web]\npublic_url = "{PUBLIC}"\n',
    "[modules.telegram.bot]\n": '[modules.telegram.bot]\nmode = "webhook"\n',
}
SENT_AGAIN_AFTER_S = 0.1


async def by_webhook(home):
    """Chat, card, yes, all of it sent by Telegram: nothing is lost, and the message leaves exactly once."""
    telegram, token = home.world.bot_api, home.world.bot_token
    telegram.webhooks.first_pause_s = SENT_AGAIN_AFTER_S
    telegram.reach(PUBLIC, f"http://127.0.0.1:{home.web_port}")
    await home.until(lambda: telegram.webhook(token), "a webhook")
    home.world.say(f"tell {ANNA.name} on Telegram that {LATE}")
    await approve(home)
    await home.until(lambda: states(home, "user_telegram_send_message") == ["done"], "a done approval")
    await home.until(lambda: telegram.pending_updates(token) == 0, "all updates taken")
    await home.until(lambda: not home.rows("select 1 from hooks where state = 'new'"), "all updates acted on")
    await home.settled()
    sent = [message for message in home.world.sent_telegrams() if LATE.lower() in message.text.lower()]
    assert len(sent) == 1, sent
    await card_tells(home, "Sent")
    issued = len(telegram.updates(token))
    assert home.rows("select state from hooks where receiver = 'telegram'") == [("done",)] * issued
    assert len(home.rows("select 1 from inbox where channel = 'telegram'")) == issued
    assert not [call for call in telegram.calls if call.method == "getUpdates"]


WEBHOOK_SCENARIO = Scenario("by_webhook", by_webhook, BY_WEBHOOK)
