"""What a person does not see is read from no mail and from no page, whatever hides it; what is seen is read."""

from collections.abc import Callable

import pytest

from butler.agents.parser.blocks import Document
from butler.agents.parser.read_html import html_blocks
from modules.email.parsing.html import seen_of

Reader = Callable[[str], tuple[str, bool]]


def _mail(html: str) -> tuple[str, bool]:
    seen = seen_of(html)
    return seen.text, seen.hidden


def _page(html: str) -> tuple[str, bool]:
    document = Document()
    html_blocks(html, document)
    return "\n".join(block.text for block in document.blocks), bool(document.problems)


READERS = pytest.mark.parametrize("read", [_mail, _page])

TAGS = [
    "<p hidden>x</p>",
    '<div style="display:none">x</div>',
    '<div style="DISPLAY : None !important">x</div>',
    '<div style="d\\69splay: n\\6fne">x</div>',
    '<div style="/* ; */display:none">x</div>',
    '<div style="--seen: none; display: var(--seen)">x</div>',
    '<span style="visibility:hidden">x</span>',
    '<p style="content-visibility:hidden">x</p>',
    '<p style="mso-hide:all">x</p>',
    '<pre><span style="display:none">x</span></pre>',
    "<div>" * 210 + '<p style="display:none">x</p>',
    '<table><tr style="display:none"><td>x</td><td>x</td></tr><tr><td></td></tr></table>',
    '<table><tbody style="display:none"><tr><td>x</td></tr></tbody><tr><td></td></tr></table>',
]
SIZES = [
    '<p style="font-size:1px">x</p>',
    '<p style="font-size:2px">x</p>',
    '<p style="font-size:0.01em">x</p>',
    '<p style="font-size:0vw">x</p>',
    '<p style="font-size:calc(0px)">x</p>',
    '<div style="font:0/0 a">x</div>',
    '<div style="font: 700 1px/20px serif">x</div>',
    '<div style="max-height:0">x</div>',
    '<div style="max-height:0;overflow:hidden">x</div>',
    '<div style="height:1px;overflow:hidden">x</div>',
    '<p style="max-width:1px;overflow-x:clip">x</p>',
    '<div style="opacity:0.01">x</div>',
    '<div style="opacity:4%">x</div>',
    '<div style="opacity:1e-3">x</div>',
    '<p style="filter: opacity(0)">x</p>',
    '<p style="scale: 0 1">x</p>',
    '<p style="transform: rotate(3deg) scale(1, 0)">x</p>',
    f'<p style="width:{"1" * 5_000}px;display:none">x</p>',
    f'<p style="{"a:b;" * 2_000}display:none">x</p>',
]
PLACES = [
    '<div style="position:absolute;left:-9999px">x</div>',
    '<div style="position:fixed;top:-100px">x</div>',
    '<div style="position:relative;left:-9999px">x</div>',
    '<div style="text-indent:-500em">x</div>',
    '<p style="margin-left:-9999px">x</p>',
    '<p style="transform: translateX(-9999px)">x</p>',
    '<p style="clip: rect(0 0 0 0)">x</p>',
    '<p style="clip: rect(1px, 1px, 1px, 1px)">x</p>',
    '<div style="clip-path: inset(100%)">x</div>',
    '<div style="clip-path: inset(0 100% 0 0)">x</div>',
    '<p style="clip-path: circle(0)">x</p>',
    '<p style="clip-path: polygon(0 0, 0 0, 0 0)">x</p>',
]
COLOURS = [
    '<span style="color:#fff">x</span>',
    '<font color="white">x</font>',
    '<font color="ffffff">x</font>',
    '<div style="background:#000"><span style="color:rgb(2,2,2)">x</span></div>',
    '<div style="background:#222"><p style="color:rgb(34 34 34)">x</p></div>',
    '<table bgcolor="#eeeeee"><tr><td style="color:#efefef">x</td></tr></table>',
    '<table bgcolor="000000"><tr><td>x</td></tr></table>',
    '<p style="color: hsl(0, 0%, 100%)">x</p>',
    '<p style="color: hwb(0 100% 0%)">x</p>',
    '<p style="color: transparent">x</p>',
    '<p style="color: rgba(0, 0, 0, 0)">x</p>',
    '<p style="color: rgb(0 0 0 / 4%)">x</p>',
    '<p style="color: #0000">x</p>',
    '<p style="color: transparent; text-shadow: none">x</p>',
    '<p style="color: transparent; background-clip: text">x</p>',
    '<p style="color: transparent; background: white; background-clip: text">x</p>',
    '<div style="-webkit-text-fill-color: transparent"><b style="color: red">x</b></div>',
    '<p style="background: papayawhip; color: papayawhip">x</p>',
    '<p style="background: Canvas; color: Canvas">x</p>',
    '<p style="color: white; background: none">x</p>',
    '<p style="color: red; background: currentcolor">x</p>',
    '<div style="background: #00e"><a href="https://a.example">x</a></div>',
    '<a href="https://a.example" style="color:#ffffff">x</a>',
    '<div style="color: white"><a href="https://a.example" style="color: inherit">x</a></div>',
]
SHEETS = [
    '<style>.pre{display:none}</style><div class="pre">x</div>',
    "<style>#a { font-size:0 } </style><p id=a>x</p>",
    "<style><!-- .b{display:none} --></style><p class=b>x</p>",
    "<style>td .b{color:red} p > .b{visibility:hidden !important}</style><p><span class=b>x</span></p>",
    "<style>@media screen { .b{visibility:hidden} }</style><p class=b>x</p>",
    "<style>@media only screen, print {.a{color:red}\n.b{display:none}} .c{color:red}</style><p class=b>x</p>",
    "<style>@media screen { .y{color:red} .b{display:none} } p{margin:0}</style><p class=b>x</p>",
    "<style>@media print, (min-width:1px) { .b {display:none} } @import 'all';</style><p class=b>x</p>",
    "<style>@media screen and (min-width: 600px) { .b { display: none } }</style><p class=b>x</p>",
    "<style>@supports (display: grid) { @media all { .b { display: none } } }</style><p class=b>x</p>",
    "<style>@layer base{.b{display:none}}</style><p class=b>x</p>",
    "<style>div.b { opacity : 0 }</style><div class=b><b><i>x</i></b></div>",
    "<style>/* } */ body > #y { font-size:0 }</style><p id=y>x</p>",
    "<style>div :not(b) { display: none }</style><div><p>x</p></div>",
    "<style>p[data-x='1'] { display: none }</style><p data-x=1>x</p>",
    '<style>[data-x="a}b"]{display:none}</style><p data-x="a}b">x</p>',
    "<style>li:nth-child(odd) { visibility: hidden }</style><ul><li>x</li></ul>",
    "<style>body :is(h1, .b) { opacity: 0% }</style><p class=b>x</p>",
    "<style>.y, :where(.b, .z) { display: none }</style><p class=b>x</p>",
    "<style>div:has(> i) { display: none }</style><div><i>x</i></div>",
    "<style>.b { color: red; & p { display: none } }</style><div class=b><p>x</p></div>",
    "<style>.b { @media screen { display: none } }</style><p class=b>x</p>",
    '<style>#y { display: none } .b { display: block }</style><p class="b" id="y">x</p>',
    '<style>.b { display: none !important }</style><p class=b style="display:block">x</p>',
    "<style>:root { --Seen: none } .b { display: var(--Seen) }</style><p class=b>x</p>",
    "<style>.b { display: var(--nothing, var(--none, none)) }</style><p class=b>x</p>",
    "<style>.b { d\\69splay: n\\6fne }</style><p class=b>x</p>",
    f"<style>p{{width:{'1' * 5_000}px}} .b{{display:none}}</style><p class=b>x</p>",
]


