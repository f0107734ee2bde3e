"""Through which account a call goes is settled when it is asked for, said on its card, and looked at before the act."""
# names: made up here

from typing import Any

import pytest

from approvals.accounts import earlier, moved, stored, through
from approvals.card_text import card_lines
from approvals.policy import Decision
from approvals.revise import SAME, TOOL_CHANGED, Change, Put
from approvals.states import State
from butler.contract.card import rich_text
from butler.contract.provenance import Origin
from butler.contract.reasons import ReasonCode, reason
from butler.contract.tools import ArgMetadata, ArgRole
from butler.store.queries import approval_batches, audit
from butler.store.store import Store
from tests.approvals.followed import AccountSendArgs, FollowHouse
from tests.approvals.house import card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import A_MAIL, ANNA, KEEP, OWN_WORDS, PRIVATE_READ, READ, SEND, SendArgs
from tests.approvals.reasons import words


@pytest.fixture
def house(store: Store) -> FollowHouse:
    return FollowHouse(store, accounts=("main", "work"))


def to_anna(account: str = "", text: str = "I'll be late") -> dict[str, Any]:
    return {"to": [ANNA], "text": text, "account": account}


def acting_as(house: FollowHouse) -> str:
    return rich_text(dict(house.channel.newest.fields)["As"])


@pytest.mark.parametrize(("named", "account"), [("", "main"), ("main", "main"), ("work", "work")])
async def test_a_card_says_through_which_account_and_says_it_once(house: FollowHouse, named: str, account: str) -> None:
    approval_id = await house.ask(args=to_anna(named))
    assert (await house.row(approval_id)).account == account
    assert acting_as(house) == f"you, through {account}"
    assert "account" not in dict(house.channel.newest.fields)
    assert card_text(house.channel.newest).count(account) == 1
    assert f"As: you, through {account}" in list(card_lines(house.channel.newest))
    await house.tap("Approve")
    await house.after_undo_window()
    assert [call.account for call in house.provider.effects] == [account]


async def test_the_only_account_there_is_is_not_mentioned(house: FollowHouse) -> None:
    house.act_through("main")
    approval_id = await house.ask()
    assert (await house.row(approval_id)).account == "main"
    assert acting_as(house) == "you"
    house.act_through("main", "work")
    await house.redraw(await house.row(approval_id))
    assert acting_as(house) == "you, through main"


async def test_an_account_that_there_is_not_is_refused_with_those_there_are(house: FollowHouse) -> None:
    verdict = await house.request(args=to_anna("private"))
    assert verdict.decision is Decision.DENY
    assert words(verdict.reasons) == ("there is no account 'private'; there are main, work",)
    assert await house.pending() == []


async def test_an_account_that_contradicts_the_arguments_is_refused(house: FollowHouse) -> None:
    verdict = await house.request(args=to_anna("work"), account="main")
    assert verdict.decision is Decision.DENY
    assert words(verdict.reasons) == ("it was asked for through main, and says itself that it goes through work",)
    assert (await house.request(args=to_anna("work"), account="work", call_id="c2")).decision is Decision.ASK


async def test_a_tool_without_accounts_goes_through_none_whatever_its_caller_says(house: FollowHouse) -> None:
    verdict = await house.request(KEEP, account="work")
    assert verdict.decision is Decision.ALLOW
    approval_id = await house.ask(PRIVATE_READ, args={"item": "7"}, account="work", call_id="c2")
    assert (await house.row(approval_id)).account == ""


async def test_a_call_that_was_asked_for_before_its_account_went_is_the_same_call(house: FollowHouse) -> None:
    approval_id = await house.ask(args=to_anna("work"))
    house.act_through("main")
    again = await house.request(args=to_anna("work"))
    assert (again.decision, again.approval_id) == (Decision.ASK, approval_id)


# Before the act


async def test_a_default_that_was_changed_after_the_yes_keeps_the_act_from_going_elsewhere(
    house: FollowHouse,
) -> None:
    approval_id = await house.approved()
    house.act_through("work", "main")
    await house.after_undo_window()
    row = await house.row(approval_id)
    assert row.state == State.SUPERSEDED
    assert "it would go through work by now, and was shown to go through main" in rich_text(
        house.channel.newest.outcome
    )
    assert house.provider.effects == []


async def test_an_account_that_is_gone_after_the_yes_is_told(house: FollowHouse) -> None:
    approval_id = await house.approved(args=to_anna("work"))
    house.act_through("main")
    await house.after_undo_window()
    assert (await house.row(approval_id)).state == State.SUPERSEDED
    assert acting_as(house) == "you, through work"
    assert "the account work is gone. Nothing was sent." in rich_text(house.channel.newest.outcome)
    assert house.provider.effects == []


async def test_an_account_that_is_named_goes_on_whichever_is_the_first(house: FollowHouse) -> None:
    approval_id = await house.approved(args=to_anna("main"))
    house.act_through("work", "main")
    await house.after_undo_window()
    assert await house.state(approval_id) == State.DONE
    assert [call.account for call in house.provider.effects] == ["main"]


