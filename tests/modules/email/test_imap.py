"""IMAP's commands and answers, in whatever shape servers put them."""

import asyncio
import time
from datetime import UTC, datetime
from random import Random

import pytest
from aioimaplib.aioimaplib import SELECTED, Abort

from modules.email.imap.folders import Role, folder_of, shown, spelt
from modules.email.imap.stream import AnswerReader, TooLargeError
from modules.email.imap.syntax import command_chunks, quoted, read_fetch, read_list, read_search, read_select
from modules.email.imap.uids import Uids
from modules.email.integration_imap_protocol import ImapProtocol


def test_im_33_items_may_come_in_any_order() -> None:
    before = [(b"1 FETCH (UID 7 FLAGS (\\Seen) BODY[] {3})", b"abc")]
    after = [(b"1 FETCH (BODY[] {3} FLAGS (\\Seen) UID 7)", b"abc")]
    assert read_fetch(before) == read_fetch(after)
    assert read_fetch(after)[7].body == b"abc"


def test_im_34_an_empty_body_is_empty() -> None:
    for answer in (
        (b"1 FETCH (UID 7 BODY[] {0})", b""),
        (b'1 FETCH (UID 7 BODY[] "")', None),
        (b"1 FETCH (UID 7 BODY[] NIL)", None),
    ):
        assert read_fetch([answer])[7].body == b""


def test_im_36_an_update_in_between_is_merged_and_one_of_another_mail_is_not() -> None:
    answers = [
        (b"1 FETCH (UID 7 RFC822.SIZE 3)", None),
        (b"2 FETCH (FLAGS (\\Deleted))", None),
        (b"1 FETCH (UID 7 FLAGS (\\Flagged))", None),
    ]
    assert read_fetch(answers)[7].size == 3
    assert read_fetch(answers)[7].flags == frozenset({"\\Flagged"})


def test_times_of_arrival_are_read_in_any_zone() -> None:
    mail = read_fetch([(b'1 FETCH (UID 7 INTERNALDATE " 1-Nov-2026 02:03:04 +0530")', None)])[7]
    assert mail.received_at is not None
    assert mail.received_at.astimezone(UTC) == datetime(2026, 10, 31, 20, 33, 4, tzinfo=UTC)


def test_values_are_quoted_or_sent_as_literals() -> None:
    assert command_chunks(["SEARCH", "SUBJECT", b'a "b" \\']) == [b'SEARCH SUBJECT "a \\"b\\" \\\\"']
    assert command_chunks(["X", "Grüße".encode(), "Y", b"a\r\nb"]) == [
        b"X {7}",
        "Grüße".encode() + b" Y {4}",
        b"a\r\nb",
    ]
    assert quoted(b'"') == b'"\\""'


def test_answers_are_read_with_and_without_their_name() -> None:
    assert read_search([b"SEARCH 3 1 2"]) == read_search([b"1 2 3"]) == [1, 2, 3]
    assert read_search([b"SEARCH"]) == []
    state = read_select([b"5 EXISTS", b"OK [UIDVALIDITY 9] ok", b"OK [UIDNEXT 12] next"])
    assert (state.uidvalidity, state.uidnext, state.exists) == (9, 12, 5)
    (folder,) = read_list([b'(\\HasNoChildren \\Sent) "/" "Sent Items"'])
    assert folder.name == '"Sent Items"'
    assert "\\sent" in folder.attributes


@pytest.mark.parametrize(
    ("name", "command"),
    [("Sent", "Sent"), ("Sent Items", '"Sent Items"'), ("Entwürfe", "Entw&APw-rfe"), ("A&B", "A&-B"), ('"', '"\\""')],
)
def test_a_folder_is_spelt_for_commands_and_shown_as_people_read_it(name: str, command: str) -> None:
    assert spelt(name) == command
    assert shown(command) == name
    assert shown(f'"{name}"' if name.isalpha() and name.isascii() else command) == name


def test_a_folder_is_known_by_its_mark_before_its_name() -> None:
    folders = read_list([b'(\\HasNoChildren) "/" Sent', b'(\\HasNoChildren \\Sent) "/" "Gesendet"'])
    assert folder_of(Role.SENT, folders) == '"Gesendet"'
    assert folder_of(Role.SENT, folders[:1]) == "Sent"
    assert folder_of(Role.SENT, folders, "Sent Items") == '"Sent Items"'
    assert folder_of(Role.DRAFTS, folders) == ""


