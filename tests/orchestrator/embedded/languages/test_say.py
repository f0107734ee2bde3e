"""The help, and that something was not understood, are said in the owner's language."""

import pytest

from butler.contract.speech import say, speak
from butler.orchestrator.embedded.help import NOT_UNDERSTOOD, help_text
from config.language import OwnerLanguage

OTHERS = (OwnerLanguage.GERMAN, OwnerLanguage.FRENCH, OwnerLanguage.SPANISH)


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_not_understood_is_said_in_every_language(language: OwnerLanguage) -> None:
    speak(language)
    assert say(NOT_UNDERSTOOD) != NOT_UNDERSTOOD
    assert say(NOT_UNDERSTOOD).count("•") == 3


@pytest.mark.parametrize("language", OTHERS)
def test_the_help_is_whole_in_every_language(language: OwnerLanguage) -> None:
    english = help_text("Jeeves").splitlines()
    speak(language)
    lines = help_text("Jeeves").splitlines()
    assert [line[:1] == "•" for line in lines] == [line[:1] == "•" for line in english]
    same = {line for line in lines if line and line in english}
    assert not same