def test_why_a_call_moved_is_said_of_one_from_before_there_were_accounts_too(house: FollowHouse) -> None:
    spec, args = house.invoker.spec(SEND), AccountSendArgs(to=(ANNA,), text="x")
    assert moved(spec, args, "main") is None
    assert moved(spec, args, "") == reason(ReasonCode.ACCOUNT_ANOTHER, account="main", shown="")
    assert moved(house.invoker.spec(KEEP), args, "work") == reason(ReasonCode.ACCOUNT_GONE, account="work")


async def test_what_was_stored_before_there_were_accounts_means_the_only_one(house: FollowHouse) -> None:
    assert stored(house.invoker, SEND, "") == ""
    assert stored(house.invoker, "user_telegram_gone", "") == ""
    house.act_through("main")
    assert stored(house.invoker, SEND, "") == "main"
    row = await house.row(await house.ask())
    assert earlier(house.invoker, row, row.args) == "main"


# Rules


async def rule_for(house: FollowHouse, account: str) -> None:
    """The owner lets this pass from now on, by taps."""
    await house.meet_anna()
    await house.ask(args=to_anna(account))
    await house.tap("Always…")
    await house.tap("Save rule")


async def test_a_rule_covers_its_account_however_it_is_named_and_no_other(house: FollowHouse) -> None:
    await rule_for(house, "")
    card = next(card for card in house.channel.cards.values() if card.title.startswith("Standing rule"))
    assert rich_text(dict(card.fields)["Covers"]) == "Send message (Telegram, as you, through main)"
    assert "account" not in card_text(card).lower()
    await house.write(lambda c: house.approvals.say_rules(c, OWNER, "k", house.clock.now()))
    assert "Rule 1: Send message (Telegram, as you, through main) to Anna" in (await house.said())[-1]
    decisions = [
        (await house.request(args=to_anna(named), call_id=f"c-{named}")).decision for named in ("", "main", "work")
    ]
    assert decisions == [Decision.ALLOW, Decision.ALLOW, Decision.ASK]


async def test_a_rule_does_not_follow_the_default_to_another_account(house: FollowHouse) -> None:
    await rule_for(house, "")
    house.act_through("work", "main")
    assert (await house.request(args=to_anna(), call_id="c2")).decision is Decision.ASK
    assert (await house.request(args=to_anna("main"), call_id="c3")).decision is Decision.ALLOW


async def test_a_rule_from_before_there_were_accounts_holds_while_there_is_one(house: FollowHouse) -> None:
    house.act_through()
    house.invoker.change(SEND, args=SendArgs)
    await house.meet_anna()
    await house.ask()
    await house.tap("Always…")
    await house.tap("Save rule")
    house.act_through("main")
    assert (await house.request(args=to_anna(), call_id="c2")).decision is Decision.ALLOW
    house.act_through("main", "work")
    assert (await house.request(args=to_anna(), call_id="c3")).decision is Decision.ASK


async def test_an_account_that_others_chose_asks_whatever_rule_there_is(house: FollowHouse) -> None:
    await rule_for(house, "work")
    own = dict.fromkeys(to_anna(), OWN_WORDS)
    allowed = await house.request(args=to_anna("work"), origins=own, call_id="c2")
    assert allowed.decision is Decision.ALLOW
    verdict = await house.request(args=to_anna("work"), origins=own | {"account": A_MAIL}, call_id="c3")
    assert verdict.decision is Decision.ASK
    row = await house.row(verdict.approval_id or "")
    assert row.risk == "highest"
    await house.run()
    (card,) = [card for card in house.channel.cards.values() if card.approval_id == verdict.approval_id]
    assert "the account comes from a mail by eve@evil.example" in card.reasons


async def test_a_read_through_an_account_that_others_chose_asks(house: FollowHouse) -> None:
    house.invoker.change(READ, args=AccountSendArgs, accounts=("main", "work"))
    own = dict.fromkeys(to_anna(), OWN_WORDS)
    plain = await house.request(READ, args=to_anna("work"), origins=own)
    assert plain.decision is Decision.ALLOW
    chosen = await house.request(READ, args=to_anna("work"), origins=own | {"account": A_MAIL}, call_id="c2")
    assert words(chosen.reasons) == ("the account comes from a mail by eve@evil.example",)
    nobody = await house.request(READ, args=to_anna("work"), origins=own | {"account": frozenset()}, call_id="c3")
    assert words(nobody.reasons) == ("nobody knows who chose the account",)
    assert (await house.request(READ, args={"to": [], "text": "x"}, origins=own, call_id="c4")).approval_id is None


# Digests and lists