def test_a_set_of_uids_is_written_in_runs() -> None:
    assert str(Uids.of([5, 1, 2, 3, 9, 2])) == "1:3,5,9"
    assert Uids.read("9,5,1:2,3:3") == Uids.of([1, 2, 3, 5, 9])
    assert (str(Uids()), len(Uids()), list(Uids.read(""))) == ("", 0, [])
    assert str(Uids.of(range(1, 100_001))) == "1:100000"


def test_sets_of_uids_are_compared_as_sets_are() -> None:
    chance = Random(3)
    for _ in range(300):
        one, other = ({chance.randrange(1, 30) for _ in range(chance.randrange(25))} for _ in range(2))
        a, b = Uids.of(one), Uids.of(other)
        assert (set(a | b), set(a - b), set(a & b), set(a ^ b)) == (one | other, one - other, one & other, one ^ other)
        assert Uids.read(str(a ^ b)) == a ^ b
        assert len(a) == len(one)


class _Wire(asyncio.Transport):
    """Takes what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.aborted = False
        self.written = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def abort(self) -> None:
        self.aborted = True


def connected() -> tuple[ImapProtocol, _Wire]:
    protocol, wire = ImapProtocol(asyncio.get_running_loop()), _Wire()
    protocol.connection_made(wire)
    protocol.state = SELECTED
    return protocol, wire


async def fetching() -> tuple[ImapProtocol, "asyncio.Task[AnswerReader]", str, _Wire]:
    """A protocol that waits for the answers to a FETCH, and its tag."""
    protocol, wire = connected()
    task = asyncio.create_task(protocol.fetch_stream("1:*", "(UID BODY[])"))
    await asyncio.sleep(0)
    return protocol, task, wire.written.split()[0].decode(), wire


ANSWER = (
    b"* 1 FETCH (UID 7 BODY[] {12}\r\nTAG OK fake\r\n)\r\n* 9 EXISTS\r\n"
    b"* 2 FETCH (FLAGS () UID 8 BODY[] {0}\r\n)\r\nTAG OK done\r\n"
)


@pytest.mark.parametrize("step", [1, 2, 3, 5, 7, 11, 1000])
async def test_im_30_an_answer_may_be_cut_anywhere(step: int) -> None:
    protocol, task, tag, _ = await fetching()
    answer = ANSWER.replace(b"{12}", b"{%d}" % (10 + len(tag))).replace(b"TAG", tag.encode())
    for at in range(0, len(answer), step):
        protocol.data_received(answer[at : at + step])
    found = await asyncio.wait_for(task, 60)
    assert found.result == "OK"
    mails = read_fetch(found.answers)
    assert (mails[7].body, mails[8].body) == (f"{tag} OK fake\r\n".encode(), b"")


async def test_what_follows_an_answer_is_not_lost() -> None:
    protocol, task, tag, _ = await fetching()
    protocol.data_received(f"* 1 FETCH (UID 7)\r\n{tag} OK done\r\n* 3 EXI".encode())
    assert (await asyncio.wait_for(task, 60)).result == "OK"
    again = asyncio.create_task(protocol.fetch_stream("1:*", "(UID)"))
    await asyncio.sleep(0)
    protocol.data_received(b"STS\r\n* 1 FETCH (UID 8)\r\n")
    protocol.connection_lost(None)
    with pytest.raises(Abort):
        await asyncio.wait_for(again, 60)


async def test_a_long_answer_is_read_in_no_time() -> None:
    protocol, task, tag, _ = await fetching()
    lines = b"".join(b"* %d FETCH (UID %d FLAGS ())\r\n" % (n, n) for n in range(1, 5001))
    started = time.monotonic()
    protocol.data_received(lines + f"{tag} OK done\r\n".encode())
    found = await asyncio.wait_for(task, 60)
    assert time.monotonic() - started < 2
    assert len(read_fetch(found.answers)) == 5000


async def test_im_35_a_size_beyond_reason_ends_the_connection() -> None:
    protocol, task, _, wire = await fetching()
    protocol.data_received(b"* 1 FETCH (UID 7 BODY[] {2147483648}\r\n0123456789")
    assert wire.aborted
    protocol.connection_lost(None)
    with pytest.raises(TooLargeError):
        await asyncio.wait_for(task, 60)


async def test_im_31_an_answer_to_nothing_is_ignored_or_ends_the_connection() -> None:
    protocol, wire = connected()
    protocol.data_received(b"* 3 EXPUNGE\r\n* FLAGS (\\Seen)\r\n")
    assert not wire.aborted
    protocol.data_received(b"Z9 OK what?\r\n")
    assert wire.aborted
