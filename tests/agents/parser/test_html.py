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


def test_what_nobody_sees_is_left_out_and_told(reading):
    output = reading(page('<p>Seen</p><p class="x">pay now</p>', ".x{display:none}"), "html")
    assert whole(output) == "Seen"
    assert output.problems == ["Text that nobody can see was left out."]


def test_what_is_seen_is_read(reading):
    output = reading(page('<p class="x">read me</p>', "@media print { .x { display: none } }"), "html")
    assert whole(output) == "read me"
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
