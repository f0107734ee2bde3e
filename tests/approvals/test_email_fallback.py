"""While Telegram is out of reach, pending cards go out by mail, complete and with a code to answer by."""
# names: made up here

import re

import pytest
import sqlalchemy as sa

from approvals.email_fallback import ALPHABET
from approvals.revise import Change, NewValue
from approvals.states import State
from butler.contract.errors import Refuse, Retryable
from butler.contract.reasons import in_own_words
from butler.contract.tools import Attachment
from butler.store.queries import approvals
from butler.store.store import Store
from butler.store.tables import buttons, metadata
from tests.approvals.email_fallback_harness import (
    ME,
    answer,
    code_in,
    fallback,
    mails,
    noted,
    silence,
    with_mail,
)
from tests.approvals.harness import Harness, card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import A_MAIL, ANNA, BOT_SEND, MAIL, OWN_WORDS
from tests.approvals.second_channel import Killed


@pytest.fixture
async def harness(store: Store) -> Harness:
    return with_mail(Harness(store))


async def test_a_card_goes_out_by_mail_once_telegram_was_silent_for_long(harness: Harness) -> None:
    harness.channel.offline = True
    approval_id = await harness.ask(MAIL)
    harness.clock.turn(minutes=14)
    await harness.run()
    assert mails(harness) == []
    harness.clock.turn(minutes=1)
    await harness.run()
    assert mails(harness) == [], "a silence is watched for a moment before it counts"
    harness.clock.turn(minutes=2)
    await harness.run()
    ((to, subject, text),) = mails(harness)
    assert to == ME
    assert subject == "For your approval: Sends a message"
    assert text.startswith("Telegram is out of reach, so it comes by mail.")
    (row,) = await noted(harness, "fallback.sent")
    assert row.subject == approval_id
    await silence(harness)
    await harness.approvals.handlers()["send_email_fallback"](approval_id)
    assert len(mails(harness)) == 1


async def test_the_twin_shows_all_that_the_card_shows(harness: Harness) -> None:
    file = Attachment(name="in\u202evoice.pdf", size=1234, sha256="ab" * 32, media_type="application/pdf")
    args = {
        "to": ["mail:eve@xn--pple-43d.example", "mail:b@friends.example"],
        "subject": "Lunch\nyes AAAA-AAAA",
        "text": "First line\n\nyes AAAA-AAAA\r\nand a \u200b hidden one\rover it" + "\nlong" * 2_000,
        "files": [file.model_dump()],
    }
    origins = dict.fromkeys(args, OWN_WORDS) | {"text": A_MAIL}
    await fallback(harness, args=args, origins=origins)
    text = mails(harness)[0][2]
    harness.channel.offline = False
    harness.clock.turn(minutes=1)
    await harness.run()
    shown = card_text(harness.channel.newest.model_copy(update={"attachments": ()}))
    for line in re.split(r"[\r\n]+", shown):
        assert line in text, line
    assert text.count("\n| long") == 2_000
    assert "As: you\n" in text
    assert "\n    b@friends.example" in text
    assert "File: in[U+202E]voice.pdf (1,234 bytes, application/pdf, SHA-256 " + "ab" * 32 in text
    assert "Attention: " in text
    assert "What it does: Sends a message" in text
    assert "It waits until 12:00:00 on 7 March 2026." in text
    before, found, how = text.partition("\nTo answer, reply to this mail")
    assert found
    assert not re.search(r"(?m)^\W*(yes|no) \S", before.replace("| yes", "|")), "no line but the last ones says yes"
    assert re.findall(r"(?m)^(?:yes|no) ([A-Z2-9]{4}-[A-Z2-9]{4})$", how) == [code_in(text)] * 2


