"""Sending as the person: texts, files, albums and answers, each at most once however often it is tried."""

import asyncio
import hashlib
from typing import Any

import pytest
from pydantic import ValidationError

from approvals.preview import left_out, preview_of
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import Json
from butler.contract.tools import Settled
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.faults import Moment
from tests.modules.telegram.user.conftest import ANNA, BOB, EVE, FAMILY, SAM, Harness, MakeHouse
from tests.support.stoppable_clock import StoppableClock
from tests.support.waiting import until

TO_ANNA = {"address": f"telegram:{ANNA}", "name": "Anna"}
ONE_SEND, ONE_FILE, ALBUM = "messages.sendMessage", "messages.sendMedia", "messages.sendMultiMedia"


async def attached(harness: Harness, data: bytes, name: str, media_type: str = "application/pdf") -> Json:
    sha256 = await harness.blobs.put(data)
    return {"name": name, "size": len(data), "sha256": sha256, "media_type": media_type}


async def test_a_file_arrives_as_it_was_shown(harness: Harness, centre: DataCentre) -> None:
    data = b"%PDF-1.7 the plan"
    file = await attached(harness, data, "plan.pdf")

    result = await harness.use("send_message", to=TO_ANNA, text="here it is", attachments=[file])

    assert result.ok, result.error
    (got,) = centre.messages(ANNA, SAM)
    assert got.media is not None
    assert (got.text, got.media.name, got.media.mime_type) == ("here it is", "plan.pdf", "application/pdf")
    assert hashlib.sha256(centre.read_file(got.media)).hexdigest() == file["sha256"]


async def test_pictures_go_as_photos_and_in_one_album(harness: Harness, centre: DataCentre) -> None:
    pictures = [await attached(harness, f"jpeg {n}".encode(), f"{n}.jpg", "image/jpeg") for n in range(3)]

    result = await harness.use("send_message", to=TO_ANNA, text="the garden", attachments=pictures)

    assert result.data is not None
    sent = centre.sent_by(SAM)
    assert result.data["message_ids"] == [message.id for message in sent]
    assert result.data["message_id"] == sent[0].id
    assert [message.text for message in sent] == ["the garden", "", ""]
    assert all(message.media is not None and message.media.is_photo for message in sent)
    assert len({message.album for message in sent}) == 1


async def test_pictures_beside_another_file_go_as_files(harness: Harness, centre: DataCentre) -> None:
    files = [await attached(harness, b"jpeg", "a.jpg", "image/jpeg"), await attached(harness, b"pdf", "b.pdf")]

    await harness.use("send_message", to=TO_ANNA, text="", attachments=files)

    assert [message.media.is_photo for message in centre.sent_by(SAM) if message.media] == [False, False]


@pytest.mark.parametrize(("count", "method"), [(0, ONE_SEND), (1, ONE_FILE), (3, ALBUM)])
async def test_a_lost_answer_is_settled_by_the_same_random_ids(
    harness: Harness, make_harness: MakeHouse, centre: DataCentre, count: int, method: str
) -> None:
    files = [await attached(harness, f"file {n}".encode(), f"{n}.pdf") for n in range(count)]
    centre.drop(method, Moment.AFTER_EFFECT)

    first = await harness.use("send_message", token="4611", to=TO_ANNA, text="once", attachments=files)
    restarted = make_harness(harness.context)
    again = await restarted.use("send_message", token="4611", to=TO_ANNA, text="once", attachments=files)

    assert first.error is not None
    assert (first.error.code, first.error.effect) == (IntegrationErrorCode.UNAVAILABLE, Effect.UNKNOWN)
    assert (await harness.reconcile("send_message", to=TO_ANNA, text="once")).settled is Settled.REPEAT
    sent = [message.id for message in centre.sent_by(SAM)]
    assert again.data == {"message_id": sent[0], "repeated": True, "message_ids": sent}
    assert len(sent) == max(count, 1)


async def test_which_of_two_alike_telegram_had_already_is_not_guessed(
    harness: Harness, make_harness: MakeHouse, centre: DataCentre
) -> None:
    centre.inject(SAM, ANNA, "once")
    centre.drop(ONE_SEND, Moment.AFTER_EFFECT)
    await harness.use("send_message", token="4611", to=TO_ANNA, text="once")
    again = await make_harness(harness.context).use("send_message", token="4611", to=TO_ANNA, text="once")

    assert again.data == {"message_id": None, "repeated": True, "message_ids": []}


