"""A call's account is chosen when it is requested, named on its card, and checked before the act."""
# names: made up here

from typing import Any

import pytest

from approvals.accounts import earlier, moved, stored, through
from approvals.card_text import card_lines
from approvals.policy import Decision
from approvals.revise import SAME, TOOL_CHANGED, Change, NewValue
from approvals.states import State
from butler.contract.card import rich_text
from butler.contract.provenance import Origin
from butler.contract.reasons import ReasonCode, reason
from butler.contract.tools import ArgRole
from butler.store.queries import approval_batches, audit
from butler.store.store import Store
from tests.approvals.follow_up_harness import AccountSendArgs, FollowUpHarness
from tests.approvals.harness import card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import A_MAIL, ANNA, KEEP, OWN_WORDS, PRIVATE_READ, READ, SEND, SendArgs
from tests.approvals.reasons import words


@pytest.fixture
def harness(store: Store) -> FollowUpHarness:
    return FollowUpHarness(store, accounts=("main", "work"))


def to_anna(account: str = "", text: str = "I'll be late") -> dict[str, Any]:
    return {"to": [ANNA], "text": text, "account": account}


def acting_as(harness: FollowUpHarness) -> str:
    return rich_text(dict(harness.channel.newest.fields)["As"])


@pytest.mark.parametrize(("named", "account"), [("", "main"), ("main", "main"), ("work", "work")])
async def test_a_card_says_through_which_account_and_says_it_once(
    harness: FollowUpHarness, named: str, account: str
) -> None:
    approval_id = await harness.ask(args=to_anna(named))
    assert (await harness.row(approval_id)).account == account
    assert acting_as(harness) == f"you, through {account}"
    assert "account" not in dict(harness.channel.newest.fields)
    assert card_text(harness.channel.newest).count(account) == 1
    assert f"As: you, through {account}" in list(card_lines(harness.channel.newest))
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert [call.account for call in harness.provider.effects] == [account]


async def test_the_only_account_there_is_is_not_mentioned(harness: FollowUpHarness) -> None:
    harness.act_through("main")
    approval_id = await harness.ask()
    assert (await harness.row(approval_id)).account == "main"
    assert acting_as(harness) == "you"
    harness.act_through("main", "work")
    await harness.redraw(await harness.row(approval_id))
    assert acting_as(harness) == "you, through main"


async def test_an_account_that_there_is_not_is_refused_with_those_there_are(harness: FollowUpHarness) -> None:
    verdict = await harness.request(args=to_anna("private"))
    assert verdict.decision is Decision.DENY
    assert words(verdict.reasons) == ("there is no account 'private'; there are main, work",)
    assert await harness.pending() == []


async def test_an_account_that_contradicts_the_arguments_is_refused(harness: FollowUpHarness) -> None:
    verdict = await harness.request(args=to_anna("work"), account="main")
    assert verdict.decision is Decision.DENY
    assert words(verdict.reasons) == ("it was asked for through main, and says itself that it goes through work",)
    assert (await harness.request(args=to_anna("work"), account="work", call_id="c2")).decision is Decision.ASK


async def test_a_tool_without_accounts_goes_through_none_whatever_its_caller_says(harness: FollowUpHarness) -> None:
    verdict = await harness.request(KEEP, account="work")
    assert verdict.decision is Decision.ALLOW
    approval_id = await harness.ask(PRIVATE_READ, args={"item": "7"}, account="work", call_id="c2")
    assert (await harness.row(approval_id)).account == ""


async def test_a_call_that_was_asked_for_before_its_account_went_is_the_same_call(harness: FollowUpHarness) -> None:
    approval_id = await harness.ask(args=to_anna("work"))
    harness.act_through("main")
    again = await harness.request(args=to_anna("work"))
    assert (again.decision, again.approval_id) == (Decision.ASK, approval_id)


# Checks before the act


async def test_a_default_that_was_changed_after_the_yes_keeps_the_act_from_going_elsewhere(
    harness: FollowUpHarness,
) -> None:
    approval_id = await harness.approved()
    harness.act_through("work", "main")
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    assert row.state == State.SUPERSEDED
    assert "it would go through work by now, and was shown to go through main" in rich_text(
        harness.channel.newest.outcome
    )
    assert harness.provider.effects == []


async def test_an_account_that_is_gone_after_the_yes_is_told(harness: FollowUpHarness) -> None:
    approval_id = await harness.approved(args=to_anna("work"))
    harness.act_through("main")
    await harness.after_undo_window()
    assert (await harness.row(approval_id)).state == State.SUPERSEDED
    assert acting_as(harness) == "you, through work"
    assert "the account work is gone. Nothing was sent." in rich_text(harness.channel.newest.outcome)
    assert harness.provider.effects == []


async def test_an_account_that_is_named_goes_on_whichever_is_the_first(harness: FollowUpHarness) -> None:
    approval_id = await harness.approved(args=to_anna("main"))
    harness.act_through("work", "main")
    await harness.after_undo_window()
    assert await harness.state(approval_id) == State.DONE
    assert [call.account for call in harness.provider.effects] == ["main"]


