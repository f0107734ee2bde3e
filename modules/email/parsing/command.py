"""Decides which of a mail's words may command: those above the first line that may introduce another's words.

What is shown is decided separately (`words.py`): there a doubtful line stays the sender's own, here it ends the
command. Only a line's form counts, so that no language or mail program has to be known: whether the line could be a
mark of quoting, an attribution, a header, a stroke or a date above another's words.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from butler.mime.text import clean
from modules.email.parsing.closing import is_closing
from modules.email.parsing.flowed import unflowed
from modules.email.parsing.forms import (
    Form,
    goes_on_as_own,
    has_prefix,
    is_block_start,
    is_header_like,
    is_item,
    is_of_a_device,
    is_set_off,
    is_stroke,
    may_introduce,
    tokens,
)
from modules.email.parsing.forwards import Mark, mark_of
from modules.email.parsing.greeting import is_greeting
from modules.email.parsing.html_above import above_of
from modules.email.parsing.lines import is_blank, plain
from modules.email.parsing.pasted import is_pasted
from modules.email.parsing.quotes import attribution_at, dated_line, is_footer
from modules.email.parsing.words import Role, roles_of

_LONGEST = 60_000
"""The most characters of a text that are searched for commands; no request is longer."""
_BREAKS: Final = re.compile("[\u2028\u2029\x85\x0b\x0c\x1c-\x1e]|\r(?!\n)")
"""Characters that some programs show as the end of a line."""
_BETWEEN: Final = re.compile(r"\n[ \t\xa0]*\n\s*")
_UNSEEN: Final = re.compile("[\u034f\u115f\u1160\u180e\u2800\u3164\ufe00-\ufe0f\U000e0000-\U000e007f]")
"""Invisible characters, which could hide a mark of quoting at the beginning of a line."""
_A_FULL_LINE: Final = 60
"""The length from which a program may have broken a line, which then continues on the next one."""


@dataclass(frozen=True, slots=True)
class MailBody:
    """The first text of a mail as received: before lines were joined, and with its HTML form."""

    plain: str | None = None
    html: str | None = None
    flowed: bool = False
    delete_space: bool = False


@dataclass(frozen=True, slots=True)
class MailContext:
    """What is known of a mail besides its text."""

    subject: str
    answers: bool
    """Whether its headers name a mail that it answers or passes on."""
    passes_on: bool = False
    """Whether its headers say that it passes on a mail, or was itself passed on."""
    is_apart: bool = False
    """Whether the mail that it passes on is known to be an attachment, not part of its text."""

    @property
    def is_forward(self) -> bool:
        """Whether its subject or its headers say that it passes on another's mail."""
        return self.passes_on or mark_of(self.subject) is Mark.FORWARD

    @property
    def is_answer(self) -> bool:
        """Whether another's words may be in it; anything before a colon in its subject suffices."""
        return self.answers or self.passes_on or has_prefix(self.subject)


def command_of(spoken: MailBody, setting: MailContext) -> str:
    """Return the words of a mail that may command; empty if none surely do."""
    plain, html = spoken.plain, spoken.html
    plain = _BREAKS.sub("\n", plain) if plain is not None and plain.strip() else None
    if html is None:
        return _of_plain(plain, spoken, setting) if plain is not None else ""
    above = above_of(html)
    if above is None:
        return ""
    marked = above.is_quotation
    # Lines in blocks of their own are one attribution or separate paragraphs: the shorter result commands.
    lines, blocks = (_joined(_cut(text.split("\n"), setting, marked=marked)) for text in (above.text, above.blocks))
    rich = min(lines, blocks, key=lambda text: len(tokens(text)))
    if plain is None:
        return "" if not setting.is_answer and _is_half(above.text, rich) else rich
    short = _of_plain(plain, spoken, setting, marked=marked, has_rich=True)
    return _in_both(short, rich, closes=not setting.is_answer)