async def test_only_what_goes_through_the_same_account_shares_a_card(house: FollowHouse) -> None:
    await house.meet_anna()
    for number in range(6):
        await house.ask(args=to_anna("work" if number % 2 else "main", str(number)), call_id=f"c{number}")
    assert not [card.title for card in house.channel.cards.values() if " of " in card.title]
    for number in range(6, 10):
        await house.ask(args=to_anna("work" if number % 2 else "main", str(number)), call_id=f"c{number}")
    opened = await house.store.read(approval_batches.all_open)
    members = [await house.store.read(lambda c, f=f: approval_batches.members(c, f.batch_id)) for f in opened]
    assert sorted(tuple(row.account for row in found) for found in members) == [("main",) * 2, ("work",) * 2]
    titles = [card.title.splitlines()[0] for card in house.channel.cards.values() if " of 2 " in card.title]
    assert sorted(title.partition(" · ")[2] for title in titles) == [
        "Telegram messages as you, through main",
        "Telegram messages as you, through work",
    ]


async def test_every_list_says_through_which_account(house: FollowHouse) -> None:
    await house.ask(args=to_anna("work"))
    await house.write(lambda c: house.approvals.say_pending(c, OWNER, "k", house.clock.now()))
    assert "1. Sends a message, through work (to telegram:1002): “I'll be late”" in (await house.said())[-1]
    house.clock.turn(hours=48)
    await house.run()
    assert (await house.said())[-1].endswith("Sends a message, through work (to telegram:1002): “I'll be late”.")


# Edits


def put(account: str, by: str = "in-2") -> Change:
    return Change(by, account=Put(account, frozenset({Origin.owner(OWNER)})))


async def edit(house: FollowHouse, approval_id: str, change: Change, revision: int = 1) -> Any:
    now = house.clock.now()
    told = await house.write(lambda c: house.approvals.revise(c, approval_id, revision, change, now))
    await house.run()
    return told


async def test_an_edit_changes_the_account_and_shows_the_difference(house: FollowHouse) -> None:
    approval_id = await house.ask()
    await edit(house, approval_id, put("work"))
    row = await house.row(approval_id)
    assert (row.revision, row.account) == (2, "work")
    card = house.channel.newest
    assert acting_as(house) == "you, through work"
    assert rich_text(card.changes) == "Through: main, work"
    assert [span.style.value for span in card.changes if span.text in {"main", "work"}] == ["strike", "underline"]
    old = next(iter(house.channel.cards.values()))
    assert rich_text(dict(old.fields)["As"]) == "you, through main"
    entries = await house.store.read(lambda c: audit.rows(c, approval_id))
    assert [entry.data["account"] for entry in entries if entry.kind == "approval.revised"] == ["work"]
    await house.tap("Approve")
    await house.after_undo_window()
    assert [call.account for call in house.provider.effects] == ["work"]


async def test_an_edit_to_the_same_account_or_to_none_changes_nothing(house: FollowHouse) -> None:
    approval_id = await house.ask(args=to_anna("work"))
    assert await edit(house, approval_id, put("work")) == SAME
    told = await edit(house, approval_id, put("private"))
    assert told == "There is no account 'private'; there are main, work. Nothing was changed."
    assert (await house.row(approval_id)).revision == 1


async def test_a_card_whose_account_is_gone_can_be_sent_through_another(house: FollowHouse) -> None:
    approval_id = await house.ask(args=to_anna("work"))
    house.act_through("main")
    text = Change("in-2", text=Put("Sorry", OWN_WORDS))
    assert await edit(house, approval_id, text) == TOOL_CHANGED
    await edit(house, approval_id, put("main"))
    assert (await house.row(approval_id)).account == "main"


async def test_an_answer_stays_in_the_account_of_what_it_answers(house: FollowHouse) -> None:
    roles = {name: ArgMetadata(ArgRole.TARGET) for name in ("to", "text", "subject", "files", "silent", "account")}
    approval_id = await house.ask(args=to_anna("work"))
    house.invoker.roles[AccountSendArgs] = roles
    told = await edit(house, approval_id, put("main"))
    assert told == (
        "This is about something that lies in work, so it goes through that account. To use another one, ask me anew."
    )


async def test_what_goes_through_no_account_cannot_be_sent_through_another(house: FollowHouse) -> None:
    house.act_through()
    approval_id = await house.ask(args={"to": [ANNA], "text": "x"})
    assert await edit(house, approval_id, put("main")) == "This goes through no account that could be changed."


def test_the_account_of_a_tool_that_is_gone_is_still_said(house: FollowHouse) -> None:
    assert through(house.invoker, "user_telegram_gone", "wo\u202erk") == ", through wo[U+202E]rk"


async def test_a_private_read_says_its_account_and_not_among_its_arguments(house: FollowHouse) -> None:
    house.invoker.change(PRIVATE_READ, args=AccountSendArgs, accounts=("main", "work"), preview=None)
    await house.ask(PRIVATE_READ, args=to_anna("work"))
    assert acting_as(house) == "you, through work"
    assert "account" not in dict(house.channel.newest.fields)
    house.invoker.tools.pop(PRIVATE_READ)
    (row,) = await house.pending()
    await house.redraw(row)
    assert acting_as(house) == "you, through work"
    assert card_text(house.channel.newest).count("work") == 1
    assert house.channel.newest.effect == f"Calls {PRIVATE_READ}"
