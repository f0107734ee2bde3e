"""Of an HTML mail, what a person would see is read, and where its links lead."""

import time
from contextlib import suppress

import pytest

from modules.email.parsing.css import rules_of
from modules.email.parsing.html import TooDeepError, glance_at, html_to_text, seen_of
from modules.email.parsing.parser import parse_mail
from tests.modules.email.mailhost import mail


@pytest.mark.parametrize(
    "hidden",
    [
        '<style>.pre{display:none}</style><div class="pre">x</div>',
        "<style>#a { font-size:0 } </style><p id=a>x</p>",
        "<style>td .b{color:red} p > .b{visibility:hidden !important}</style><p><span class=b>x</span></p>",
        "<style>@media screen { .b{visibility:hidden} }</style><p class=b>x</p>",
        "<style>@media only screen, print {.a{color:red}\n.b{display:none}} .c{color:red}</style><p class=b>x</p>",
        '<span style="color:#fff">x</span>',
        '<font color="white">x</font>',
        '<div style="background:#000"><span style="color:rgb(2,2,2)">x</span></div>',
        '<table bgcolor="#eeeeee"><tr><td style="color:#efefef">x</td></tr></table>',
        '<span style="color:rgba(0,0,0,0)">x</span>',
        '<div style="max-height:0;overflow:hidden">x</div>',
        '<div style="height:1px;overflow:hidden">x</div>',
        '<div style="position:absolute;left:-9999px">x</div>',
        '<div style="opacity:0.01">x</div>',
        '<div style="font:0/0 a">x</div>',
        '<span style="font-size:1px">x</span>',
        '<div style="text-indent:-500em">x</div>',
        '<div style="clip-path: inset(100%)">x</div>',
        '<div style="transform:scale(0)">x</div>',
        '<a href="https://a.example" style="color:#ffffff">x</a>',
    ],
)
def test_what_its_style_hides_is_not_read(hidden: str) -> None:
    seen = seen_of(f"<p>seen</p>{hidden}<p>too</p>")
    assert seen.text.replace("\n", "") == "seentoo"
    assert seen.hidden


@pytest.mark.parametrize(
    "shown",
    [
        '<div style="color:#fff;background:#222">x</div>',
        '<table background="p.png"><tr><td style="color:white">x</td></tr></table>',
        '<div style="background:url(a.png) #fff;color:white">x</div>',
        '<span style="opacity:1;font-size:12px;display:block;max-height:none">x</span>',
        "<style>@media print { p {display:none} } .other{display:none}</style><p>x</p>",
        "<style>@media screen and (max-width:600px) { p {display:none} }</style><p>x</p>",
        "<style>@media print, (min-width:1px) { p {display:none} } @import 'all';</style><p>x</p>",
        '<style>p{display:none}</style><p style="display:block">x</p>',
        '<font color="nonsense">x</font>',
    ],
)
def test_what_can_be_seen_is_read(shown: str) -> None:
    assert html_to_text(shown) == "x"


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
    [
        "<div>" * 300_000,
        "<b></p>" * 100_000,
        "<i><a><b><p>" * 100_000,
        "<p>x</p>" * 150_000,
        "<style>" + "/*" * 100_000 + "</style>x",
        "<style>" + "@a" * 100_000 + "</style>x",
        "<style>" + "a" * 200_000 + "</style>x",
        "<style>" + "div div{color:red}" * 10_000 + "</style>" + "<div>x</div>" * 20_000,
    ],
)
def test_no_html_takes_longer_than_a_mail_may(bomb: str) -> None:
    for read in (seen_of, glance_at):
        began = time.process_time()
        with suppress(TooDeepError):
            read(bomb)
        assert time.process_time() - began < 5


def test_a_sheet_gives_only_rules_that_may_hide_something() -> None:
    sheet = "/* x */ .a, #b {display:none} p {margin:0} a:hover{color:red} @media x { .c {display:none} } .d{opacity:0"
    assert [rule.selector for rule in rules_of(sheet)] == [".a", "#b", ".d"]
