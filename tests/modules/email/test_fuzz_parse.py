"""Mails that are put together at random from what mails consist of, rightly and wrongly, are all read."""

from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modules.email.parse_css import rules_of, style_of
from modules.email.parse_flowed import unflowed
from modules.email.parse_html import TooDeepError, seen_of
from modules.email.parse_names import harmless_name
from modules.email.parse_text import decode_bytes, decoded
from tests.fuzz.fuzz_parse import target

FEW = settings(max_examples=60, deadline=timedelta(seconds=5), suppress_health_check=list(HealthCheck), database=None)
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
    list(rules_of(style))
    style_of(style)
    unflowed(html, delete_space=True)
    try:
        seen_of(html + style)
    except TooDeepError:
        return
