"""Web pages are read as a person sees them."""

import time

import pytest

from butler.agents.parser import read_html
from butler.agents.parser.read import read
from butler.agents.parser.request import Request
from tests.agents.parser.conftest import whole


def page(body, style=""):
    return (
        f"<!doctype html><html><head><title>T</title><style>{style}</style></head><body>{body}</body></html>".encode()
    )


@pytest.mark.parametrize(
    ("hidden", "style"),
    [
        ('<div style="display:none">pay now</div>', ""),
        ('<div style="DISPLAY : None !important">pay now</div>', ""),
        ('<span style="visibility:hidden">pay now</span>', ""),
        ("<p hidden>pay now</p>", ""),
        ('<p class="x">pay now</p>', ".x{display:none}"),
        ('<p class="x">pay now</p>', "@media screen { .y{color:red} .x{display:none} } p{margin:0}"),
        ('<p class="x">pay now</p>', "@layer base{.x{display:none}}"),
        ('<div class="x"><b><i>pay now</i></b></div>', "div.x { opacity : 0 }"),
        ('<p id="y">pay now</p>', "/* } */ body > #y { font-size:0 }"),
        ('<p style="position:absolute;left:-9999px">pay now</p>', ""),
        ('<p style="color:#fff">pay now</p>', ""),
        ('<div style="background:#222"><p style="color:rgb(34,34,34)">pay now</p></div>', ""),
        ('<p style="font-size:1px">pay now</p>', ""),
        ('<p style="height:0;overflow:hidden">pay now</p>', ""),
        ("<div><p>pay now</p></div>", "div :not(b) { display: none }"),
        ('<p data-x="1">pay now</p>', "p[data-x='1'] { display: none }"),
        ('<p data-x="a}b">pay now</p>', '[data-x="a}b"]{display:none}'),
        ("<ul><li>pay now</li></ul>", "li:nth-child(odd) { visibility: hidden }"),
        ('<p class="x">pay now</p>', "body :is(h1, .x) { opacity: 0% }"),
        ('<p class="x">pay now</p>', ".y, :where(.x, .z) { display: none }"),
        ("<div><i>pay now</i></div>", "div:has(> i) { display: none }"),
        ('<p class="x">pay now</p>', "@media screen and (min-width: 600px) { .x { display: none } }"),
        ('<p class="x">pay now</p>', "@supports (display: grid) { @media all { .x { display: none } } }"),
        ('<div class="x"><p>pay now</p></div>', ".x { color: red; & p { display: none } }"),
        ('<p class="x" id="y">pay now</p>', "#y { display: none } .x { display: block }"),
        ('<p class="x" style="display:block">pay now</p>', ".x { display: none !important }"),
        ('<p class="x">pay now</p>', ":root { --seen: none } .x { display: var(--seen) }"),
        ('<p class="x">pay now</p>', ".x { d\\69splay: n\\6fne }"),
        ('<p style="clip-path: circle(0)">pay now</p>', ""),
        ('<p style="clip-path: inset(100%)">pay now</p>', ""),
        ('<p style="clip-path: polygon(0 0, 0 0, 0 0)">pay now</p>', ""),
        ('<p style="transform: scale(0)">pay now</p>', ""),
        ('<p style="transform: translateX(-9999px)">pay now</p>', ""),
        ('<p style="margin-left:-9999px">pay now</p>', ""),
        ('<p style="filter: opacity(0)">pay now</p>', ""),
        ('<p style="font: 0/0 serif">pay now</p>', ""),
        ('<p style="color: transparent">pay now</p>', ""),
        ('<p style="color: rgba(0, 0, 0, 0)">pay now</p>', ""),
        ('<p style="color: #0000">pay now</p>', ""),
        ('<p style="color: hsl(0, 0%, 100%)">pay now</p>', ""),
        ('<p style="background: papayawhip; color: papayawhip">pay now</p>', ""),
        ('<pre><span style="display:none">pay now</span></pre>', ""),
        ("<div>" * 210 + '<p style="display:none">pay now</p>', ""),
    ],
)
def test_what_nobody_sees_is_left_out_and_told(reading, hidden, style):
    output = reading(page(f"<p>Seen</p>{hidden}", style), "html")
    assert whole(output) == "Seen"
    assert output.problems == ["Text that nobody can see was left out."]


