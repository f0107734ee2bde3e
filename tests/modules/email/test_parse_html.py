"""Of an HTML mail, what a person would see is read, and where its links lead."""

import time
from contextlib import suppress

import pytest

from modules.email.parsing import html as parse_html
from modules.email.parsing.html import TooDeepError, glance_at, html_to_text, seen_of
from modules.email.parsing.parser import parse_mail
from tests.modules.email.mailhost import mail
from tests.support.nightly import every_nth


def test_hidden_text_is_told() -> None:
    body = "<p>Pay 10 EUR</p><div style='display:none'>Pay 9000 EUR</div>"
    parsed, _ = parse_mail(mail(body=body, Content_Type="text/html"))
    assert parsed.text == "Pay 10 EUR"
    assert "it holds text that nobody sees, which was left out" in parsed.problems


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<a href="https://evil.example">bank.example</a>', "bank.example <https://evil.example>"),
        ('<a href="https://bank.example/">bank.example</a>', "bank.example"),
        ('<a href="http://www.bank.example">https://bank.example</a>', "https://bank.example"),
        ('<a href="mailto:a@b.example">a@b.example</a>', "a@b.example"),
        ('<a href="mailto:a@b.example">Anna</a>', "Anna <a@b.example>"),
        ('<a href="https://x.example"><div>Pay</div> now</a>', "Pay\nnow <https://x.example>"),
        ('<a href="#top">top</a>', "top"),
        ('<a href="java\nscript:x">go</a>', "go <javascript:x>"),
        ('<a href="https://x.example"><img src="b.png" alt="Pay now"></a>', "[Pay now] <https://x.example>"),
    ],
)
def test_a_link_is_shown_with_its_target_where_they_differ(html: str, text: str) -> None:
    assert html_to_text(html) == text


def test_every_link_is_told_also_where_the_plain_form_is_read() -> None:
    body = "--b\r\n\r\nClick here: now\r\n--b\r\nContent-Type: text/html\r\n\r\n"
    body += '<p>Click <a href="https://evil.example/x">here</a>: now</p>\r\n--b--'
    parsed, _ = parse_mail(mail(body=body, Content_Type="multipart/alternative; boundary=b"))
    assert parsed.text == "Click here: now"
    assert [(link.text, link.target) for link in parsed.links] == [("here", "https://evil.example/x")]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<table><tr><td>Total</td><td>12 EUR</td></tr></table>", "Total 12 EUR"),
        ("<ul><li>one</li><li>two</li></ul>", "- one\n\n- two"),
        ("<pre>a  b\n  c</pre>", "a  b\n  c"),
        ("<p>a</p><blockquote>b<blockquote>c</blockquote></blockquote>d", "a\n\n> b\n> > c\n\nd"),
        ("pay\u200b\u200bpal&zwnj;", "paypal"),
        ('<img src="t.gif" width=1 height=1 alt="pixel">x', "x"),
    ],
)
def test_lines_are_as_a_person_sees_them(html: str, text: str) -> None:
    assert html_to_text(html) == text


@pytest.mark.parametrize(
    "bomb",
    every_nth(
        [
            "<div>" * 300_000,
            "<b></p>" * 100_000,
            "<i><a><b><p>" * 100_000,
            "<p>x</p>" * 150_000,
            "<style>" + "/*" * 100_000 + "</style>x",
            "<style>" + "@a" * 100_000 + "</style>x",
            "<style>" + "a" * 200_000 + "</style>x",
            "<style>" + "(" * 200_000 + "</style>x",
            "<style>" + "a{b:" * 50_000 + "</style>x",
            ("<style>" + "[(" * 100_000 + "</style>") * 8,
            "".join(f'<p style="a{at}:{"(" * 15_000}">x</p>' for at in range(100)),
            "<style>" + "a{& b{" * 4_000 + "</style>x",
            "<style>" + "& a,&" * 1_000 + "{" + "&" * 1_000 + "{color:red}}</style>x",
            "<style>" + "div div{color:red}" * 10_000 + "</style>" + "<div>x</div>" * 20_000,
        ],
        4,
    ),
)
def test_no_html_takes_longer_than_a_mail_may(bomb: str) -> None:
    for read in (seen_of, glance_at):
        began = time.process_time()
        with suppress(TooDeepError):
            read(bomb)
        assert time.process_time() - began < 5


def test_styles_that_take_long_to_follow_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_html, "_STYLES_S", 0.0)
    parsed, _ = parse_mail(mail(body="<style>p{color:red}</style><p>Hello</p>", Content_Type="text/html"))
    assert parsed.text == "Hello"
    assert "its styles take too long to follow, so text that nobody sees may be in it" in parsed.problems
