"""Between approval and act, a call that changed or is no longer allowed is stopped, with the reason."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import BaseModel

from approvals import rule_actions
from approvals.attempts import AttemptOutcome
from approvals.reason_words import details_in_words
from approvals.states import State
from butler.contract.errors import BlobDamagedError, Effect, IntegrationErrorCode
from butler.contract.integration import Idempotency
from butler.contract.tools import Attachment, Preview, Reconciled, Settled
from butler.store.errors import StoreUnavailableError
from butler.store.queries import rules
from butler.store.queries.rules import RuleRow, RuleState
from butler.store.tables import approvals as approvals_table
from butler.store.tables import contact_addresses, contact_aliases, contacts
from tests.approvals.harness import Harness, card_text
from tests.approvals.providers import ANNA, OWN_WORDS, SEND, fault
from tests.approvals.second_channel import Killed
from tests.approvals.standing_rule_harness import saved

Change = Callable[[Harness], Awaitable[None]]
TRY_LATER = fault(IntegrationErrorCode.UNAVAILABLE)
NO_ANSWER = fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)
REPORT = b"the numbers of March"


async def file_of(harness: Harness) -> Attachment:
    return Attachment(name="report.pdf", size=len(REPORT), sha256=await harness.blobs.put(REPORT))


async def approved(harness: Harness) -> str:
    """Return a message to Anna with a file, after the owner's yes."""
    await harness.know("Anna", ANNA)
    file = await file_of(harness)
    return await harness.approved(args={"to": [ANNA], "text": "here it is", "files": [file.model_dump()]})


async def passed(harness: Harness) -> str:
    """Return a message that a standing rule let pass, before it begins."""
    await saved(harness)
    verdict = await harness.request()
    assert verdict.approval_id is not None
    assert await harness.state(verdict.approval_id) == State.APPROVED
    return verdict.approval_id


async def set_column(harness: Harness, name: str, value: Any) -> None:
    await harness.write(lambda c: c.execute(approvals_table.update().values({name: value})))


async def row_args(harness: Harness) -> None:
    await harness.write(
        lambda c: c.execute(
            approvals_table.update().values(args=sa.func.replace(approvals_table.c.args, "here", "gone"))
        )
    )


async def row_hash(harness: Harness) -> None:
    await set_column(harness, "args_sha256", "0" * 64)


async def row_contract(harness: Harness) -> None:
    await set_column(harness, "contract_digest", "0" * 64)


async def row_bound(harness: Harness) -> None:
    await set_column(harness, "bound", "nothing that was ever noted")


async def row_bound_to_others(harness: Harness) -> None:
    await set_column(harness, "bound", '{"people":{}}')


async def row_bound_to_other_files(harness: Harness) -> None:
    row = (await harness.store.read(lambda c: c.execute(sa.select(approvals_table.c.bound)).scalar_one())).split(
        "files"
    )
    await set_column(harness, "bound", f'{row[0]}files":[]}}')


async def file_gone(harness: Harness) -> None:
    harness.blobs.files.clear()


async def file_changed(harness: Harness) -> None:
    for digest, data in harness.blobs.files.items():
        harness.blobs.files[digest] = data.replace(b"March", b"April")


async def file_longer(harness: Harness) -> None:
    for digest in harness.blobs.files:
        harness.blobs.files[digest] += b"!"


async def contact_unconfirmed(harness: Harness) -> None:
    await harness.write(lambda c: c.execute(contact_addresses.update().values(confirmed=False)))


async def contact_renamed(harness: Harness) -> None:
    await harness.write(lambda c: c.execute(contacts.update().values(name="Bob")))
    await harness.write(lambda c: c.execute(contact_aliases.update().values(alias="bob")))


async def contact_replaced(harness: Harness) -> None:
    """The address belongs to another Anna."""
    await harness.know("Anna", "telegram:9")
    other = sa.select(contacts.c.contact_id).where(
        contacts.c.contact_id.not_in(
            sa.select(contact_addresses.c.contact_id).where(contact_addresses.c.address == ANNA)
        )
    )
    await harness.write(
        lambda c: c.execute(
            contact_addresses.update()
            .where(contact_addresses.c.address == ANNA)
            .values(contact_id=c.execute(other).scalars().first())
        )
    )


async def tool_gone(harness: Harness) -> None:
    del harness.invoker.tools[SEND]


async def tool_adapter(harness: Harness) -> None:
    harness.invoker.change(SEND, adapter_id="another")


async def tool_operation(harness: Harness) -> None:
    harness.invoker.change(SEND, adapter_operation="another")


async def tool_version(harness: Harness) -> None:
    harness.invoker.change(SEND, adapter_contract_version="2.0.0")


def deletes_everything(_: BaseModel) -> Preview:
    return Preview("Deletes everything")


async def tool_preview(harness: Harness) -> None:
    harness.invoker.change(SEND, preview=deletes_everything)


async def rule_now(harness: Harness) -> RuleRow:
    found = await harness.store.read(lambda c: rules.get(c, "r1"))
    assert found is not None
    return found


