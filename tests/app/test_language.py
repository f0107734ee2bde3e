"""A daemon that was asked to speak German goes on in it once it is started anew."""

import pytest

from butler.contract.speech import say, speak
from butler.orchestrator.embedded.help import help_text
from config.language import OwnerLanguage
from tests.app.words import shows


@pytest.mark.nightly
async def test_the_language_that_is_asked_for_outlasts_a_restart(harness):
    home = await harness()
    speak(OwnerLanguage.GERMAN)
    home.world.say("answer in German")
    await shows(home, say("All right: {what}. /preferences lists what you prefer.", what=say("I answer in German")))
    await home.stop()
    await home.start()
    home.world.say("/help")
    await shows(home, help_text("Butler").splitlines()[-1])
    home.world.say("tell Anna on Telegram that I'll be late")
    await home.until(lambda: home.buttons(say("Approve")), "a card with a German button")
