"""While Telegram is out of reach, what waits goes out by mail, and the owner's proved answer decides it once."""
# names: made up here

import re
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from approvals.pin import set_pin
from approvals.revise import Change, Put
from approvals.states import State
from approvals.twin import ALPHABET
from approvals.twin_answer import MOST_WRONG, Said, said_in
from butler.contract.errors import Refuse, Retryable
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.integration import Idempotency
from butler.contract.names import Identity
from butler.contract.provenance import Origin, Trust
from butler.contract.tools import Attachment
from butler.store.queries import approvals, audit, inbox
from butler.store.queries.inbox import InboxState
from butler.store.store import Store
from butler.store.tables import buttons, metadata
from butler.store.tables import inbox as inbox_table
from tests.approvals.house import House, card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import A_MAIL, ANNA, BOT_SEND, MAIL, OWN_WORDS
from tests.approvals.second import Killed, Second

ME = "me@home.example"
ME_TOO = "me@work.example"
WAIT = timedelta(minutes=15)


@pytest.fixture
async def house(store: Store) -> House:
    return with_mail(House(store))


def with_mail(house: House) -> House:
    """A house that can write to its owner, whose Telegram has just been heard of."""
    house.second, house.mail_to = Second(), ME
    house.owner.emails = frozenset({ME, ME_TOO})
    house.heard = house.clock.now()
    house.start()
    return house


def mails(house: House) -> list[tuple[str, str, str]]:
    assert house.second is not None
    return house.second.mails


async def silence(house: House, **turn: float) -> None:
    """Telegram is down for a while: no card gets there, nothing is heard."""
    house.channel.offline = True
    for _ in range(3):
        house.clock.turn(**(turn or {"minutes": 16}))
        await house.run()


async def twin(house: House, tool: str = MAIL, **more: Any) -> tuple[str, str]:
    """An approval whose twin has gone out: its id, and the code."""
    house.channel.offline = True
    approval_id = await house.ask(tool, **more)
    while not mails(house):
        await silence(house)
    return approval_id, code_in(mails(house)[-1][2])


def code_in(text: str) -> str:
    return text.rsplit("no ", 1)[1].split(maxsplit=1)[0]


def reply(house: House, text: str, **more: Any) -> Inbound:
    house.taps += 1
    values: dict[str, Any] = {
        "inbound_id": f"mail-{house.taps}",
        "kind": InboundKind.MAIL,
        "channel": "email",
        "identity": Identity.BOT,
        "account": "butler@home.example",
        "dedup_key": f"mail-{house.taps}",
        "chat": "mail:thread",
        "sender": f"mail:{ME}",
        "received_at": house.clock.now(),
        "text": text,
        "origin": Origin(trust=Trust.UNTRUSTED, source="mail:1"),
        "payload": {"authority": {"command": True, "reason": "it is signed by home.example"}, "subject": "Re: Card"},
    }
    values["payload"] |= more.pop("payload", {})
    return Inbound(**(values | more))


async def answer(house: House, text: str, **more: Any) -> bool:
    """A mail comes in, and what it leads to is done; whether it was taken for an answer."""
    item = reply(house, text, **more)
    await house.write(lambda c: inbox.add(c, item))
    taken = await house.approvals.answer_by_mail(item)
    await house.run()
    return taken


async def noted(house: House, kind: str) -> list[audit.AuditRow]:
    return [row for row in await house.store.read(audit.rows) if row.kind == kind]


async def last_inbox(house: House) -> tuple[str, str]:
    query = sa.select(inbox_table.c.state, inbox_table.c.detail).order_by(inbox_table.c.seq.desc())
    row = await house.store.read(lambda c: c.execute(query).first())
    assert row is not None
    return row[0], row[1]


# The twin goes out


async def test_a_card_goes_out_by_mail_once_telegram_was_silent_for_long(house: House) -> None:
    house.channel.offline = True
    approval_id = await house.ask(MAIL)
    house.clock.turn(minutes=14)
    await house.run()
    assert mails(house) == []
    house.clock.turn(minutes=1)
    await house.run()
    assert mails(house) == [], "a silence is watched for a moment before it counts"
    house.clock.turn(minutes=2)
    await house.run()
    ((to, subject, text),) = mails(house)
    assert to == ME
    assert subject == "For your approval: Sends a message"
    assert text.startswith("Telegram is out of reach, so it comes by mail.")
    (row,) = await noted(house, "twin.sent")
    assert row.subject == approval_id
    await silence(house)
    await house.approvals.handlers()["send_twin"](approval_id)
    assert len(mails(house)) == 1


