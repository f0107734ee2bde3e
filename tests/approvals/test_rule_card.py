"""A standing rule's card: exactly what would pass, and what would have passed before."""

from approvals.rule_card import REFUSED_SHOWN
from butler.contract.card import rich_text
from tests.approvals.harness import Harness, card_text
from tests.approvals.providers import ANNA, MAIL
from tests.approvals.rule_harness import LATE, TITLE, labels, proposed


async def test_the_card_says_in_plain_words_what_would_pass_and_answers_the_card_it_is_made_from(
    harness: Harness,
) -> None:
    await proposed(harness)
    above, below = harness.channel.cards
    assert harness.channel.replies[below] == above
    card = harness.channel.cards[below]
    assert card.title == TITLE
    assert {label: rich_text(value) for label, value in card.fields} == {
        "Would pass without asking": "Send message (Telegram, as you)",
        "To": "Anna (Telegram 1002); nobody else",
        "Asked for": "in this chat",
        "Empty or off": "files, silent, subject",
        "How long": "until 4 April 2026, 13:00, 10 times at most",
        "Never": "anybody else; other people's words, except any that stand here; who is no longer in your contacts; "
        "what your limits or deny rules forbid",
        "In the last 90 days": "it would have let nothing pass",
        "Text": "exactly this",
    }
    assert card.body == "I'll be late"
    assert labels(card) == [
        "Any subject", "Any text", "For 90 days", "Without end", "Up to 100 times", "As often as asked",
        "Save rule", "Drop",
    ]  # fmt: skip


async def test_the_text_on_the_card_is_whole_literal_and_hides_nothing(harness: Harness) -> None:
    text = "<b>*bold*</b>\u202e " + "word " * 3000
    subject = "Hi\r\nTo: Bob"
    await proposed(harness, args={"to": [ANNA], "text": text, "subject": subject})
    card = harness.channel.newest
    assert card.body == "<b>*bold*</b>[U+202E] " + "word " * 3000
    assert rich_text(dict(card.fields)["Subject"]) == "exactly Hi\r\nTo: Bob"


async def test_the_card_says_where_the_links_of_a_fixed_text_lead(harness: Harness) -> None:
    await proposed(harness, args={"to": [ANNA], "text": "see https://bank.example@evil.example/x"})
    assert "Links: evil.example" in card_text(harness.channel.newest)


async def test_files_and_several_lists_of_people_are_shown_with_their_values(harness: Harness) -> None:
    await harness.know("Bob", "mail:bob@friends.example")
    files = [{"name": "a.pdf", "size": 3, "sha256": "f" * 64, "media_type": "application/pdf"}]
    await proposed(harness, tool=MAIL, args={"to": ["mail:bob@friends.example"], "text": "", "files": files})
    card = card_text(harness.channel.newest)
    assert f"Files: exactly application/pdf, a.pdf, {'f' * 64}, 3" in card
    assert "Any files" not in labels(harness.channel.newest)
    assert "Bob" in card


async def test_where_two_arguments_name_the_recipients_both_are_shown(harness: Harness) -> None:
    await proposed(harness, args={"to": [ANNA], "text": ANNA})
    card = card_text(harness.channel.newest)
    assert f"To: exactly {ANNA}" in card
    assert harness.channel.newest.body == ANNA


async def test_the_replay_counts_what_would_have_passed_and_lists_what_was_refused(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    for number, label in enumerate(["Approve", "Deny", "Approve"]):
        await harness.ask(call_id=f"past-{number}", args=LATE)
        await harness.tap(label)
    await harness.ask(call_id="other", args={"to": [ANNA], "text": "something\nelse " + "x" * 80})
    await harness.tap("Deny")
    await harness.after_undo_window()
    await proposed(harness, call_id="now")
    assert (
        "In the last 90 days: it would have let pass 3; you refused 1 of them\nYou refused: \n5 March: “I'll be late”"
        in (card_text(harness.channel.newest))
    )
    await harness.tap("Any text")
    card = card_text(harness.channel.newest)
    assert "it would have let pass 4; you refused 2 of them" in card
    assert "5 March: “something else xxx" in card
    assert "…”" in card


async def test_what_is_older_than_ninety_days_is_no_part_of_the_replay(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask(call_id="past")
    await harness.tap("Deny")
    harness.clock.turn(days=91)
    await proposed(harness, call_id="now")
    assert "it would have let nothing pass" in card_text(harness.channel.newest)


async def test_of_many_refusals_the_card_lists_some_and_says_how_many_there_are_more(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    for number in range(REFUSED_SHOWN + 2):
        await harness.ask(call_id=f"past-{number}", args=LATE)
        await harness.tap("Deny")
    await proposed(harness, call_id="now")
    assert card_text(harness.channel.newest).count("5 March: “I'll be late”") == REFUSED_SHOWN
    assert "\nand 2 more" in card_text(harness.channel.newest)
