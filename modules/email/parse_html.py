"""What a person would see of an HTML mail, as plain lines."""

import re

from selectolax.lexbor import LexborHTMLParser

_LONGEST_HTML = 1_600_000  # characters
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(\.0+)?\s*(;|!|$)|font-size\s*:\s*0|"
    r"mso-hide\s*:\s*all|max-height\s*:\s*0|text-indent\s*:\s*-\d{3,}",
    re.IGNORECASE,
)
_NEVER_SHOWN = frozenset({"script", "style", "head", "title", "template", "noscript", "svg", "object", "iframe"})
QUOTE = "blockquote"
_BLOCKS = frozenset(
    {"p", "div", "tr", "li", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", QUOTE, "pre", "hr"}
    | {"section", "article", "header", "footer"}
)


def html_to_text(html: str) -> str:
    """What a person would see of an HTML mail, in lines; what is quoted is marked, hidden nodes are dropped."""
    root = LexborHTMLParser(html[:_LONGEST_HTML]).body
    lines: list[str] = []
    pieces: list[str] = []
    quoted = 0

    def end_line() -> None:
        line = " ".join("".join(pieces).split())
        lines.append(f"{'> ' * quoted}{line}" if line else "")
        pieces.clear()

    stack = [] if root is None else [(root, False)]
    while stack:
        node, ended = stack.pop()
        if ended or node.tag == "br":
            end_line()
            quoted -= ended and node.tag == QUOTE
        elif node.is_text_node:
            pieces.append(re.sub(r"\s+", " ", node.text_content or ""))
        elif node.tag not in _NEVER_SHOWN and not _is_hidden(node.attributes):
            if node.tag in _BLOCKS:
                end_line()
                quoted += node.tag == QUOTE
                stack.append((node, True))
            stack.extend((child, False) for child in reversed(list(node.iter(include_text=True))))
    end_line()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _is_hidden(attributes: dict[str, str | None]) -> bool:
    return "hidden" in attributes or _HIDING.search(attributes.get("style") or "") is not None
