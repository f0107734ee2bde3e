"""What is kept to be compared is of no language: a card that waits outlives a change of the language it is shown in."""

from dataclasses import replace

import pytest

from approvals.frozen import contract_digest
from approvals.states import State
from butler.contract.speech import speak, spoken
from butler.contract.tool_words import action_first, action_of, channel_of
from butler.contract.tools import Preview
from config.language import OwnerLanguage
from tests.approvals.house import House
from tests.approvals.providers import SEND, SendArgs, preview_send


def preview_in_words(args: SendArgs) -> Preview:
    """A preview whose words depend on the language, as those of the house's own tools do."""
    return replace(preview_send(args), effect=f"Sends a message ({spoken()})", facts=(("Spoken", spoken().value),))


@pytest.mark.parametrize("language", OwnerLanguage)
async def test_a_yes_to_a_card_that_was_shown_in_another_language_is_carried_out(
    house: House, language: OwnerLanguage
) -> None:
    house.invoker.change(SEND, preview=preview_in_words)
    approval_id = await house.ask()
    speak(language)
    await house.redraw(await house.row(approval_id))
    assert house.channel.newest.effect == f"Sends a message ({language})"
    await house.approvals.decide(house.tap_of(house.channel.newest.buttons[0][0]))
    await house.run()
    await house.after_undo_window()
    assert await house.state(approval_id) == State.DONE
    assert len(house.provider.effects) == 1


def test_what_a_call_is_held_to_is_the_same_in_every_language(house: House) -> None:
    house.invoker.change(SEND, preview=preview_in_words)
    spec, args = house.invoker.spec(SEND), SendArgs(to=("telegram:1002",), text="hello")
    digests: set[str] = set()
    for language in OwnerLanguage:
        speak(language)
        digests.add(contract_digest(spec, args))
    assert len(digests) == 1


def test_a_tool_without_words_of_its_own_is_said_by_its_name() -> None:
    tool = "bot_plumbing_close_main_valve"
    assert (channel_of(tool), action_of(tool), action_first(tool)) == (
        "Plumbing",
        "close main valve",
        "Close main valve",
    )
