"""Reads `Authentication-Results` (RFC 8601): a mail server's findings about a mail's signatures, if it is trusted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_COMMENT = re.compile(r"\([^()]*\)")
_DEEPEST_COMMENT = 5


@dataclass(frozen=True, slots=True)
class Passed:
    """A signature that a server found valid; fields that it did not report are empty."""

    domain: str
    selector: str
    beginning: str
    """The first characters of the signature itself."""


@dataclass(frozen=True, slots=True)
class Word:
    """A server's findings about a mail's signatures. `is_final`: it could check all of them."""

    passed: tuple[Passed, ...] = ()
    is_final: bool = False


def word_of(lines: Sequence[str], authserv_id: str) -> Word:
    """Return the findings in the topmost line of our own server; anybody may have written the others.

    A server removes lines that claim to be its own from incoming mail, which leaves the topmost as its own.
    """
    for line in lines:
        name, *results = _uncommented(line).split(";")
        if authserv_id and name.split()[:1] and name.split()[0].lower() == authserv_id.lower():
            return _read(results)
    return Word()


def word_in(line: str) -> Word:
    """Return the findings in a line, regardless of its author."""
    return _read(_uncommented(line).split(";")[1:])


def _read(results: Sequence[str]) -> Word:
    passed: list[Passed] = []
    found: set[str] = set()
    for result in results:
        method, *properties = result.split() or [""]
        match = re.fullmatch(r"dkim(?:/1)?=(\w+)", method.lower())
        if match is None:
            continue
        found.add(match[1])
        if match[1] == "pass":
            pairs = (item.partition("=") for item in properties)
            data = {name.lower(): value.strip('"') for name, _, value in pairs}
            domain = data.get("header.d") or data.get("header.i", "").rpartition("@")[2]
            passed.append(Passed(domain.lower(), data.get("header.s", "").lower(), data.get("header.b", "")))
    return Word(tuple(passed), bool(found) and not found & {"temperror", "neutral"})


def _uncommented(line: str) -> str:
    for _ in range(_DEEPEST_COMMENT):
        line = _COMMENT.sub(" ", line)
    return line
