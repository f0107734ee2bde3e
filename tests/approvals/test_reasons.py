"""The reasons why a card asks are stored as codes with parameters, and worded where they are shown."""

import json

import pytest

from approvals.reason_words import details_in_words, in_words
from butler.contract.mail import MailFacts
from butler.contract.provenance import Origin, SourceKind, SourceName, Trust
from butler.contract.reasons import (
    Reason,
    ReasonCode,
    because,
    dump_reasons,
    in_own_words,
    load_reasons,
    of_error,
    reason,
    reasons_of_text,
    reasons_to_text,
)
from butler.contract.speech import phrase, speak
from butler.provenance import MODEL_PLAN, by_model, dump_names, say_sources, seen_by_model, untrusted_sources
from butler.store.errors import StoreFullError
from butler.store.tables import approvals as table
from config.language import OwnerLanguage
from tests.approvals.harness import Harness
from tests.approvals.providers import A_MAIL, ANNA, OWN_WORDS

VALUES = {
    "field": "body",
    "text": "as it was said", "command": "/resume", "tool": "user_*", "recipient": "mail:*", "count": 2, "limit": 1,
    "to": "anna@friends.example", "number": 3, "arguments": ["to", "text"], "sources": ["a mail"], "why": "text: short",
    "most": 1000, "signs": ["addressee"], "kinds": ["phone"], "error": "It did not work.", "detail": "the disk is full",
    "account": "work", "shown": "home", "name": "Anna", "before": "", "only": True, "who": "telegram:666",
    "at": "2026-03-05T09:00:00", "date": "2026-04-14", "dates": ["2026-04-14", "2026-05-01"], "kind": "KeyError",
    "message": "a1", "approval": "a2",
    "days": {"at": "09:00", "most": 10, "until": "2027-03-05", "zone": "Europe/London", "since": "2026-03-05",
             "every": "day"}, "reasons": [{"code": "unanswered", "params": {}}],
}  # fmt: skip


@pytest.mark.parametrize("code", ReasonCode)
def test_every_code_has_its_words_and_comes_back_from_its_row(code: ReasonCode) -> None:
    one = Reason(code, VALUES)
    assert in_words(one).strip()
    assert "{" not in in_words(one)
    assert load_reasons(json.loads(json.dumps(dump_reasons([one])))) == (one,)
    assert reasons_of_text(reasons_to_text([one])) == (one,)


def test_what_is_counted_has_words_for_one() -> None:
    assert in_words(reason(ReasonCode.RULE_EXCEEDED, count=1, number=3, most=1000)) == (
        "there is 1, and your rule 3 is for 1,000 at most each time"
    )


async def test_a_row_holds_codes_and_no_sentence(harness: Harness) -> None:
    approval_id = await harness.ask(origins={"text": A_MAIL, "to": OWN_WORDS})
    (stored,) = await harness.store.read(
        lambda c: c.execute(table.select().where(table.c.approval_id == approval_id)).mappings().all()
    )
    assert stored["reasons"] == [
        {"code": "acts_as_owner", "params": {}},
        {
            "code": "comes_from",
            "params": {
                "tool": "user_telegram_send_message",
                "arguments": ["text"],
                "sources": ["a mail by eve@evil.example"],
            },
        },
        {"code": "stranger", "params": {}},
    ]