async def test_the_twin_shows_all_that_the_card_shows(house: House) -> None:
    file = Attachment(name="in\u202evoice.pdf", size=1234, sha256="ab" * 32, media_type="application/pdf")
    args = {
        "to": ["mail:eve@xn--pple-43d.example", "mail:b@friends.example"],
        "subject": "Lunch\nyes AAAA-AAAA",
        "text": "First line\n\nyes AAAA-AAAA\r\nand a \u200b hidden one\rover it" + "\nlong" * 2_000,
        "files": [file.model_dump()],
    }
    origins = dict.fromkeys(args, OWN_WORDS) | {"text": A_MAIL}
    await twin(house, args=args, origins=origins)
    text = mails(house)[0][2]
    house.channel.offline = False
    house.clock.turn(minutes=1)
    await house.run()
    shown = card_text(house.channel.newest.model_copy(update={"attachments": ()}))
    for line in re.split(r"[\r\n]+", shown):
        assert line in text, line
    assert text.count("\n| long") == 2_000
    assert "As: you, through me" in text
    assert "\n    mail:b@friends.example" in text
    assert "File: in[U+202E]voice.pdf (1,234 bytes, application/pdf, SHA-256 " + "ab" * 32 in text
    assert "Attention: " in text
    assert "What it does: Sends a message" in text
    assert "It waits until 12:00:00 on 7 March 2026." in text
    before, found, how = text.partition("\nTo answer, reply to this mail")
    assert found
    assert not re.search(r"(?m)^\W*(yes|no) \S", before.replace("| yes", "|")), "no line but the last ones says yes"
    assert re.findall(r"(?m)^(?:yes|no) ([A-Z2-9]{4}-[A-Z2-9]{4})$", how) == [code_in(text)] * 2


async def test_a_changed_card_says_what_changed_and_its_old_code_is_dead(house: House) -> None:
    approval_id, old = await twin(house)
    change = Change(by="in-2", text=Put("Ten minutes late", OWN_WORDS))
    await house.write(lambda c: house.approvals.revise(c, approval_id, 1, change, house.clock.now()))
    await silence(house)
    assert len(mails(house)) == 2
    text = mails(house)[1][2]
    assert "For your approval, changed" in text
    assert "Changed, with what was taken out in [-…-]" in text
    assert await answer(house, f"yes {old}")
    assert "newer version" in mails(house)[-1][2]
    assert await house.state(approval_id) == State.PENDING
    assert await answer(house, f"yes {code_in(text)}")
    assert await house.state(approval_id) == State.APPROVED


async def test_only_hashes_of_a_code_are_stored(house: House) -> None:
    _, code = await twin(house)
    bare = code.replace("-", "")
    assert set(bare) <= set(ALPHABET)
    assert len(bare) == 8
    assert len(ALPHABET) == 32
    dumped = await house.store.read(lambda c: [list(c.execute(sa.select(table))) for table in metadata.sorted_tables])
    assert bare not in str(dumped)
    assert code not in str(dumped)
    kinds = await house.store.read(lambda c: list(c.execute(sa.select(buttons).where(buttons.c.kind == "mail"))))
    assert {(row.verb, row.owner, row.chat) for row in kinds} == {
        ("approve", OWNER, f"mail:{ME}"),
        ("deny", OWNER, f"mail:{ME}"),
    }


async def test_a_card_without_a_text_and_with_a_warning_is_whole_too(house: House) -> None:
    house.channel.offline = True
    approval_id = await house.ask(MAIL, args={"to": [ANNA], "text": ""})
    await house.write(lambda c: approvals.warn(c, approval_id, "Somebody else tapped a button that is yours alone."))
    await silence(house)
    text = mails(house)[0][2]
    assert "\n| " not in text
    assert "Attention: Somebody else tapped a button that is yours alone." in text


async def test_nothing_goes_out_while_telegram_is_heard_and_shows_the_card(house: House) -> None:
    await house.ask(MAIL)
    for _ in range(10):
        house.clock.turn(minutes=10)
        house.heard = house.clock.now()
        await house.run()
    assert mails(house) == []
    await silence(house)
    assert len(mails(house)) == 1
    assert "Telegram is out of reach" in mails(house)[0][2]


