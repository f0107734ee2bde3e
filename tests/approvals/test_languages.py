"""Approvals in the owner's language: everything shown is in it; stored and compared values stay English."""
# names: made up here

from typing import Any

import pytest

from approvals.email_fallback_answer import answer_in
from approvals.states import State
from approvals.tap_result import ANSWER_LIMIT, REFUSALS
from butler.contract.card import Card, rich_text
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.speech import say, speak
from butler.store.queries import audit
from config.language import OwnerLanguage
from tests.approvals.approval_batch_harness import ask_many, digest, labels
from tests.approvals.email_fallback_harness import mails, reply, silence, with_mail
from tests.approvals.harness import Harness
from tests.approvals.phone import OWNER
from tests.approvals.providers import A_MAIL, ANNA, MAIL, OWN_WORDS
from tests.approvals.rule_harness import LATE

OTHERS = tuple(language for language in OwnerLanguage if language is not OwnerLanguage.ENGLISH)


@pytest.fixture
def german(harness: Harness) -> Harness:
    speak(OwnerLanguage.GERMAN)
    return harness


def fields(card: Card) -> dict[str, str]:
    return {label: rich_text(value) for label, value in card.fields}


async def texts(harness: Harness) -> list[str]:
    return [rich_text(message.text) for message in await harness.messages()]


async def test_a_card_is_whole_in_german_from_its_title_to_its_outcome(german: Harness) -> None:
    await german.know("Anna", ANNA)
    approval_id = await german.ask(args=LATE)
    card = german.channel.newest
    assert card.title == "Zur Genehmigung"
    assert fields(card) == {
        "Als": "du",
        "An": "Telegram 1002 (Anna)",
        "Grund der Frage": "es geschieht in deinem Namen",
    }
    assert labels(card) == ["Genehmigen", "Ablehnen", "Immer…"]
    told = await german.tap("Genehmigen")
    assert told == "Von dir genehmigt am 5. März 2026 um 12:00:00. Wird in 10 s gesendet."
    assert labels(german.channel.newest) == ["Rückgängig"]
    await german.after_undo_window()
    assert rich_text(german.channel.newest.outcome) == "Gesendet am 5. März 2026 um 12:00:10."
    assert (await german.row(approval_id)).reasons == (Reason(ReasonCode.ACTS_AS_OWNER),)


async def test_a_card_warns_in_german_of_strangers_of_their_words_and_of_where_links_lead(german: Harness) -> None:
    args = {"to": ["mail:anna@frіends.example"], "text": "http://bank.example@evil.example/"}
    await german.ask(MAIL, args=args, origins={"to": OWN_WORDS, "text": A_MAIL})
    card = german.channel.newest
    assert card.reasons == (
        "nicht von dir: der Text (Quelle: a mail by eve@evil.example)",
        "der Empfänger steht nicht in deinen Kontakten",
    )
    assert "mischt Schriften: Kyrillisch und Lateinisch" in fields(card)["An"]
    assert fields(card)["Links"] == "evil.example – „bank.example@“ davor ist kein Servername"


async def test_what_nobody_answered_is_told_in_german_and_kept_as_a_code(german: Harness) -> None:
    await german.know("Anna", ANNA)
    approval_id = await german.ask(args=LATE)
    german.clock.turn(hours=24)
    await german.run()
    german.clock.turn(hours=24)
    await german.run()
    reminder, expired = await texts(german)
    assert reminder.startswith("Das wartet noch auf deine Antwort, bis zum 7. März 2026 um 12:00:00: ")
    assert expired.startswith("Niemand hat rechtzeitig geantwortet, deshalb ist das abgelaufen")
    row = await german.row(approval_id)
    assert (row.state, row.detail) == (State.EXPIRED, (Reason(ReasonCode.UNANSWERED),))
    assert rich_text(german.channel.newest.outcome) == (
        "Abgelaufen am 7. März 2026 um 12:00:00: niemand hat rechtzeitig geantwortet. Es wurde nichts gesendet."
    )
    entries = await german.store.read(lambda c: audit.rows(c, approval_id))
    assert "unanswered" in str([entry.data for entry in entries])


