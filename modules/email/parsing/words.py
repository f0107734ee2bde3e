"""Separates what the sender of a mail wrote from what they only quoted or forwarded.

Each line gets one role, in one pass from the top; nothing is lost and nothing has two roles. A line that introduces or
marks another's words makes all that follows theirs, unless each line of theirs is marked. If a mark is in doubt, the
line stays the sender's own.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from modules.email.parsing.dates import instant
from modules.email.parsing.forwards import (
    Mark,
    Opening,
    bare_subject,
    body_of,
    foreign_block_at,
    forwarded,
    mark_of,
    opening_at,
)
from modules.email.parsing.lines import (
    BLANKS,
    COLONS,
    DASHES,
    HEADERS,
    LONGEST_HEADER,
    depth_of,
    folded,
    is_blank,
)  # fmt: skip
from modules.email.parsing.parsed import Forwarded
from modules.email.parsing.quotes import (
    Attribution,
    attribution_at,
    dated_line,
    framed_line,
    is_footer,
    is_rule,
    says_reply_above,
    signature_in,
)

_LONGEST_FOOTER = 120
_LONGEST_LABEL = 30
_WRAPPED = 60


class Role(Enum):
    """The role of a line."""

    OWN = "own"
    MARK = "mark"
    """It introduces a quotation or a forward."""
    QUOTED = "quoted"
    FORWARDED = "forwarded"
    BELOW = "below"
    """A signature, or a phone's line about itself."""


@dataclass(frozen=True, slots=True)
class Split:
    """A mail's text, separated by author."""

    words: str
    """The sender's words above anything quoted or forwarded; the whole text if nothing is."""
    quotes: bool = False
    """Whether the text quotes an earlier mail."""
    forwarded: Forwarded | None = None
    """The mail that the text forwards, the outermost one of several."""
    standing: str = field(default="", compare=False)
    """The words without those directly below a quoted line, which may be its continuation."""


def split(subject: str, text: str) -> Split:
    """Split the text of a mail with this subject. Never raises; if in doubt, all of it is words."""
    lines = text.split("\n")
    if not any(map(_is_marked, lines)) and not _ends_below(lines):
        says = mark_of(subject)
        if says is Mark.NONE or not any(map(_has_colon, lines)):
            words = _joined(lines)
            return Split(words, standing=words)
    reading = _Reading(subject, lines)
    reading.read()
    own = [line for line, role in zip(lines, reading.roles, strict=True) if role is Role.OWN]
    standing = _joined(_without_rests(lines, reading.roles)) if reading.has_quotes else _joined(own)
    return Split(_joined(own), reading.has_quotes, reading.forwarded, standing)


def _without_rests(lines: Sequence[str], roles: Sequence[Role]) -> list[str]:
    """Return the sender's own lines that are not directly below a quoted one."""
    kept: list[str] = []
    is_rest = False
    for line, role in zip(lines, roles, strict=True):
        is_rest = role is Role.QUOTED or (is_rest and not is_blank(line))
        if role is Role.OWN and not is_rest:
            kept.append(line)
    return kept


def roles_of(subject: str, text: str) -> list[Role]:
    """Return the role of each line of a text."""
    reading = _Reading(subject, text.split("\n"))
    reading.read()
    return reading.roles


def _ends_below(lines: Sequence[str]) -> bool:
    last = next((line for line in reversed(lines) if not is_blank(line)), "")
    return is_footer(last)


def _joined(lines: Sequence[str]) -> str:
    first = next((at for at, line in enumerate(lines) if not is_blank(line)), len(lines))
    return "\n".join(line.rstrip("\r") for line in lines[first:]).rstrip()


_QUOTING: Final = frozenset(">|")
_STROKES: Final = frozenset(DASHES)
_ENDS: Final = frozenset(COLONS + "*_")
_TIMED: Final = re.compile(r"\d[:.h]\d\d|(?:19|20)\d\d|\d[年년]")