async def test_a_clock_that_jumps_is_no_silence(house: House) -> None:
    await house.ask(MAIL)
    for _ in range(3):
        house.clock.turn(hours=5)
        await house.run()
        house.heard = house.clock.now()
        house.clock.turn(minutes=5)
        await house.run()
    assert mails(house) == []


async def test_after_a_start_the_silence_counts_from_there(house: House) -> None:
    await house.ask(MAIL)
    house.clock.turn(hours=5)
    house.heard = None
    house.restart()
    await house.run()
    house.clock.turn(minutes=3)
    await house.run()
    assert mails(house) == []
    await silence(house)
    assert len(mails(house)) == 1


async def test_a_card_that_could_not_be_shown_goes_out_though_telegram_is_heard(house: House) -> None:
    house.channel.closed = True
    await house.ask(MAIL)
    for _ in range(3):
        house.clock.turn(minutes=8)
        house.heard = house.clock.now()
        await house.run()
    assert mails(house)[0][2].startswith("I could not show you this card on Telegram, so it comes by mail.")


async def test_a_card_on_a_digest_is_shown(house: House) -> None:
    for number in range(4):
        await house.ask(BOT_SEND, call_id=f"c{number}", args={"to": [ANNA], "text": f"Nr {number}"})
    for _ in range(3):
        house.clock.turn(minutes=10)
        house.heard = house.clock.now()
        await house.run()
    rows = await house.store.read(lambda c: approvals.in_state(c, State.PENDING))
    assert any(row.flood_id for row in rows)
    assert mails(house) == []


async def test_a_card_that_waits_for_the_morning_is_no_reason_for_a_mail(house: House) -> None:
    house.clock.turn(hours=11)
    house.heard = house.clock.now()
    await house.ask(MAIL)
    for _ in range(6):
        house.clock.turn(minutes=30)
        house.heard = house.clock.now()
        await house.run()
    assert mails(house) == []
    assert house.channel.cards == {}


@pytest.mark.parametrize("without", ["second", "address", "wait"])
async def test_without_a_way_nothing_is_looked_for(house: House, without: str) -> None:
    if without == "second":
        house.second = None
    elif without == "address":
        house.mail_to = ""
    settings = {"mail_after": "0s"} if without == "wait" else {}
    house.configure(**settings)
    await house.ask(MAIL)
    assert "send_twin" not in [kind for kind, _, _ in await house.works()]


async def test_before_pairing_nobody_could_answer(house: House) -> None:
    house.owner.telegram_user_id = None
    house.channel.home_chat = None
    await house.request(MAIL, chat="")
    await silence(house)
    assert mails(house) == []
    assert "send_twin" in [kind for kind, _, _ in await house.works()]


async def test_what_was_decided_or_has_expired_goes_out_no_more(house: House) -> None:
    approval_id = await house.ask(MAIL)
    await house.tap("Deny")
    assert "send_twin" not in [kind for kind, _, _ in await house.works()]
    await house.approvals.handlers()["send_twin"](approval_id)
    other = await house.ask(MAIL, call_id="other")
    house.channel.offline = True
    house.clock.turn(hours=49)
    await house.approvals.handlers()["send_twin"](other)
    await house.approvals.handlers()["send_twin"]("nothing")
    assert mails(house) == []


async def test_a_mailbox_that_is_down_is_tried_again(house: House) -> None:
    assert house.second is not None
    house.second.fails = [Retryable("down")] * 3
    approval_id, code = await twin(house)
    assert len(mails(house)) == 1
    assert await answer(house, f"no {code}")
    assert await house.state(approval_id) == State.DENIED


async def test_an_address_that_refuses_for_good_is_noted_and_not_tried_again(house: House) -> None:
    assert house.second is not None
    house.second.fails = [Refuse("no such mailbox")]
    house.channel.offline = True
    await house.ask(MAIL)
    await silence(house)
    await silence(house)
    assert mails(house) == []
    assert len(await noted(house, "twin.not_sent")) == 1


async def test_a_mailbox_taken_out_of_the_settings_sends_nothing(house: House) -> None:
    house.channel.offline = True
    await house.ask(MAIL)
    house.second = None
    house.start()
    await silence(house)
    assert len(await noted(house, "twin.not_sent")) == 1


