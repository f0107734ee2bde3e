"""While Telegram is out of reach, what waits goes out by mail, whole and with a code to answer by."""
# names: made up here

import re

import pytest
import sqlalchemy as sa

from approvals.email_fallback import ALPHABET
from approvals.revise import Change, Put
from approvals.states import State
from butler.contract.errors import Refuse, Retryable
from butler.contract.reasons import in_own_words
from butler.contract.tools import Attachment
from butler.store.queries import approvals
from butler.store.store import Store
from butler.store.tables import buttons, metadata
from tests.approvals.house import House, card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import A_MAIL, ANNA, BOT_SEND, MAIL, OWN_WORDS
from tests.approvals.second import Killed
from tests.approvals.twin_world import (
    ME,
    answer,
    code_in,
    fallback,
    mails,
    noted,
    silence,
    with_mail,
)


@pytest.fixture
async def house(store: Store) -> House:
    return with_mail(House(store))


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
    (row,) = await noted(house, "fallback.sent")
    assert row.subject == approval_id
    await silence(house)
    await house.approvals.handlers()["send_email_fallback"](approval_id)
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
    await fallback(house, args=args, origins=origins)
    text = mails(house)[0][2]
    house.channel.offline = False
    house.clock.turn(minutes=1)
    await house.run()
    shown = card_text(house.channel.newest.model_copy(update={"attachments": ()}))
    for line in re.split(r"[\r\n]+", shown):
        assert line in text, line
    assert text.count("\n| long") == 2_000
    assert "As: you\n" in text
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
    approval_id, old = await fallback(house)
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
    _, code = await fallback(house)
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
    await house.write(
        lambda c: approvals.warn(c, approval_id, in_own_words("Somebody else tapped a button that is yours alone."))
    )
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
    assert any(row.batch_id for row in rows)
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
    assert "send_email_fallback" not in [kind for kind, _, _ in await house.works()]


async def test_before_pairing_nobody_could_answer(house: House) -> None:
    house.owner.telegram_user_id = None
    house.channel.home_chat = None
    await house.request(MAIL, chat="")
    await silence(house)
    assert mails(house) == []
    assert "send_email_fallback" in [kind for kind, _, _ in await house.works()]


async def test_what_was_decided_or_has_expired_goes_out_no_more(house: House) -> None:
    approval_id = await house.ask(MAIL)
    await house.tap("Deny")
    assert "send_email_fallback" not in [kind for kind, _, _ in await house.works()]
    await house.approvals.handlers()["send_email_fallback"](approval_id)
    other = await house.ask(MAIL, call_id="other")
    house.channel.offline = True
    house.clock.turn(hours=49)
    await house.approvals.handlers()["send_email_fallback"](other)
    await house.approvals.handlers()["send_email_fallback"]("nothing")
    assert mails(house) == []


async def test_a_mailbox_that_is_down_is_tried_again(house: House) -> None:
    assert house.second is not None
    house.second.fails = [Retryable("down")] * 3
    approval_id, code = await fallback(house)
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
    assert len(await noted(house, "fallback.not_sent")) == 1


async def test_a_mailbox_taken_out_of_the_settings_sends_nothing(house: House) -> None:
    house.channel.offline = True
    await house.ask(MAIL)
    house.second = None
    house.start()
    await silence(house)
    assert len(await noted(house, "fallback.not_sent")) == 1


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
    await fallback(house)
    rows = await house.store.read(lambda c: list(c.execute(sa.select(buttons).where(buttons.c.kind == "mail"))))
    assert len(rows) == 4