async def rule_disabled(harness: Harness) -> None:
    rule = await rule_now(harness)
    assert await harness.write(lambda c: rule_actions.disable(c, rule, actor="test", now=harness.clock.now()))


async def rule_widened(harness: Harness) -> None:
    rule = await rule_now(harness)
    await harness.write(lambda c: rules.replace_row(c, rule, replace(rule, pinned={"text": '"anything"'}, revision=2)))


async def rule_revoked_in_the_rows(harness: Harness) -> None:
    rule = await rule_now(harness)
    await harness.write(lambda c: rules.replace_row(c, rule, replace(rule, state=RuleState.REVOKED.value)))


async def paired_anew(harness: Harness) -> None:
    harness.owner.telegram_user_id = 43


CHANGED: list[tuple[Change, str]] = [
    (row_args, "the stored arguments were changed"),
    (row_hash, "the stored arguments were changed"),
    (row_contract, "the tool has changed"),
    (row_bound, "the people or files that it was shown with have changed"),
    (row_bound_to_others, "the people or files that it was shown with have changed"),
    (row_bound_to_other_files, "the people or files that it was shown with have changed"),
    (file_gone, "the file report.pdf is gone"),
    (file_changed, "the file report.pdf is not the one that was shown"),
    (file_longer, "the file report.pdf is not the one that was shown"),
    (contact_unconfirmed, "the recipient is no longer in your contacts as Anna"),
    (contact_renamed, "the recipient is now in your contacts as Bob, not as Anna"),
    (contact_replaced, "the recipient is another Anna now"),
    (tool_gone, SEND),
    (tool_adapter, "the tool has changed"),
    (tool_operation, "the tool has changed"),
    (tool_version, "the tool has changed"),
    (tool_preview, "the tool has changed"),
]


@pytest.mark.parametrize("again", [False, True], ids=["same process", "after a restart"])
@pytest.mark.parametrize(("change", "why"), CHANGED, ids=[change.__name__ for change, _ in CHANGED])
async def test_what_is_no_longer_as_it_was_shown_is_withdrawn_and_says_why(
    harness: Harness, change: Change, why: str, *, again: bool
) -> None:
    approval_id = await approved(harness)
    await change(harness)
    if again:
        harness.restart()
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    assert (row.state, harness.provider.calls) == (State.SUPERSEDED, [])
    assert why in details_in_words(row.detail)
    shown = card_text(harness.channel.newest)
    assert "Withdrawn at" in shown
    assert "Nothing was sent." in shown


@pytest.mark.parametrize("again", [False, True], ids=["same process", "after a restart"])
@pytest.mark.parametrize("change", [rule_disabled, rule_widened, rule_revoked_in_the_rows])
async def test_what_a_rule_let_pass_is_withdrawn_once_the_rule_is_not_in_force_as_it_was(
    harness: Harness, change: Change, *, again: bool
) -> None:
    approval_id = await passed(harness)
    await change(harness)
    if again:
        harness.restart()
    await harness.run()
    row = await harness.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == (
        State.SUPERSEDED,
        "the standing rule that let it pass no longer does",
    )
    assert harness.provider.calls == []


async def test_what_a_rule_let_pass_is_done_while_it_is_in_force(harness: Harness) -> None:
    approval_id = await passed(harness)
    await harness.run()
    assert await harness.state(approval_id) == State.DONE


@pytest.mark.parametrize("again", [False, True], ids=["same process", "after a restart"])
async def test_beyond_a_hard_limit_an_approved_act_is_stopped(harness: Harness, *, again: bool) -> None:
    first = await harness.approved(call_id="1")
    second = await harness.approved(call_id="2")
    harness.configure(limit=[{"tool": "user_*", "per_day": 1}])
    if again:
        harness.restart()
    await harness.after_undo_window()
    assert [await harness.state(approval_id) for approval_id in (first, second)] == [State.DONE, State.CANCELLED]
    assert "the limit for today is reached" in details_in_words((await harness.row(second)).detail)
    assert any("Stopped at" in card_text(card) for card in harness.channel.cards.values())
    assert len(harness.provider.effects) == 1


@pytest.mark.parametrize("again", [False, True], ids=["same process", "after a restart"])
async def test_a_yes_of_who_was_the_owner_before_does_nothing_any_more(harness: Harness, *, again: bool) -> None:
    approval_id = await approved(harness)
    await paired_anew(harness)
    if again:
        harness.restart()
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == (State.CANCELLED, "Butler has been paired anew since your yes")
    assert harness.provider.calls == []


async def test_a_stranger_who_became_a_contact_is_not_the_one_who_was_shown(harness: Harness) -> None:
    approval_id = await harness.approved()
    await harness.know("Anna", ANNA)
    await harness.after_undo_window()
    assert (
        details_in_words((await harness.row(approval_id)).detail) == "the recipient is in your contacts by now, as Anna"
    )


