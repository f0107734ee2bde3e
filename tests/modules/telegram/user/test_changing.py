"""Changing and deleting the person's own messages: by the state, so that twice is once."""

from typing import Any

import pytest

from approvals.preview import left_out, preview_of
from approvals.reason_words import details_in_words
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import Json
from butler.contract.tools import FollowUp, Settled
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.faults import Moment
from tests.modules.telegram.user.conftest import ANNA, BOB, FAMILY, SAM, Harness
from tests.modules.telegram.user.test_sending import TO_ANNA, attached

EDIT, DELETE = "edit_message", "delete_message"


async def sent(harness: Harness, text: str = "see you at 8", **args: Any) -> Json:
    result = await harness.use("send_message", to=args.pop("to", TO_ANNA), text=text, **args)
    assert result.data is not None, result.error
    return result.data


def follow_up(harness: Harness, which: str, sent: Json, **args: Any) -> Json | None:
    found: FollowUp | None = getattr(harness.spec("send_message"), which)
    assert found is not None
    return found.args(harness.call("send_message", **{"to": TO_ANNA, "text": "see you at 8", **args}).args, sent)


async def test_a_message_just_sent_is_corrected_from_its_own_result(harness: Harness, centre: DataCentre) -> None:
    args = follow_up(harness, "correction", await sent(harness))
    assert args is not None

    result = await harness.use(EDIT, **args, text="see you at 9")

    assert result.data == {"message_id": 1, "changed": True}
    assert [message.text for message in centre.messages(ANNA, SAM)] == ["see you at 9"]


@pytest.mark.parametrize("chat", ["person", "group", "channel", "album"])
async def test_a_message_just_sent_is_deleted_for_everybody(harness: Harness, centre: DataCentre, chat: str) -> None:
    club = centre.add_channel(9, "Club", SAM, ANNA)
    peer = {"person": ANNA, "album": ANNA, "group": -FAMILY, "channel": club.peer_id}[chat]
    if peer < 0:
        centre.inject(BOB if peer == -FAMILY else ANNA, peer, "hello")
    files = [await attached(harness, f"pdf {n}".encode(), f"{n}.pdf") for n in range(2)] if chat == "album" else []
    to = {"address": f"telegram:{peer}"}
    data = await sent(harness, to=to, attachments=files)
    args = follow_up(harness, "inverse", data, to=to, attachments=files)
    assert args is not None

    result = await harness.use(DELETE, **args)

    assert result.data == {"deleted": data["message_ids"], "gone": []}
    left = [message.text for message in centre.messages(ANNA, club.peer_id if chat == "channel" else None)]
    assert "see you at 8" not in left


def test_what_telegram_gave_no_number_for_can_be_neither_changed_nor_deleted(harness: Harness) -> None:
    repeated: Json = {"message_id": None, "repeated": True, "message_ids": []}

    assert follow_up(harness, "inverse", repeated) is None
    assert follow_up(harness, "correction", repeated) is None


async def test_the_same_text_again_is_done(harness: Harness, centre: DataCentre) -> None:
    await sent(harness)

    first = await harness.use(EDIT, to=TO_ANNA, message_id=1, text="see you at 9")
    second = await harness.use(EDIT, to=TO_ANNA, message_id=1, text="see you at 9")

    assert (first.data, second.data) == (
        {"message_id": 1, "changed": True},
        {"message_id": 1, "changed": False},
    )


async def test_a_message_that_was_changed_elsewhere_since_its_card_is_left_as_it_is(
    harness: Harness, centre: DataCentre
) -> None:
    await sent(harness)
    (message,) = centre.sent_by(SAM)
    centre.edit(message, "see you at ten")

    result = await harness.use(EDIT, to=TO_ANNA, message_id=1, text="see you at 9", was=message.text)

    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.CONFLICT
    assert [one.text for one in centre.sent_by(SAM)] == ["see you at ten"]


async def test_a_message_that_is_gone_is_deleted(harness: Harness, centre: DataCentre) -> None:
    await sent(harness)

    await harness.use(DELETE, to=TO_ANNA, message_ids=[1])
    again = await harness.use(DELETE, to=TO_ANNA, message_ids=[1])

    assert again.data == {"deleted": [], "gone": [1]}


async def test_a_message_that_is_gone_cannot_be_changed(harness: Harness, centre: DataCentre) -> None:
    await sent(harness)
    centre.delete(*centre.sent_by(SAM))

    result = await harness.use(EDIT, to=TO_ANNA, message_id=1, text="late")

    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.NOT_FOUND, Effect.NONE)


