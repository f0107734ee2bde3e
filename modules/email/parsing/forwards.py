"""Finds and reads the headers that mail programs write above a mail that they forward or quote whole."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from modules.email.parsing.dates import find_time, instant
from modules.email.parsing.languages import Header
from modules.email.parsing.lines import (
    BLANKS,
    COLONS,
    DASHES,
    HEADERS,
    PHRASES,
    depth_of,
    folded,
    header_of,
    is_blank,
    plain,
    unquoted,
)  # fmt: skip
from modules.email.parsing.parsed import Forwarded
from modules.email.parsing.people import people, person
from modules.email.parsing.phrases import (
    FINNISH_SENDER,
    FORWARD_PREFIXES,
    FORWARD_STEMS,
    ORIGINAL_STEMS,
    REPLY_PREFIXES,
)
from modules.email.parsing.quotes import ADDRESS, is_rule

_LONGEST_LINE = 2000
_LONGEST_VALUE = 20_000
_LONGEST_PHRASE = 80
_MOST_HEADERS = 30  # lines
_FEWEST_HEADERS = 3
_LONGEST_LABEL = 30
_LONGEST_PREFIX = 20
_ENDS: Final = ("end of forwarded", "end forwarded", "конец пересылаемого")


class Mark(Enum):
    """What a subject or a line above an inner mail says of it."""

    FORWARD = "forward"
    REPLY = "reply"
    NONE = "none"


@dataclass(slots=True)
class Block:
    """The headers above an inner mail."""

    end: int
    """The first line after them."""
    depth: int
    """The quote depth of the lines."""
    values: dict[Header, str] = field(default_factory=dict[Header, str])
    label: str = ""
    """The word for the sender, case-folded."""

    @property
    def is_certain(self) -> bool:
        """Whether the headers are too many to be handwritten, as the From and To of a journey may be."""
        if Header.SENDER not in self.values:
            return False
        rest = len({Header.TO, Header.DATE, Header.SUBJECT} & self.values.keys())
        if ADDRESS.search(self.values[Header.SENDER][:_LONGEST_LINE]):
            return rest >= 2  # noqa: PLR2004 - two of three
        dated = any(character.isdigit() for character in self.values.get(Header.DATE, ""))
        # A sender may have no name.
        named = bool(self.values[Header.SENDER]) or Header.TO in self.values
        return dated and Header.SUBJECT in self.values and named


@dataclass(frozen=True, slots=True)
class Opening:
    """The start of an inner mail."""

    mark: Mark
    end: int
    """The first line after its marks and headers."""
    depth: int
    block: Block | None


# Subjects


def mark_of(subject: str, block: Block | None = None) -> Mark:
    """Return the meaning of a subject's first prefix; the inner headers' words help where languages differ."""
    prefix, _ = _prefix(subject)
    if prefix in FORWARD_PREFIXES and prefix in REPLY_PREFIXES:
        finnish = block is not None and block.label == FINNISH_SENDER
        return Mark.REPLY if finnish or block is None else Mark.FORWARD
    if prefix in FORWARD_PREFIXES:
        return Mark.FORWARD
    return Mark.REPLY if prefix in REPLY_PREFIXES else Mark.NONE


def bare_subject(subject: str) -> str:
    """Return a subject without its prefixes."""
    for _ in range(10):
        prefix, rest = _prefix(subject)
        if prefix not in FORWARD_PREFIXES and prefix not in REPLY_PREFIXES:
            break
        subject = rest
    return subject


def _prefix(subject: str) -> tuple[str, str]:
    """Return the word before a subject's first colon, case-folded and without a count such as [2], and the rest."""
    text = plain(subject)
    if text[:1] == "[" and (end := text.find("]")) > 0:  # [EXTERNAL], or a list's name
        text = text[end + 1 :].lstrip()
    ends = [at for colon in COLONS if (at := text.find(colon, 0, _LONGEST_PREFIX)) > 0]
    if not ends:
        return "", subject
    at = min(ends)
    return folded(text[:at]).rstrip("0123456789()[]^ ").strip(), text[at + 1 :].strip()


# Lines


def opening_at(lines: Sequence[str], start: int) -> Opening | None:
    """Return the inner mail that begins at this line, by a separator or headers; None if there is none."""
    depth = depth_of(lines[start])
    text = plain(unquoted(lines[start], depth))
    if not text:
        return None
    found = _separator(text, quoted=depth > 0)
    if found is None:
        block = block_at(lines, start)
        return None if block is None or not block.is_certain else Opening(Mark.NONE, block.end, depth, block)
    mark, sure, behind = found
    if behind and (block := _one_line_block(behind, start, depth)) is not None:
        return Opening(mark, block.end, depth, block)
    follows = _next(lines, start + 1)
    block = None if behind or follows is None else block_at(lines, follows)
    if block is not None and (Header.SENDER in block.values or len(block.values) > 1):
        return Opening(mark, block.end, block.depth, block)
    return Opening(mark, start + 1, depth, None) if sure and not behind else None


