"""The policy allows, asks or denies, with reasons in plain words."""
# names: made up here

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from approvals.frozen import freeze, sha256
from approvals.pause import COMMAND_LINE, PAUSED
from approvals.policy import Decision, PolicyRule, Verdict, judge
from approvals.policy_rules import RULES, chosen_by_a_model
from approvals.policy_table import policy_table
from approvals.request import Assessment, assess
from approvals.revise import Change, NewValue, revise
from approvals.risk import Risk
from butler.contract.errors import Bug
from butler.contract.names import ApprovalDefault, Identity
from butler.contract.provenance import Origin, Trust
from butler.contract.reasons import Reason, ReasonCode, in_own_words, reason
from butler.contract.tools import ArgRole, ToolMetadata
from butler.provenance import MODEL_PLAN, Labels
from butler.store.queries import approvals, audit, contacts, cursors
from butler.tool_invoker import UnknownToolError
from config.approvals import ApprovalsSettings, BotOutputs
from tests.approvals.harness import Harness, card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import (
    A_MAIL,
    ANNA,
    ARCHIVE,
    BOT_SEND,
    KEEP,
    MAIL,
    OWN_WORDS,
    PRIVATE_READ,
    READ,
    SEND,
    Invoker,
    Provider,
)
from tests.approvals.reasons import words
from tests.approvals.standing_rule_harness import RULE, question, rule_now, saved


async def test_what_acts_as_the_person_asks_even_when_the_tool_says_it_need_not(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    for number, tool in enumerate((SEND, MAIL, ARCHIVE)):
        verdict = await harness.request(tool, call_id=f"c{number}")
        assert verdict.decision is Decision.ASK
        assert words(verdict.reasons) == ("acts as you",)
        assert verdict.approval_id


async def test_a_user_tool_that_claims_to_be_for_the_owner_alone_still_asks(harness: Harness) -> None:
    harness.invoker.change(SEND, to_owner=True)
    assert (await harness.request(args={"to": [OWNER], "text": "x"})).decision is Decision.ASK


async def test_every_reason_is_named_at_once(harness: Harness) -> None:
    args = {"to": [ANNA, "telegram:1003"], "text": "as he wrote", "subject": "hm"}
    origins = {"to": OWN_WORDS, "text": A_MAIL | OWN_WORDS}
    verdict = await harness.request(args=args, origins=origins)
    assert words(verdict.reasons) == (
        "acts as you",
        "nobody knows who chose the subject",
        "the text comes from a mail by eve@evil.example",
        "2 recipients are not in your contacts",
    )


@pytest.mark.parametrize("to", [OWNER, "mail:me@home.example", "mail:Me@Home.example"])
async def test_the_butler_writing_to_its_owner_never_asks_and_is_the_callers_to_do(harness: Harness, to: str) -> None:
    verdict = await harness.request(BOT_SEND, args={"to": [to], "text": "x"}, origins={"text": A_MAIL})
    assert verdict == Verdict(Decision.ALLOW, (Reason(ReasonCode.ONLY_OWNER_SEES),))
    assert not await harness.works()


async def test_a_tool_for_the_owners_eyes_passes_without_recipients(harness: Harness) -> None:
    verdict = await harness.request(KEEP, args={"to": [], "text": "x"}, origins={"text": A_MAIL})
    assert (verdict.decision, verdict.approval_id) == (Decision.ALLOW, None)


@pytest.mark.parametrize(
    "to", ["mail:me@\u029come.example", "mail:me@\u212aome.example", "telegram:420", "42", "mail:42"]
)
async def test_what_only_resembles_the_owner_is_somebody_else(harness: Harness, to: str) -> None:
    harness.owner.emails |= {"me@kome.example"}
    assert (await harness.request(BOT_SEND, args={"to": [to], "text": "x"})).decision is Decision.ASK


async def test_before_pairing_nobody_is_the_owner(harness: Harness) -> None:
    harness.owner.telegram_user_id = None
    assert (await harness.request(BOT_SEND, args={"to": ["telegram:None"], "text": "x"})).decision is Decision.ASK


async def test_the_butler_to_a_confirmed_contact_passes_with_a_row_and_an_attempt(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    verdict = await harness.request(BOT_SEND, args={"to": [ANNA, OWNER], "text": "x"})
    assert verdict.decision is Decision.ALLOW
    assert verdict.approval_id
    row = await harness.row(verdict.approval_id)
    assert (row.state, row.decided_by) == ("approved", "policy")
    await harness.run()
    assert await harness.state(verdict.approval_id) == "done"
    assert len(await harness.attempts(verdict.approval_id)) == len(harness.provider.effects) == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"args": {"to": ["telegram:9"], "text": "x"}}, "the recipient is not in your contacts"),
        ({"args": {"to": [ANNA, "telegram:9"], "text": "x"}}, "a recipient is not in your contacts"),
        ({"args": {"to": [], "text": "x"}}, "it does not say who will see it"),
        ({"origins": {"to": OWN_WORDS, "text": A_MAIL}}, "the text comes from a mail by eve@evil.example"),
        ({"origins": {"to": A_MAIL, "text": OWN_WORDS}}, "the recipient comes from a mail by eve@evil.example"),
        ({"origins": {"to": OWN_WORDS}}, "nobody knows who chose the text"),
    ],
)
async def test_the_butler_to_others_asks_when_something_is_not_the_owners(
    harness: Harness, change: dict[str, Any], reason: str
) -> None:
    await harness.know("Anna", ANNA)
    verdict = await harness.request(BOT_SEND, **change)
    assert (verdict.decision, words(verdict.reasons)) == (Decision.ASK, (reason,))


