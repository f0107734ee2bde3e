"""Links are picked out of a page as a reader would meet them, in no more time than the page is long."""

import time
from pathlib import Path

import pytest

from butler.agents.connector.links import links_of

BASE = "https://pages.example/a/b.html?x=1"


def links(tmp_path: Path, page: str | bytes, charset: str = "") -> list[str]:
    path = tmp_path / "page.html"
    path.write_bytes(page.encode() if isinstance(page, str) else page)
    return [link.removeprefix("https://pages.example") for link in links_of(path, BASE, charset)]


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ('<a href="/x">x</a>', ["/x"]),
        ("<A class=y HREF = '/x' >x</A>", ["/x"]),
        ("<a\nhref=/x>x", ["/x"]),
        ('<a href="c.html">', ["/a/c.html"]),
        ('<a href="../c.html#part">', ["/c.html"]),
        ('<a href="?y=2">', ["/a/b.html?y=2"]),
        ('<a href="/x?a=1&amp;b=2">', ["/x?a=1&b=2"]),
        ('<a href=" /two words ">', ["/two%20words"]),
        ('<a href="/x"><a href="/y"><a href="/x">', ["/x", "/y"]),
        ('<a data-href="/no" href="/x">', ["/x"]),
        ('<a name="top">', []),
        ('<abbr href="/no"><area href="/no"><link href="/no">', []),
        ('<base href="/c/"><base href="/d/"><a href="x">', ["/c/x"]),
        ('<!-- <a href="/no"> --><a href="/x">', ["/x"]),
        ('<!-- <a href="/no">', []),
        ('<script>\'<a href="/no">\'</script><a href="/x">', ["/x"]),
        ('<STYLE><a href="/no"></Style ><a href="/x">', ["/x"]),
        ("İ" * 50 + '<script>s</script><a href="/x"><script>\'<a href="/no">\'</script>', ["/x"]),
        ('<a href="mailto:anna@friends.example"><a href="javascript:x"><a href="http://[">', []),
        ('<a href="//other.example/x">', ["https://other.example/x"]),
        ('<a href="">', ["/a/b.html?x=1"]),
    ],
)
def test_a_link_leads_where_a_browser_would_go(tmp_path: Path, page: str, found: list[str]):
    assert links(tmp_path, page) == found


def test_a_page_in_another_character_set_is_read_in_it(tmp_path: Path):
    assert links(tmp_path, '<a href="/größe">'.encode("latin-1"), "iso-8859-1") == ["/größe"]
    assert links(tmp_path, '<a href="/größe">'.encode(), "no-such") == ["/größe"]


@pytest.mark.parametrize(
    "piece",
    [
        "<a ",
        "<a href=",
        '<a href="',
        "<a href='x",
        "<a " + "x" * 3_000,
        "<!--",
        "<script",
        "<base href=x ",
        '<a href="x">',
        "<a href=x <",
    ],
)
def test_a_hostile_page_takes_no_time(tmp_path: Path, piece: str):
    page = piece * (1_000_000 // len(piece))
    started = time.process_time()
    links(tmp_path, page)
    assert time.process_time() - started < 20
