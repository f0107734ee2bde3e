"""An answer goes to whom the mail asks, not to the person themselves, from the address that was written to."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from butler.contract.errors import Refuse
from modules.email.parsing.parsed import Address, ParsedMail
from modules.email.parsing.parser import parse_mail
from modules.email.replying import (
    LONGEST_LINE,
    LONGEST_QUOTE,
    MOST_QUOTED,
    OwnAddress,
    OwnAddresses,
    answer,
    line_of,
    quote_of,
    quoted,
)

ME, ALIAS, UNVERIFIED, WORK = "me@home.example", "tickets@home.example", "new@home.example", "me@work.example"
OWN = OwnAddresses(
    [OwnAddress(ME, "Me"), OwnAddress(ALIAS, "Tickets"), OwnAddress(UNVERIFIED, sends=False)], others=[WORK]
)
LONDON = ZoneInfo("Europe/London")
AT = datetime(2026, 7, 3, 9, 5, tzinfo=UTC)


def mail(**headers: str) -> ParsedMail:
    lines = {"From": "Anna <anna@friends.example>", "To": ME, "Subject": "Lunch"}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    raw = "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\nAt one?\r\nOr two?\r\n"
    return parse_mail(raw.encode())[0]


def envelope(parsed: ParsedMail, *, everybody: bool = False) -> tuple[list[str], list[str]]:
    found = answer(parsed, OWN, everybody=everybody)
    to, cc = ([person.address.removeprefix("mail:") for person in group] for group in (found.to, found.cc))
    return to, cc


def test_an_answer_goes_to_the_sender_alone() -> None:
    assert envelope(mail(Cc="bob@friends.example")) == (["anna@friends.example"], [])


def test_sm_24_reply_to_comes_first_and_the_others_follow() -> None:
    robot = mail(From="robot@shop.example", Reply_To="Carl <carl@shop.example>", Cc="x@a.example, y@a.example")
    assert envelope(robot) == (["carl@shop.example"], [])
    assert envelope(robot, everybody=True) == (["carl@shop.example"], ["x@a.example", "y@a.example"])


def test_sm_10_an_answer_to_everybody_leaves_out_every_address_of_the_persons() -> None:
    five = mail(
        To=f"Me <{ME.upper()}>, bob@a.example, {ALIAS}, me+shop@home.example, {UNVERIFIED}",
        Cc=f"carl@a.example, {WORK}, Bob <bob@a.example>, dora@a.example, eve@a.example",
    )
    assert envelope(five, everybody=True) == (
        ["anna@friends.example", "bob@a.example"],
        ["carl@a.example", "dora@a.example", "eve@a.example"],
    )


def test_sm_10_gmails_own_addresses_are_one_with_dots_and_without() -> None:
    own = OwnAddresses([OwnAddress("anna.bell@gmail.com")])
    parsed = mail(From="bob@a.example", To="annabell@googlemail.com, anna.bell+x@gmail.com, an.na@home.example")
    assert [person.address for person in answer(parsed, own, everybody=True).to] == [
        "mail:bob@a.example",
        "mail:an.na@home.example",
    ]


def test_a_mail_from_oneself_is_answered_to_those_who_got_it() -> None:
    sent = mail(From=ALIAS, To="anna@friends.example, bob@a.example", Cc=f"carl@a.example, {ME}", Reply_To=ME)
    assert envelope(sent) == (["anna@friends.example", "bob@a.example"], [])
    assert envelope(sent, everybody=True) == (["anna@friends.example", "bob@a.example"], ["carl@a.example"])
    assert answer(sent, OWN).sender.address == ALIAS


def test_a_note_to_oneself_is_answered_to_oneself() -> None:
    assert envelope(mail(From=WORK, To=ME)) == ([WORK], [])


def test_one_whose_reply_to_is_the_person_is_answered_to_its_writer() -> None:
    assert envelope(mail(Reply_To=ME)) == (["anna@friends.example"], [])


def test_a_list_that_asks_for_answers_gets_only_those_to_everybody() -> None:
    listed = mail(To="talk@lists.example", Reply_To="talk@lists.example", List_Id="<talk.lists.example>")
    assert envelope(listed) == (["anna@friends.example"], [])
    assert envelope(listed, everybody=True) == (["anna@friends.example", "talk@lists.example"], [])


def test_a_list_that_writes_in_its_own_name_is_answered_to_the_one_it_names() -> None:
    munged = mail(
        From="Anna via Talk <talk@lists.example>",
        To="talk@lists.example",
        Reply_To="anna@friends.example",
        List_Id="<talk.lists.example>",
    )
    assert envelope(munged) == (["anna@friends.example"], [])


def test_nobody_who_could_be_answered_is_said_so() -> None:
    with pytest.raises(Refuse, match="no sender who could be answered"):
        answer(ParsedMail(to=(Address(ME),)), OWN)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"To": ALIAS}, ALIAS),
        ({"To": "anna@friends.example", "Cc": f"x@a.example, {ALIAS}"}, ALIAS),
        ({"To": "tickets+4711@home.example"}, ALIAS),
        ({"To": f"{ME}, {ALIAS}"}, ME),
        ({"To": UNVERIFIED}, ME),
        ({"To": "undisclosed-recipients:;"}, ME),
    ],
)
def test_gm_14_an_answer_leaves_from_the_address_that_was_written_to(headers: dict[str, str], expected: str) -> None:
    assert answer(mail(**headers), OWN).sender.address == expected


def test_gm_15_the_subject_is_kept() -> None:
    assert answer(mail(Subject="Lunch"), OWN).subject == "Re: Lunch"
    assert answer(mail(Subject="AW: Lunch"), OWN).subject == "AW: Lunch"


def test_names_that_senders_chose_are_nobodys_names() -> None:
    assert answer(mail(From="Your Bank <x@evil.example>"), OWN).to[0].name == ""


def test_what_is_answered_is_told_in_a_line() -> None:
    assert line_of(mail(), AT, LONDON) == "anna@friends.example, Friday 3 July 2026 at 10:05: At one? Or two?"
    assert len(line_of(ParsedMail(text="word " * 1000), AT, LONDON)) == LONGEST_LINE


def test_a_quote_marks_each_line() -> None:
    assert quote_of(ParsedMail(sender=Address("a@b.example"), text="Yes.\n\n> At one?\n"), AT, LONDON) == (
        "On Fri, 3 Jul 2026 at 10:05, a@b.example wrote:\n> Yes.\n>\n>> At one?"
    )


def test_of_a_very_long_mail_the_beginning_is_quoted() -> None:
    for text in ("word " * LONGEST_QUOTE, "line\n" * (MOST_QUOTED + 1)):
        quote = quoted("a@x.example", None, text, LONDON).splitlines()
        assert quote[0] == "a@x.example wrote:"
        assert quote[-1] == "> […]"
        assert len(quote) <= MOST_QUOTED + 2
        assert sum(map(len, quote)) < LONGEST_QUOTE + 100
    assert "[…]" not in quoted("a@x.example", None, "line\n" * MOST_QUOTED, LONDON)


def test_what_no_mail_may_hold_is_not_quoted() -> None:
    assert quoted("a@x.example", None, "a\x00b\ud83dc\x9bd\te", LONDON) == "a@x.example wrote:\n> abcd\te"
