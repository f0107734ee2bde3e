r"""The demo's script language: one step a line, words quoted as in a shell, `#` begins a comment, `\n` is a line break.

    say "..." [file PATH] · say file PATH · reply [to "WORDS"] "..."
    tap "Label" [as USER | again] · tap stale "Label" [as USER]
    mail from ADDRESS subject "..." body "..." [file PATH] [forged] · mail raw PATH · mail reply "yes CODE" [forged]
    mail forward "SUBJECT" ["..."]
    expect bot "..." ... · expect photo · expect sent telegram "..." ... · expect mail to ADDRESS ["..." ...]
    expect event "..." ... · expect card "..." ...
    expect nothing within SECONDS · expect pending N
    kill · start · advance 2h · telegram down · telegram up · telegram from "NAME" [in "GROUP"] "..."

Each `expect` takes `within SECONDS` at its end; without it, it has 20 seconds.
"""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Literal, TypeAlias

PATIENCE_S = 60.0

_DURATION = re.compile(r"(\d+(?:\.\d+)?)([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class ScriptError(ValueError):
    """The script cannot be read; the message names the line."""


@dataclass(frozen=True, slots=True)
class Say:
    """The owner's words to the bot, a file with or without words, or both."""

    text: str
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The owner's Telegram reply to the newest message with the words `to`, or else to the newest card."""

    text: str
    to: str = ""


class Which(StrEnum):
    """Which button is meant by a label."""

    NEWEST = "newest"
    AGAIN = "again"
    """The one that was tapped last, whether it is still there or not."""
    STALE = "stale"
    """One that was shown before and has been taken away or replaced."""


@dataclass(frozen=True, slots=True)
class Tap:
    """A press of a button by the owner, or by the Telegram user `by`."""

    label: str
    by: int | None = None
    which: Which = Which.NEWEST


@dataclass(frozen=True, slots=True)
class Written:
    """Somebody writes on Telegram to the owner, or in a group of theirs."""

    name: str
    text: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class MailFrom:
    """A mail to the butler that its sender really sent."""

    sender: str
    subject: str
    body: str
    file: Path | None = None
    forged: bool = False
    """Somebody else wrote it in the sender's name: nobody signs it, and the server finds nothing that speaks for it."""


@dataclass(frozen=True, slots=True)
class MailForward:
    """The owner forwards the newest mail of theirs with these words in its subject, as their mail program does it."""

    subject: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class MailRaw:
    """A mail to the butler, byte for byte out of a file."""

    path: Path


@dataclass(frozen=True, slots=True)
class MailReply:
    """The owner's answer to the butler's newest mail to them; CODE in it stands for the code that this mail holds."""

    text: str
    forged: bool = False
    """Somebody else wrote it in the owner's name."""


@dataclass(frozen=True, slots=True)
class ExpectBot:
    """A new or edited message of the bot that holds all of the words; or a new photo, whatever stands with it."""

    words: tuple[str, ...]
    within: float = PATIENCE_S
    photo: bool = False


@dataclass(frozen=True, slots=True)
class ExpectSent:
    """Exactly one message in the record of the person's own Telegram account that holds all of the words."""

    words: tuple[str, ...]
    within: float = PATIENCE_S


@dataclass(frozen=True, slots=True)
class ExpectMail:
    """Exactly one mail to this address, left by the person's or the butler's mailbox, that holds all of the words."""

    address: str
    words: tuple[str, ...] = ()
    within: float = PATIENCE_S


@dataclass(frozen=True, slots=True)
class ExpectStanding:
    """Exactly one event in the owner's calendar, or open card on their boards, that holds all of the words."""

    kind: Literal["event", "card"]
    words: tuple[str, ...]
    within: float = PATIENCE_S


@dataclass(frozen=True, slots=True)
class ExpectNothing:
    """No new effect and no new message of the bot for this long."""

    within: float


@dataclass(frozen=True, slots=True)
class ExpectPending:
    """That many approvals wait for an answer."""

    count: int
    within: float = PATIENCE_S


@dataclass(frozen=True, slots=True)
class Kill:
    """SIGKILL the daemon."""


@dataclass(frozen=True, slots=True)
class Start:
    """Start the daemon again."""


@dataclass(frozen=True, slots=True)
class Advance:
    """Turn the clock forward."""

    by: timedelta


@dataclass(frozen=True, slots=True)
class Telegram:
    """Take the Bot API off the network, or bring it back."""

    up: bool


Expect: TypeAlias = ExpectBot | ExpectSent | ExpectMail | ExpectStanding | ExpectNothing | ExpectPending
Step: TypeAlias = (
    Say
    | Reply
    | Tap
    | Written
    | MailFrom
    | MailForward
    | MailRaw
    | MailReply
    | Kill
    | Start
    | Advance
    | Telegram
    | Expect
)


@dataclass(frozen=True, slots=True)
class Line:
    """A step and where it stands."""

    number: int
    text: str
    step: Step = field(compare=False)


def read_script(path: Path) -> list[Line]:
    """Read a script file; paths in it are relative to it. Raises ScriptError."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ScriptError(f"it cannot be read: {(error.strerror or 'no reason given').lower()}") from error
    except UnicodeDecodeError as error:
        raise ScriptError("it cannot be read: it is no text in UTF-8") from error
    return parse_script(text, path.parent)


def parse_script(text: str, folder: Path = Path()) -> list[Line]:
    """Parse a whole script. Raises ScriptError, which names the line."""
    lines: list[Line] = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            words = [word.replace(r"\n", "\n") for word in shlex.split(line, comments=True)]
            if words:
                lines.append(Line(number, line.strip(), _step(words, folder)))
        except ValueError as error:
            raise ScriptError(f"line {number}: {error}: {line.strip()}") from error
    return lines


def _step(words: list[str], folder: Path) -> Step:
    verb, rest = words[0], words[1:]
    parse = _VERBS.get(verb)
    if parse is None:
        raise ValueError(f'there is no step "{verb}"; there are {", ".join(_VERBS)}')
    return parse(rest, folder)


def _say(rest: list[str], folder: Path) -> Step:
    match rest:
        case ["file", path]:
            return Say("", _file(folder / path))
        case [text, "file", path]:
            return Say(text, _file(folder / path))
        case _:
            return Say(_only(rest, "say", "a text, and file PATH behind it or instead of it"))


def _reply(rest: list[str], _folder: Path) -> Step:
    match rest:
        case ["to", words, text]:
            return Reply(text, words)
        case _:
            return Reply(_only(rest, "reply", 'a text, and to "WORDS" of the message that is answered before it'))


def _tap(rest: list[str], _folder: Path) -> Step:
    match rest:
        case [label]:
            return Tap(label)
        case ["stale", label]:
            return Tap(label, which=Which.STALE)
        case [label, "again"]:
            return Tap(label, which=Which.AGAIN)
        case [label, "as", user]:
            return Tap(label, by=_whole(user))
        case ["stale", label, "as", user]:
            return Tap(label, by=_whole(user), which=Which.STALE)
        case _:
            raise ValueError('write tap "Label", tap "Label" again, tap "Label" as USER or tap stale "Label"')


def _mail(rest: list[str], folder: Path) -> Step:
    match rest:
        case ["raw", path]:
            return MailRaw(_file(folder / path))
        case ["reply", text]:
            return MailReply(text)
        case ["reply", text, "forged"]:
            return MailReply(text, forged=True)
        case ["forward", subject, *words] if len(words) <= 1:
            return MailForward(subject, *words)
        case ["from", sender, "subject", subject, "body", body, *more]:
            return _mail_from(MailFrom(sender, subject, body), more, folder)
        case _:
            raise ValueError(
                'write mail from "ADDRESS" subject "..." body "..." [file PATH] [forged], '
                'mail forward "SUBJECT" ["WORDS"], mail raw PATH or mail reply "..."'
            )


def _mail_from(mail: MailFrom, more: list[str], folder: Path) -> Step:
    match more:
        case ["file", path, *rest]:
            return _mail_from(replace(mail, file=_file(folder / path)), rest, folder)
        case ["forged"]:
            return replace(mail, forged=True)
        case []:
            return mail
        case _:
            raise ValueError("behind a mail's body may stand file PATH, forged, or both in this order")


def _expect(rest: list[str], _folder: Path) -> Step:
    rest, within = _split_within(rest)
    patience = PATIENCE_S if within is None else within
    match rest:
        case ["bot", _, *_] | ["photo"]:
            return ExpectBot(tuple(rest[1:]), patience, photo=rest[0] == "photo")
        case ["sent", "telegram", first, *more]:
            return ExpectSent((first, *more), patience)
        case ["mail", "to", address, *more]:
            return ExpectMail(address, tuple(more), patience)
        case ["event" | "card" as kind, first, *more]:
            return ExpectStanding("event" if kind == "event" else "card", (first, *more), patience)
        case ["nothing"] if within is not None:
            return ExpectNothing(within)
        case ["pending", count]:
            return ExpectPending(_whole(count), patience)
        case _:
            raise ValueError(
                'write expect bot "...", expect photo, expect sent telegram "...", expect mail to "ADDRESS" "...", '
                'expect event "...", expect card "...", expect nothing within SECONDS or expect pending N'
            )


def _advance(rest: list[str], _folder: Path) -> Step:
    match = _DURATION.fullmatch(_only(rest, "advance", "a duration"))
    if match is None:
        raise ValueError("write a duration such as 90s, 10m, 2h or 1d")
    return Advance(timedelta(**{_UNITS[match[2]]: float(match[1])}))


def _kill(rest: list[str], _folder: Path) -> Step:
    _none(rest, "kill")
    return Kill()


def _start(rest: list[str], _folder: Path) -> Step:
    _none(rest, "start")
    return Start()


def _telegram(rest: list[str], _folder: Path) -> Step:
    match rest:
        case ["up" | "down" as way]:
            return Telegram(up=way == "up")
        case ["from", name, text]:
            return Written(name, text)
        case ["from", name, "in", group, text]:
            return Written(name, text, group)
        case _:
            raise ValueError('write telegram down, telegram up or telegram from "NAME" [in "GROUP"] "..."')


_VERBS: dict[str, Callable[[list[str], Path], Step]] = {
    "say": _say,
    "reply": _reply,
    "tap": _tap,
    "mail": _mail,
    "expect": _expect,
    "kill": _kill,
    "start": _start,
    "advance": _advance,
    "telegram": _telegram,
}


def _split_within(words: list[str]) -> tuple[list[str], float | None]:
    if len(words) < 2 or words[-2] != "within":
        return words, None
    seconds = _DURATION.fullmatch(words[-1] if words[-1][-1:].isalpha() else f"{words[-1]}s")
    if seconds is None:
        raise ValueError("write within and a number of seconds")
    return words[:-2], timedelta(**{_UNITS[seconds[2]]: float(seconds[1])}).total_seconds()


def _only(rest: list[str], verb: str, what: str) -> str:
    if len(rest) != 1 or not rest[0].strip():
        raise ValueError(f"{verb} takes {what}, in quotes when it has several words")
    return rest[0]


def _none(rest: list[str], verb: str) -> None:
    if rest:
        raise ValueError(f"{verb} stands alone on its line")


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f'"{text}" is no whole number')
    return int(text)


def _file(path: Path) -> Path:
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    return path