def introduces(line: str) -> bool:
    """Return whether a line alone looks like one above an inner mail: a separator, or a header."""
    text = plain(line[:_LONGEST_LINE])
    return bool(text) and (is_rule(text) or _separator(text, quoted=False) is not None or header_of(text) is not None)


def _next(lines: Sequence[str], start: int) -> int | None:
    """Return the index of the next non-blank line, at most three below."""
    for at in range(start, min(start + 4, len(lines))):
        if plain(unquoted(lines[at], depth_of(lines[at]))).strip(DASHES):
            return at
    return None


def _separator(text: str, *, quoted: bool) -> tuple[Mark, bool, str] | None:
    """Return a separator's meaning, whether it is certain, and the rest of its line; None for any other line."""
    bare = text[:_LONGEST_LINE].lstrip(DASHES + " ")
    dashes = len(text[:_LONGEST_LINE]) - len(bare)
    ends = [at for dash in ("--", "‐‐", "‑‑", "––", "——", "__", "==", "**", "──") if (at := bare.find(dash)) > 0]
    phrase, behind = bare.strip(DASHES + COLONS + " "), ""
    dashed = dashes > 2 and bool(ends)  # noqa: PLR2004 - three dashes are a stroke
    if dashed:
        phrase, behind = bare[: min(ends)].strip(" :"), bare[min(ends) :].lstrip(DASHES + " ").rstrip("* ")
    if not phrase or len(phrase) > _LONGEST_PHRASE:
        return None
    lowered = folded(phrase)
    known = lowered in PHRASES
    if not (known or dashed or (quoted and text[-1] in COLONS)):
        return None
    if lowered.startswith(_ENDS):
        return None
    if any(stem in lowered for stem in FORWARD_STEMS):
        return Mark.FORWARD, known and dashed, behind
    if known or any(stem in lowered for stem in ORIGINAL_STEMS):
        return Mark.NONE, known and dashed, behind
    return None


def block_at(lines: Sequence[str], start: int) -> Block | None:
    """Return the header lines that begin here, all at the first one's quote depth; None if there are none."""
    depth = depth_of(lines[start])
    block = Block(start, depth)
    last: Header | None = None
    blanks = 0
    for at in range(start, min(start + _MOST_HEADERS, len(lines))):
        raw = unquoted(lines[at], depth)[:_LONGEST_VALUE]
        text = plain(raw)
        if not text:
            blanks += 1
            if last is None or blanks > 1 or _complete(block):
                break
            continue
        header = header_of(text) if depth_of(raw) == 0 and depth_of(lines[at]) >= depth else None
        if header is not None and (header[0] is Header.OTHER or header[0] not in block.values or _again(header, block)):
            last = header[0]
            _keep(block, last, header[1], text)
        elif last is not None and not blanks and _continues(raw, text, last, block):
            block.values[last] = f"{block.values[last]} {text}".strip()[:_LONGEST_VALUE]
        else:
            break
        block.end, blanks = at + 1, 0
    return block if last is not None else None


def foreign_block_at(lines: Sequence[str], start: int, subject: str) -> tuple[Opening | None, int]:
    """Return headers in an unknown language: one has an address, one repeats the outer subject.

    Also return the line before which there are none if there are none here.
    """
    depth = depth_of(lines[start])
    found: list[str] = []
    for at in range(start, min(start + _MOST_HEADERS, len(lines))):
        label, colon, value = plain(unquoted(lines[at], depth)[:_LONGEST_LINE]).replace("：", ":").partition(":")
        if not colon or not value.strip() or not 0 < len(label) <= _LONGEST_LABEL or label[-1:].isdigit():
            break
        found.append(value.strip("* "))
    nothing = None, start + max(len(found) - _FEWEST_HEADERS, 0) + 1
    with_address = [value for value in found if ADDRESS.search(value)]
    if len(found) < _FEWEST_HEADERS or not with_address:
        return nothing
    repeated = folded(bare_subject(subject))
    if not repeated or repeated not in map(folded, found):
        return nothing
    date = next((value for value in found if find_time(value) and value not in with_address), "")
    values = {Header.SENDER: with_address[0], Header.SUBJECT: bare_subject(subject), Header.DATE: date}
    return Opening(Mark.NONE, start + len(found), depth, Block(start + len(found), depth, values)), start