def doubtful(words: str, command: str) -> str:
    """Return the words that may be the sender's but do not command."""
    letters, at = "".join(command.split()), 0
    for position, letter in enumerate(words):
        if at == len(letters):
            return words[position:].strip()
        if letter.isspace():
            continue
        if letter != letters[at]:
            return words
        at += 1
    return "" if at == len(letters) else words


def _of_plain(
    plain: str, spoken: MailBody, setting: MailContext, *, marked: bool = False, has_rich: bool = False
) -> str:
    lines = _cut(plain.split("\n"), setting, marked=marked, broken=has_rich)
    text = "\n".join(lines)
    return _joined((unflowed(text, delete_space=spoken.delete_space) if spoken.flowed else text).split("\n"))


def _cut(lines: Sequence[str], setting: MailContext, *, marked: bool, broken: bool = False) -> Sequence[str]:
    """Return the lines of a text that may command."""
    return _Cut(lines, setting, marked=marked, broken=broken).made()


class _Cut:
    """Cuts one text off where another's words may begin."""

    def __init__(self, lines: Sequence[str], setting: MailContext, *, marked: bool, broken: bool) -> None:
        """`marked`: a quotation was found below it. `broken`: long lines are known to continue on the next one."""
        text = _UNSEEN.sub("", clean("\n".join(lines)[:_LONGEST], keep="\n\t"))
        self._lines = text.split("\n")
        self._roles = roles_of(setting.subject, text)
        self._hard = next(
            (
                at
                for at, role in enumerate(self._roles)
                if (role is not Role.OWN and not is_blank(self._lines[at])) or is_block_start(self._lines, at)
            ),
            len(self._lines),
        )
        others = {Role.MARK, Role.QUOTED, Role.FORWARDED}
        self._is_marked = marked or not others.isdisjoint(self._roles)
        self._is_answer = setting.is_answer or self._is_marked
        self._is_another_whole = not self._is_marked and setting.is_forward and not setting.is_apart
        """Whether the mail claims to be a forward, and nothing in it shows where another's words begin."""
        self._broken = broken

    def made(self) -> Sequence[str]:
        if self._is_another_whole or self._begins_with_heads():
            return ()
        paragraphs = list(_paragraphs(self._lines[: self._hard]))
        first = 1 if self._greets_first(paragraphs) else 0
        if first and self._is_answer and not self._is_marked:
            return ()
        end = 0
        # The text below the first paragraph may be pasted, in too many forms to list.
        for number, (start, stop) in enumerate(paragraphs[: first + 1]):
            if stop == self._hard and self._is_attached():
                break
            forms = [self._form(at, stop) for at in range(start, stop)]
            if Form.STRONG in forms:
                break
            footer = self._footer(start, stop)
            if Form.LEADS in forms[: footer - start]:
                end = start + forms.index(Form.LEADS) + 1
                break
            if (footer == start and stop - start > 1) or (number and self._begins_with_greeting(start)):
                break
            # A line that may be a footer may also be a request: it mentions a phone or a mail.
            end = footer if footer < stop and is_footer(self._lines[footer]) else min(stop, footer + 1)
            if footer < stop:  # Some programs put an unmarked quotation below it.
                break
            if number == first:
                end = self._list_below(end, paragraphs[first + 1 :])
        return self._lines[:end]

    def _begins_with_heads(self) -> bool:
        """Return whether a text begins with two header-like lines, in any language."""
        first = [line for line in self._lines if not is_blank(line)][:2]
        return len(first) > 1 and all(is_header_like(plain(line)) and not is_item(line) for line in first)

    def _list_below(self, end: int, paragraphs: Sequence[tuple[int, int]]) -> int:
        """Return the end of the list introduced by a new mail's line with a colon; `end` if there is no list."""
        if self._is_answer or may_introduce(self._lines[end - 1], alone=True) is not Form.LEADS:
            return end
        for start, stop in paragraphs:
            lines = range(start, stop)
            if not is_item(self._lines[start]) or any(self._form(at, stop) is not Form.NONE for at in lines):
                break
            end = stop
        return end

    def _greets_first(self, paragraphs: Sequence[tuple[int, int]]) -> bool:
        """Return whether a mail begins with a greeting alone, with the request below it.

        An answer of this form commands only if a quotation is known to begin later. Otherwise the request's author is
        uncertain, and nothing in it commands.
        """
        if len(paragraphs) < 2:  # noqa: PLR2004 - a greeting and more
            return False
        start, stop = paragraphs[0]
        return stop - start == 1 and is_greeting(self._lines[start])

    def _begins_with_greeting(self, start: int) -> bool:
        """Return whether another's mail seems to begin here: nobody greets in the middle of a mail."""
        return self._is_answer and is_greeting(self._lines[start], by_name=False)

    def _footer(self, start: int, stop: int) -> int:
        """Return the first of these lines by which a phone or a program identifies itself; `stop` if there is none."""
        tells = is_of_a_device if self._is_answer else is_footer
        return next((at for at in range(start, stop) if tells(self._lines[at])), stop)

    def _is_attached(self) -> bool:
        """Return whether the last lines belong to what ends them: an attribution, which may begin with a name."""
        return (
            self._hard < len(self._lines)
            and self._roles[self._hard] is not Role.BELOW
            and not is_stroke(self._lines[self._hard])
        )

    def _form(self, at: int, stop: int) -> Form:
        line = self._lines[at]
        if attribution_at(self._lines, at) is not None or dated_line(line) is not None or is_pasted(self._lines, at):
            return Form.STRONG
        if not self._is_answer:
            return self._of_new_mail(at, line)
        if is_set_off(line):
            return Form.STRONG
        form = may_introduce(line)
        if form is Form.LEADS:
            return Form.STRONG
        is_broken = self._broken and len(line) >= _A_FULL_LINE
        if form is Form.WEAK and not is_broken and not goes_on_as_own(line, self._lines[at + 1 : stop]):
            # A date or an address in an unbroken line introduces the text below it.
            return Form.STRONG if at + 1 < stop else form
        return form

    def _of_new_mail(self, at: int, line: str) -> Form:
        """Return a line's form in a mail that is no answer: its dates and addresses are the sender's own.

        The author of the text below them is in doubt.
        """
        form = may_introduce(line, alone=True)
        following = next((one for one in self._lines[at + 1 : self._hard] if not is_blank(one)), "")
        if form is Form.STAMPED:
            return Form.STRONG if following else Form.NONE
        if form is Form.LEADS and is_item(following):
            return Form.NONE
        return Form.NONE if form is Form.WEAK else form