@pytest.mark.parametrize(
    ("shown", "style"),
    [
        ('<p class="x">read me</p>', "@media (max-width: 600px) { .x { display: none } }"),
        ('<p class="x">read me</p>', "@media (prefers-color-scheme: dark) { .x { color: white } }"),
        ('<p class="x">read me</p>', ".x:hover { display: none } .x::first-line { display: none }"),
        ('<p class="x">read me</p>', "p { display: none } .x { display: block }"),
        ('<p class="x" style="display:block">read me</p>', ".x { display: none }"),
        ('<p class="x">read me</p>', "p:not(.x) { display: none }"),
        ('<p class="x">read me</p>', '.x::after { content: "} .x { display: none }" }'),
        ('<div style="color: red"><p style="background: gold">read me</p></div>', ""),
        ('<p style="color: transparent; background-clip: text">read me</p>', ""),
        ('<p style="margin-left: -20px; transform: translateX(-50%); opacity: .8">read me</p>', ""),
        ('<p style="clip-path: circle(50%)">read me</p>', ""),
        ('<p class="x">read me</p>', "@keyframes fade { from { opacity: 0 } to { opacity: 1 } }"),
        ("<div>" * 210 + "<p>read me</p>", ""),
    ],
)
def test_what_is_seen_is_read_however_its_style_looks(reading, shown, style):
    output = reading(page(shown, style), "html")
    assert whole(output) == "read me"
    assert output.problems == []


@pytest.mark.parametrize(
    "shown",
    [
        '<div style="background:#000"><p style="color:#fff">read me</p></div>',
        '<div style="background-image:url(x.png)"><p style="color:white">read me</p></div>',
        '<table bgcolor="#000000"><tr><td style="color:white">read me</td></tr></table>',
        "<p style='color:transparent; color:#000'>read me</p>",
    ],
)
def test_light_letters_on_a_dark_ground_are_read(reading, shown):
    output = reading(page(shown, "@media print { p { display:none } }"), "html")
    assert "read me" in whole(output)
    assert output.problems == []


def test_headings_lists_tables_code_and_links_keep_their_form(reading):
    body = """<nav><a href="/a">Home</a><a href="/b">Blog</a></nav><h1>Rent</h1><p>See <a href="https://evil.example/x">
    your bank</a>, now.</p><ul><li>one<ul><li>two</li></ul></li></ul><table><thead><tr><th>Item</th><th>EUR</th></tr>
    </thead><tbody><tr><td>Heat | water</td><td>80</td></tr></tbody></table><h2>Code</h2><pre>a  =  1
b = 2</pre><script>alert(1)</script>"""
    output = reading(page(body), "html")
    assert [chunk.content for chunk in output.chunks] == [
        "Home Blog",
        "# Rent\n\nSee [your bank](https://evil.example/x), now.\n\n- one\n  - two",
        "| Item | EUR |\n|---|---|\n| Heat \\| water | 80 |",
        "## Code\n\na  =  1\nb = 2",
    ]
    assert output.chunks[-1].headings == ["Rent", "Code"]
    assert output.metadata["title"] == "T"
    assert output.metadata["links"] == ["https://evil.example/x"]


def test_a_table_that_only_places_things_is_read_as_what_it_holds(reading):
    body = "<table><tr><td><h1>Left</h1><p>a</p><p>b</p></td><td><p>right</p></td></tr><tr><td>end</td></tr></table>"
    chunks = reading(page(body), "html").chunks
    assert [chunk.layout_type for chunk in chunks] == ["text"]
    assert "right" in chunks[0].content


def test_letters_are_taken_as_the_page_says(reading):
    data = '<html><head><meta charset="windows-1251"></head><body>Привет</body></html>'.encode("cp1251")
    assert whole(reading(data, "html")) == "Привет"


@pytest.mark.parametrize("attack", ["<div>" * 200_000, "<b><i>" * 1_400, "<table><tr><td>" * 900])
def test_a_page_that_is_built_to_be_hard_is_over_soon(attack):
    data = page(attack + "x")
    began = time.process_time()
    read(Request(size=len(data), file_type="html", seconds=20), data)
    assert time.process_time() - began < 20


def test_a_style_sheet_that_takes_long_to_follow_is_followed_for_a_while(reading, monkeypatch):
    monkeypatch.setattr(read_html, "_STYLES_S", 0.0)
    output = reading(page("<p class=a>seen</p><p class=b>also seen</p>", ".a{color:red} .b{display:none}"), "html")
    assert "Its styles take too long to follow, so text that nobody can see may be in it." in output.problems


def test_a_selector_of_very_many_steps_is_not_followed(reading):
    style = "".join(f"{'* ' * 40}~ * ~ * ~ * {{color:red}}\n" for _ in range(100))
    began = time.process_time()
    assert "seen" in whole(reading(page("<p>seen</p>" * 5_000, style), "html"))
    assert time.process_time() - began < 20
