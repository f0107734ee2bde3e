"""Sets a model's answer as spans: the Markdown that models write, without links, and a line if it may claim an act.

Whatever stands in an answer is shown, not tapped: the channel sets links, mentions and commands as code.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from approvals.visible import visible
from butler.contract.card import Rich, Span, Style
from butler.contract.tappable import tappable
from butler.orchestrator.planning.claims import MEANT, note_below
from butler.orchestrator.planning.record_signs import without_record_signs

if TYPE_CHECKING:
    from markdown_it.token import Token

ONE_MESSAGE = 3_500
"""UTF-16 units of one message, well below what the Bot API takes, so that marks fit too."""
MOST_MARKS = 70
"""Most styles and tappable places of one message, for which the Bot API has room, with those across spans."""
MARKS_OF_A_SPAN = 12
"""Most tappable places of one span that a channel sets apart; above that it sets the span as a whole."""
RULE = "———"
NOT_ITS_OWN = {Style.QUOTE: "\n", Style.PRE: "\n", Style.CODE: MEANT}
"""How a draft, a translation or a name is set, none of which claims anything, and what stands for it."""
STYLES = {
    "heading_open": Style.BOLD,
    "strong_open": Style.BOLD,
    "th_open": Style.BOLD,
    "em_open": Style.ITALIC,
    "blockquote_open": Style.QUOTE,
    "s_open": Style.STRIKE,
}
CLOSES = frozenset(kind.replace("_open", "_close") for kind in STYLES)
CODE = {"fence": Style.PRE, "code_block": Style.PRE, "code_inline": Style.CODE}
BEHIND = {
    "heading_close": "\n\n",
    "th_close": "  ",
    "td_close": "  ",
    "tr_close": "\n",
    "table_close": "\n",
    "fence": "\n\n",
    "code_block": "\n\n",
    "hr": f"{RULE}\n\n",
}
PARAGRAPHS = re.compile(r"\n{3,}")


def answer_spans(text: str) -> Rich:
    """Return the Markdown of a model's answer as spans; nothing in it can pass for a record."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only answers of models need it

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    spans = _merged(_Setting().spans(parser.parse(text)))
    # After the Markdown: it may write any character by its number, such as `&#9989;`.
    return _trimmed([_plainly(span) for span in spans]) or (_plainly(Span(text=text)),)


def _plainly(span: Span) -> Span:
    """Return a span with nothing hidden in it and without the signs of records."""
    return span.model_copy(update={"text": visible(without_record_signs(span.text))})


def noted(text: Rich, note: str) -> Rich:
    """Return an answer with a note below it that says that nothing was done, if its own words may say otherwise."""
    own = "".join(NOT_ITS_OWN.get(span.style, span.text) for span in text)
    told = note_below(own, note)
    return (*text, Span(text=f"\n\n{told}", style=Style.ITALIC)) if told else text


def divided(text: Rich, most: int = ONE_MESSAGE) -> tuple[Rich, ...]:
    """Return a text in parts of at most `most` UTF-16 units, cut between paragraphs, lines or words where possible."""
    parts: list[Rich] = []
    part: list[Span] = []
    room, marks = most, MOST_MARKS
    for span in text:
        rest, of_span = span.text, _marks(span)
        if part and of_span > marks:
            parts.append(tuple(part))
            part, room, marks = [], most, MOST_MARKS
        while (fits := _fitting(rest, room)) < len(rest):
            at = _cut(rest, fits) if part or room == most else 0
            at = at or (0 if part else max(fits, 1))
            part += [span.model_copy(update={"text": rest[:at]})] if at else []
            parts.append(tuple(part))
            part, room, marks, rest = [], most, MOST_MARKS, rest[at:].lstrip("\n")
        part += [span.model_copy(update={"text": rest})] if rest else []
        room, marks = room - _units(rest), marks - of_span
    return (*parts, tuple(part)) if part else tuple(parts) or ((Span(text=""),),)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _fitting(text: str, room: int) -> int:
    """Return how many characters of a text fit into so many UTF-16 units."""
    if _units(text) <= room:
        return len(text)
    return bisect_right(list(accumulate(map(_units, text))), room)