async def test_what_reaches_nobody_is_not_said_to_be_seen_by_somebody(harness: Harness) -> None:
    harness.invoker.change(BOT_SEND, approval_default=ApprovalDefault.ALWAYS)
    nobody = ToolMetadata({"text": ArgRole.TARGET})
    harness.invoker.metadata = lambda _name: nobody  # pyright: ignore[reportAttributeAccessIssue]
    verdict = await harness.request(BOT_SEND, args={"to": [], "text": "x"})
    assert (verdict.decision, words(verdict.reasons)) == (Decision.ASK, ("this tool always asks",))


async def test_an_act_on_the_owners_own_things_that_nobody_sees_asks_for_that_it_acts_as_them_alone(
    harness: Harness,
) -> None:
    harness.invoker.change(SEND, unseen=True)
    verdict = await harness.request(args={"to": [], "text": "x"}, origins={"to": OWN_WORDS, "text": OWN_WORDS})
    assert (verdict.decision, words(verdict.reasons)) == (Decision.ASK, ("acts as you",))


async def test_an_act_in_the_owners_name_that_has_no_recipients_is_not_said_to_keep_them_back(harness: Harness) -> None:
    harness.invoker.change(SEND, approval_default=ApprovalDefault.ALWAYS)
    nobody = ToolMetadata({"text": ArgRole.CONTENT})
    harness.invoker.metadata = lambda _name: nobody  # pyright: ignore[reportAttributeAccessIssue]
    verdict = await harness.request(args={"to": [], "text": "x"}, origins={"to": OWN_WORDS, "text": OWN_WORDS})
    assert (verdict.decision, words(verdict.reasons)) == (Decision.ASK, ("acts as you",))