async def test_a_crash_after_the_mail_leads_to_a_second_one_and_both_codes_are_good(house: House) -> None:
    assert house.second is not None
    house.second.die = True
    house.channel.offline = True
    approval_id = await house.ask(MAIL)
    with pytest.raises(Killed):
        await silence(house)
    house.restart()
    await silence(house)
    first, second = (code_in(text) for _, _, text in mails(house))
    assert first != second
    assert house.second.keys[0] == house.second.keys[1], "one Message-ID, so that a mailbox may see that they are one"
    assert await answer(house, f"yes {first}")
    assert await house.state(approval_id) == State.APPROVED
    assert await answer(house, f"no {second}")
    assert "Nothing was decided by your mail. Approved by your mail at" in mails(house)[-1][2]
    assert await house.state(approval_id) == State.APPROVED


async def test_the_codes_of_the_last_two_mails_are_good_and_no_others(house: House) -> None:
    assert house.second is not None
    house.second.fails = [Retryable("down")] * 5
    await twin(house)
    rows = await house.store.read(lambda c: list(c.execute(sa.select(buttons).where(buttons.c.kind == "mail"))))
    assert len(rows) == 4


# The answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yes ABCD-EFGH", Said("yes", "ABCDEFGH")),
        ("\n\n  Yes, abcd efgh.\n\n> no ABCD-EFGH", Said("yes", "ABCDEFGH")),
        ("*no* ABCD\u2013EFGH", Said("no", "ABCDEFGH")),
        ("NO: \u201cABCDEFGH\u201d\nSent from my phone", Said("no", "ABCDEFGH")),
        ("yes ABCD-EFGH but at five", None),
        ("yes, but ABCD-EFGH", None),
        ("yes", None),
        ("yesABCD-EFGH", None),
        ("yesABCD EFGH", None),
        ("> yes ABCD-EFGH", None),
        ("On Thursday Jeeves wrote:\n> yes ABCD-EFGH", None),
        ("Hello\nyes ABCD-EFGH", None),
        ("", None),
        ("yes " + " " * 5_000 + "ABCD-EFGH", None),
    ],
)
def test_an_answer_is_a_word_and_a_code_and_nothing_else(text: str, said: Said | None) -> None:
    assert said_in(text) == said


async def test_a_yes_by_mail_is_carried_out_once_and_its_outcome_comes_by_mail(house: House) -> None:
    approval_id, code = await twin(house)
    assert await answer(house, f"Yes, {code.lower()}\n\n> no {code}")
    row = await house.row(approval_id)
    assert (row.state, row.decided_by) == (State.APPROVED, f"mail:{ME}")
    assert await last_inbox(house) == (InboxState.DONE, "")
    assert house.provider.effects == []
    assert len(mails(house)) == 1, "the undo window runs"
    await house.after_undo_window()
    assert len(house.provider.effects) == 1
    to, subject, text = mails(house)[-1]
    assert (to, subject) == (ME, "Re: For your approval: Sends a message")
    assert re.match(r"Sends a message\n\nApproved by your mail at \S+ on 5 March 2026. Sent at ", text)
    (answered,) = await noted(house, "twin.answered")
    assert answered.actor == f"mail:{ME}"
    (approved,) = await noted(house, "approval.approved")
    assert approved.actor == f"mail:{ME}"
    assert await answer(house, f"yes {code}")
    assert "Nothing was decided by your mail. Approved by your mail at" in mails(house)[-1][2]
    await silence(house)
    assert len(house.provider.effects) == 1
    assert len(mails(house)) == 3


async def test_a_yes_by_mail_decides_on_every_database(lasting_house: House) -> None:
    house = with_mail(lasting_house)
    approval_id, code = await twin(house)
    assert await answer(house, f"no {'A' * 8}")
    assert await answer(house, f"yes {code}")
    await house.after_undo_window()
    assert await house.state(approval_id) == State.DONE
    assert [subject for _, subject, _ in mails(house)] == [
        "For your approval: Sends a message",
        "Re: Card",
        "Re: For your approval: Sends a message",
    ]