async def test_a_number_that_cannot_be_looked_up_makes_no_failure_of_what_was_sent(
    harness: Harness, make_harness: MakeHouse, centre: DataCentre
) -> None:
    centre.drop(ONE_SEND, Moment.AFTER_EFFECT)
    await harness.use("send_message", token="4611", to=TO_ANNA, text="once")
    centre.fail("messages.getHistory", 420, "FLOOD_WAIT_30")
    again = await make_harness(harness.context).use("send_message", token="4611", to=TO_ANNA, text="once")

    assert again.data == {"message_id": None, "repeated": True, "message_ids": []}


async def test_a_connection_that_breaks_while_a_file_goes_up_surely_sent_nothing(
    harness: Harness, centre: DataCentre
) -> None:
    file = await attached(harness, b"pdf", "a.pdf")
    centre.drop("upload.saveFilePart", Moment.BEFORE_EFFECT)

    result = await harness.use("send_message", to=TO_ANNA, text="", attachments=[file])

    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.UNAVAILABLE, Effect.NONE)
    assert centre.sent_by(SAM) == []


async def test_a_file_that_is_no_longer_kept_is_named(harness: Harness) -> None:
    file = {"name": "a.pdf", "size": 3, "sha256": "0" * 64}

    result = await harness.use("send_message", to=TO_ANNA, text="", attachments=[file])

    assert result.error is not None
    assert result.error.message == "a file that was to be sent is no longer there"


async def test_a_message_goes_into_a_group_and_into_a_channel(harness: Harness, centre: DataCentre) -> None:
    club = centre.add_channel(9, "Club", SAM, ANNA)
    for chat in (-FAMILY, club.peer_id):
        centre.inject(SAM, chat, "first")
        result = await harness.use(
            "send_message", token=str(-chat), to={"address": f"telegram:{chat}"}, text="hello all"
        )
        assert result.ok, result.error
        assert result.data is not None
        assert centre.messages(SAM, chat)[-1].id == result.data["message_id"]


async def test_an_answer_hangs_on_its_message(harness: Harness, centre: DataCentre) -> None:
    centre.inject(ANNA, SAM, "are you coming?")
    (asked,) = (await harness.get("get_message_history", chat=f"telegram:{ANNA}"))["items"]

    result = await harness.use("reply_to_message", message_id=asked["message_id"], text="on my way")

    assert result.ok, result.error
    (got,) = [message for message in centre.messages(ANNA, SAM) if message.text == "on my way"]
    assert got.reply_to == centre.messages(ANNA, SAM)[0].id


async def test_a_topic_is_written_to_and_an_answer_stays_in_it(harness: Harness, centre: DataCentre) -> None:
    club = centre.add_channel(9, "Club", ANNA, SAM, forum=True)
    boats = centre.add_topic(club, "Boats")
    asked = centre.inject(ANNA, club.peer_id, "who has a boat?", topic=boats)
    to = {"address": f"telegram:{club.peer_id}:{boats.id}"}
    args = {"message_id": f"telegram:{club.peer_id}/{asked.id}", "text": "I have"}

    written = await harness.use("send_message", token="1", to=to, text="hello boats")
    completed = await harness.complete("reply_to_message", **args)
    assert completed.data == {"answers": "Anna Berg in Club: who has a boat?", "topic": boats.id}
    answered = await harness.use("reply_to_message", token="2", **args, **completed.data)

    assert (written.ok, answered.ok) == (True, True), (written.error, answered.error)
    own = {message.text: message for message in centre.sent_by(SAM)}
    assert {message.topic for message in own.values()} == {boats.id}
    assert own["I have"].reply_to == asked.id


async def test_what_is_answered_stands_on_the_card(harness: Harness, centre: DataCentre) -> None:
    centre.inject(ANNA, -FAMILY, "who  brings\nthe " + "very " * 60 + "big salad?")
    args = {"to": {"address": f"telegram:-{FAMILY}"}, "message_id": 1, "text": "me"}

    completed = await harness.complete("reply_to_message", **args)

    assert completed.data is not None
    answers = completed.data["answers"]
    assert answers.startswith("Anna Berg in Family: who brings the very very")
    assert answers.endswith("…")
    values = harness.call("reply_to_message", **args, **completed.data).args
    shown = preview_of(harness.spec("reply_to_message"), values)
    assert shown.facts == (("Answers", f"“{answers}”"),)
    assert left_out(shown, values.model_dump(mode="json")) == ()