def _keep(block: Block, kind: Header, value: str, text: str) -> None:
    block.values.setdefault(kind, value)
    if kind is Header.SENDER and not block.label:
        block.label = folded(text.lstrip("*_| ")[:_LONGEST_PREFIX]).split(":")[0].strip("*_ ")


def _again(header: tuple[Header, str], block: Block) -> bool:
    """Return whether a second line of the same kind still belongs to the headers, as Cc and Bcc do."""
    return header[0] is Header.COPY and Header.SUBJECT not in block.values


def _complete(block: Block) -> bool:
    return {Header.SENDER, Header.DATE, Header.SUBJECT, Header.TO} <= block.values.keys()


def _continues(raw: str, text: str, last: Header, block: Block) -> bool:
    value = block.values[last]
    if not value and last is not Header.COPY:
        return True  # the value stands below its word
    if raw[:1] in {" ", "\t"} and raw.strip(BLANKS) and last is not Header.OTHER:
        return last is not Header.SUBJECT or _complete(block)
    if last in {Header.TO, Header.COPY}:
        return value.endswith((",", ";")) or ("@" in text and text.endswith((">", ",", ";")) and ":" not in text)
    return last is Header.SENDER and text[:1] in "<[(" and "@" in text and ADDRESS.search(value) is None


def _one_line_block(behind: str, at: int, depth: int) -> Block | None:
    """Return headers on the separator's own line, as Yahoo writes them, some without a colon."""
    header = header_of(behind)
    if header is None or header[0] is not Header.SENDER:
        return None
    starts = sorted(_words_within(behind))
    block = Block(at + 1, depth)
    for index, (start, length, kind) in enumerate(starts):
        end = starts[index + 1][0] if index + 1 < len(starts) else len(behind)
        _keep(block, kind, behind[start + length : end].lstrip(COLONS + " ").strip(), behind[start:])
    return block


def _words_within(text: str) -> list[tuple[int, int, Header]]:
    """Return the positions of header words: at a line's start, and after an address or a time without a blank."""
    found = {Header.SENDER: (0, next(at for at, letter in enumerate(text) if letter in COLONS), Header.SENDER)}
    for at in range(1, len(text)):
        before = text[at - 1]
        if not (before == ">" or (before.isupper() and text[at].isupper()) or before.isdigit()):
            continue
        for length in range(min(20, len(text) - at - 1), 0, -1):
            kind = HEADERS.get(folded(text[at : at + length]))
            if kind is None or kind in found or text[at + length] not in COLONS + " " or not text[at].isupper():
                continue
            if text[at + length] == " " and length < 2:  # noqa: PLR2004 - "A" without a colon is no header
                continue
            found[kind] = (at, length, kind)
            break
        if Header.SUBJECT in found:
            break
    return list(found.values())


# What is within


def forwarded(block: Block | None, text: str, subject: str) -> Forwarded:
    """Return the inner mail; without an inner subject header, the rest of the outer `subject` is its subject."""
    if block is None:
        return Forwarded(subject=bare_subject(subject), text=text)
    values = block.values
    date = values.get(Header.DATE, "")
    return Forwarded(
        sender=person(values.get(Header.SENDER, "")),
        to=people(values.get(Header.TO, "")),
        subject=plain(values[Header.SUBJECT]) if Header.SUBJECT in values else bare_subject(subject),
        date=date,
        sent_at=instant(date),
        text=text,
    )


def may_hold_a_mail(text: str) -> bool:
    """Return whether a text has anything that programs put around a mail: a stroke, or a word and an address."""
    for line in text.split("\n"):
        label, colon, value = line[:_LONGEST_LINE].partition(":")
        if is_rule(line) or (colon and len(label) <= _LONGEST_LABEL and "@" in value and ADDRESS.search(value)):
            return True
    return False


def body_of(lines: Sequence[str], start: int, depth: int) -> str:
    """Return the text of an inner mail from a line on, without the marks before each line."""
    body = [unquoted(line, depth) for line in lines[start:]] if depth else list(lines[start:])
    first = next((line for line in body if not is_blank(line)), "")
    if depth == 0 and depth_of(first):
        body = [unquoted(line, 1) for line in body]
    opening = next((at for at, line in enumerate(body) if not is_blank(line)), 0)
    if body and body[opening].startswith("====") and is_rule(body[opening]):  # Zoho closes its headers as it opens them
        del body[: opening + 1]
    while body and (is_blank(body[-1]) or _is_end(body[-1])):
        body.pop()
    return "\n".join(line.rstrip("\r") for line in body).strip("\n")


def _is_end(line: str) -> bool:
    text = folded(plain(line[:_LONGEST_PHRASE]))
    return text[:2] == "--" and text.strip(DASHES + " ").startswith(_ENDS)