async def test_a_contacts_own_words_do_not_taint(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    hers = frozenset({Origin(trust=Trust.CONTACT, source="telegram:1002")})
    assert (await harness.request(BOT_SEND, origins={"to": OWN_WORDS, "text": hers})).decision is Decision.ALLOW


async def test_an_argument_that_says_nothing_needs_no_origin(harness: Harness) -> None:
    verdict = await harness.request(READ, args={"item": "1", "limit": None}, origins={"item": OWN_WORDS})
    assert verdict.decision is Decision.ALLOW


async def test_a_tool_or_the_settings_can_make_the_butlers_own_outputs_ask(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    harness.invoker.change(BOT_SEND, approval_default=ApprovalDefault.ALWAYS)
    assert words((await harness.request(BOT_SEND, call_id="a")).reasons) == ("this tool always asks",)
    harness.invoker.change(BOT_SEND, approval_default=ApprovalDefault.NONE)
    assert (await harness.request(BOT_SEND, call_id="b")).decision is Decision.ALLOW
    harness.configure(bot_outputs="ask")
    assert words((await harness.request(BOT_SEND, call_id="c")).reasons) == (
        "your settings ask for everything that others see",
    )


@pytest.mark.parametrize("lookalike", ["mail:anna@\u212aelvin.example", "mail:stra\u00dfe@x.example"])
async def test_a_look_alike_of_a_contact_is_not_the_contact(harness: Harness, lookalike: str) -> None:
    await harness.know("Anna", "mail:anna@kelvin.example", "mail:strasse@x.example")
    verdict = await harness.request(BOT_SEND, args={"to": [lookalike], "text": "x"})
    assert words(verdict.reasons) == ("the recipient is not in your contacts",)


async def test_a_contact_with_an_address_beyond_ascii_is_known(harness: Harness) -> None:
    await harness.know("Änne", "mail:änne@x.example")
    verdict = await harness.request(BOT_SEND, args={"to": ["mail:änne@x.example"], "text": "x"})
    assert verdict.decision is Decision.ALLOW


async def test_reads_pass_unless_their_scope_is_private(harness: Harness) -> None:
    args: Mapping[str, Any] = {"item": "7"}
    assert await harness.request(READ, args=args) == Verdict(Decision.ALLOW, (Reason(ReasonCode.ONLY_READS),))
    asked = await harness.request(PRIVATE_READ, args=args)
    assert (asked.decision, words(asked.reasons)) == (Decision.ASK, ("reads something private",))
    assert asked.approval_id


async def test_a_read_that_strangers_see_asks_where_anybody_but_the_owner_chose_an_argument(harness: Harness) -> None:
    harness.invoker.change(READ, reaches_out=frozenset({"item"}))
    args: Mapping[str, Any] = {"item": "7"}
    assert await harness.request(READ, args=args, origins={"item": OWN_WORDS}) == Verdict(
        Decision.ALLOW, (Reason(ReasonCode.ONLY_READS),)
    )
    drawn = await harness.request(READ, args=args, origins={"item": A_MAIL}, call_id="c2")
    assert (drawn.decision, words(drawn.reasons)) == (Decision.ASK, ("item comes from a mail by eve@evil.example",))
    unseen: Mapping[str, Any] = args | {"limit": 3}
    origins = {"item": OWN_WORDS, "limit": A_MAIL}
    passes = await harness.request(READ, args=unseen, origins=origins, call_id="c3")
    assert passes.decision is Decision.ALLOW, "what strangers do not see tells them nothing"


async def test_deny_rules_win_over_all_and_leave_no_row_but_an_audit_row(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    peace = {"tool": "bot_*", "recipient": ANNA, "reason": "she asked for peace"}
    harness.configure(deny=[peace, {"tool": "bot_notes_*"}])
    verdict = await harness.request(BOT_SEND, call_id="c-9")
    assert verdict == Verdict(Decision.DENY, (in_own_words("she asked for peace"),))
    kept = await harness.request(KEEP, args={"to": [], "text": "x"})
    assert words(kept.reasons) == ("your settings forbid bot_notes_* to *",)
    assert not await harness.store.read(lambda c: approvals.by_call(c, "c-9"))
    assert (await harness.store.read(lambda c: audit.rows(c, "c-9")))[0].kind == "approval.refused"


def test_no_match_asks_and_an_allowing_rule_does_not_outvote_one_above_it_that_asks() -> None:
    fine, really, never = map(in_own_words, ("fine", "really?", "never"))
    allow = PolicyRule("a", "", Decision.ALLOW, lambda _: (fine,))
    ask = PolicyRule("b", "", Decision.ASK, lambda _: (really,))
    deny = PolicyRule("c", "", Decision.DENY, lambda _: (never,))
    silent = PolicyRule("d", "", Decision.DENY, lambda _: ())
    assert judge(question(), []) == Verdict(Decision.ASK, (Reason(ReasonCode.NO_RULE),))
    assert judge(question(), [silent, ask, allow, deny]) == Verdict(Decision.ASK, (really,))
    assert judge(question(), [ask, deny, allow]) == Verdict(Decision.DENY, (never,))
    assert judge(question(), [allow, ask]) == Verdict(Decision.ALLOW, (fine,))


def test_the_table_can_be_read_aloud() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    plain = [str(line.decision) + ": " + line.what for line in policy_table(ApprovalsSettings())]
    assert plain == [
        "deny: everything in your name, and private reads, while it is paused",
        "allow: what one of your standing rules allows, and exactly that",
        "ask: reads of private scope",
        "ask: reads through an account of yours that somebody else chose",
        "ask: reads that tell strangers what others chose",
        "allow: all other reads",
        "ask: what a language model changes of the butler's own",
        "allow: what only you see",
        "ask: user_*_*send*: acts as you",
        "ask: user_*_*reply*: acts as you",
        "ask: user_*: acts as you",
        "ask: bot_*: tools that say of themselves that they always ask",
        "ask: text or choices of untrusted origin",
        "ask: people you have not confirmed",
        "allow: the butler to people you know",
        "ask: anything else",
    ]


def test_the_table_spells_out_what_the_settings_say() -> None:
    settings = ApprovalsSettings.model_validate(
        {
            "deny": [{"tool": "user_email_*"}, {"recipient": "telegram:@bob", "reason": "peace"}],
            "limit": [{"tool": "user_*", "recipients": 5}, {"per_day": 9, "per_recipient": 2}],
            "policy": [
                {"tool": "bot_email_reply*", "approval": "none"},
                {"tool": "bot_email_*", "approval": "always"},
                {"tool": "user_email_read*", "approval": "always"},
            ],
            "bot_outputs": "ask",
        }
    )
    lines: dict[str, list[str]] = {}
    for line in policy_table(settings):
        lines.setdefault(line.rule, []).append(line.what)
    assert list(lines)[:4] == ["pause", "deny", "limit", "standing"]
    assert lines["deny"] == ["user_email_* to *", "* to telegram:@bob: peace"]
    assert lines["limit"] == [
        "user_* to more than 5 recipients",
        "* more than 9 times a day",
        "* more than 2 times a day to one address",
    ]
    assert lines["sensitive_read"] == [
        "reads of private scope",
        "reads through an account of yours that somebody else chose",
        "bot_email_*, where it reads, but not bot_email_reply*",
        "user_email_read*, where it reads, but not bot_email_reply*",
    ]
    assert lines["tool_asks"] == [
        "bot_email_*, where it acts, but not bot_email_reply*",
        "user_email_read*, where it acts, but not bot_email_reply*",
        "bot_*: tools that say of themselves that they always ask, but not bot_email_reply*",
    ]
    assert lines["settings_ask"] == ["bot_*: all that others see"]


async def test_while_it_is_paused_nothing_is_done_or_read_in_private_and_the_butlers_own_goes_on(
    harness: Harness,
) -> None:
    await saved(harness)
    now = harness.clock.now()
    await harness.write(lambda c: cursors.put_fact(c, PAUSED, {"by": OWNER, "at": now.isoformat()}, now))
    verdict = await harness.request(call_id="c1")
    assert verdict == Verdict(Decision.DENY, (reason(ReasonCode.PAUSED, command="/resume"),))
    assert (await harness.request(PRIVATE_READ, args={"item": "1"}, call_id="c2")).decision is Decision.DENY
    assert (await harness.request(READ, args={"item": "1"}, call_id="c2b")).decision is Decision.ALLOW
    assert (await harness.request(BOT_SEND, call_id="c3")).decision is Decision.ALLOW
    await harness.write(lambda c: cursors.put_fact(c, PAUSED, {"by": COMMAND_LINE, "at": now.isoformat()}, now))
    assert words((await harness.request(call_id="c4")).reasons) == (
        "you have paused what acts as you; butler resume on the machine lets it go on",
    )
    await harness.write(lambda c: cursors.put_fact(c, PAUSED, None, now))
    assert (await harness.request(call_id="c5")).decision is Decision.ALLOW


@pytest.mark.parametrize("to", ["telegram:@bob", "telegram:1005", "mail:bob@x.example", "mail:BOB@x.example"])
async def test_whom_a_deny_rule_names_is_denied_under_every_confirmed_address(harness: Harness, to: str) -> None:
    await harness.know("Bob", "telegram:@bob", "telegram:1005", "mail:bob@x.example")
    harness.configure(deny=[{"recipient": "telegram:@Bob"}])
    assert (await harness.request(args={"to": [ANNA, to], "text": "x"})).decision is Decision.DENY


async def test_a_pattern_denies_addresses_and_not_the_people_behind_them(harness: Harness) -> None:
    await harness.know("Bob", "mail:bob@press.example", "telegram:1005")
    harness.configure(deny=[{"recipient": "mail:*@press.example"}])
    assert (await harness.request(args={"to": ["mail:bob@press.example"], "text": "x"})).decision is Decision.DENY
    asked = await harness.request(args={"to": ["telegram:1005"], "text": "x"}, call_id="c2")
    assert words(asked.reasons) == ("acts as you",)


async def test_an_address_that_a_stranger_claims_is_not_the_person_whom_a_deny_rule_names(harness: Harness) -> None:
    await harness.know("Bob", "telegram:@bob")
    now = harness.clock.now()
    claimed = ["telegram:@bob", "mail:b@evil.example"]
    await harness.write(lambda c: contacts.learn(c, "Bob", claimed, source="m", owner_says_so=False, now=now))
    harness.configure(deny=[{"recipient": "telegram:@bob"}])
    assert (await harness.request(args={"to": ["mail:b@evil.example"], "text": "x"})).decision is Decision.ASK


async def test_the_policy_can_make_reads_and_the_butlers_own_outputs_ask(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    harness.configure(policy=[{"tool": "*", "approval": "always"}])
    says = ("your settings always ask for this tool",)
    assert words((await harness.request(READ, args={"item": "7"}, call_id="a")).reasons) == says
    assert words((await harness.request(PRIVATE_READ, args={"item": "7"}, call_id="b")).reasons) == (
        "reads something private",
        *says,
    )
    assert words((await harness.request(BOT_SEND, call_id="c")).reasons) == says
    assert words((await harness.request(call_id="d")).reasons) == ("acts as you",)
    assert (await harness.request(BOT_SEND, args={"to": [OWNER], "text": "x"}, call_id="e")).decision is Decision.ALLOW


async def test_the_first_line_of_the_policy_that_matches_speaks_for_a_tool(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    harness.invoker.change(BOT_SEND, approval_default=ApprovalDefault.ALWAYS)
    harness.configure(policy=[{"tool": "bot_*", "approval": "none"}, {"tool": "*", "approval": "always"}])
    assert (await harness.request(BOT_SEND, call_id="a")).decision is Decision.ALLOW
    stranger = {"to": ["telegram:9"], "text": "x"}
    assert (await harness.request(BOT_SEND, args=stranger, call_id="b")).decision is Decision.ASK
    assert (
        await harness.request(BOT_SEND, origins={"to": OWN_WORDS, "text": A_MAIL}, call_id="c")
    ).decision is Decision.ASK


async def test_a_card_says_calmly_that_the_settings_ask(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    harness.configure(policy=[{"tool": "bot_*", "approval": "always"}])
    await harness.ask(BOT_SEND)
    assert "Asks because: your settings always ask for this tool" in card_text(harness.channel.newest)


def test_a_tool_named_as_the_persons_asks_whatever_else_is_said_of_it() -> None:
    spec = replace(question().spec, identity=Identity.BOT, approval_default=ApprovalDefault.NONE)
    assert words(judge(question(spec=spec), RULES).reasons) == ("acts as you",)


@pytest.mark.parametrize("tool", [SEND, BOT_SEND])
def test_what_forbids_wins_over_a_standing_rule_and_a_standing_rule_over_what_asks(tool: str) -> None:
    drawn = {"to": A_MAIL, "text": A_MAIL}
    asks: dict[str, Any] = {
        "to": (ANNA, "telegram:9"),
        "origins": drawn,
        "settings": ApprovalsSettings(bot_outputs=BotOutputs.ASK),
    }
    assert judge(question(tool, **asks), RULES).decision is Decision.ASK
    allowed: dict[str, Any] = {**asks, "standing": RULE}
    assert judge(question(tool, **allowed), RULES).decision is Decision.ALLOW
    deny = ApprovalsSettings.model_validate({"deny": [{"recipient": ANNA}]})
    for name, value in {"paused": "/resume", "over_limit": "enough", "settings": deny}.items():
        allowed_but_for_this: dict[str, Any] = {**allowed, name: value}
        assert judge(question(tool, **allowed_but_for_this), RULES).decision is Decision.DENY


@pytest.mark.parametrize("tool", [SEND, MAIL, ARCHIVE])
async def test_a_judgement_changes_nothing_and_takes_what_has_no_origin_for_untrusted(
    harness: Harness, tool: str
) -> None:
    rule = await saved(harness, tool=tool)
    spec = harness.invoker.spec(tool)
    now = harness.clock.now()
    args = spec.args.model_validate({"to": [ANNA], "text": "x", "silent": False})

    async def judged(origins: Mapping[str, Labels]) -> Assessment:
        return await harness.store.read(lambda c: assess(harness.context, c, spec, args, origins, "", OWNER, now))

    own = await judged({"to": OWN_WORDS, "text": OWN_WORDS})
    assert (own.verdict.decision, own.rule, own.risk) == (Decision.ALLOW, rule, Risk.HIGH)
    assert own.preview.body == "x"
    unknown = await judged({"to": OWN_WORDS})
    assert (words(unknown.verdict.reasons), unknown.rule) == (("acts as you", "nobody knows who chose the text"), None)
    assert (await rule_now(harness, rule)).uses == 0


async def test_a_second_request_for_a_call_is_the_first_one_again(harness: Harness) -> None:
    first = await harness.request()
    harness.configure(deny=[{"tool": "user_*"}])
    assert await harness.request() == first
    assert [kind for kind, _, _ in await harness.works()].count(approvals.SHOW_CARD) == 1


async def test_a_call_that_the_owner_has_changed_since_is_the_first_one_too(harness: Harness) -> None:
    first = await harness.request()
    assert first.approval_id
    change = Change("reply-1", text=NewValue("I'll be very late", OWN_WORDS))
    await harness.write(lambda c: revise(harness.context, c, first.approval_id or "", 1, change, harness.clock.now()))
    assert (await harness.request()).approval_id == first.approval_id
    with pytest.raises(Bug):
        await harness.request(args={"to": [ANNA], "text": "I'll be very late"})


async def test_a_passed_call_that_is_requested_again_has_passed(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    first = await harness.request(BOT_SEND)
    assert await harness.request(BOT_SEND) == first


async def test_a_calls_id_cannot_be_used_for_another_call(harness: Harness) -> None:
    await harness.request()
    with pytest.raises(Bug):
        await harness.request(args={"to": [ANNA], "text": "something else"})


async def test_an_unregistered_tool_is_refused(harness: Harness) -> None:
    with pytest.raises(UnknownToolError):
        await harness.request("user_telegram_delete_account")


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"to": [ANNA]}, "the arguments do not fit the tool (text: Field required)"),
        ({"to": [ANNA], "text": "x", "bcc": "e"}, "bcc: Extra inputs"),
        ({"to": [ANNA], "text": "half \ud83d"}, "cannot be stored"),
    ],
)
async def test_arguments_that_cannot_be_frozen_are_denied_with_a_reason(
    harness: Harness, args: dict[str, Any], reason: str
) -> None:
    verdict = await harness.request(args=args)
    assert verdict.decision is Decision.DENY
    assert reason in words(verdict.reasons)[0]


async def test_what_is_stored_is_canonical_and_hashed_with_characters_as_they_are(harness: Harness) -> None:
    decomposed = "e\u0301"
    row = await harness.row((await harness.request(args={"text": decomposed, "to": [ANNA]})).approval_id or "")
    assert row.args == f'{{"files":[],"silent":false,"subject":"","text":"{decomposed}","to":["{ANNA}"]}}'
    assert row.args_sha256 == sha256(row.args)
    spec = harness.invoker.spec(SEND)
    composed = freeze(spec, spec.args.model_validate({"text": "\u00e9", "to": [ANNA]}))
    assert composed.args_sha256 != row.args_sha256


def test_what_a_model_changes_of_the_butlers_own_asks_where_it_is_the_owners_to_say_or_others_were_read() -> None:
    invoker = Invoker(Provider())
    own = replace(invoker.spec(KEEP), to_owner=True)
    alone, after_others = frozenset({MODEL_PLAN}), frozenset({MODEL_PLAN}) | A_MAIL

    def reasons(choice: Labels, **spec: Any) -> list[str]:
        return list(words(chosen_by_a_model(question(KEEP, spec=replace(own, **spec), choice=choice))))

    assert reasons(alone) == []
    assert reasons(alone, asks_if_model_chose=True) == ["a language model chose this"]
    assert reasons(after_others) == ["a language model chose this, and knew of a mail by eve@evil.example"]
    assert reasons(after_others, shows_origin=True) == []
    a_contact = frozenset({Origin(trust=Trust.CONTACT, source="telegram:1002", shown_as="Anna")})
    assert reasons(alone | a_contact) == ["a language model chose this, and knew of what others wrote"]
    assert reasons(OWN_WORDS, asks_if_model_chose=True) == []
    assert list(chosen_by_a_model(question(SEND, choice=after_others))) == []