def test_why_a_call_moved_is_said_of_one_from_before_there_were_accounts_too(harness: FollowUpHarness) -> None:
    spec, args = harness.invoker.spec(SEND), AccountSendArgs(to=(ANNA,), text="x")
    assert moved(spec, args, "main") is None
    assert moved(spec, args, "") == reason(ReasonCode.ACCOUNT_ANOTHER, account="main", shown="")
    assert moved(harness.invoker.spec(KEEP), args, "work") == reason(ReasonCode.ACCOUNT_GONE, account="work")


async def test_what_was_stored_before_there_were_accounts_means_the_only_one(harness: FollowUpHarness) -> None:
    assert stored(harness.invoker, SEND, "") == ""
    assert stored(harness.invoker, "user_telegram_gone", "") == ""
    harness.act_through("main")
    assert stored(harness.invoker, SEND, "") == "main"
    row = await harness.row(await harness.ask())
    assert earlier(harness.invoker, row, row.args) == "main"


# Rules


async def rule_for(harness: FollowUpHarness, account: str) -> None:
    """Let the owner allow this from now on, by taps."""
    await harness.meet_anna()
    await harness.ask(args=to_anna(account))
    await harness.tap("Always…")
    await harness.tap("Save rule")


async def test_a_rule_covers_its_account_however_it_is_named_and_no_other(harness: FollowUpHarness) -> None:
    await rule_for(harness, "")
    card = next(card for card in harness.channel.cards.values() if card.title.startswith("Standing rule"))
    assert rich_text(dict(card.fields)["Covers"]) == "Send message (Telegram, as you, through main)"
    assert "account" not in card_text(card).lower()
    await harness.write(lambda c: harness.approvals.say_rules(c, OWNER, "k", harness.clock.now()))
    assert "Rule 1: Send message (Telegram, as you, through main) to Anna" in (await harness.said())[-1]
    decisions = [
        (await harness.request(args=to_anna(named), call_id=f"c-{named}")).decision for named in ("", "main", "work")
    ]
    assert decisions == [Decision.ALLOW, Decision.ALLOW, Decision.ASK]


async def test_a_rule_does_not_follow_the_default_to_another_account(harness: FollowUpHarness) -> None:
    await rule_for(harness, "")
    harness.act_through("work", "main")
    assert (await harness.request(args=to_anna(), call_id="c2")).decision is Decision.ASK
    assert (await harness.request(args=to_anna("main"), call_id="c3")).decision is Decision.ALLOW


async def test_a_rule_from_before_there_were_accounts_holds_while_there_is_one(harness: FollowUpHarness) -> None:
    harness.act_through()
    harness.invoker.change(SEND, args=SendArgs)
    await harness.meet_anna()
    await harness.ask()
    await harness.tap("Always…")
    await harness.tap("Save rule")
    harness.act_through("main")
    assert (await harness.request(args=to_anna(), call_id="c2")).decision is Decision.ALLOW
    harness.act_through("main", "work")
    assert (await harness.request(args=to_anna(), call_id="c3")).decision is Decision.ASK


async def test_an_account_that_others_chose_asks_whatever_rule_there_is(harness: FollowUpHarness) -> None:
    await rule_for(harness, "work")
    own = dict.fromkeys(to_anna(), OWN_WORDS)
    allowed = await harness.request(args=to_anna("work"), origins=own, call_id="c2")
    assert allowed.decision is Decision.ALLOW
    verdict = await harness.request(args=to_anna("work"), origins=own | {"account": A_MAIL}, call_id="c3")
    assert verdict.decision is Decision.ASK
    row = await harness.row(verdict.approval_id or "")
    assert row.risk == "highest"
    await harness.run()
    (card,) = [card for card in harness.channel.cards.values() if card.approval_id == verdict.approval_id]
    assert "the account comes from a mail by eve@evil.example" in card.reasons


async def test_a_read_through_an_account_that_others_chose_asks(harness: FollowUpHarness) -> None:
    harness.invoker.change(READ, args=AccountSendArgs, accounts=("main", "work"))
    own = dict.fromkeys(to_anna(), OWN_WORDS)
    plain = await harness.request(READ, args=to_anna("work"), origins=own)
    assert plain.decision is Decision.ALLOW
    chosen = await harness.request(READ, args=to_anna("work"), origins=own | {"account": A_MAIL}, call_id="c2")
    assert words(chosen.reasons) == ("the account comes from a mail by eve@evil.example",)
    nobody = await harness.request(READ, args=to_anna("work"), origins=own | {"account": frozenset()}, call_id="c3")
    assert words(nobody.reasons) == ("nobody knows who chose the account",)
    assert (await harness.request(READ, args={"to": [], "text": "x"}, origins=own, call_id="c4")).approval_id is None


# Approval batches and lists