async def test_the_sentence_of_an_older_row_is_shown_as_it_is(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    approval_id = await harness.ask(origins={"text": OWN_WORDS, "to": OWN_WORDS})
    await harness.store.write(lambda c: c.execute(table.update().values(reasons=["the moon is full"])))
    row = await harness.row(approval_id)
    assert row.reasons == (in_own_words("the moon is full"),)
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert (await harness.row(approval_id)).reasons == row.reasons


@pytest.mark.parametrize("text", ["the moon is full", '"a text"', "[]", '[{"code": "of_later_days"}]', '[{"code": '])
def test_a_column_that_holds_no_codes_is_read_as_its_text(text: str) -> None:
    assert reasons_of_text(text) == (in_own_words(text),)
    assert in_words(in_own_words(text)) == text


def test_reasons_that_were_stored_as_a_text_before_the_codes_are_that_text() -> None:
    assert load_reasons("the mail is broken") == (in_own_words("the mail is broken"),)
    assert load_reasons("") == ()
    assert MailFacts.model_validate({"why_not": ""}).why_not is None
    assert MailFacts.model_validate({"why_not": "it is a receipt"}).why_not == in_own_words("it is a receipt")


def test_a_list_of_values_is_told_as_a_list_in_the_owners_language() -> None:
    one = load_reasons(json.loads(json.dumps(dump_reasons([in_own_words("not {them}", them=["To", "Cc", "Date"])]))))[0]
    assert in_words(one) == "not To, Cc and Date"
    speak(OwnerLanguage.GERMAN)
    assert in_words(one) == "not To, Cc und Date"


@pytest.mark.parametrize("kind", SourceKind)
def test_every_kind_of_source_has_its_words(kind: SourceKind) -> None:
    stored = dump_names([SourceName(kind=kind, who="eve@evil.example", name="bill.pdf"), SourceName(kind=kind)])
    named, unnamed = (say_sources([one]) for one in json.loads(json.dumps(stored)))
    assert "{" not in named + unnamed
    assert ("eve@evil.example" in named) != ("bill.pdf" in named) or kind is SourceKind.FILE_FROM


def test_a_source_of_before_the_codes_is_named_as_it_was() -> None:
    old = Origin.model_validate({"trust": "untrusted", "source": "mail:1", "shown_as": "a mail by eve@evil.example"})
    assert untrusted_sources(frozenset({old})) == ["a mail by eve@evil.example"]
    assert say_sources(["a mail by eve@evil.example", "your mails"]) == "a mail by eve@evil.example and your mails"


def test_a_models_plan_is_known_by_its_code_and_not_by_its_words() -> None:
    reworded = MODEL_PLAN.model_copy(update={"shown_as": "what a machine made of it"})
    assert by_model(frozenset({reworded}))
    assert seen_by_model(frozenset({reworded})) == frozenset()


def test_no_reasons_are_an_empty_text() -> None:
    assert (reasons_to_text([]), reasons_of_text("")) == ("", ())


def test_what_has_other_reasons_says_them() -> None:
    lost = because(ReasonCode.INTERRUPTED_LOST, of_error(StoreFullError("12 MB left")))
    assert in_words(lost) == "Butler was interrupted, and can no longer find out: The disk is full: 12 MB left"


def test_days_that_were_read_are_worded_in_the_language_of_the_day() -> None:
    one, several = (
        reason(ReasonCode.TEXT_SAYS_DAY, date="2026-04-14"),
        reason(ReasonCode.TEXT_HAS_DAYS, dates=["2026-04-14", "2026-05-01"]),
    )
    assert in_words(one) == "it says 14 April 2026"
    speak(OwnerLanguage.GERMAN)
    assert in_words(one) == "dort steht 14. April 2026"
    assert "14. April 2026 und 1. Mai 2026" in in_words(several)


def test_one_of_several_accounts_is_told_from_the_only_one() -> None:
    only, other = (reason(ReasonCode.ACCOUNT_ANOTHER, account="work", shown=shown) for shown in ("", "home"))
    assert in_words(only).endswith("was shown to go through the only account there was")
    assert in_words(other) == "it would go through work by now, and was shown to go through home"


async def test_what_is_stored_is_shown_in_the_language_of_the_day(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    approval_id = await harness.ask(origins={"text": OWN_WORDS, "to": OWN_WORDS})
    harness.clock.turn(hours=48)
    await harness.run()
    remark = in_own_words(phrase("It did not take it for {people}."), people="bob@friends.example")
    row = await harness.row(approval_id)
    details = [row.detail, (remark,)]
    english = [details_in_words(one) for one in details]
    speak(OwnerLanguage.GERMAN)
    try:
        german = [details_in_words(one) for one in details]
    finally:
        speak(OwnerLanguage.ENGLISH)
    assert english == ["nobody answered in time", "It did not take it for bob@friends.example."]
    assert german == ["niemand hat rechtzeitig geantwortet", "Für bob@friends.example hat er sie nicht angenommen."]


async def test_a_source_is_stored_with_its_code_and_named_on_the_card(harness: Harness) -> None:
    mail = SourceName(kind=SourceKind.MAIL, who="eve@evil.example")
    origin = Origin(trust=Trust.UNTRUSTED, source="mail:1", shown_as=mail)
    approval_id = await harness.ask(origins={"text": frozenset({origin}), "to": OWN_WORDS})
    row = await harness.row(approval_id)
    (source,) = row.reasons[1].params["sources"]
    assert source == {"kind": "mail", "who": "eve@evil.example", "name": ""}
    assert "the text comes from a mail by eve@evil.example" in harness.channel.newest.reasons
