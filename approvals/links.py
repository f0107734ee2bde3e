"""Finds every link in a text, and the host that it really leads to, whatever the text around it says.

A link is whatever a reader's client would turn into one: text with a scheme, `www.`, a bare domain, `mailto:`. Text
before an `@`, another alphabet, and a number as host are the usual disguises. A bare mail address is visible as it is,
and is listed only if it could deceive. A text is scanned once, so that a hostile one costs no more than another of its
length.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import unquote

import regex

from approvals.hosts import DOTS, real_host, remarks_on
from approvals.scripts import mixed_before_the_at
from approvals.visible import scripts, visible_address
from butler.contract.card import Rich, Span, Style
from butler.contract.speech import say

NO_DOMAINS = frozenset(
    {"bmp", "cfg", "conf", "css", "csv", "doc", "docx", "eml", "exe", "gif", "htm", "html", "ics", "ini", "jpeg", "jpg"}
    | {"js", "json", "log", "mp3", "mp4", "odp", "ods", "odt", "pdf", "png", "ppt", "pptx", "rtf", "svg", "toml", "ts"}
    | {"tsv", "txt", "wav", "webp", "xls", "xlsx", "xml", "yaml", "yml"}
)
"""File name extensions that are no top-level domains; `.zip`, `.md` and `.py` are, and clients make links of them."""
DEFAULT_PORTS = {"http": "80", "https": "443"}
LONGEST_HOST = 253
LONGEST_NAME = 40
LONGEST_LOCAL = 64
LONGEST_SCHEME = 20

_SLASHES = regex.compile(r":[/\\]{2,}")
_SCHEME = regex.compile(r"(?<![\p{L}\p{N}])[A-Za-z][A-Za-z0-9+.-]+\Z")
_REST = regex.compile(r'(?:(?!\]\()[^\s<>"])*+')
_AUTHORITY = regex.compile(r'(?:(?!\]\()[^\s/\\?#<>"])*+')
_HOST = regex.compile(r"(\[[0-9A-Fa-f:.%]+\]|[^\s:()\[\]{}'`,;!*|]+)(?::(\d{1,5}))?")
_BRACKETS = regex.compile(r"[()\[\]{}'`,;]")
_NAMES = regex.compile(r"[\p{L}\p{M}\p{N}_.\u3002\uff0e\uff61-]+")
_AFTER = regex.compile(r'(?::(\d{1,5}))?([/?#][^\s<>"]*+)?')
_ACTION = regex.compile(r":([A-Za-z]+)")
_LOCAL = regex.compile(r'[^\s<>"(),;:@/?&=]{1,64}\Z')
_END = "?#.…"
_TOP = regex.compile(r"\p{L}[\p{L}\p{M}]{1,62}|xn--[a-z0-9-]{1,59}")
_NUMBERS = regex.compile(r"\d{1,3}(?:\.\d{1,3}){3}")


@dataclass(frozen=True, slots=True)
class Link:
    """Where some links lead: the real host as a reader should see it, remarks on it, and the number of links.

    A mail address is given whole, with its real host.
    """

    host: str
    remarks: tuple[str, ...]
    count: int


def links(*texts: str) -> Sequence[Link]:
    """Return the hosts of all links in some texts, each once; deceptive ones first."""
    counts: dict[str, int] = {}
    remarks: dict[str, dict[str, None]] = {}
    for text in texts:
        for host, lines in _found(text):
            counts[host] = counts.get(host, 0) + 1
            remarks.setdefault(host, {}).update(dict.fromkeys(lines))
    listed = [Link(host, tuple(remarks[host]), count) for host, count in counts.items()]
    return sorted(listed, key=lambda link: not link.remarks)


def shown_links(*texts: str) -> Rich:
    """List the links as a card does, one per line; empty if there are none."""
    spans: list[Span] = []
    for link in links(*texts):
        # Set as code, so that no client turns a host that is only named here into a link.
        spans.append(Span(text=link.host, style=Style.CODE))
        if link.count > 1:
            spans.append(Span(text=f" ×{link.count}"))
        if link.remarks:
            spans.append(Span(text=f" – {'; '.join(link.remarks)}", style=Style.BOLD))
        spans.append(Span(text="\n"))
    return tuple(spans[:-1])


@dataclass(frozen=True, slots=True)
class _Scheme:
    """A scheme in a text: where it begins, where the slashes after it end, and its name."""

    start: int
    end: int
    name: str


_Found = tuple[str, Sequence[str]]
"""A host as it is shown, and remarks on it."""


def _found(text: str) -> Iterator[_Found]:
    at = 0
    end_of_text = _Scheme(len(text), len(text), "")
    for scheme, following in pairwise([*_schemes(text), end_of_text]):
        yield from _bare(text[at : scheme.start])
        authority = _matched(_AUTHORITY, text, scheme.end, following.start)
        found, understood = _with_scheme(scheme.name, authority)
        yield from found
        at = scheme.end + understood
        if understood == len(authority):
            at = scheme.end + len(_matched(_REST, text, scheme.end, following.start))
    yield from _bare(text[at:])


def _schemes(text: str) -> Iterator[_Scheme]:
    for slashes in _SLASHES.finditer(text):
        scheme = _SCHEME.search(text, max(0, slashes.start() - LONGEST_SCHEME), slashes.start())
        if scheme is not None:
            yield _Scheme(scheme.start(), slashes.end(), scheme[0].lower())


def _with_scheme(scheme: str, authority: str) -> tuple[Sequence[_Found], int]:
    """Return the host behind the last `@`, and how much of the authority was understood.

    If a bracket comes before that `@`, a client may end the link there, so both hosts count.
    """
    name, at, behind = authority.rpartition("@")
    match = _HOST.match(behind)
    found = [_shown(scheme, match[1], match[2] or "", name + at)] if match else []
    if at and (bracket := _BRACKETS.search(name)) and (first := _HOST.match(name, 0, bracket.start())):
        found.append(_shown(scheme, first[1], first[2] or "", ""))
    return found, len(name + at) + (match.end() if match else 0)


def _bare(text: str) -> Iterator[_Found]:
    """Find links without slashes after a scheme."""
    at = 0
    while (run := _NAMES.search(text, at)) is not None:
        at = run.end()
        behind = _AFTER.match(text, at)
        assert behind is not None, "it matches nothing, too"
        if run[0].lower() == "tg" and (action := _ACTION.match(text, at)):
            at = action.end()
            yield f"tg://{action[1].lower()}", ()
        elif run[0].lower() == "mailto" and text[at : at + 1] == ":":
            link = _matched(_REST, text, at + 1, len(text))
            at += 1 + len(link)
            yield from _addresses(unquote(link))
        elif host := _domain(run[0], whole=behind[2] is None):
            port, path = behind[1] or "", (behind[2] or "").strip(_END)
            local = _local(text, run.start())
            if local and not port and not path:
                mail, remarks = _mail(local, host)
                if remarks:
                    yield mail, remarks
                continue
            at = behind.end()
            if text[at : at + 1] != "@":
                yield _shown("", host, port, local)


def _addresses(text: str) -> Iterator[_Found]:
    """Find plain mail addresses."""
    for run in _NAMES.finditer(text):
        if (local := _local(text, run.start())) and (host := _domain(run[0], whole=True)):
            yield _mail(local, host)


def _local(text: str, at: int) -> str:
    """Return the local part and `@` before a domain that begins at `at`; empty if there is none."""
    if text[at - 1 : at] != "@":
        return ""
    match = _LOCAL.search(text, max(0, at - LONGEST_LOCAL - 1), at - 1)
    return f"{match[0] if match else ''}@"


def _mail(local: str, written: str) -> _Found:
    """Return a mail address as it is shown."""
    shown, found = visible_address(local), scripts(local)
    remarks = [*remarks_on(written)]
    if shown != local:
        remarks.append(say("holds hidden characters"))
    if len(found) > 1:
        remarks.append(mixed_before_the_at(found))
    return f"{shown}{real_host(written)}", remarks


def _domain(run: str, *, whole: bool) -> str:
    """Return the domain in a run of letters, digits, dots and dashes; empty if there is none."""
    labels = [label.strip("-_") for label in run.translate(DOTS).strip(".").split(".")]
    host = ".".join(labels)
    if len(labels) == 1 or len(host) > LONGEST_HOST or not all(labels):
        return ""
    top = labels[-1].lower()
    is_name = _TOP.fullmatch(top) is not None and not (whole and top in NO_DOMAINS)
    return run.strip(".-_") if is_name or _NUMBERS.fullmatch(host) else ""


def _shown(scheme: str, written: str, port: str, front: str) -> _Found:
    if len(written) > LONGEST_HOST:
        return f"{_kind(scheme)}{visible_address(written[:LONGEST_HOST])}…", [say("longer than any host may be")]
    host = f"{_kind(scheme)}{real_host(written)}"
    if port and port != DEFAULT_PORTS.get(scheme):
        host += f":{port}"
    return host, [*remarks_on(written), *([_before(front)] if front else [])]


def _kind(scheme: str) -> str:
    if scheme in {"", "http", "https"}:
        return ""
    return "mailto:" if scheme == "mailto" else f"{scheme}://"


def _before(front: str) -> str:
    name = visible_address(unquote(front))
    shown = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"
    return say("“{name}” before it is no host", name=shown)


def _matched(pattern: regex.Pattern[str], text: str, start: int, end: int) -> str:
    match = pattern.match(text, start, end)
    return match[0] if match else ""
