"""What many mails over IMAP are found and moved by: codes, structures, names of folders and labels."""

import pytest

from modules.email.bulk.imap_actions import keyword_of
from modules.email.bulk.imap_folders import Places
from modules.email.bulk_actions import MailAction
from modules.email.imap.bulk_criteria import bulk_criteria
from modules.email.imap.bulk_headers import message_id_of, names, read_fields, readable
from modules.email.imap.bulk_methods import AllFolders, Criteria, Folder
from modules.email.imap.structure import cut_structure, has_attachment
from modules.email.imap.syntax import read_fetch, read_list, read_moved, read_namespaces, read_select
from modules.email.imap.uids import Uids

TEXT = b'("text" "plain" ("charset" "utf-8") NIL NIL "7bit" 5 1 NIL NIL NIL NIL)'
PDF = b'("application" "pdf" ("name" "a.pdf") NIL NIL "base64" 5 NIL ("attachment" ("filename" "a.pdf")) NIL NIL)'
SHOWN = b'("image" "png" ("name" "a.png") "<c>" NIL "base64" 5 NIL ("inline" ("filename" "a.png")) NIL NIL)'
BARE = b'("application" "octet-stream" NIL NIL NIL "base64" 5)'
SIGNED = b'("application" "pgp-signature" ("name" "s.asc") NIL NIL "7bit" 5 NIL NIL NIL NIL)'
FORWARDED = (
    b'("message" "rfc822" NIL NIL NIL "7bit" 900 (NIL "a (b" NIL NIL NIL NIL NIL NIL NIL NIL) '
    + TEXT
    + b' 9 NIL ("attachment" NIL) NIL NIL)'
)


@pytest.mark.parametrize(
    ("structure", "brings"),
    [
        (TEXT, False),
        (PDF, True),
        (b"(" + TEXT + PDF + b' "mixed" ("boundary" "b") NIL NIL NIL)', True),
        (b"(" + TEXT + SHOWN + b' "related" ("boundary" "b") NIL NIL NIL)', False),
        (b"(" + TEXT + SIGNED + b' "signed" ("boundary" "b") NIL NIL NIL)', False),
        (b"((" + TEXT + TEXT + b' "alternative")' + BARE + b' "mixed")', True),
        (b"(" + TEXT + FORWARDED + b' "mixed")', True),
        (b"", False),
        (b"((((", False),
        (b"(" * 500 + b")" * 500, False),
    ],
)
def test_an_attachment_is_told_by_the_structure(structure: bytes, brings: bool) -> None:
    assert has_attachment(structure) is brings


def test_nothing_else_is_read_out_of_a_structure() -> None:
    trap = b'("text" "plain" ("name" "UID 77 FLAGS (\\\\Deleted) (") NIL NIL "7bit" 5 1)'
    answer = b"1 FETCH (BODYSTRUCTURE " + trap + b" FLAGS (\\Seen) UID 7)"
    assert cut_structure(answer) == (b"1 FETCH ( FLAGS (\\Seen) UID 7)", trap)
    mails = read_fetch([(answer, None)])
    assert list(mails) == [7]
    assert mails[7].flags == {"\\Seen"}


def test_where_mails_lie_now_is_read_in_the_order_of_both_sets() -> None:
    assert read_moved([b"* OK [COPYUID 17 5,3:4,9 10:13] Moved"]) == (17, {5: 10, 3: 11, 4: 12, 9: 13})
    assert read_moved([b"OK [COPYUID 17 1:4 10:12] Moved", b"* 3 EXPUNGE"]) == (0, {})
    assert read_moved([b"OK [COPYUID 17 1:4294967295 1:4294967295]"]) == (17, {})


def test_folders_of_others_are_told_by_the_namespaces() -> None:
    assert read_namespaces([b'NAMESPACE (("" "/")) NIL NIL']) == ("", ())
    answer = b'NAMESPACE (("INBOX." ".")) (("user." ".")) (("Public." ".")("#news." "."))'
    assert read_namespaces([answer]) == ("INBOX.", ("user.", "Public.", "#news."))
    assert read_namespaces([b"OK done"]) == ("", ())


def test_a_folder_tells_which_flags_stay_and_what_stands_between_levels() -> None:
    state = read_select([b"OK [PERMANENTFLAGS (\\Seen $Work \\*)] Flags", b"3 EXISTS"])
    assert (state.permanent, state.exists) == ({"\\seen", "$work", "\\*"}, 3)
    assert [one.delimiter for one in read_list([b'() "." A', b'() "\\\\" B', b"() NIL C"])] == [".", "\\", ""]


def test_a_set_is_written_in_short_parts() -> None:
    uids = Uids.of([*range(1, 100, 2), *range(200, 300)])
    parts = list(uids.written(20))
    assert max(map(len, parts)) <= 20
    assert Uids.read(",".join(parts)) == uids
    assert list(Uids().written(20)) == []