@READERS
@pytest.mark.parametrize("hidden", [*TAGS, *SIZES, *PLACES, *COLOURS, *SHEETS])
def test_what_nobody_sees_is_left_out_and_told(hidden: str, read: Reader) -> None:
    text, told = read(f"<p>seen</p>{hidden}<p>too</p>")
    assert text.split() == ["seen", "too"]
    assert told


@READERS
@pytest.mark.parametrize(
    "shown",
    [
        '<div style="color:#fff;background:#222">x</div>',
        '<div style="background:#000"><p style="color:#fff">x</p></div>',
        '<div style="background:#000 none"><p style="color:#fff">x</p></div>',
        '<table background="p.png"><tr><td style="color:white">x</td></tr></table>',
        '<table bgcolor="#000000"><tr><td style="color:white">x</td></tr></table>',
        '<table bgcolor="#000000" style="background:#fff"><tr><td>x</td></tr></table>',
        '<div style="background:url(a.png) #fff;color:white">x</div>',
        '<div style="background-image:url(x.png)"><p style="color:white">x</p></div>',
        '<div style="background: linear-gradient(red, blue); color: rgb(127,127,127)">x</div>',
        '<div style="color: red"><p style="background: gold">x</p></div>',
        '<div style="color: transparent"><b style="color: black">x</b></div>',
        '<p style="color: transparent; background: linear-gradient(red, blue); background-clip: text">x</p>',
        '<p style="color: transparent; background: gold; background-clip: text">x</p>',
        '<p style="color: transparent; text-shadow: 0 0 1px black">x</p>',
        '<p style="color: transparent; -webkit-text-stroke: 1px black">x</p>',
        "<p style='color:transparent; color:#000'>x</p>",
        '<font color="nonsense">x</font>',
        '<p style="color: white; background: #000; background-color: bogus(">x</p>',
        '<span style="opacity:1;font-size:12px;display:block;max-height:none">x</span>',
        '<p style="font: 100 14px/1 serif; width: 1vw; overflow: hidden">x</p>',
        '<p style="margin-left: -20px; transform: translateX(-50%); opacity: .8">x</p>',
        '<p style="clip-path: circle(50%); clip: auto">x</p>',
        '<p style="display:none) ">x</p>',
        "<style>@media print { p {display:none} } .other{display:none}</style><p>x</p>",
        "<style>@media screen and (max-width:600px) { p {display:none} }</style><p>x</p>",
        "<style>@media (prefers-color-scheme: dark) { .b { color: white } }</style><p class=b>x</p>",
        "<style>.b:hover { display: none } .b::first-line { display: none }</style><p class=b>x</p>",
        "<style>p { display: none } .b { display: block }</style><p class=b>x</p>",
        '<style>p{display:none}</style><p style="display:block">x</p>',
        "<style>p:not(.b) { display: none }</style><p class=b>x</p>",
        '<style>.b::after { content: "} .b { display: none }" }</style><p class=b>x</p>',
        "<style>@keyframes fade { from { opacity: 0 } to { opacity: 1 } }</style><p class=b>x</p>",
        "<div>" * 210 + "<p>x</p>",
    ],
)
def test_what_is_seen_is_read_however_its_style_looks(shown: str, read: Reader) -> None:
    assert read(shown) == ("x", False)
