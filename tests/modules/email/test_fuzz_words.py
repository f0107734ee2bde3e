"""Whatever stands in a mail's text, taking it apart ends, loses nothing and invents nothing."""

import sys
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modules.email.parsing.kind import kind_of, topics_of
from modules.email.parsing.languages import LANGUAGES
from modules.email.parsing.parsed import Address, ParsedMail
from modules.email.parsing.words import Role, roles_of, split
from tests.support.nightly import every_nth, examples

WORDS = sorted({word for language in LANGUAGES for word in (*language["sender"], *language["subject"])})
PIECES = st.sampled_from(
    [
        *WORDS,
        *(
            ": ",
            ":",
            "：",
            ">",
            "> ",
            ">> ",
            "-- ",
            "--",
            "---------- ",
            " ---------",
            "________________",
            "*",
            "|",
            "\xa0",
        ),
        *("Forwarded message", "Original Message", "Begin forwarded message:", "On 5 May 2025 at 10:00 ", " wrote:"),
        *(
            "Anna <anna@x.example>",
            "<anna@x.example>",
            "anna@x.example",
            "2025",
            "10:31",
            "schrieb",
            "Sent from my iPhone",
        ),
        *(
            "Invoice no. 7",
            "Total 10 €",
            "due 3/4/2025",
            "you?",
            "a",
            "Hello",
            "\ufeff",
            "\u200b",
            "\r",
            "\t",
            "İ",
            "ß",
        ),
    ]
)
LINES = st.lists(st.lists(PIECES | st.text(max_size=8), max_size=6).map("".join), max_size=25).map("\n".join)
SUBJECTS = st.sampled_from(["", "Hello", "Re: a", "Fwd: a", "VS: a", "FW: Invoice no. 7", "[x] WG: a", ":", "Re:"])
BOUNDED = settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@BOUNDED
@given(SUBJECTS, LINES)
def test_each_line_has_one_role_and_the_words_are_the_lines_that_are_own(subject: str, text: str) -> None:
    lines, roles = text.split("\n"), roles_of(subject, text)
    assert len(roles) == len(lines)
    own = [line.rstrip("\r") for line, role in zip(lines, roles, strict=True) if role is Role.OWN]
    found = split(subject, text)
    unseen = str.maketrans("", "", "\ufeff\u200b")
    assert found.words.translate(unseen).split() == "\n".join(own).translate(unseen).split()
    assert set(found.words.split("\n")) <= {line for own_line in own for line in (own_line, own_line.rstrip())} | {""}
    assert found.quotes == (Role.QUOTED in roles or (Role.MARK in roles and found.forwarded is None))
    if Role.FORWARDED in roles:
        assert found.forwarded is not None


@BOUNDED
@given(SUBJECTS, LINES)
def test_a_line_that_is_marked_as_quoted_is_never_the_senders_own(subject: str, text: str) -> None:
    words = split(subject, text).words.split("\n")
    assert not any(line.lstrip("\xa0 \t\ufeff\u200b\r").startswith(">") for line in words if line.strip("> :\r\t")), (
        words
    )


@BOUNDED
@given(SUBJECTS, LINES)
def test_nothing_is_the_senders_own_below_a_forward(subject: str, text: str) -> None:
    roles = roles_of(subject, text)
    if Role.FORWARDED in roles:
        assert set(roles[roles.index(Role.FORWARDED) :]) == {Role.FORWARDED}


@BOUNDED
@given(SUBJECTS, LINES)
def test_what_is_told_of_a_forward_stands_in_the_text(subject: str, text: str) -> None:
    inner = split(subject, text).forwarded
    if inner is not None:
        whole = "".join((subject + text).split()).casefold()
        for told in (*((inner.sender.address, inner.sender.name) if inner.sender else ()), inner.subject):
            assert all("".join(word.split()).casefold() in whole or not word.isascii() for word in told.split())


@BOUNDED
@given(SUBJECTS, LINES)
def test_kinds_and_topics_are_told_of_anything(subject: str, text: str) -> None:
    found = split(subject, text)
    mail = ParsedMail(
        subject=subject,
        sender=Address("anna@x.example"),
        text=text,
        words=found.words,
        quotes=found.quotes,
        forwarded=found.forwarded,
    )
    assert kind_of(mail) in {"personal", "reply", "forward"}
    topics, invoice = topics_of(mail)
    assert (invoice is not None) == ("invoice" in topics)


def steps(work: Callable[[], object]) -> int:
    """How many lines of Python a piece of work runs through."""
    count = 0

    def trace(frame: object, event: str, arg: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


HOSTILE = {
    "angles": ">",
    "angles on lines": ">\n",
    "dashes": "-",
    "dashes on lines": "-----\n",
    "colons": "12345678:\n",
    "senders": "From: a@b.example\n",
    "headers": "From: a@b.example\nDate: 1\n\n",
    "headers in quotations": "> From: a@b.example\n> To: x\n> Date: 1\n\nown\n",
    "lists of people": "To: a@b.example,\n b@b.example,\n",
    "attributions": "On 5 May 2020 at 10:00 Anna <a@b.example> wrote:\n> x\n",
    "beginnings of attributions": "On 5 May 2020 at 10:00 x\n",
    "attributions and blank lines": "On 5 May wrote Anna <a@b.example>:" + "\n" * 20,
    "headers on one line": "--- original ---- From: " + "A1" * 400 + "\nx\n",
    "separators": "---------- Forwarded message --\nx\n",
    "signatures": "--\nx\n",
    "foreign headers": "a: b@c.example\n",
    "broken quotations": "> " + "x" * 70 + "\ny\n",
    "at signs": "@",
    "quotation marks": '"John Doe <',
    "invoices": "Invoice no. x total €1 due 3\n",
    "figures": "1.",
    "questions": "you?",
}


@pytest.mark.parametrize("subject", ["", "Fwd: b"])
@pytest.mark.parametrize("piece", every_nth(list(HOSTILE), 4))
def test_twice_the_text_takes_no_more_than_about_twice_the_work(subject: str, piece: str) -> None:
    def work(size: int) -> Callable[[], object]:
        text = HOSTILE[piece] * (size // len(HOSTILE[piece]))

        def run() -> None:
            found = split(subject, text)
            topics_of(ParsedMail(subject=subject, words=found.words, forwarded=found.forwarded))

        return run

    small, large = steps(work(4_000)), steps(work(8_000))
    assert large < 2.6 * small + 2_000


@pytest.mark.parametrize("subject", ["", "Fwd: b"])
@pytest.mark.parametrize("piece", every_nth(list(HOSTILE), 4))
def test_the_longest_text_that_a_mail_may_have_is_taken_apart(subject: str, piece: str) -> None:
    # Regular expressions take no steps of Python: a quadratic one would not end before the suite's time-out.
    text = HOSTILE[piece] * (100_000 // len(HOSTILE[piece]))
    found = split(subject, text)
    topics_of(ParsedMail(subject=subject, words=found.words, forwarded=found.forwarded))
    assert len(found.words) <= len(text)