async def test_somebody_without_a_name_is_named_so(harness: Harness) -> None:
    approval_id = await harness.approved(args={"to": [ANNA, "telegram:7"], "text": "hello"})
    await harness.know("Anna", ANNA)
    await harness.write(lambda c: c.execute(contact_aliases.update().values(confirmed=False)))
    await harness.after_undo_window()
    detail = details_in_words((await harness.row(approval_id)).detail)
    assert detail == "a recipient is in your contacts by now, as somebody without a name"


async def test_an_approval_from_before_people_were_noted_is_done(harness: Harness) -> None:
    approval_id = await harness.approved()
    await set_column(harness, "bound", "")
    await harness.know("Anna", ANNA)
    await harness.after_undo_window()
    assert await harness.state(approval_id) == State.DONE


async def test_a_file_that_is_damaged_is_not_sent(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    approval_id = await approved(harness)

    async def damaged(sha256: str) -> bytes:
        raise BlobDamagedError(sha256)

    monkeypatch.setattr(harness.blobs, "get", damaged)
    await harness.after_undo_window()
    assert details_in_words((await harness.row(approval_id)).detail) == "the file report.pdf was damaged"


async def test_a_file_that_cannot_be_read_now_is_looked_at_later(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    approval_id = await approved(harness)

    async def away(_: str) -> bytes:
        raise StoreUnavailableError

    with monkeypatch.context() as patched:
        patched.setattr(harness.blobs, "get", away)
        await harness.after_undo_window()
    assert await harness.state(approval_id) == State.APPROVED
    harness.clock.turn(seconds=30)
    await harness.run()
    assert await harness.state(approval_id) == State.DONE


RETRIED: list[Change] = [contact_unconfirmed, file_gone, tool_version, row_args]


@pytest.mark.parametrize("change", RETRIED)
async def test_a_change_between_two_tries_ends_it_as_failed(harness: Harness, change: Change) -> None:
    harness.provider.script = [TRY_LATER]
    approval_id = await approved(harness)
    await harness.after_undo_window()
    await change(harness)
    harness.restart()
    harness.clock.turn(seconds=5)
    await harness.run()
    assert (await harness.state(approval_id), len(harness.provider.calls)) == (State.FAILED, 1)


@pytest.mark.parametrize("change", [*RETRIED, tool_adapter, tool_operation, tool_gone])
async def test_nothing_is_repeated_at_once_that_has_changed_since_it_was_shown(
    harness: Harness, change: Change
) -> None:
    harness.provider.script = [NO_ANSWER]
    approval_id = await approved(harness)
    reconcile = harness.invoker.reconcile

    async def changed_meanwhile(call: Any) -> Reconciled:
        await change(harness)
        await reconcile(call)
        return Reconciled.with_text(Settled.REPEAT, "the provider refuses doubles")

    harness.invoker.reconcile = changed_meanwhile
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    assert (row.state, len(harness.provider.calls)) == (State.UNKNOWN, 1)
    assert details_in_words(row.detail).startswith("Butler was interrupted, and does not try again: ")
    assert [attempt.outcome for attempt in await harness.attempts(approval_id)] == [AttemptOutcome.UNKNOWN]


@pytest.mark.parametrize("change", [contact_unconfirmed, file_gone, tool_version, tool_gone, row_args])
async def test_after_a_crash_nothing_is_repeated_that_has_changed_meanwhile(harness: Harness, change: Change) -> None:
    harness.behave(Idempotency.PROVIDER)
    approval_id = await approved(harness)
    harness.provider.die = "before"
    with pytest.raises(Killed):
        await harness.after_undo_window()
    await change(harness)
    harness.restart()
    await harness.run()
    assert (await harness.state(approval_id), len(harness.provider.calls)) == (State.UNKNOWN, 1)
    assert harness.provider.effects == []


async def test_an_unchanged_act_with_its_file_is_repeated_after_a_crash(harness: Harness) -> None:
    harness.behave(Idempotency.PROVIDER)
    approval_id = await approved(harness)
    harness.provider.die = "before"
    with pytest.raises(Killed):
        await harness.after_undo_window()
    harness.restart()
    await harness.run()
    assert (await harness.state(approval_id), len(harness.provider.effects)) == (State.DONE, 1)


async def test_a_request_of_a_plan_that_was_held_back_lets_the_plan_go_on(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.approved(plan_id="plan-1", step_id=1, origins={"to": OWN_WORDS, "text": OWN_WORDS})
    await contact_unconfirmed(harness)
    await harness.after_undo_window()
    assert ("plan_step", "plan-1", harness.clock.now()) in await harness.works()


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        (contact_unconfirmed, "a recipient is no longer in your contacts as Anna"),
        (contact_renamed, "a recipient is now in your contacts as Bob, not as Anna"),
        (contact_replaced, "a recipient is another Anna now"),
    ],
)
async def test_one_of_several_who_is_not_who_was_shown_is_told_of_as_one_of_them(
    harness: Harness, change: Change, detail: str
) -> None:
    await harness.know("Anna", ANNA)
    approval_id = await harness.approved(args={"to": [ANNA, "telegram:7"], "text": "hello"})
    await change(harness)
    await harness.after_undo_window()
    assert details_in_words((await harness.row(approval_id)).detail) == detail