def test_header_fields_are_read_folded_and_encoded_and_the_first_one_counts() -> None:
    raw = b"From: =?utf-8?q?J=C3=BCrgen?=\r\n <j@x.example>\r\nMESSAGE-ID:\r\n <1@x>\r\nFrom: <other@x>\r\n\r\n"
    fields = read_fields(raw)
    assert readable(fields["from"]) == "Jürgen <j@x.example>"
    assert message_id_of(fields) == "<1@x>"
    assert message_id_of(read_fields(b"Message-ID: <" + b"x" * 900 + b">\r\n")) == ""
    assert read_fields(b"") == {}


@pytest.mark.parametrize(
    ("sender", "wanted", "is_named"),
    [
        ("Ann <ann@x.example>", "ann", True),
        ("Hannah <hannah@x.example>", "ann", False),
        ("News <news@shop.example>", "shop", True),
        ("News <news@bookshop.example>", "shop", False),
        ("a-shop@x.example", "SHOP", True),
        ("田中太郎 <t@x.example>", "田中", True),
        ("(unreadable)", "ann", True),
    ],
)
def test_a_sender_is_named_by_a_word_of_its_own(sender: str, wanted: str, is_named: bool) -> None:
    assert names(sender, wanted) is is_named


@pytest.mark.parametrize(
    ("name", "keyword"),
    [
        ("Family", "family"),
        ("To do", "to_do"),
        ('a(b){c}%d*e"f\\g]h', "a_b__c}_d_e_f_g_h"),
        ("Büro", "b&APw-ro"),
        (" School/Anna ", "school/anna"),
    ],
)
def test_a_label_becomes_a_keyword_that_any_server_takes(name: str, keyword: str) -> None:
    assert keyword_of(name) == keyword


def test_of_several_senders_any_will_do_and_nothing_is_looked_for_that_is_deleted() -> None:
    keys = bulk_criteria(Criteria(flags=[("\\Seen", False), ("$work", True)], senders=["a", "b", "c"], keep=["d"]))
    assert keys[:4] == ["UNDELETED", "UNSEEN", "KEYWORD", "$work"]
    assert keys[4:] == ["OR", "FROM", b"a", "OR", "FROM", b"b", "FROM", b"c", "NOT", "FROM", b"d"]


def places(prefix: str = "", delimiter: str = "/", **folders: str) -> Places:
    known = [Folder(name=name, shown=name, role=role) for name, role in folders.items()]
    return Places(
        AllFolders(
            folders=[Folder(name="INBOX", shown="INBOX"), *known],
            prefix=prefix,
            delimiter=delimiter,
            can_move=True,
            keywords=[],
            any_keyword=True,
        )
    )


def test_a_folder_that_is_missing_is_made_where_the_person_s_own_lie() -> None:
    found = places("INBOX.", ".")
    assert found.target(MailAction.ARCHIVE, "") == "INBOX.Archive"
    assert found.target(MailAction.SPAM, "") == "INBOX.Junk"
    assert found.target(MailAction.MOVE, "Family/Büro v1.2") == '"INBOX.Family.B&APw-ro v1-2"'
    with pytest.raises(ValueError, match="needs a name"):
        found.target(MailAction.MOVE, " / ")


def test_folders_are_looked_into_but_for_what_is_set_apart() -> None:
    found = places(Zoo="", Archive="archive", Trash="trash", Junk="junk", Drafts="drafts", Sent="sent", Anna="")

    def searched_folders(action: MailAction, label: str = "", *, inbox: bool = False) -> tuple[str, ...]:
        moves = action in {MailAction.TRASH, MailAction.MOVE, MailAction.UNTRASH, MailAction.ARCHIVE}
        target = found.target(action, "Zoo") if moves else ""
        return found.searched_folders(action, label=label, inbox=inbox, target=target)

    assert searched_folders(MailAction.STAR) == ("INBOX", "Archive", "Anna", "Zoo")
    assert searched_folders(MailAction.MOVE) == ("INBOX", "Archive", "Anna")
    assert searched_folders(MailAction.STAR, "anna") == ("Anna",)
    assert searched_folders(MailAction.STAR, inbox=True) == ("INBOX",)
    assert searched_folders(MailAction.ARCHIVE) == ("INBOX",)
    assert searched_folders(MailAction.ARCHIVE, "anna") == ()
    assert searched_folders(MailAction.UNTRASH) == ("Trash",)


def test_where_one_folder_holds_everything_each_mail_is_counted_once() -> None:
    found = places(All="all", Work="")
    assert found.searched_folders(MailAction.STAR, label="", inbox=False, target="") == ("All",)
    assert found.searched_folders(MailAction.TRASH, label="", inbox=False, target="Trash") == ("INBOX", "Work")
    assert found.target(MailAction.ARCHIVE, "") == "All"
