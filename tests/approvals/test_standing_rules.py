"""Standing rules: what one allows, exactly, and how often."""
# names: made up here

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from approvals import request as requesting
from approvals import standing_rules
from approvals.policy import Decision
from approvals.standing_rules import Call, allows, digest_of
from butler.contract.card import Card
from butler.contract.provenance import Origin, Trust
from butler.store.queries import approvals, audit, contacts, rules
from butler.store.queries.rules import RuleRow, RuleState
from tests.approvals.harness import Harness, card_text
from tests.approvals.phone import NOON, OWNER
from tests.approvals.providers import A_MAIL, ANNA, ARCHIVE, BOT_SEND, OWN_WORDS, PRIVATE_READ, SEND
from tests.approvals.reasons import words
from tests.approvals.standing_rule_harness import RULE, rule_now, saved

BEN = "telegram:1003"
CALL = Call(
    tool=SEND,
    account="",
    chat=OWNER,
    recipients=(ANNA,),
    args={"to": f'["{ANNA}"]', "text": '"late"', "silent": "false"},
    tainted=frozenset(),
)
TEXT_OF_OTHERS = {"to": OWN_WORDS, "text": A_MAIL}


def test_a_rule_allows_the_very_call_that_it_names() -> None:
    assert allows(RULE, CALL, NOON)
    assert allows(replace(RULE, pinned={"text": '"late"', "silent": "false", "subject": "null"}), CALL, NOON)
    assert allows(replace(RULE, recipients=(ANNA, BEN)), CALL, NOON)
    assert allows(replace(RULE, expires_at=NOON + timedelta(seconds=1), max_uses=2, uses=1), CALL, NOON)


@pytest.mark.parametrize("state", sorted(set(RuleState) - {RuleState.ACTIVE}))
def test_only_a_rule_in_force_allows_anything(state: RuleState) -> None:
    assert not allows(replace(RULE, state=state), CALL, NOON)


@pytest.mark.parametrize(
    "change",
    [
        {"expires_at": NOON},
        {"max_uses": 3, "uses": 3},
        {"recipients": ()},
        {"recipients": (BEN,)},
        {"pinned": {"text": '"later"'}},
        {"pinned": {"silent": "0"}},
        {"pinned": {"subject": '""'}},
        {"chat": ""},
    ],
)
def test_a_rule_that_is_over_or_says_something_else_does_not_allow(change: dict[str, Any]) -> None:
    assert not allows(replace(RULE, **change), CALL, NOON)


@pytest.mark.parametrize(
    "change",
    [
        {"tool": BOT_SEND},
        {"account": "work"},
        {"recipients": (ANNA, BEN)},
        {"recipients": ()},
        {"tainted": frozenset({"text"})},
        {"steered": frozenset({"to"})},
    ],
)
def test_a_call_that_differs_in_one_thing_is_not_allowed(change: dict[str, Any]) -> None:
    assert not allows(RULE, replace(CALL, **change), NOON)


def test_a_rule_without_recipients_allows_only_what_reaches_nobody() -> None:
    silent = replace(RULE, tool=ARCHIVE, recipients=())
    assert allows(silent, replace(CALL, tool=ARCHIVE, recipients=()), NOON)
    assert not allows(silent, replace(CALL, tool=ARCHIVE), NOON)


def test_untrusted_words_pass_only_where_they_are_pinned_and_never_choose_whom_they_reach() -> None:
    pinned = replace(RULE, pinned={"text": '"late"', "to": f'["{ANNA}"]'})
    tainted = replace(CALL, tainted=frozenset({"text"}))
    assert allows(pinned, tainted, NOON)
    assert not allows(pinned, replace(tainted, args={**CALL.args, "text": '"pay Eve"'}), NOON)
    assert not allows(pinned, replace(CALL, tainted=frozenset({"to"}), steered=frozenset({"to"})), NOON)


async def test_what_a_rule_allows_is_done_at_once_and_recorded_with_the_rule(harness: Harness) -> None:
    rule = await saved(harness)
    verdict = await harness.request(call_id="c1")
    assert (verdict.decision, words(verdict.reasons)) == (Decision.ALLOW, ("your standing rule 1 allows it",))
    row = await harness.row(verdict.approval_id or "")
    assert (row.state, row.decided_by, row.rule_id, row.rule_digest) == ("approved", "rule:1", "r1", digest_of(rule))
    await harness.run()
    assert await harness.state(row.approval_id) == "done"
    assert len(harness.provider.effects) == 1
    card = harness.channel.newest
    assert card.title == "For your information"
    assert "Not asked because: your standing rule 1 allows it" in card_text(card)
    assert "Passed by your standing rule 1. Sent at 12:00:00" in card_text(card)
    assert not card.buttons
    assert await harness.request(call_id="c1") == replace(verdict, line="")