def _is_marked(line: str) -> bool:
    """Return whether a line may be a mark of anything; most are not, and most mails have none."""
    text = line.strip()
    if not text.isascii():
        text = text.strip(BLANKS)
    if not text:
        return False
    first = text[0]
    if first in _QUOTING or text[-1] in _ENDS or (first in _STROKES and text[1:2] not in {"", " "}):
        return True
    at = text.find(":", 0, LONGEST_HEADER + 2)
    if at < 0 and not text.isascii():
        at = max(text.find("：", 0, LONGEST_HEADER + 2), text.find("﹕", 0, LONGEST_HEADER + 2))
    return at > 0 and folded(text[:at].rstrip(BLANKS)) in HEADERS


def _has_colon(line: str) -> bool:
    return ":" in line[: _LONGEST_LABEL + 10] or "：" in line[:_LONGEST_LABEL]


class _Reading:
    """One pass over a text's lines."""

    def __init__(self, subject: str, lines: Sequence[str]) -> None:
        self.subject = subject
        self.lines = lines
        self.roles = [Role.OWN] * len(lines)
        self.forwarded: Forwarded | None = None
        self.says = mark_of(subject)
        self.headed = self.says is not Mark.NONE
        """Whether the subject allows for headers in an unknown language."""
        self.has_words = False
        self.has_quotes = False
        self.no_headers = 0
        """The line up to which there are surely no headers in an unknown language."""

    def read(self) -> None:
        at, own = 0, 0
        while at < len(self.lines):
            if is_blank(self.lines[at]):
                at += 1
                continue
            after = self._structure(at)
            if after > at:
                self._trim(own, at)
                own = at = after
            else:
                self.has_words = True
                at += 1
        self._trim(own, len(self.lines))

    def _structure(self, at: int) -> int:
        """Mark what begins with this line, if anything does; return the first line after it."""
        lines = self.lines
        line = lines[at]
        marked = _is_marked(line)
        if not marked and not _TIMED.search(line, 0, _LONGEST_FOOTER) and not (self.headed and _has_colon(line)):
            return at
        framed = framed_line(lines, at) if marked else None
        if framed is not None:
            return self._attribution(framed, at)
        depth = depth_of(line)
        opening = self._opening_at(at) if depth < 2 and (marked or self.headed) else None  # noqa: PLR2004 - not twice
        if opening is not None:
            return self._opening(opening, at, quoted=depth > 0)
        attribution = attribution_at(lines, at, depth)
        if depth:
            if depth == 1 and attribution is not None and self._forwards_by_subject():
                return self._forward_by_attribution(attribution, at, depth)
            return self._quotation(at)
        return self._dated(at) if attribution is None else self._attribution(attribution, at)

    def _opening_at(self, at: int) -> Opening | None:
        if says_reply_above(self.lines[at]):
            return Opening(Mark.REPLY, at + 1, 0, None)
        opening = opening_at(self.lines, at)
        if opening is None and self.headed and at >= self.no_headers:
            opening, self.no_headers = foreign_block_at(self.lines, at, self.subject)
        return opening

    def _opening(self, opening: Opening, at: int, *, quoted: bool) -> int:
        if opening.mark is Mark.FORWARD or (opening.mark is Mark.NONE and self._says_forward(opening)):
            if opening.block is None and (line := self._next(opening.end)) is not None:
                attribution = attribution_at(self.lines, line, opening.depth)
                if attribution is not None:
                    return self._forward_by_attribution(attribution, at, opening.depth)
            body = body_of(self.lines, opening.end, opening.depth)
            self.forwarded = forwarded(opening.block, body, self.subject)
            return self._rest(at, opening.end, Role.FORWARDED)
        if quoted:
            return self._quotation(at)
        return self._rest(at, opening.end, Role.QUOTED)

    def _says_forward(self, opening: Opening) -> bool:
        """Return whether headers without a separator are those of a forward."""
        mark = mark_of(self.subject, opening.block)
        if mark is not Mark.NONE or opening.block is None:
            return mark is Mark.FORWARD
        within = forwarded(opening.block, "", "").subject
        return not self.has_words or (bool(within) and folded(within) == folded(self.subject.strip()))

    def _attribution(self, attribution: Attribution, at: int) -> int:
        follows = self._marked_by(attribution.end)
        if not follows and not attribution.certain:
            return at
        if self._forwards_by_subject():
            return self._forward_by_attribution(attribution, at, 0)
        if not follows:
            return self._rest(at, attribution.end, Role.QUOTED)
        self._mark(at, attribution.end, Role.MARK)
        return self._marked(attribution.end, follows)

    def _dated(self, at: int) -> int:
        """Mark a quotation below a date and an address without a colon, which introduce only marked lines."""
        follows = self._marked_by(at + 1) if dated_line(self.lines[at]) else ""
        if not follows:
            return at
        self._mark(at, at + 1, Role.MARK)
        return self._marked(at + 1, follows)

    def _marked_by(self, start: int) -> str:
        """Return how the next non-blank line is marked as quoted: by an angle bracket, a bar, or not at all."""
        at = self._next(start)
        if at is None:
            return ""
        return ">" if depth_of(self.lines[at]) else "|" if self.lines[at].lstrip(BLANKS)[:1] == "|" else ""

    def _next(self, start: int) -> int | None:
        return next((at for at in range(start, len(self.lines)) if not is_blank(self.lines[at])), None)

    def _marked(self, start: int, mark: str) -> int:
        """Mark the text that an attribution introduces: a forward within a quotation is quoted."""
        if mark != ">":
            return self._barred(start)
        at = self._next(start)
        return start if at is None else self._quotation(at)

    def _forwards_by_subject(self) -> bool:
        return self.says is Mark.FORWARD and not self.has_quotes

    def _forward_by_attribution(self, attribution: Attribution, start: int, depth: int) -> int:
        """Mark a forward below an attribution, as by Outlook for Mac; only the subject shows that it is one."""
        self.forwarded = Forwarded(
            sender=attribution.sender if attribution.sender.address or attribution.sender.name else None,
            subject=bare_subject(self.subject),
            date=attribution.date,
            sent_at=instant(attribution.date),
            text=body_of(self.lines, attribution.end, depth),
        )
        return self._rest(start, attribution.end, Role.FORWARDED)

    def _quotation(self, at: int) -> int:
        """Mark a run of quoted lines, with the blank lines and the wrapped ends between them."""
        lines, end = self.lines, at
        while end < len(lines):
            if depth_of(lines[end]) or self._is_wrapped_end(end):
                end += 1
            else:
                break
        self._mark(at, end, Role.QUOTED)
        return end

    def _is_wrapped_end(self, at: int) -> bool:
        """Return whether an unmarked line is the end of the quoted line above it, broken by a program."""
        line, above = self.lines[at], self.lines[at - 1].rstrip()
        follows = self.lines[at + 1] if at + 1 < len(self.lines) else ""
        return (
            line[:1].islower()
            and len(above) >= _WRAPPED
            and above[-1] not in ".!?:;>"
            and depth_of(above) > 0
            and depth_of(follows) > 0
        )

    def _barred(self, at: int) -> int:
        """Mark lines that are quoted by a bar."""
        end = at
        while end < len(self.lines) and (is_blank(self.lines[end]) or self.lines[end].lstrip(BLANKS)[:1] == "|"):
            end += 1
        self._mark(at, end, Role.QUOTED)
        return end

    def _rest(self, start: int, body: int, role: Role) -> int:
        self._mark(start, body, Role.MARK)
        self._mark(body, len(self.lines), role)
        return len(self.lines)

    def _mark(self, start: int, end: int, role: Role) -> None:
        self.roles[start:end] = [role] * (end - start)
        self.has_quotes = self.has_quotes or role is Role.QUOTED

    def _trim(self, start: int, end: int) -> None:
        """Mark what stands below one person's words in these lines."""
        structure = end < len(self.lines)
        stop = self._last(start, end)
        while stop > start and (is_footer(self.lines[stop - 1]) or (structure and is_rule(self.lines[stop - 1]))):
            self._mark(stop - 1, end, Role.BELOW)
            stop = self._last(start, stop - 1)
        signature = signature_in(self.lines, start, stop)
        if signature < stop:
            self._mark(signature, stop, Role.BELOW)
            self._trim_footer(start, signature)

    def _trim_footer(self, start: int, end: int) -> None:
        stop = self._last(start, end)
        if stop > start and is_footer(self.lines[stop - 1]):
            self._mark(stop - 1, end, Role.BELOW)

    def _last(self, start: int, end: int) -> int:
        while end > start and is_blank(self.lines[end - 1]):
            end -= 1
        return end