async def test_only_what_goes_through_the_same_account_shares_a_card(harness: FollowUpHarness) -> None:
    await harness.meet_anna()
    for number in range(6):
        await harness.ask(args=to_anna("work" if number % 2 else "main", str(number)), call_id=f"c{number}")
    assert not [card.title for card in harness.channel.cards.values() if " of " in card.title]
    for number in range(6, 10):
        await harness.ask(args=to_anna("work" if number % 2 else "main", str(number)), call_id=f"c{number}")
    opened = await harness.store.read(approval_batches.all_open)
    members = [await harness.store.read(lambda c, f=f: approval_batches.members(c, f.batch_id)) for f in opened]
    assert sorted(tuple(row.account for row in found) for found in members) == [("main",) * 2, ("work",) * 2]
    titles = [card.title.splitlines()[0] for card in harness.channel.cards.values() if " of 2 " in card.title]
    assert sorted(title.partition(" · ")[2] for title in titles) == [
        "Telegram messages as you, through main",
        "Telegram messages as you, through work",
    ]


async def test_every_list_says_through_which_account(harness: FollowUpHarness) -> None:
    await harness.ask(args=to_anna("work"))
    await harness.write(lambda c: harness.approvals.say_pending(c, OWNER, "k", harness.clock.now()))
    assert "1. Sends a message, through work (to Telegram 1002): “I'll be late”" in (await harness.said())[-1]
    harness.clock.turn(hours=48)
    await harness.run()
    assert (await harness.said())[-1].endswith("Sends a message, through work (to Telegram 1002): “I'll be late”.")


# Edits


def put(account: str, by: str = "in-2") -> Change:
    return Change(by, account=NewValue(account, frozenset({Origin.owner(OWNER)})))


async def edit(harness: FollowUpHarness, approval_id: str, change: Change, revision: int = 1) -> Any:
    now = harness.clock.now()
    told = await harness.write(lambda c: harness.approvals.revise(c, approval_id, revision, change, now))
    await harness.run()
    return told


async def test_an_edit_changes_the_account_and_shows_the_difference(harness: FollowUpHarness) -> None:
    approval_id = await harness.ask()
    await edit(harness, approval_id, put("work"))
    row = await harness.row(approval_id)
    assert (row.revision, row.account) == (2, "work")
    card = harness.channel.newest
    assert acting_as(harness) == "you, through work"
    assert rich_text(card.changes) == "Through: main, work"
    assert [span.style.value for span in card.changes if span.text in {"main", "work"}] == ["strike", "underline"]
    old = next(iter(harness.channel.cards.values()))
    assert rich_text(dict(old.fields)["As"]) == "you, through main"
    entries = await harness.store.read(lambda c: audit.rows(c, approval_id))
    assert [entry.data["account"] for entry in entries if entry.kind == "approval.revised"] == ["work"]
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert [call.account for call in harness.provider.effects] == ["work"]


async def test_an_edit_to_the_same_account_or_to_none_changes_nothing(harness: FollowUpHarness) -> None:
    approval_id = await harness.ask(args=to_anna("work"))
    assert await edit(harness, approval_id, put("work")) == SAME
    told = await edit(harness, approval_id, put("private"))
    assert told == "There is no account 'private'; there are main, work. Nothing was changed."
    assert (await harness.row(approval_id)).revision == 1


async def test_a_card_whose_account_is_gone_can_be_sent_through_another(harness: FollowUpHarness) -> None:
    approval_id = await harness.ask(args=to_anna("work"))
    harness.act_through("main")
    text = Change("in-2", text=NewValue("Sorry", OWN_WORDS))
    assert await edit(harness, approval_id, text) == TOOL_CHANGED
    await edit(harness, approval_id, put("main"))
    assert (await harness.row(approval_id)).account == "main"


async def test_an_answer_stays_in_the_account_of_what_it_answers(harness: FollowUpHarness) -> None:
    roles = dict.fromkeys(("to", "text", "subject", "files", "silent", "account"), ArgRole.TARGET)
    approval_id = await harness.ask(args=to_anna("work"))
    harness.invoker.roles[AccountSendArgs] = roles
    told = await edit(harness, approval_id, put("main"))
    assert told == (
        "This is about something that lies in work, so it goes through that account. To use another one, ask me anew."
    )


async def test_what_goes_through_no_account_cannot_be_sent_through_another(harness: FollowUpHarness) -> None:
    harness.act_through()
    approval_id = await harness.ask(args={"to": [ANNA], "text": "x"})
    assert await edit(harness, approval_id, put("main")) == "This goes through no account that could be changed."


def test_the_account_of_a_tool_that_is_gone_is_still_said(harness: FollowUpHarness) -> None:
    assert through(harness.invoker, "user_telegram_gone", "wo\u202erk") == ", through wo[U+202E]rk"


async def test_a_private_read_says_its_account_and_not_among_its_arguments(harness: FollowUpHarness) -> None:
    harness.invoker.change(PRIVATE_READ, args=AccountSendArgs, accounts=("main", "work"), preview=None)
    await harness.ask(PRIVATE_READ, args=to_anna("work"))
    assert acting_as(harness) == "you, through work"
    assert "account" not in dict(harness.channel.newest.fields)
    harness.invoker.tools.pop(PRIVATE_READ)
    (row,) = await harness.pending()
    await harness.redraw(row)
    assert acting_as(harness) == "you, through work"
    assert card_text(harness.channel.newest).count("work") == 1
    assert harness.channel.newest.effect == f"Calls {PRIVATE_READ}"