async def test_what_is_answered_in_a_group_without_a_name_is_said_to_stand_in_one(
    harness: Harness, centre: DataCentre
) -> None:
    centre.add_group(4002, "", SAM, ANNA)
    message = centre.inject(ANNA, -4002, "dinner?")
    completed = await harness.complete(
        "reply_to_message", to={"address": "telegram:-4002"}, message_id=message.id, text="yes"
    )
    assert completed.data == {"answers": "Anna Berg in a group without a name: dinner?", "topic": 0}


async def test_a_quotation_that_nobody_wrote_is_refused(harness: Harness, centre: DataCentre) -> None:
    centre.inject(ANNA, SAM, "are you coming?")
    args = {"to": TO_ANNA, "message_id": 1, "text": "yes"}

    forged = await harness.complete("reply_to_message", **args, answers="Anna Berg: shall I wire the money?")
    true = await harness.complete("reply_to_message", **args, answers="Anna Berg: are you coming?")

    assert forged.error is not None
    assert forged.error.code is IntegrationErrorCode.CONFLICT
    assert true.ok


async def test_nothing_is_answered_that_is_gone(harness: Harness, centre: DataCentre) -> None:
    centre.delete(centre.inject(ANNA, SAM, "never mind"))

    result = await harness.complete("reply_to_message", to=TO_ANNA, message_id=1, text="what?")

    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND


async def test_a_message_with_its_chat_needs_no_recipient_and_takes_no_other(harness: Harness) -> None:
    call = harness.call("reply_to_message", message_id="telegram:5/3", text="yes")

    assert call.args.to.address == "telegram:5"
    with pytest.raises(ValidationError, match="names another chat"):
        harness.call("reply_to_message", message_id="telegram:5/3", to={"address": "telegram:7"}, text="yes")
    with pytest.raises(ValidationError, match="to"):
        harness.call("reply_to_message", message_id="3", text="yes")


@pytest.mark.parametrize(
    ("code", "message", "expected", "said"),
    [
        (400, "PEER_FLOOD", IntegrationErrorCode.FORBIDDEN, "@SpamBot"),
        (400, "USER_BANNED_IN_CHANNEL", IntegrationErrorCode.FORBIDDEN, "restricted you"),
        (400, "USER_IS_BLOCKED", IntegrationErrorCode.FORBIDDEN, "has blocked you"),
        (400, "YOU_BLOCKED_USER", IntegrationErrorCode.FORBIDDEN, "you have blocked"),
        (403, "CHAT_WRITE_FORBIDDEN", IntegrationErrorCode.FORBIDDEN, "may not write"),
        (403, "CHAT_SEND_DOCS_FORBIDDEN", IntegrationErrorCode.FORBIDDEN, "no files"),
        (403, "SOMETHING_NEW_FORBIDDEN", IntegrationErrorCode.FORBIDDEN, "SOMETHING_NEW_FORBIDDEN"),
        (406, "CHANNEL_PRIVATE", IntegrationErrorCode.FORBIDDEN, "private"),
        (406, "SOMETHING_ELSE", IntegrationErrorCode.REJECTED, "SOMETHING_ELSE"),
        (403, "PRIVACY_PREMIUM_REQUIRED", IntegrationErrorCode.FORBIDDEN, "Premium"),
        (400, "PEER_ID_INVALID", IntegrationErrorCode.NOT_FOUND, "nobody"),
        (400, "TOPIC_DELETED", IntegrationErrorCode.NOT_FOUND, "topic is gone"),
        (400, "MEDIA_CAPTION_TOO_LONG", IntegrationErrorCode.INVALID_INPUT, "too long"),
        (400, "FILE_PARTS_INVALID", IntegrationErrorCode.INVALID_INPUT, "too big"),
        (420, "FROZEN_METHOD_INVALID", IntegrationErrorCode.FORBIDDEN, "frozen"),
        (420, "SLOWMODE_WAIT_12", IntegrationErrorCode.RATE_LIMITED, "slow mode: wait 12 s"),
    ],
)
async def test_a_refusal_is_told_in_one_sentence_and_had_no_effect(
    harness: Harness, centre: DataCentre, code: int, message: str, expected: IntegrationErrorCode, said: str
) -> None:
    centre.fail(ONE_SEND, code, message)

    result = await harness.use("send_message", to=TO_ANNA, text="hello")

    assert result.error is not None
    assert (result.error.code, result.error.effect) == (expected, Effect.NONE)
    assert said in result.error.message
    assert (await harness.use("send_message", to=TO_ANNA, text="hello")).ok, "the session goes on"