def _marks(span: Span) -> int:
    places = min(len(tappable(span.text)), MARKS_OF_A_SPAN)
    return places if span.style is Style.PLAIN else 1 + 2 * places


def _cut(text: str, room: int) -> int:
    return next((at for mark in ("\n\n", "\n", ". ", " ") if (at := text.rfind(mark, 0, room)) > room // 2), 0)


class _Setting:
    """Walks over the tokens of a document."""

    def __init__(self) -> None:
        self._lists: list[int] = []
        """For each open list, the number of its next item; 0 for one with bullets."""
        self._styles: list[Style] = []

    def spans(self, tokens: "Sequence[Token]") -> Iterator[Span]:
        """Yield the spans of these tokens."""
        for token in tokens:
            yield from self._of(token)

    def _of(self, token: "Token") -> Iterator[Span]:
        kind = token.type
        if kind == "inline":
            yield from self.spans(token.children or ())
        elif kind in {"text", "image"}:
            yield self._span(token.content)
        elif kind in {"softbreak", "hardbreak"}:
            yield self._span("\n")
        elif kind in CODE:
            yield Span(text=token.content.rstrip("\n"), style=CODE[kind])
        elif kind in STYLES:
            self._styles.append(STYLES[kind])
        else:
            self._list(token)
            yield Span(text=self._mark() if kind == "list_item_open" else "")
        if kind in CLOSES:
            self._styles.pop()
        yield Span(text=self._behind(kind))

    def _list(self, token: "Token") -> None:
        """Open or close a list."""
        if token.type in {"bullet_list_open", "ordered_list_open"}:
            self._lists.append(int(token.attrs.get("start") or 1) if token.type.startswith("ordered") else 0)
        elif token.type in {"bullet_list_close", "ordered_list_close"}:
            self._lists.pop()

    def _behind(self, kind: str) -> str:
        """Return what separates an element from the next one."""
        if kind == "paragraph_close":
            return "\n" if self._lists else "\n\n"
        if kind in {"bullet_list_close", "ordered_list_close"}:
            # The last item of a list within a list has ended its line.
            return "" if self._lists else "\n"
        return BEHIND.get(kind, "")

    def _mark(self) -> str:
        indent = "   " * (len(self._lists) - 1)
        number = self._lists[-1] if self._lists else 0
        if number:
            self._lists[-1] += 1
        return f"{indent}{f'{number}.' if number else '•'} "

    def _span(self, text: str) -> Span:
        return Span(text=text, style=self._styles[-1] if self._styles else Style.PLAIN)


def _merged(spans: Iterator[Span]) -> Iterator[Span]:
    """Yield the spans with neighbours of one style joined."""
    last: Span | None = None
    for span in spans:
        if last is not None and last.style is span.style:
            last = Span(text=last.text + span.text, style=span.style)
            continue
        if last is not None and last.text:
            yield last
        last = span
    if last is not None and last.text:
        yield last


def _trimmed(spans: list[Span]) -> Rich:
    """Return the spans without blanks around them and without two blank lines in a row."""
    tidy = [
        s.model_copy(update={"text": PARAGRAPHS.sub("\n\n", s.text)}) if s.style is Style.PLAIN else s for s in spans
    ]
    while tidy and not tidy[-1].text.strip():
        tidy.pop()
    if tidy and tidy[0].style is not Style.PRE:
        tidy[0] = tidy[0].model_copy(update={"text": tidy[0].text.lstrip()})
    if tidy and tidy[-1].style is not Style.PRE:
        tidy[-1] = tidy[-1].model_copy(update={"text": tidy[-1].text.rstrip()})
    return tuple(tidy)
