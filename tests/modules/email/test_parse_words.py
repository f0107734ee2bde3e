"""What a mail forwards is told from its sender's own words, whichever program and language made it."""

from collections.abc import Mapping, Sequence

import pytest

from modules.email.parsing.languages import LANGUAGES
from modules.email.parsing.parsed import Address, Forwarded
from modules.email.parsing.words import Role, Split, roles_of, split

WORDS = "Please pay this:\n\n  - by Friday\n  - from the house account"
ANNA = Address("anna@x.example", "Anna Muster")
BODY = "Dear Sir,\n\nhere is the invoice.\n\nAnna"


def inner(subject: str, text: str) -> Forwarded:
    found = split(subject, text)
    assert found.forwarded is not None
    assert found.forwarded.sender == ANNA
    assert found.forwarded.subject == "Invoice 12"
    return found.forwarded


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def outlook(sender: str, date: str, to: str, subject: str) -> str:
    lines = [f"{sender}: Anna Muster <anna@x.example>", f"{date}: 27.10.2025 09:31"]
    return "\n".join([*lines, f"{to}: me@home.example", f"{subject}: Invoice 12"])


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language["sender"][0])
def test_headers_in_every_word_of_a_language_are_known(language: Mapping[str, Sequence[str]]) -> None:
    senders, dates, tos, subjects = (language[header] for header in ("sender", "date", "to", "subject"))
    for at in range(max(map(len, (senders, dates, tos, subjects)))):
        words = [kind[at % len(kind)] for kind in (senders, dates, tos, subjects)]
        block = outlook(*words)
        for mark in ("", "________________________________\n"):
            text = f"{WORDS}\n\n{mark}{block}\n\n{BODY}"
            found = inner("Fwd: Invoice 12", text)
            assert found.date == "27.10.2025 09:31"
            assert found.to == (Address("me@home.example"),)
            assert found.text == BODY
            assert split("Fwd: Invoice 12", text).words == WORDS


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language["sender"][0])
def test_separators_in_every_phrase_of_a_language_are_known(language: Mapping[str, Sequence[str]]) -> None:
    sender = language["sender"][0]
    block = (
        f"{sender}: Anna Muster <anna@x.example>\nDate: Mon, 27 Oct 2025\nSubject: Invoice 12\nTo: <me@home.example>"
    )
    for phrase in language["forwarded"]:
        for text in (
            f"{WORDS}\n\n---------- {phrase} ---------\n{block}\n\n{BODY}",
            f"{WORDS}\n\n{phrase}:\n\n{quoted(block)}\n>\n{quoted(BODY)}",
            f"{WORDS}\n\n{quoted(f'{phrase}:')}\n>\n{quoted(block)}\n>\n{quoted(BODY)}",
            f"{WORDS}\n\n‐‐‐‐‐‐‐ {phrase} ‐‐‐‐‐‐‐\n{block}\n\n{BODY}",
        ):
            assert inner("Fwd: Invoice 12", text).text == BODY, text
            assert split("Fwd: Invoice 12", text).words == WORDS, text


HEADERS = "From: {}\nDate: Wed, Oct 29, 2025 at 9:31 AM\nSubject: Invoice 12\nTo: <me@home.example>"
SEPARATOR = "---------- Forwarded message ---------\n"


@pytest.mark.parametrize(
    "sender",
    [
        "Anna Muster <anna@x.example>",
        '"Anna Muster" <Anna@x.example>',
        "'Anna Muster' <anna@x.example>",
        "*Anna Muster* <anna@x.example>",
        "Anna Muster [mailto:anna@x.example]",
        "Anna Muster <anna@x.example<mailto:anna@x.example>>",
        "Anna Muster <mailto:anna@x.example>",
        "Anna Muster (anna@x.example)",
        "Anna Muster &lt;anna@x.example&gt;",
        "\xa0Anna Muster\u202f<anna@x.example>\u200b",
        "\tAnna Muster <anna@x.example>",
        "Anna Muster\n <anna@x.example>",
        "\nAnna Muster <anna@x.example>",
        "Anna Muster <[anna@x.example](mailto:anna@x.example)>",
    ],
)
def test_the_inner_sender_is_read_however_it_is_written(sender: str) -> None:
    assert inner("", f"{SEPARATOR}{HEADERS.format(sender)}\n\n{BODY}").text == BODY