def _paragraphs(lines: Sequence[str]) -> Iterable[tuple[int, int]]:
    """Yield the start of each run of non-blank lines, and the first line after it."""
    start: int | None = None
    for at, line in enumerate(lines):
        if is_blank(line):
            if start is not None:
                yield start, at
            start = None
        elif start is None:
            start = at
    if start is not None:
        yield start, len(lines)


def _is_half(text: str, command: str) -> bool:
    """Return whether the text below the command may ask for anything.

    Without a plain form, lines and paragraphs are the same blocks, and half of a request is another request.
    """
    rest = doubtful(text, command)
    return bool(rest) and not (is_closing(rest, "") or is_footer(rest.split("\n")[0]) or rest.startswith("--"))


def _in_both(text: str, rich: str, *, closes: bool) -> str:
    """Return the leading paragraphs of the plain words that the HTML form has whole at the same place.

    Some programs put each line of a mail into a block of its own, and half of a request is another request. `closes`:
    the words left off may be thanks.
    """
    kept: list[str] = []
    expected, at = tokens(rich), 0
    for paragraph in _BETWEEN.split(text):
        lines = paragraph.split("\n")
        count = 0
        for line in lines:
            found = tokens(line)
            if expected[at : at + len(found)] != found:
                break
            at, count = at + len(found), count + 1
            if at == len(expected):
                break
        left = "\n".join(lines[count:])
        if left and not (closes and at == len(expected) and is_closing(left, "")):
            break
        kept.append("\n".join(lines[:count]))
        if left:
            break
    return "\n\n".join(kept).strip()


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(line.rstrip("\r") for line in lines).strip()