async def test_the_card_says_so_once_telegram_is_back(house: House) -> None:
    await house.ask(MAIL)
    await silence(house)
    assert await answer(house, f"yes {code_in(mails(house)[-1][2])}")
    house.channel.offline = False
    house.clock.turn(minutes=1)
    await house.run()
    assert re.search(r"Approved by your mail at \S+ on 5 March 2026. Sent at", card_text(house.channel.newest))


async def test_a_no_by_mail_denies_and_says_so(house: House) -> None:
    approval_id, code = await twin(house)
    assert await answer(house, f"no {code}")
    assert await house.state(approval_id) == State.DENIED
    assert mails(house)[-1][2].startswith("Sends a message\n\nDenied by your mail at")
    assert len(mails(house)) == 2


@pytest.mark.parametrize("state", ["failed", "unknown", "undone"])
async def test_what_did_not_work_is_told_by_mail_as_it_is(house: House, state: str) -> None:
    house.behave(Idempotency.NONE)
    _, code = await twin(house)
    if state == "failed":
        house.provider.script = [Exception("x")]
        house.provider.found = []
    if state == "undone":
        house.channel.offline = False
        await answer(house, f"yes {code}")
        house.clock.turn(seconds=1)
        await house.run()
        await house.tap("Undo")
        assert "Undone at" in mails(house)[-1][2]
        return
    await answer(house, f"yes {code}")
    house.provider.die = "" if state == "failed" else "before"
    if state == "unknown":
        with pytest.raises(Killed):
            await house.after_undo_window()
        house.restart()
        await house.run()
    else:
        await house.after_undo_window()
    assert "It is not known whether this was sent" in mails(house)[-1][2]


async def test_a_crash_before_the_note_of_the_outcome_tells_it_twice_and_not_a_third_time(house: House) -> None:
    assert house.second is not None
    approval_id, code = await twin(house)
    house.second.die = True
    with pytest.raises(Killed):
        await answer(house, f"no {code}")
    house.restart()
    await house.run()
    await house.approvals.handlers()["tell_outcome"](approval_id)
    assert [subject for _, subject, _ in mails(house)[1:]] == ["Re: For your approval: Sends a message"] * 2


async def test_a_forged_answer_decides_nothing_and_is_answered_by_nobody(house: House) -> None:
    approval_id, code = await twin(house)
    unproved: list[dict[str, Any]] = [{"authority": {"command": False, "reason": "no signature"}}, {"authority": {}}]
    for payload in unproved:
        assert not await answer(house, f"yes {code}", payload=payload)
    assert not await answer(
        house, "yes of course", reply_to=f"<twin-{approval_id}-1@butler.example>", payload=unproved[0]
    )
    assert not await answer(house, f"yes {code}", sender="mail:eve@evil.example")
    assert await house.state(approval_id) == State.PENDING
    assert len(mails(house)) == 1
    assert {row.data["why"] for row in await noted(house, "twin.refused")} == {"not proved to be yours"}
    assert await last_inbox(house) == (InboxState.NEW, ""), "it goes on to the mail desk"


async def test_an_answer_without_an_authority_at_all_is_not_proved(house: House) -> None:
    _, code = await twin(house)
    item = reply(house, f"yes {code}")
    bare = item.model_copy(update={"payload": {}})
    assert not await house.approvals.answer_by_mail(bare)


@pytest.mark.parametrize(
    "payload", [{"auto_submitted": "auto-replied"}, {"precedence": "bulk"}, {"list_id": "<x>"}, {"own": True}]
)
async def test_what_a_machine_sent_is_no_answer(house: House, payload: dict[str, Any]) -> None:
    approval_id, code = await twin(house)
    assert not await answer(house, f"yes {code}", payload=payload)
    assert await house.state(approval_id) == State.PENDING
    assert len(mails(house)) == 1


async def test_yes_but_decides_nothing_and_the_owner_is_told_why(house: House) -> None:
    approval_id, code = await twin(house)
    thread = f"<twin-{approval_id}-1@butler.example>"
    assert await answer(house, f"yes {code}, but at five", reply_to=thread)
    assert await house.state(approval_id) == State.PENDING
    to, subject, text = mails(house)[-1]
    assert (to, subject) == (ME, "Re: Card")
    assert text.startswith("Nothing was decided by your mail. Your first line has to be yes or no")
    assert len(mails(house)) == 2