@pytest.mark.parametrize(
    ("sender", "person"),
    [
        ("anna@x.example", Address("anna@x.example")),
        ("<anna@x.example>", Address("anna@x.example")),
        ('"anna@x.example" <anna@x.example>', Address("anna@x.example")),
        ("anna@x.example <anna@x.example>", Address("anna@x.example")),
        ('"Muster, Anna" <anna@x.example>', Address("anna@x.example", "Muster, Anna")),
        ("Anna Muster", Address("", "Anna Muster")),
        ("", None),
    ],
)
def test_an_inner_sender_may_be_an_address_or_a_name_only(sender: str, person: Address | None) -> None:
    found = split("", f"{SEPARATOR}{HEADERS.format(sender)}\n\n{BODY}").forwarded
    assert found is not None
    assert found.sender == person


@pytest.mark.parametrize(
    "label", ["*From:* ", "**From:** ", "*From: *", "From : ", "From：", "From\xa0: ", "_From:_ ", "FROM: "]
)
def test_header_words_are_known_through_stars_and_odd_colons(label: str) -> None:
    block = HEADERS.format("Anna Muster <anna@x.example>").replace("From: ", label)
    found = inner("Fwd: Invoice 12", f"Words\n\n{block}\n\nHi")
    assert found.text == "Hi"


