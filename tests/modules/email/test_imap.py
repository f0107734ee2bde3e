"""IMAP's commands and answers, in whatever shape servers put them."""

import asyncio
import time
from datetime import UTC, datetime

import pytest
from aioimaplib.aioimaplib import SELECTED, Abort

from modules.email.imap import command_chunks, quoted, read_fetch, read_list, read_search, read_select, uid_set
from modules.email.imap_folders import Role, folder_of, shown, spelt
from modules.email.integration_imap_protocol import Fetch, ImapProtocol


def test_im_33_items_may_come_in_any_order() -> None:
    before = [b"1 FETCH (UID 7 FLAGS (\\Seen) BODY[] {3}", bytearray(b"abc"), b")"]
    after = [b"1 FETCH (BODY[] {3}", bytearray(b"abc"), b" FLAGS (\\Seen) UID 7)"]
    assert read_fetch(before) == read_fetch(after)
    assert read_fetch(after)[7].body == b"abc"


def test_im_34_an_empty_body_is_empty() -> None:
    for lines in (
        [b"1 FETCH (UID 7 BODY[] {0}", bytearray(), b")"],
        [b'1 FETCH (UID 7 BODY[] "")'],
        [b"1 FETCH (UID 7 BODY[] NIL)"],
    ):
        assert read_fetch(lines)[7].body == b""


def test_im_36_an_update_in_between_is_merged_and_one_of_another_mail_is_not() -> None:
    lines = [
        b"1 FETCH (UID 7 RFC822.SIZE 3)",
        b"2 FETCH (FLAGS (\\Deleted))",
        b"1 FETCH (UID 7 FLAGS (\\Flagged))",
    ]
    assert read_fetch(lines)[7].size == 3
    assert read_fetch(lines)[7].flags == frozenset({"\\Flagged"})


def test_times_of_arrival_are_read_in_any_zone() -> None:
    mail = read_fetch([b'1 FETCH (UID 7 INTERNALDATE " 1-Nov-2026 02:03:04 +0530")'])[7]
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
    assert uid_set([5, 1, 2, 3, 9]) == "1:3,5,9"


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


class _Wire(asyncio.Transport):
    """Takes what is written, and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.aborted = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        pass

    def abort(self) -> None:
        self.aborted = True


def fetching() -> tuple[ImapProtocol, Fetch, _Wire]:
    protocol, wire = ImapProtocol(asyncio.get_running_loop()), _Wire()
    protocol.connection_made(wire)
    protocol.state = SELECTED
    command = Fetch("A1", "1:*", "(UID BODY[])", asyncio.get_running_loop())
    protocol.pending_async_commands["FETCH"] = command
    return protocol, command, wire


ANSWER = (
    b"* 1 FETCH (UID 7 BODY[] {12}\r\nA1 OK fake\r\n)\r\n* 9 EXISTS\r\n"
    b"* 2 FETCH (FLAGS () UID 8 BODY[] {0}\r\n)\r\nA1 OK done\r\n"
)


@pytest.mark.parametrize("step", [1, 2, 3, 5, 7, 11, 1000])
async def test_im_30_an_answer_may_be_cut_anywhere(step: int) -> None:
    protocol, command, _ = fetching()
    for at in range(0, len(ANSWER), step):
        protocol.data_received(ANSWER[at : at + step])
    assert command.response.result == "OK"
    mails = read_fetch(command.response.lines[:-1])
    assert (mails[7].body, mails[8].body) == (b"A1 OK fake\r\n", b"")


async def test_a_long_answer_is_no_recursion() -> None:
    protocol, command, _ = fetching()
    lines = b"".join(b"* %d FETCH (UID %d FLAGS ())\r\n" % (n, n) for n in range(1, 5001))
    started = time.monotonic()
    protocol.data_received(lines + b"A1 OK done\r\n")
    assert time.monotonic() - started < 2
    assert len(read_fetch(command.response.lines[:-1])) == 5000


async def test_im_35_a_size_beyond_reason_ends_the_connection() -> None:
    protocol, command, wire = fetching()
    protocol.data_received(b"* 1 FETCH (UID 7 BODY[] {2147483648}\r\n0123456789")
    assert wire.aborted
    protocol.connection_lost(None)
    with pytest.raises(Abort):
        await asyncio.wait_for(command.wait(), 1)


async def test_im_31_an_answer_to_nothing_is_ignored_or_ends_the_connection() -> None:
    protocol, _, wire = fetching()
    protocol.data_received(b"* 3 EXPUNGE\r\n* FLAGS (\\Seen)\r\n")
    assert not wire.aborted
    protocol.data_received(b"Z9 OK what?\r\n")
    assert wire.aborted
