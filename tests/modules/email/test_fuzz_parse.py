"""Mails that are put together at random from what mails consist of, rightly and wrongly, are all read."""

import binascii
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from butler.html.css import declarations_of
from butler.html.hiding import hides
from butler.html.stylesheets import cascade, parse_stylesheets
from butler.mime.text import decode_bytes, decoded, quoted_printable
from modules.email.parsing.flowed import unflowed
from modules.email.parsing.headers import read_date
from modules.email.parsing.html import TooDeepError, seen_of
from modules.email.parsing.lines import plain
from modules.email.parsing.names import harmless_name
from tests.fuzz.fuzz_parse import target
from tests.support.nightly import examples

FEW = settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck), database=None)
NAMES = st.sampled_from(
    ["From", "To", "Subject", "Date", "Message-ID", "Content-Type", "Return-Path", "X-Loop", "References"]
)
VALUES = st.one_of(
    st.text(max_size=60),
    st.sampled_from([
        "Anna <a@b.example>", "=?utf-8?q?=C3?=", "=?iso-2022-jp?b?GyRC?=", "<a@b>", "multipart/mixed; boundary=b",
        "multipart/alternative; boundary=b", "message/rfc822", "text/html; charset=utf-7", "text/calendar",
        "application/ms-tnef; name=winmail.dat", "multipart/report; report-type=delivery-status; boundary=b",
        "text/plain; format=flowed",
    ]),
)  # fmt: skip
HEADERS = st.lists(st.tuples(NAMES, VALUES), max_size=6).map(
    lambda pairs: "".join(f"{name}: {value}\r\n" for name, value in pairs)
)
BODIES = st.recursive(
    st.one_of(
        st.text(max_size=80), st.sampled_from(["<p style='display:none'>x</p>", "> quoted", "--b--", "-----BEGIN PGP "])
    ),
    lambda inner: st.lists(st.tuples(HEADERS, inner), max_size=3).map(
        lambda parts: "".join(f"--b\r\n{head}\r\n{body}\r\n" for head, body in parts) + "--b--"
    ),
    max_leaves=6,
)


@FEW
@given(HEADERS, BODIES)
def test_a_mail_of_any_parts_is_read(headers: str, body: str) -> None:
    target(f"{headers}\r\n{body}".encode("utf-8", "replace"))


@FEW
@given(
    st.binary(max_size=300), st.one_of(st.text(max_size=12), st.sampled_from(["utf-7", "iso-2022-jp", "utf-16", "hz"]))
)
def test_bytes_in_any_charset_become_text(data: bytes, charset: str) -> None:
    decode_bytes(data, charset)[0].encode("utf-8", "surrogatepass")
    decoded(data.decode("ascii", "surrogateescape"), charset).encode()


@FEW
@given(st.text(max_size=300))
def test_a_name_of_any_characters_is_harmless(name: str) -> None:
    harmless = harmless_name(name)
    assert harmless == harmless_name(harmless)
    assert not set("/\\\0\r\n") & set(harmless)
    assert len(harmless.encode()) <= 240


@FEW
@given(st.text(alphabet="<>/=\"' abdipqsvz{}:;.#@!*-0123456789\n", max_size=400), st.text(max_size=200))
def test_any_html_is_read(html: str, style: str) -> None:
    sheets = parse_stylesheets([style])
    hides(cascade(enumerate(sheets.rules), declarations_of(style), sheets.values))
    unflowed(html, delete_space=True)
    try:
        seen_of(html + style)
    except TooDeepError:
        return


@FEW
@given(
    st.sampled_from(["", "Mon, ", "Sun, "]),
    st.integers(0, 32),
    st.sampled_from(["Jan", "Feb", "Dec"]),
    st.integers(1890, 2120),
    st.tuples(st.integers(0, 25), st.integers(0, 61), st.integers(0, 61)),
    st.sampled_from(["+0000", "-0000", "+0530", "-1130", "+2359", "+2400", "-0760", "+0100 (CET)", "GMT", ""]),
)
def test_a_usual_date_is_what_the_standard_library_reads(
    weekday: str, day: int, month: str, year: int, time: tuple[int, int, int], zone: str
) -> None:
    written = f"{weekday}{day} {month} {year} {time[0]:02}:{time[1]:02}:{time[2]:02} {zone}"
    problems: list[str] = []
    read = read_date(written, problems.append)
    try:
        parsed = parsedate_to_datetime(written)
        parsed = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
    except ValueError:
        assert (read, problems) == ("", ["the date cannot be read"])
        return
    true = 1980 <= parsed.year <= 2100
    assert (read, problems) == ((parsed.isoformat(), []) if true else ("", ["the date cannot be true"]))
    assert not read or datetime.fromisoformat(read) == parsed


@FEW
@given(st.lists(st.sampled_from([b"a", b"=", b"=3D", b" ", b"\t", b"\n", b"\r\n", b"\xc3"])).map(b"".join))
def test_blanks_at_the_end_of_a_quoted_printable_line_are_no_part_of_it(data: bytes) -> None:
    lines = data.replace(b"\r\n", b"\n").split(b"\n")
    bare = b"\n".join([*(line.rstrip(b" \t") for line in lines[:-1]), lines[-1]])
    assert quoted_printable(data).replace(b"\r\n", b"\n") == binascii.a2b_qp(bare)


@FEW
@given(st.text(alphabet="aé \t\r\x0b\xa0\u200b\u3000\u0301\xad", max_size=30))
def test_a_line_as_it_is_compared_has_nothing_that_cannot_be_seen(line: str) -> None:
    seen = plain(line)
    assert plain(seen) == seen
    assert seen.isascii() or seen.isprintable()
