"""Flattens rich text for Telegram: nothing hidden in it, and nothing that can be tapped by mistake.

Every message and card goes through `flatten`. Text that a client would make tappable is set as code, which is not
tappable; exempt are links that the butler set, and its own words (`Span.live`).
"""

from collections.abc import Iterator, Sequence

from butler.contract.card import Rich, Span, Style
from butler.contract.tappable import tappable
from butler.contract.visible import visible
from modules.telegram.text import Entity, Part, utf16_len

MOST = 12
"""Most pieces of code within one span; above that the whole span is code: a message has at most a hundred entities."""
_TYPES = {
    Style.BOLD: "bold",
    Style.ITALIC: "italic",
    Style.CODE: "code",
    Style.PRE: "pre",
    Style.QUOTE: "blockquote",
    Style.STRIKE: "strikethrough",
    Style.UNDERLINE: "underline",
    Style.LINK: "text_link",
}
_CLOSED = frozenset({Style.CODE, Style.PRE, Style.LINK})
"""Styles in which a client makes nothing tappable."""
Range = tuple[int, int]


def flatten(rich: Rich) -> Part:
    """Return the plain text and entities of a rich text of any length."""
    spans = [
        span if (seen := visible(span.text)) == span.text else span.model_copy(update={"text": seen}) for span in rich
    ]
    text = "".join(span.text for span in spans)
    found = [one for one in tappable(text) if not _is_own(one, spans)]
    entities: list[Entity] = []
    at = offset = 0
    for span in spans:
        end = at + len(span.text)
        pieces = [(max(start, at) - at, min(stop, end) - at) for start, stop in found if start < end and stop > at]
        entities += _entities(span, [] if _is_closed(span) else pieces, offset)
        at, offset = end, offset + utf16_len(span.text)
    return Part(text, tuple(entities))


def apart(parts: Sequence[Part]) -> list[Part]:
    """Return the parts of a cut text; the rest of a cut word that became tappable is set as code as well."""
    return [part if number == 0 else _begun(part, parts[number - 1]) for number, part in enumerate(parts)]


def _begun(part: Part, before: Part) -> Part:
    first = len(part.text) if part.text.isspace() else len(part.text.split(maxsplit=1)[0])
    if not part.text or part.text[0].isspace() or before.text[-1:].isspace() or not tappable(part.text[:first]):
        return part
    if any(one.offset == 0 and one.type in {"code", "pre", "text_link"} for one in part.entities):
        return part
    code = Entity(type="code", offset=0, length=utf16_len(part.text[:first]))
    kept = [one for one in part.entities if one.offset >= code.length or one.type == "blockquote"]
    return Part(part.text, (code, *kept))


def _is_closed(span: Span) -> bool:
    return span.style in _CLOSED and not (span.style is Style.LINK and not span.url)


def _is_own(found: Range, spans: Sequence[Span]) -> bool:
    """Return whether the range lies wholly in a text that may be tapped."""
    at = 0
    for span in spans:
        end = at + len(span.text)
        if at <= found[0] and found[1] <= end:
            return span.live
        at = end
    return False


def _entities(span: Span, codes: Sequence[Range], offset: int) -> Iterator[Entity]:
    """Yield a span's own style, and code where it must not be tapped; of the styles, only a quotation may hold code."""
    kind, length = _TYPES.get(span.style), len(span.text)
    if not length:
        return
    codes = codes if len(codes) <= MOST else [(0, length)]
    if kind is not None and (span.style is Style.QUOTE or (_is_closed(span) and not codes)):
        url = span.url if span.style is Style.LINK else None
        yield Entity(type=kind, offset=offset, length=utf16_len(span.text), url=url)
    at = 0
    for start, end in (*codes, (length, length)):
        if kind is not None and span.style not in {Style.QUOTE, *_CLOSED} and start > at:
            yield _entity(kind, span.text, at, start, offset)
        if end > start:
            yield _entity("code", span.text, start, end, offset)
        at = end


def _entity(kind: str, text: str, start: int, end: int, offset: int) -> Entity:
    return Entity(type=kind, offset=offset + utf16_len(text[:start]), length=utf16_len(text[start:end]))