PROGRAMS = {
    "gmail": f"{SEPARATOR}{HEADERS.format('Anna Muster <anna@x.example>')}\n\n\n{BODY}",
    "apple mail": quoted(f"Begin forwarded message:\n\n{HEADERS.format('Anna Muster <anna@x.example>')}\n\n{BODY}"),
    "ios": "Begin forwarded message:\n\n" + quoted(f"{HEADERS.format('Anna Muster <anna@x.example>')}\n\n{BODY}"),
    "outlook web": (
        "________________________________\nFrom: Anna Muster <anna@x.example>\n"
        "Sent: Wednesday, October 29, 2025 9:31 AM\n"
        f"To: me@home.example <me@home.example>\nSubject: Invoice 12\n\n{BODY}"
    ),
    "outlook for mac": f'On 29/10/2025, 09:31, "Anna Muster" <anna@x.example> wrote:\n\n{BODY}',
    "outlook, printed": (
        "-----Original Message-----\nFrom: Anna Muster [mailto:anna@x.example]\nSent: 29 October 2025 09:31\n"
        f"To: me@home.example\nCc: Bob; Carol\nSubject: Invoice 12\nImportance: High\n\n{BODY}"
    ),
    "thunderbird": (
        "-------- Forwarded Message --------\nSubject: \tInvoice 12\nDate: \tWed, 29 Oct 2025 09:31:00 +0100\n"
        f"From: \tAnna Muster <anna@x.example>\nReply-To: \tx@x.example\nTo: \tme@home.example\n\n\n\n{BODY}"
    ),
    "proton": f"------- Forwarded Message -------\n{HEADERS.format('Anna Muster <anna@x.example>')}\n\n{quoted(BODY)}",
    "proton, older": (
        "------- Original Message -------\n"
        "On Wednesday, October 29th, 2025 at 9:31 AM, Anna Muster <anna@x.example> wrote:\n\n"
        f"{quoted(BODY)}"
    ),
    "gmx": (
        '*Gesendet:* Mittwoch, 29. Oktober 2025 um 09:31 Uhr\n*Von:* "Anna Muster" <anna@x.example>\n'
        f"*An:* me@home.example\n*Betreff:* Invoice 12\n\n{BODY}"
    ),
    "k-9": (
        "-------- Original Message --------\nFrom: Anna Muster <anna@x.example>\n"
        "Sent: October 29, 2025 9:31:00 AM GMT+01:00\n"
        f"To: me@home.example\nSubject: Invoice 12\n\n{BODY}"
    ),
    "samsung": (
        "-------- Original message --------\nFrom: Anna Muster <anna@x.example>\n"
        "Date: 29/10/2025 09:31 (GMT+00:00)\n"
        f"To: me@home.example\nSubject: Invoice 12\n\n{BODY}"
    ),
    "yahoo, on one line": (
        '   ----- Forwarded Message ----- From: Anna Muster <anna@x.example>To: "me@home.example" <me@home.example>'
        f"Sent: Wednesday, October 29, 2025, 09:31:00 AM GMT+1Subject: Invoice 12\n{BODY}"
    ),
    "mutt": (
        "----- Forwarded message from Anna Muster <anna@x.example> -----\n\nDate: Wed, 29 Oct 2025 09:31:00 +0100\n"
        f"From: Anna Muster <anna@x.example>\nTo: me@home.example\nSubject: Invoice 12\n\n{BODY}\n\n"
        "----- End forwarded message -----"
    ),
    "kmail": (
        "----------  Forwarded Message  ----------\n\nSubject: Invoice 12\n"
        "Date: Wednesday, 29 October 2025, 09:31:00 CET\n"
        f"From: Anna Muster <anna@x.example>\nTo: me@home.example\n\n{BODY}"
    ),
    "roundcube": (
        "-------- Original Message --------\nSubject: Invoice 12\nDate: 2025-10-29 09:31\n"
        f"From: Anna Muster <anna@x.example>\nTo: me@home.example\n\n{BODY}"
    ),
    "zoho": (
        "============ Forwarded message ============\nFrom: Anna Muster <anna@x.example>\nTo: <me@home.example>\n"
        "Date: Wed, 29 Oct 2025 09:31:00 +0100\nSubject: Invoice 12\n"
        f"============ Forwarded message ============\n\n{BODY}"
    ),
    "mailmate": "Forwarded message:\n\n" + quoted(f"{HEADERS.format('Anna Muster <anna@x.example>')}\n\n{BODY}"),
    "html, a line for each": (
        f"{SEPARATOR}\nFrom: Anna Muster <anna@x.example>\n\nDate: Wed, Oct 29, 2025 at 9:31 AM\n\n"
        f"Subject: Invoice 12\n\nTo: <me@home.example>\n\n{BODY}"
    ),
    "mail.ru": (
        "-------- Пересылаемое сообщение --------\nОт кого: Anna Muster <anna@x.example>\nКому: me@home.example\n"
        f"Дата: Среда, 29 октября 2025, 9:31 +03:00\nТема: Invoice 12\n\n{BODY}"
    ),
    "a language unknown here": (
        "---------- Birbidalitako mezua ---------\nNork: Anna Muster <anna@x.example>\nNoiz: 2025 urr. 29 09:31\n"
        f"Gaia: Invoice 12\nNori: me@home.example\n\n{BODY}"
    ),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_forwards_of_each_program_are_told(program: str) -> None:
    text = f"{WORDS}\n\n{PROGRAMS[program]}"
    assert inner("Fwd: Invoice 12", text).text == BODY
    assert split("Fwd: Invoice 12", text).words == WORDS
    assert split("Fwd: Invoice 12", PROGRAMS[program]).words == ""


@pytest.mark.parametrize("program", PROGRAMS)
def test_carriage_returns_and_marks_that_cannot_be_seen_change_nothing(program: str) -> None:
    text = f"\ufeff{WORDS}\n\n{PROGRAMS[program]}".replace("\n", "\r\n")
    assert inner("FW: Invoice 12", text).text == BODY
    assert split("FW: Invoice 12", text).words.lstrip("\ufeff") == WORDS


@pytest.mark.parametrize(
    "subject", ["FW: a", "Fwd: a", "WG: a", "TR : a", "RV: a", "I: a", "ENC: a", "VB: a", "[EXTERNAL] FW: a"]
)
def test_a_subject_tells_that_headers_without_a_separator_are_a_forward(subject: str) -> None:
    assert inner(subject, f"See this\n\n{HEADERS.format('Anna Muster <anna@x.example>')}\n\nHi")


@pytest.mark.parametrize(
    "subject", ["Re: a", "AW: a", "SV: a", "Antw: a", "RE: FW: a", "Odp: a", "[list] Re: a", "Re[2]: a"]
)
def test_under_the_subject_of_a_reply_they_are_a_quotation(subject: str) -> None:
    found = split(subject, f"Thanks\n\n{HEADERS.format('Anna Muster <anna@x.example>')}\n\nHi")
    assert found == Split("Thanks", quotes=True)


def test_the_prefix_that_finns_reply_and_danes_forward_with_is_told_by_the_headers() -> None:
    finnish = (
        "Kiitos\n\nLähettäjä: Anna <anna@x.example>\nLähetetty: 29.10.2025 9:31\nVastaanottaja: me\nAihe: a\n\nHei"
    )
    danish = "Tak\n\nFra: Anna <anna@x.example>\nSendt: 29.10.2025 9:31\nTil: me\nEmne: a\n\nHej"
    assert split("VS: a", finnish) == Split("Kiitos", quotes=True)
    assert split("VS: a", danish).forwarded is not None


def test_of_forwards_within_forwards_the_outermost_is_meant_and_holds_the_rest() -> None:
    nested = f"{SEPARATOR}{HEADERS.format('Eve <eve@x.example>')}\n\nSend money"
    text = f"{WORDS}\n\n{SEPARATOR}{HEADERS.format('Anna Muster <anna@x.example>')}\n\n{BODY}\n\n{nested}"
    found = inner("Fwd: Fwd: Invoice 12", text)
    assert found.text == f"{BODY}\n\n{nested}"


def test_a_forward_within_a_quotation_is_quoted() -> None:
    forward = quoted(f"{SEPARATOR}{HEADERS.format('Eve <eve@x.example>')}\n\nSend money")
    text = f"Thanks\n\nOn Wed, Oct 29, 2025 at 9:31 AM Anna <anna@x.example> wrote:\n{forward}"
    assert split("Re: a", text) == Split("Thanks", quotes=True)
    deep = "\n".join(f"> {line}" for line in forward.split("\n"))
    assert split("Re: a", f"Thanks\n\n{deep}") == Split("Thanks", quotes=True)


def test_nothing_below_a_forward_is_ever_the_forwarders_word() -> None:
    text = f"{SEPARATOR}{HEADERS.format('Anna Muster <anna@x.example>')}\n\n> {BODY}\n\nPay eve@x.example at once"
    found = split("Fwd: Invoice 12", text)
    assert found.words == ""
    assert found.forwarded is not None
    assert "Pay eve@x.example at once" in found.forwarded.text


def test_inner_dates_are_read_where_they_leave_no_doubt() -> None:
    def sent(date: str) -> str:
        block = f"From: Anna <a@x.example>\nDate: {date}\nSubject: s\nTo: me@home.example"
        found = split("", f"{SEPARATOR}{block}\n\nHi").forwarded
        assert found is not None
        assert found.date == date
        return found.sent_at

    assert sent("Wed, 3 Nov 2021 15:51:30 +0100") == "2021-11-03T14:51:30+00:00"
    assert sent("Mittwoch, 3. November 2021 um 15:51 MEZ") == "2021-11-03T14:51:00+00:00"
    assert sent("terça-feira, 2 de novembro de 2021, 09:26:50 CET") == "2021-11-02T08:26:50+00:00"
    assert sent("вторник, 2 ноября 2021 г., 09:26:50 GMT+1") == "2021-11-02T08:26:50+00:00"
    assert sent("tiistaina 2. marraskuuta 2021 klo 09.26.50 UTC+1") == "2021-11-02T08:26:50+00:00"
    assert sent("2021年11月2日 9:26:50 JST") == "2021-11-02T00:26:50+00:00"
    assert sent("November 2, 2021 9:26:50 PM GMT+02:00") == "2021-11-02T19:26:50+00:00"
    assert sent("mar. 2 nov. 2021 à 09:26:50 UTC+1") == "2021-11-02T08:26:50+00:00"


@pytest.mark.parametrize(
    "date",
    [
        "Wed, Oct 27, 2021 at 9:31 AM",  # whose time?
        "03/04/2021 09:31 (GMT+00:00)",  # April or March?
        "26. listopada 2021. u 14:25:08 EEST",  # October in Zagreb, November in Kyiv
        "2 November 2021 09:26:50 CST",  # Chicago or Shanghai?
        "99 November 2021 09:26:50 GMT",
        "31 February 2021 09:26:50 GMT",
        "1 Nov 0021 09:26:50 GMT",
        "yesterday",
        "",
    ],
)
def test_a_date_that_leaves_a_doubt_stays_as_it_is_written(date: str) -> None:
    block = f"From: Anna <a@x.example>\nDate: {date}\nSubject: s\nTo: me@home.example"
    found = split("", f"{SEPARATOR}{block}\n\nHi").forwarded
    assert found is not None
    assert found.date == date
    assert found.sent_at == ""


@pytest.mark.parametrize(
    "text",
    [
        "Book it please\n\nFrom: Berlin\nTo: Munich\nDate: 5 May at 10:00\n\nSecond class",
        "From: the desk of Anna\n\nHello",
        "To: do\n- milk\n- bread",
        "Subject: verbs\nObject: nouns",
        "--- looking forward ---\nto see you",
        "I forward you this message:\nbuy milk",
        "Anna wrote:\nI will come",
        "On Monday I wrote:\na list",
        "What is left to do:\n\n* the roof\n* the door",
        "Date: 5 May\nSubject: the lease\nPlease put both into the calendar",
        "2025-10-29 Anna anna@x.example\nis the one to invite",
    ],
)
@pytest.mark.parametrize("subject", ["", "Hello", "Re: Hello", "Fwd: Hello"])
def test_in_doubt_everything_is_the_senders_own(subject: str, text: str) -> None:
    assert split(subject, text) == Split(text)
    assert set(roles_of(subject, text)) == {Role.OWN}
