"""Finds the links of a page, in reading order.

Pages are untrusted, and this code runs outside the sandboxed child process, so it does not parse them. Patterns whose
time is linear in the page's length find the link tags.
"""

import html
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from butler.agents.charsets import decoded

_LARGEST_PAGE = 5 * 1024 * 1024
_MOST_LINKS = 5_000
_TAG = re.compile(r"<(a|base)\s([^<>]{0,4000})>", re.IGNORECASE)
_HREF = re.compile(r"""(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""", re.IGNORECASE)
_UNREAD = re.compile(r"<(?:(!--)|(script|style|template|textarea)\b)", re.IGNORECASE | re.ASCII)
"""Elements whose content holds no links, even if it looks like links."""
_COMMENT_END = re.compile("-->")
_ENDS = {tag: re.compile(f"</{tag}", re.IGNORECASE | re.ASCII) for tag in ("script", "style", "template", "textarea")}


def links_of(path: Path, base: str, charset: str) -> list[str]:
    """Return the links of an HTML file whose address is `base`: absolute, without fragments, each once. Blocking."""
    with path.open("rb") as file:
        data = file.read(_LARGEST_PAGE)
    text = (decoded(data, charset) if charset else None) or data.decode("utf-8", "replace")
    links: dict[str, None] = {}
    moved = False
    for tag, href in islice(_hrefs("".join(_read(text))), _MOST_LINKS):
        if tag == "base" and not moved:
            base, moved = _joined(base, href) or base, True
        elif tag == "a" and (link := _joined(base, href)):
            links[link] = None
    return list(links)


def _read(text: str) -> Iterator[str]:
    """Yield the text without comments, scripts and the like; an unclosed one takes the rest of the text."""
    at = 0
    while (begins := _UNREAD.search(text, at)) is not None:
        yield text[at : begins.start()]
        end = _COMMENT_END if begins[1] else _ENDS[begins[2].lower()]
        if (found := end.search(text, begins.end())) is None:
            return
        at = found.end()
    yield text[at:]


def _hrefs(text: str) -> Iterator[tuple[str, str]]:
    for tag in _TAG.finditer(text):
        if (href := _HREF.search(tag[2])) is not None:
            yield tag[1].lower(), html.unescape(href[1] or href[2] or href[3] or "")


def _joined(base: str, href: str) -> str:
    """Return the absolute web address, or an empty string."""
    try:
        link = urljoin(base, href.strip().replace(" ", "%20"))
        return urlsplit(link)._replace(fragment="").geturl() if urlsplit(link).scheme in {"http", "https"} else ""
    except ValueError:
        return ""
