"""Where a page leads to, in the order in which a reader meets it."""

from pathlib import Path
from urllib.parse import urljoin, urlsplit

from butler.agents.charsets import decoded

_LARGEST_PAGE = 5 * 1024 * 1024
_MOST_LINKS = 2_000


def links_of(path: Path, base: str, charset: str) -> list[str]:
    """The links of an HTML file whose address is `base`, absolute, without fragments, each once. Blocking."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - only those who follow links load it

    with path.open("rb") as file:
        data = file.read(_LARGEST_PAGE)
    text = (decoded(data, charset) if charset else None) or data.decode("utf-8", "replace")
    page = LexborHTMLParser(text)
    stands_for = page.css_first("base[href]")
    base = _joined(base, (stands_for.attributes.get("href") or "") if stands_for else "") or base
    hrefs = (node.attributes.get("href") or "" for node in page.css("a[href]")[:_MOST_LINKS])
    return list(dict.fromkeys(link for href in hrefs if (link := _joined(base, href))))


def _joined(base: str, href: str) -> str:
    """Absolute and of the web, or empty."""
    try:
        link = urljoin(base, href.strip().replace(" ", "%20"))
        return urlsplit(link)._replace(fragment="").geturl() if urlsplit(link).scheme in {"http", "https"} else ""
    except ValueError:
        return ""