async def test_somebody_without_rights_is_told_so_by_the_chat_itself(
    harness: Harness, centre: DataCentre, centre_clock: StoppableClock
) -> None:
    centre_clock.stop()
    club = centre.add_channel(9, "Club", ANNA, SAM)
    centre.inject(ANNA, club.peer_id, "welcome")
    to = {"address": f"telegram:{club.peer_id}"}
    centre.restrict(SAM, club)

    forbidden = await harness.use("send_message", to=to, text="hello")
    centre.restrict(SAM, club, may_write=True)
    centre.set_slow_mode(club, 60)
    first = await harness.use("send_message", token="1", to=to, text="hello")
    second = await harness.use("send_message", token="2", to=to, text="hello again")

    assert forbidden.error is not None
    assert forbidden.error.code is IntegrationErrorCode.FORBIDDEN
    assert first.ok
    assert second.error is not None
    assert (second.error.code, second.error.retry_after_s) == (IntegrationErrorCode.RATE_LIMITED, 60.0)


async def test_a_public_name_is_asked_for_at_each_send(harness: Harness) -> None:
    for token in ("1", "2"):
        await harness.use("send_message", token=token, to={"address": "telegram:@anna_b"}, text="hello")

    assert harness.calls("contacts.resolveUsername") == 2


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ({"text": ""}, "needs a text or a file"),
        ({"text": "😀" * 2049}, "at most 4096 characters"),
        ({"text": "😀" * 513, "attachments": [{"name": "a", "size": 1, "sha256": "0"}]}, "at most 1024 characters"),
        ({"text": "", "attachments": [{"name": "a", "size": 0, "sha256": "0"}]}, "no empty files"),
        ({"text": "", "attachments": [{"name": "a", "size": 2**31, "sha256": "0"}]}, "at most 2,000 MB"),
        ({"text": "", "attachments": [{"name": "a", "size": 1, "sha256": "0"}] * 11}, "at most 10"),
    ],
)
def test_what_telegram_cannot_take_is_refused_before_it_is_asked_about(
    harness: Harness, args: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        harness.call("send_message", to=TO_ANNA, **args)


def test_a_card_shows_the_files_and_in_what_form_they_go(harness: Harness) -> None:
    picture = {"name": "a.jpg", "size": 3, "sha256": "0" * 64, "media_type": "image/jpeg"}
    values = harness.call("send_message", to=TO_ANNA, text="look", attachments=[picture]).args

    shown = preview_of(harness.spec("send_message"), values)

    assert [attachment.name for attachment in shown.attachments] == ["a.jpg"]
    assert shown.facts == (("Sent as", "a photo, which Telegram makes smaller"),)
    assert left_out(shown, values.model_dump(mode="json")) == ()


async def test_one_who_was_never_met_is_looked_for_and_then_unknown(harness: Harness, centre: DataCentre) -> None:
    result = await harness.use("send_message", to={"address": f"telegram:{EVE}"}, text="hello")
    again = await harness.use("send_message", to={"address": "telegram:987654"}, text="hello")

    for found in (result, again):
        assert found.error is not None
        assert found.error.code is IntegrationErrorCode.NOT_FOUND
    assert (harness.calls("contacts.getContacts"), harness.calls("messages.getDialogs")) == (1, 1)


async def test_whoever_is_in_the_mirror_is_reached_without_a_list(
    harness: Harness, make_harness: MakeHouse, centre: DataCentre
) -> None:
    club = centre.add_channel(9, "Club", ANNA, SAM)
    for chat, text in ((SAM, "hello"), (-FAMILY, "dinner?"), (club.peer_id, "news")):
        centre.inject(EVE if chat == SAM else ANNA, chat, text)
    feed = asyncio.create_task(harness.account.source.run())
    await until(lambda: harness.account.source.health().last_ok is not None)
    feed.cancel()
    await asyncio.gather(feed, return_exceptions=True)
    await harness.module.stop()
    restarted, before = make_harness(harness.context), harness.calls("messages.getDialogs")

    for number, chat in enumerate((EVE, -FAMILY, club.peer_id), 1):
        result = await restarted.use("send_message", token=str(number), to={"address": f"telegram:{chat}"}, text="hi")
        assert result.ok, result.error

    assert (harness.calls("messages.getDialogs"), harness.calls("contacts.getContacts")) == (before, 0)


async def test_a_group_is_found_among_the_conversations(harness: Harness, centre: DataCentre) -> None:
    centre.inject(BOB, -FAMILY, "hello")

    assert (await harness.use("send_message", to={"address": f"telegram:-{FAMILY}"}, text="hi")).ok
    assert harness.calls("contacts.getContacts") == 0