async def test_others_messages_are_left_alone(harness: Harness, centre: DataCentre) -> None:
    centre.inject(ANNA, SAM, "mine")

    for result in (
        await harness.use(EDIT, to=TO_ANNA, message_id=1, text="yours"),
        await harness.use(DELETE, to=TO_ANNA, message_ids=[1]),
        await harness.complete(EDIT, to=TO_ANNA, message_id=1, text="yours"),
        await harness.complete(DELETE, to=TO_ANNA, message_ids=[1]),
    ):
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.FORBIDDEN
    assert [message.text for message in centre.messages(ANNA, SAM)] == ["mine"]


async def test_a_number_of_another_conversation_changes_nothing(harness: Harness, centre: DataCentre) -> None:
    await sent(harness)
    to_bob = {"address": f"telegram:{BOB}"}
    centre.inject(BOB, SAM, "hello")

    edited = await harness.use(EDIT, to=to_bob, message_id=1, text="oops")
    deleted = await harness.use(DELETE, to=to_bob, message_ids=[1])

    for result in (edited, deleted):
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.NOT_FOUND
    assert [message.text for message in centre.messages(ANNA, SAM)] == ["see you at 8"]


async def test_a_card_shows_the_text_as_it_is(harness: Harness, centre: DataCentre) -> None:
    await sent(harness)
    edit = {"to": TO_ANNA, "message_id": 1, "text": "see you at 9"}
    delete = {"to": TO_ANNA, "message_ids": [1]}

    for name, args, label in ((EDIT, edit, "It says now"), (DELETE, delete, "It says")):
        completed = await harness.complete(name, **args)
        assert completed.data == {"was": "see you at 8"}
        values = harness.call(name, **args, **completed.data).args
        shown = preview_of(harness.spec(name), values)
        assert (label, "see you at 8") in shown.facts
        assert shown.recipients[0].address == f"telegram:{ANNA}"
        assert left_out(shown, values.model_dump(mode="json")) == ()


async def test_a_text_that_was_changed_since_is_not_shown_as_the_old_one(harness: Harness, centre: DataCentre) -> None:
    await sent(harness)
    centre.edit(centre.sent_by(SAM)[0], "see you at 10")

    result = await harness.complete(EDIT, to=TO_ANNA, message_id=1, text="see you at 9", was="see you at 8")

    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.CONFLICT


@pytest.mark.parametrize(
    ("moment", "settled"), [(Moment.BEFORE_EFFECT, Settled.REPEAT), (Moment.AFTER_EFFECT, Settled.DONE)]
)
async def test_a_lost_answer_to_a_change_is_settled_by_what_the_message_says(
    harness: Harness, centre: DataCentre, moment: Moment, settled: Settled
) -> None:
    await sent(harness)
    centre.drop("messages.editMessage", moment)
    args = {"to": TO_ANNA, "message_id": 1, "text": "see you at 9", "was": "see you at 8"}

    result = await harness.use(EDIT, **args)

    assert result.error is not None
    assert result.error.effect is Effect.UNKNOWN
    assert (await harness.reconcile(EDIT, **args)).settled is settled


async def test_a_change_that_was_changed_since_stays_open(harness: Harness, centre: DataCentre) -> None:
    await sent(harness, "something else")
    args = {"to": TO_ANNA, "message_id": 1, "text": "see you at 9", "was": "see you at 8"}

    assert (await harness.reconcile(EDIT, **args)).settled is Settled.UNKNOWN
    centre.delete(*centre.sent_by(SAM))
    assert (await harness.reconcile(EDIT, **args)).settled is Settled.FAILED


@pytest.mark.parametrize(
    ("moment", "settled"), [(Moment.BEFORE_EFFECT, Settled.REPEAT), (Moment.AFTER_EFFECT, Settled.DONE)]
)
async def test_a_lost_answer_to_a_deletion_is_settled_by_what_is_left(
    harness: Harness, centre: DataCentre, moment: Moment, settled: Settled
) -> None:
    await sent(harness)
    centre.drop("messages.deleteMessages", moment)
    args = {"to": TO_ANNA, "message_ids": [1], "was": "see you at 8"}

    result = await harness.use(DELETE, **args)

    assert result.error is not None
    assert result.error.effect is Effect.UNKNOWN
    assert (await harness.reconcile(DELETE, **args)).settled is settled


async def test_an_outcome_that_cannot_be_looked_up_stays_open(harness: Harness, centre: DataCentre) -> None:
    centre.fail("messages.getMessages", 420, "FLOOD_WAIT_30", times=None)

    for name, args in ((EDIT, {"message_id": 1, "text": "x"}), (DELETE, {"message_ids": [1]})):
        found = await harness.reconcile(name, to=TO_ANNA, **args)
        assert (found.settled, "wait 30 s" in details_in_words(found.detail)) == (Settled.UNKNOWN, True)