async def test_a_card_that_waits_is_drawn_in_the_language_that_is_spoken_by_then(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    row = await harness.row(await harness.ask(args=LATE))
    speak(OwnerLanguage.FRENCH)
    await harness.redraw(row)
    card = harness.channel.newest
    assert card.title == "À approuver"
    assert fields(card)["Motif de la demande"] == "cela agit en ton nom"
    assert labels(card) == ["Approuver", "Refuser", "Toujours…"]


async def test_a_rule_is_proposed_saved_and_listed_in_german(german: Harness) -> None:
    await german.know("Anna", ANNA)
    await german.ask(args=LATE)
    await german.tap("Immer…")
    card = german.channel.newest
    assert card.title == "Eine Dauerregel, noch nicht gespeichert"
    assert fields(card)["Ginge ohne Rückfrage durch"] == "Nachricht senden (Telegram, in deinem Namen)"
    assert fields(card)["Wie lange"] == "bis 4. April 2026, 13:00, höchstens 10-mal"
    assert "Text beliebig" in labels(card)
    told = await german.tap("Regel speichern")
    assert told == "Als Regel 1 gespeichert. Die Karte darüber wartet weiter auf ihr eigenes Ja."
    await german.write(lambda c: german.approvals.say_rules(c, OWNER, "k", german.clock.now()))
    (said,) = await texts(german)
    assert said == (
        "Regel 1: Nachricht senden (Telegram, in deinem Namen) an Anna (Telegram 1002), in diesem Chat, "
        "Text genau „I'll be late“; bis 4. April 2026, 13:00, höchstens 10-mal; noch nie benutzt.\n"
    )


async def test_many_alike_are_decided_and_undone_on_a_german_digest(german: Harness) -> None:
    await ask_many(german, 5)
    assert digest(german).title == ("1 von 2 wartenden · Telegram-Nachrichten in deinem Namen\n1 noch nicht gezeigt")
    await german.tap("▶")
    assert await german.tap("Alle 2 genehmigen") == "2 genehmigt. Wird in 10 s gesendet."
    assert fields(digest(german)) == {"Alle 2": "2 genehmigt"}
    assert await german.tap("Alle 2 rückgängig") == "2 rückgängig gemacht. Davon wurde nichts gesendet."


async def test_what_waits_is_listed_in_german(german: Harness) -> None:
    await german.know("Anna", ANNA)
    await german.ask(args=LATE)
    await german.write(lambda c: german.approvals.say_pending(c, OWNER, "k", german.clock.now()))
    (said,) = await texts(german)
    head, line, end = said.splitlines()
    assert head == "Wartet auf dein Ja (1):"
    assert line.endswith("(an Anna unter Telegram 1002): „I'll be late“")
    assert end == "Ohne dein Ja geschieht nichts. „Zeigen“ holt eine Karte hierher."


@pytest.mark.parametrize("language", OTHERS)
async def test_a_mail_asks_for_words_that_are_understood(harness: Harness, language: OwnerLanguage) -> None:
    speak(language)
    with_mail(harness)
    harness.channel.offline = True
    approval_id = await harness.ask(MAIL)
    while not mails(harness):
        await silence(harness)
    text = mails(harness)[-1][2]
    answers = [(line, said.word) for line in text.splitlines() if (said := answer_in(line))]
    assert [word for _, word in answers] == ["yes", "no"]
    (yes, _), (no, _) = answers
    payload: dict[str, Any] = {"authority": {"command": True}, "subject": "Re: x"}
    assert await harness.approvals.answer_by_mail(reply(harness, f"{no}\n> {yes}", payload=payload))
    assert await harness.state(approval_id) == State.DENIED


@pytest.mark.parametrize("language", OTHERS)
def test_an_answer_to_a_tap_that_did_nothing_fits_in_every_language(language: OwnerLanguage) -> None:
    speak(language)
    for refusal in REFUSALS.values():
        assert say(refusal) != refusal
        assert len(say(refusal)) <= ANSWER_LIMIT
