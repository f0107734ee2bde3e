"""`parse_mode=HTML`: tags to entities, refusing what Telegram refuses."""

from html.parser import HTMLParser

from .errors import bad_request
from .records import Json

_SIMPLE = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "tg-spoiler": "spoiler",
    "code": "code",
    "pre": "pre",
}


def parse_html(markup: str) -> tuple[str, list[Json]]:
    """The plain text and its entities; raises ApiError for an unknown or an unclosed tag."""
    parser = _Parser()
    parser.feed(markup)
    parser.close()
    if parser.open_tags:
        unclosed = parser.open_tags[-1][0]
        raise bad_request(f"can't parse entities: Can't find end tag corresponding to start tag {unclosed}")
    return "".join(parser.pieces), [entity for entity in parser.entities if entity["length"]]


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.entities: list[Json] = []
        self.open_tags: list[tuple[str, Json]] = []
        self._units = 0

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)
        self._units += len(data.encode("utf-16-le", "surrogatepass")) // 2

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        entity = {**_opened(tag, dict(attrs)), "offset": self._units, "length": 0}
        self.open_tags.append((tag, entity))

    def handle_endtag(self, tag: str) -> None:
        if not self.open_tags or self.open_tags[-1][0] != tag:
            raise bad_request(f"can't parse entities: Unexpected end tag {tag}")
        _, entity = self.open_tags.pop()
        entity["length"] = self._units - entity["offset"]
        self.entities.append(entity)


def _opened(tag: str, attributes: dict[str, str | None]) -> Json:
    if tag in _SIMPLE:
        return {"type": _SIMPLE[tag]}
    if tag == "a" and attributes.get("href"):
        return {"type": "text_link", "url": attributes["href"]}
    if tag == "span" and attributes.get("class") == "tg-spoiler":
        return {"type": "spoiler"}
    if tag == "blockquote":
        return {"type": "expandable_blockquote" if "expandable" in attributes else "blockquote"}
    if tag == "tg-emoji" and attributes.get("emoji-id"):
        return {"type": "custom_emoji", "custom_emoji_id": attributes["emoji-id"]}
    raise bad_request(f'can\'t parse entities: Unsupported start tag "{tag}"')