async def test_any_other_mail_of_the_owners_goes_on_to_the_mail_desk(house: House) -> None:
    await twin(house)
    assert not await answer(house, "yes please, remind me of lunch", reply_to="<other@home.example>")
    assert not await answer(house, "Please remind me")
    assert len(mails(house)) == 1
    assert await noted(house, "twin.refused") == []


async def test_a_code_counts_only_from_the_address_that_it_was_sent_to(house: House) -> None:
    approval_id, code = await twin(house)
    assert await answer(house, f"yes {code}", sender=f"mail:{ME_TOO}")
    assert await house.state(approval_id) == State.PENDING
    assert mails(house)[-1][0] == ME_TOO
    assert "another address of yours" in mails(house)[-1][2]


async def test_a_code_of_an_earlier_owner_is_unknown(house: House) -> None:
    approval_id, code = await twin(house)
    house.owner.telegram_user_id = 43
    assert await answer(house, f"yes {code}")
    assert "I do not know this code" in mails(house)[-1][2]
    assert await house.state(approval_id) == State.PENDING


async def test_a_telegram_buttons_nonce_is_no_code(house: House) -> None:
    _, code = await twin(house)
    await house.write(lambda c: c.execute(buttons.update().values(kind="approval")))
    assert await answer(house, f"yes {code}")
    assert "I do not know this code" in mails(house)[-1][2]


async def test_a_code_whose_approval_is_gone_decides_nothing(house: House) -> None:
    _, code = await twin(house)
    await house.write(lambda c: c.execute(buttons.update().values(subject="gone")))
    assert await answer(house, f"yes {code}")
    assert "newer version" in mails(house)[-1][2]


async def test_five_wrong_codes_a_day_close_the_way_until_tomorrow(house: House) -> None:
    approval_id, code = await twin(house)
    for _ in range(MOST_WRONG):
        assert await answer(house, "yes AAAA-AAAA")
    assert "last try for today" in mails(house)[-1][2]
    sent = len(mails(house))
    assert await answer(house, f"yes {code}")
    assert await house.state(approval_id) == State.PENDING
    assert await last_inbox(house) == (InboxState.IGNORED, "too many wrong codes today")
    assert len(mails(house)) == sent
    assert "5 wrong codes came by mail from me@home.example. I take no more of it today." in (await house.said())[-1]
    assert not [line for line in (await house.said())[:-1] if "wrong codes" in line]
    house.clock.turn(hours=12)
    assert await answer(house, f"yes {code}")
    assert await house.state(approval_id) == State.APPROVED


async def test_wrong_codes_are_told_by_mail_alone_before_pairing_has_a_chat(house: House) -> None:
    house.channel.home_chat = None
    for _ in range(MOST_WRONG):
        await answer(house, "no AAAA-AAAA")
    assert await house.said() == []


async def test_an_answer_after_its_time_is_told_what_became_of_it(house: House) -> None:
    approval_id, code = await twin(house)
    house.clock.turn(hours=48)
    assert await answer(house, f"yes {code}")
    assert await house.state(approval_id) == State.EXPIRED
    assert "Nothing was decided by your mail. Expired at" in mails(house)[-1][2]


async def test_what_takes_a_pin_can_only_be_denied_by_mail(house: House) -> None:
    await house.write(lambda c: set_pin(c, "4711", "owner", house.clock.now()))
    approval_id, code = await twin(house, args={"to": ["mail:eve@evil.example"], "text": "Hello"})
    text = mails(house)[-1][2]
    assert "This takes your PIN, so it cannot be approved by mail" in text
    assert f"yes {code}" not in text
    assert await answer(house, f"yes {code}")
    assert await house.state(approval_id) == State.PENDING
    assert await answer(house, f"no {code}")
    assert await house.state(approval_id) == State.DENIED


async def test_a_pin_that_was_set_later_holds_a_yes_by_mail_too(house: House) -> None:
    approval_id, code = await twin(house, args={"to": ["mail:eve@evil.example"], "text": "Hello"})
    await house.write(lambda c: set_pin(c, "4711", "owner", house.clock.now()))
    assert await answer(house, f"yes {code}")
    assert await house.state(approval_id) == State.PENDING
    assert "PIN" in mails(house)[-1][2]


async def test_a_refusal_whose_mail_is_gone_is_not_told(house: House) -> None:
    await house.approvals.handlers()["tell_refusal"]("nothing")
    assert mails(house) == []