async def test_every_use_is_counted_and_audited(harness: Harness) -> None:
    rule = await saved(harness, max_uses=2)
    first = await harness.request(call_id="c1")
    assert (await rule_now(harness, rule)).uses == 1
    await harness.request(call_id="c2")
    now = await rule_now(harness, rule)
    assert (now.uses, now.state) == (2, "used_up")
    assert (await harness.request(call_id="c3")).decision is Decision.ASK
    entries = await harness.store.read(lambda c: audit.rows(c, rule.rule_id))
    assert [entry.kind for entry in reversed(entries)] == ["rule.used", "rule.used", "rule.used_up"]
    assert entries[-1].data == {"approval_id": first.approval_id, "number": 1, "uses": 1}
    assert entries[-1].actor == "rule:1"


async def test_many_requests_at_once_use_a_rule_no_more_often_than_it_says(harness: Harness) -> None:
    rule = await saved(harness, max_uses=3)
    verdicts = await asyncio.gather(*(harness.request(call_id=f"c{n}") for n in range(20)))
    assert [verdict.decision for verdict in verdicts].count(Decision.ALLOW) == 3
    await harness.run()
    assert len(harness.provider.effects) == 3
    assert (await rule_now(harness, rule)).uses == 3


async def test_a_use_counts_only_against_the_rule_as_it_was_found(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = await saved(harness, max_uses=2)
    stale = [rule]

    def found(*args: Any) -> RuleRow | None:
        return stale.pop() if stale else standing_rules.find(*args)

    await harness.request(call_id="c1")
    monkeypatch.setattr(requesting, "find", found)
    assert (await harness.request(call_id="c2")).decision is Decision.ALLOW
    assert (await rule_now(harness, rule)).uses == 2
    now = harness.clock.now()
    assert not await harness.write(
        lambda c: standing_rules.note_use(c, replace(rule, state=RuleState.DISABLED), "x", now)
    )
    assert not await harness.write(lambda c: standing_rules.note_use(c, replace(rule, expires_at=now), "x", now))


async def test_a_rule_whose_time_is_over_allows_nothing_and_is_put_out_of_force(harness: Harness) -> None:
    rule = await saved(harness, expires_at=NOON + timedelta(hours=1))
    other = await saved(harness, number=2, expires_at=NOON + timedelta(hours=9))
    harness.clock.turn(hours=1)
    assert words((await harness.request(call_id="c1")).reasons) == ("your standing rule 2 allows it",)
    await harness.write(lambda c: standing_rules.retire_expired(c, harness.clock.now()))
    assert (await rule_now(harness, rule)).state == "expired"
    assert (await rule_now(harness, other)).state == "active"
    assert [entry.kind for entry in await harness.store.read(lambda c: audit.rows(c, rule.rule_id))] == ["rule.expired"]


async def test_ap_12_always_for_one_person_allows_nothing_to_another(harness: Harness) -> None:
    await saved(harness)
    await harness.know("Ben", BEN)
    unknown = await harness.request(args={"to": ["telegram:9"], "text": "x"}, call_id="c1")
    assert (unknown.decision, words(unknown.reasons)) == (
        Decision.ASK,
        ("acts as you", "the recipient is not in your contacts"),
    )
    for number, to in enumerate(([BEN], [ANNA, BEN], [ANNA, "telegram:9"], [])):
        asked = await harness.request(args={"to": to, "text": "x"}, call_id=f"d{number}")
        assert asked.decision is Decision.ASK
    assert (
        await harness.request(BOT_SEND, args={"to": ["telegram:9"], "text": "x"}, call_id="e")
    ).decision is Decision.ASK
    assert (await harness.request(args={"to": [ANNA], "text": "x"}, call_id="f")).decision is Decision.ALLOW


async def test_ap_12_a_rule_does_not_reach_somebody_who_is_no_longer_a_contact(harness: Harness) -> None:
    rule = await saved(harness)
    await harness.write(lambda c: contacts.keep_only(c, "test", ["anna"], []))
    assert (await harness.request(call_id="c1")).decision is Decision.ASK
    assert (await rule_now(harness, rule)).uses == 0


async def test_ap_12_a_look_alike_of_the_person_is_not_the_person(harness: Harness) -> None:
    await harness.know("Anna", "mail:anna@kelvin.example")
    await saved(harness, recipients=("mail:anna@kelvin.example",))
    lookalike = await harness.request(args={"to": ["mail:anna@\u212aelvin.example"], "text": "x"}, call_id="c1")
    assert lookalike.decision is Decision.ASK
    as_written = await harness.request(args={"to": ["mail:Anna@Kelvin.example"], "text": "x"}, call_id="c2")
    assert as_written.decision is Decision.ALLOW


@pytest.mark.parametrize("chat", ["telegram:-7", ""])
async def test_ap_13_a_grant_in_one_chat_is_no_grant_in_another_or_for_a_job(harness: Harness, chat: str) -> None:
    rule = await saved(harness)
    asked = await harness.request(call_id="c1", chat=chat)
    assert (asked.decision, words(asked.reasons)) == (Decision.ASK, ("acts as you",))
    assert (await rule_now(harness, rule)).uses == 0


async def test_ap_13_a_deny_rule_wins_over_a_standing_rule(harness: Harness) -> None:
    rule = await saved(harness)
    harness.configure(deny=[{"tool": SEND, "recipient": ANNA}])
    assert (await harness.request(call_id="c1")).decision is Decision.DENY
    assert (await rule_now(harness, rule)).uses == 0


async def test_a_standing_rule_wins_over_whatever_asks(harness: Harness) -> None:
    harness.configure(policy=[{"tool": "*", "approval": "always"}], bot_outputs="ask")
    await saved(harness, pinned={"text": '"out of office"'})
    words = {"to": [ANNA], "text": "out of office"}
    assert (await harness.request(call_id="c1", args=words, origins=TEXT_OF_OTHERS)).decision is Decision.ALLOW
    other = await harness.request(call_id="c2", args={**words, "text": "x"}, origins=TEXT_OF_OTHERS)
    assert other.decision is Decision.ASK
    steered = await harness.request(call_id="c3", args=words, origins={"to": A_MAIL, "text": OWN_WORDS})
    assert steered.decision is Decision.ASK


async def test_a_rule_for_a_private_read_lets_it_be_made_with_a_record(harness: Harness) -> None:
    await saved(harness, tool=PRIVATE_READ, recipients=(), pinned={"limit": "null"})
    verdict = await harness.request(PRIVATE_READ, args={"item": "1"}, call_id="c1")
    assert (verdict.decision, bool(verdict.approval_id)) == (Decision.ALLOW, True)
    more = await harness.request(PRIVATE_READ, args={"item": "1", "limit": 9}, call_id="c2")
    assert more.decision is Decision.ASK
    hers = frozenset({Origin(trust=Trust.CONTACT, source=ANNA)})
    fine = await harness.request(PRIVATE_READ, args={"item": "1"}, origins={"item": hers}, call_id="c3")
    assert fine.decision is Decision.ALLOW
    mail = await harness.request(PRIVATE_READ, args={"item": "1"}, origins={"item": A_MAIL}, call_id="c4")
    assert mail.decision is Decision.ASK


@pytest.mark.parametrize(
    ("change", "allows_still"),
    [
        ({"uses": 9}, True),
        ({"state": "used_up"}, True),
        ({"state": "expired"}, True),
        ({"revision": 2}, True),
        ({"state": "disabled"}, False),
        ({"state": "revoked"}, False),
        ({"state": "draft"}, False),
        ({"recipients": (ANNA, BEN)}, False),
        ({"pinned": {"text": '"x"'}}, False),
        ({"expires_at": NOON + timedelta(days=9)}, False),
        ({"max_uses": 5}, False),
        ({"chat": "telegram:-7"}, False),
        ({"account": "work"}, False),
        ({"tool": BOT_SEND}, False),
    ],
)
async def test_a_rule_that_changed_since_it_let_something_pass_lets_it_pass_no_more(
    harness: Harness, change: dict[str, Any], allows_still: bool
) -> None:
    await saved(harness)
    row = await harness.row((await harness.request(call_id="c1")).approval_id or "")

    async def still(at: Any) -> bool:
        return await harness.store.read(lambda c: standing_rules.still_allows(c, at, harness.clock.now()))

    def put(connection: Any) -> None:
        current = rules.get(connection, "r1")
        assert current
        assert rules.replace_row(connection, current, replace(current, **change))

    assert await still(row)
    await harness.write(put)
    assert await still(row) is allows_still
    assert not await still(replace(row, rule_id="gone"))
    assert await still(replace(row, rule_id=None))


async def test_a_stored_call_is_seen_as_it_was_when_it_was_asked_for(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    args = {"to": [ANNA], "text": "as he wrote"}
    row = await harness.row(await harness.ask(args=args, origins=TEXT_OF_OTHERS))
    call = standing_rules.call_of_row(harness.context, row)
    given = {name: json.loads(value) for name, value in call.args.items()}
    assert given == {"to": [ANNA], "text": "as he wrote", "subject": "", "files": [], "silent": False}
    assert replace(call, args={}) == Call(SEND, "", OWNER, (ANNA,), {}, frozenset({"text"}))
    before = standing_rules.call_of_row(harness.context, replace(row, bound="", recipients=()))
    assert before.recipients == (ANNA,)
    del harness.invoker.tools[SEND]
    gone = standing_rules.call_of_row(harness.context, row)
    assert (gone.recipients, gone.steered) == ((ANNA,), frozenset({"text"}))


def outcome_of(card: Card) -> str:
    return "".join(span.text for span in card.outcome)


async def test_what_a_rule_let_pass_says_so_whatever_becomes_of_it(harness: Harness) -> None:
    await saved(harness)
    verdict = await harness.request(call_id="c1")
    await harness.run(kinds={approvals.SHOW_CARD: None})
    harness.invoker.change(SEND, adapter_id="other")
    await harness.run()
    row = await harness.row(verdict.approval_id or "")
    assert row.state == "superseded"
    assert outcome_of(harness.channel.newest).startswith("Passed by your standing rule 1. Withdrawn at")