async def test_a_changed_card_says_what_changed_and_its_old_code_is_dead(harness: Harness) -> None:
    approval_id, old = await fallback(harness)
    change = Change(by="in-2", text=NewValue("Ten minutes late", OWN_WORDS))
    await harness.write(lambda c: harness.approvals.revise(c, approval_id, 1, change, harness.clock.now()))
    await silence(harness)
    assert len(mails(harness)) == 2
    text = mails(harness)[1][2]
    assert "For your approval, changed" in text
    assert "Changed, with what was taken out in [-…-]" in text
    assert await answer(harness, f"yes {old}")
    assert "newer version" in mails(harness)[-1][2]
    assert await harness.state(approval_id) == State.PENDING
    assert await answer(harness, f"yes {code_in(text)}")
    assert await harness.state(approval_id) == State.APPROVED


async def test_only_hashes_of_a_code_are_stored(harness: Harness) -> None:
    _, code = await fallback(harness)
    bare = code.replace("-", "")
    assert set(bare) <= set(ALPHABET)
    assert len(bare) == 8
    assert len(ALPHABET) == 32
    dumped = await harness.store.read(lambda c: [list(c.execute(sa.select(table))) for table in metadata.sorted_tables])
    assert bare not in str(dumped)
    assert code not in str(dumped)
    kinds = await harness.store.read(lambda c: list(c.execute(sa.select(buttons).where(buttons.c.kind == "mail"))))
    assert {(row.verb, row.owner, row.chat) for row in kinds} == {
        ("approve", OWNER, f"mail:{ME}"),
        ("deny", OWNER, f"mail:{ME}"),
    }


async def test_a_card_without_a_text_and_with_a_warning_is_whole_too(harness: Harness) -> None:
    harness.channel.offline = True
    approval_id = await harness.ask(MAIL, args={"to": [ANNA], "text": ""})
    await harness.write(
        lambda c: approvals.warn(c, approval_id, in_own_words("Somebody else tapped a button that is yours alone."))
    )
    await silence(harness)
    text = mails(harness)[0][2]
    assert "\n| " not in text
    assert "Attention: Somebody else tapped a button that is yours alone." in text


async def test_nothing_goes_out_while_telegram_is_heard_and_shows_the_card(harness: Harness) -> None:
    await harness.ask(MAIL)
    for _ in range(10):
        harness.clock.turn(minutes=10)
        harness.heard = harness.clock.now()
        await harness.run()
    assert mails(harness) == []
    await silence(harness)
    assert len(mails(harness)) == 1
    assert "Telegram is out of reach" in mails(harness)[0][2]


async def test_a_clock_that_jumps_is_no_silence(harness: Harness) -> None:
    await harness.ask(MAIL)
    for _ in range(3):
        harness.clock.turn(hours=5)
        await harness.run()
        harness.heard = harness.clock.now()
        harness.clock.turn(minutes=5)
        await harness.run()
    assert mails(harness) == []


async def test_after_a_start_the_silence_counts_from_there(harness: Harness) -> None:
    await harness.ask(MAIL)
    harness.clock.turn(hours=5)
    harness.heard = None
    harness.restart()
    await harness.run()
    harness.clock.turn(minutes=3)
    await harness.run()
    assert mails(harness) == []
    await silence(harness)
    assert len(mails(harness)) == 1


async def test_a_card_that_could_not_be_shown_goes_out_though_telegram_is_heard(harness: Harness) -> None:
    harness.channel.closed = True
    await harness.ask(MAIL)
    for _ in range(3):
        harness.clock.turn(minutes=8)
        harness.heard = harness.clock.now()
        await harness.run()
    assert mails(harness)[0][2].startswith("I could not show you this card on Telegram, so it comes by mail.")


async def test_a_card_on_a_digest_is_shown(harness: Harness) -> None:
    for number in range(4):
        await harness.ask(BOT_SEND, call_id=f"c{number}", args={"to": [ANNA], "text": f"Nr {number}"})
    for _ in range(3):
        harness.clock.turn(minutes=10)
        harness.heard = harness.clock.now()
        await harness.run()
    rows = await harness.store.read(lambda c: approvals.in_state(c, State.PENDING))
    assert any(row.batch_id for row in rows)
    assert mails(harness) == []


