# pyright: reportUnknownMemberType=false
# (SQLAlchemy's events carry no types.)
"""What strangers write and call themselves stops no feed, freezes nothing, and keeps no mail from being answered."""

import random
import string
import time
from base64 import b64encode
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from butler.contract.mirror import ChatKind, MirrorUpdate, SeenChat, SeenMessage, SeenQuery
from butler.sink import StoreMirror
from butler.store import tables
from butler.store.queries import people
from butler.store.queries.people import Sighting
from butler.store.store import Store
from modules.email.args import ReplyToThreadArgs
from modules.email.parsing.parsed import ParsedMail
from modules.email.parsing.parser import parse_mail
from modules.email.replying import OwnAddress, OwnAddresses, answer
from tests.store.conftest import postgres, store, url
from tests.support.context import TurnedClock

__all__ = ["postgres", "store", "url"]

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
CROWD = 3000


def mail(headers: str) -> ParsedMail:
    parsed, _ = parse_mail(f"To: me@home.example\r\n{headers}\r\n\r\nhello\r\n".encode())
    return parsed


def noise(length: int) -> str:
    """Letters that no database can press together."""
    return "".join(random.Random(4).choices(string.ascii_lowercase + string.digits, k=length))


async def test_a_nul_character_in_a_text_a_name_or_a_title_stops_no_feed(store: Store) -> None:
    mirror = StoreMirror(store, TurnedClock())
    chat = SeenChat(channel="telegram", account="main", chat="telegram:-5", title="Cho\x00ir", kind=ChatKind.GROUP)
    message = SeenMessage(
        channel="telegram",
        account="main",
        chat="telegram:-5",
        ref="1",
        order=1,
        at=NOW,
        sender="telegram:7",
        sender_name="E\x00ve",
        text="rehear\x00sal",
    )
    batch = MirrorUpdate("telegram", "main", [chat], [message])
    for _ in range(2):
        await mirror.keep(batch, cursor=("feed", "1"))
    found = await mirror.messages(SeenQuery("telegram", "main", words="rehearsal \x00"))
    assert [one.ref for one in found] == ["1"]
    assert (await mirror.chats("telegram"))[0].title == "Choir"


async def test_a_sender_with_an_address_of_thousands_of_letters_stops_no_mailbox(store: Store) -> None:
    parsed = mail(f"From: Eve <{noise(4000)}@evil.example>\r\nMessage-ID: <1@evil.example>\r\nSubject: hi")
    assert parsed.sender is None
    mirror = StoreMirror(store, TurnedClock())
    message = SeenMessage(
        channel="email", account="main", chat=f"mail:{parsed.thread_root}", ref="INBOX:1:1", order=1, at=NOW
    )
    assert await mirror.keep(MirrorUpdate("email", "main", messages=[message])) == 1


def test_an_id_with_control_characters_is_none() -> None:
    parsed = mail("From: eve@evil.example\r\nMessage-ID: <a\x07b@evil.example>\r\nSubject: hi")
    assert parsed.message_id == ""
    assert "there is no Message-ID" in parsed.problems


def test_a_crowd_of_one_name_does_not_hold_up_the_one_writer() -> None:
    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    tables.seen_people.create(engine)
    tables.contact_addresses.create(engine)
    asked = 0

    def count(*_: object) -> None:
        nonlocal asked
        asked += 1

    with engine.begin() as connection:
        crowd = [Sighting(f"mail:anna{n}@evil{n}.example", "Joanna Smith", NOW) for n in range(CROWD)]
        people.note(connection, "email:main", crowd)
        people.note(connection, "email:main", [Sighting("mail:anna@friends.example", "Anna", NOW, sent=True)])
        event.listen(engine, "before_cursor_execute", count)
        started = time.perf_counter()
        found = people.called(connection, "Anna", 5)
        nobody = people.called(connection, "oann", 5)
    assert found[0].address == "mail:anna@friends.example"
    assert (len(found), nobody) == (5, [])
    assert asked <= 2 + len(found), "one look for all of them, and one for each that is shown"
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    "subject",
    [
        "Family \N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN} dinner",
        "\N{RIGHT-TO-LEFT MARK}\N{HEBREW LETTER SHIN}",
        "soft\N{SOFT HYPHEN}ly",
        "a very long one " * 100,
    ],
)
def test_a_mail_whose_subject_has_joiners_marks_of_direction_or_great_length_can_be_answered(subject: str) -> None:
    encoded = b64encode(subject.encode()).decode()
    parsed = mail(f"From: a@b.example\r\nMessage-ID: <1@b.example>\r\nSubject: =?utf-8?b?{encoded}?=")
    found = answer(parsed, OwnAddresses((OwnAddress("me@home.example"),)))
    assert ReplyToThreadArgs(message_id="1", body="yes", to=found.to, subject=found.subject)


def test_a_subject_of_ours_is_one_line_all_the_same() -> None:
    for bad in ("a\nBcc: eve@evil.example", "a\u2028b", "a\x85b", "a\x00b"):
        with pytest.raises(ValueError, match="one line"):
            ReplyToThreadArgs(message_id="1", body="yes", subject=bad)
