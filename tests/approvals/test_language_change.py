"""Compared values are independent of language: a pending card survives a change of the owner's language."""

from dataclasses import replace

import pytest

from approvals.frozen import contract_digest
from approvals.states import State
from butler.contract.speech import speak, spoken
from butler.contract.tool_words import action_first, action_of, channel_of
from butler.contract.tools import Preview
from config.language import OwnerLanguage
from tests.approvals.harness import Harness
from tests.approvals.providers import SEND, SendArgs, preview_send


def preview_in_words(args: SendArgs) -> Preview:
    """A preview whose text depends on the language, like those of Butler's own tools."""
    return replace(preview_send(args), effect=f"Sends a message ({spoken()})", facts=(("Spoken", spoken().value),))


@pytest.mark.parametrize("language", OwnerLanguage)
async def test_a_yes_to_a_card_that_was_shown_in_another_language_is_carried_out(
    harness: Harness, language: OwnerLanguage
) -> None:
    harness.invoker.change(SEND, preview=preview_in_words)
    approval_id = await harness.ask()
    speak(language)
    await harness.redraw(await harness.row(approval_id))
    assert harness.channel.newest.effect == f"Sends a message ({language})"
    await harness.approvals.decide(harness.tap_of(harness.channel.newest.buttons[0][0]))
    await harness.run()
    await harness.after_undo_window()
    assert await harness.state(approval_id) == State.DONE
    assert len(harness.provider.effects) == 1


def test_what_a_call_is_held_to_is_the_same_in_every_language(harness: Harness) -> None:
    harness.invoker.change(SEND, preview=preview_in_words)
    spec, args = harness.invoker.spec(SEND), SendArgs(to=("telegram:1002",), text="hello")
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