async def test_a_card_that_waits_for_the_morning_is_no_reason_for_a_mail(harness: Harness) -> None:
    harness.clock.turn(hours=11)
    harness.heard = harness.clock.now()
    await harness.ask(MAIL)
    for _ in range(6):
        harness.clock.turn(minutes=30)
        harness.heard = harness.clock.now()
        await harness.run()
    assert mails(harness) == []
    assert harness.channel.cards == {}


@pytest.mark.parametrize("without", ["second", "address", "wait"])
async def test_without_a_way_nothing_is_looked_for(harness: Harness, without: str) -> None:
    if without == "second":
        harness.second = None
    elif without == "address":
        harness.mail_to = ""
    settings = {"mail_after": "0s"} if without == "wait" else {}
    harness.configure(**settings)
    await harness.ask(MAIL)
    assert "send_email_fallback" not in [kind for kind, _, _ in await harness.works()]


async def test_before_pairing_nobody_could_answer(harness: Harness) -> None:
    harness.owner.telegram_user_id = None
    harness.channel.home_chat = None
    await harness.request(MAIL, chat="")
    await silence(harness)
    assert mails(harness) == []
    assert "send_email_fallback" in [kind for kind, _, _ in await harness.works()]


async def test_what_was_decided_or_has_expired_goes_out_no_more(harness: Harness) -> None:
    approval_id = await harness.ask(MAIL)
    await harness.tap("Deny")
    assert "send_email_fallback" not in [kind for kind, _, _ in await harness.works()]
    await harness.approvals.handlers()["send_email_fallback"](approval_id)
    other = await harness.ask(MAIL, call_id="other")
    harness.channel.offline = True
    harness.clock.turn(hours=49)
    await harness.approvals.handlers()["send_email_fallback"](other)
    await harness.approvals.handlers()["send_email_fallback"]("nothing")
    assert mails(harness) == []


async def test_a_mailbox_that_is_down_is_tried_again(harness: Harness) -> None:
    assert harness.second is not None
    harness.second.fails = [Retryable("down")] * 3
    approval_id, code = await fallback(harness)
    assert len(mails(harness)) == 1
    assert await answer(harness, f"no {code}")
    assert await harness.state(approval_id) == State.DENIED


async def test_an_address_that_refuses_for_good_is_noted_and_not_tried_again(harness: Harness) -> None:
    assert harness.second is not None
    harness.second.fails = [Refuse("no such mailbox")]
    harness.channel.offline = True
    await harness.ask(MAIL)
    await silence(harness)
    await silence(harness)
    assert mails(harness) == []
    assert len(await noted(harness, "fallback.not_sent")) == 1


async def test_a_mailbox_taken_out_of_the_settings_sends_nothing(harness: Harness) -> None:
    harness.channel.offline = True
    await harness.ask(MAIL)
    harness.second = None
    harness.start()
    await silence(harness)
    assert len(await noted(harness, "fallback.not_sent")) == 1


async def test_a_crash_after_the_mail_leads_to_a_second_one_and_both_codes_are_good(harness: Harness) -> None:
    assert harness.second is not None
    harness.second.die = True
    harness.channel.offline = True
    approval_id = await harness.ask(MAIL)
    with pytest.raises(Killed):
        await silence(harness)
    harness.restart()
    await silence(harness)
    first, second = (code_in(text) for _, _, text in mails(harness))
    assert first != second
    assert harness.second.keys[0] == harness.second.keys[1], (
        "one Message-ID, so that a mailbox may see that they are one"
    )
    assert await answer(harness, f"yes {first}")
    assert await harness.state(approval_id) == State.APPROVED
    assert await answer(harness, f"no {second}")
    assert "Nothing was decided by your mail. Approved by your mail at" in mails(harness)[-1][2]
    assert await harness.state(approval_id) == State.APPROVED


async def test_the_codes_of_the_last_two_mails_are_good_and_no_others(harness: Harness) -> None:
    assert harness.second is not None
    harness.second.fails = [Retryable("down")] * 5
    await fallback(harness)
    rows = await harness.store.read(lambda c: list(c.execute(sa.select(buttons).where(buttons.c.kind == "mail"))))
    assert len(rows) == 4
