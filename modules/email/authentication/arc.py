"""Checks the seals of forwarders (ARC, RFC 8617), under a policy stricter than the standard's.

Forwarders and lists change mails, which breaks the author's signature. Each may seal what it saw and what it found. A
seal is a claim: it counts only from forwarders that the settings name, and only if the mail is unchanged since it was
sealed by the forwarder that found the author's signature valid.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from butler.contract.reasons import Reason, in_own_words
from butler.contract.speech import phrase
from modules.email.authentication.auth_results import word_in
from modules.email.authentication.body_form import why_open
from modules.email.authentication.signatures import (
    MUST_BE_SIGNED,
    Header,
    SignedMail,
    Tags,
    checks,
    tags_of,
    titled,
    untimely,
)

_NAMES = (b"arc-authentication-results", b"arc-message-signature", b"arc-seal")
_INSTANCE = re.compile(rb"[1-9]\d?")
_FINDINGS = re.compile(rb"\s*i\s*=\s*([1-9]\d?)\s*(;.*)", re.DOTALL)
_MOST_SETS = 10
_LONGEST = 8_192  # bytes of a header
_NOT_RIGHT = in_own_words(phrase("the seals of those who forwarded it are not right"))
_UNKNOWN = phrase("it was forwarded by {sealer}, which arc_sealers in the settings does not name")


@dataclass(frozen=True, slots=True)
class Seal:
    """The forwarder that vouches for a mail; or why none does, as the rest of a sentence that begins with the mail."""

    sealer: str = ""
    why: Reason | None = None


@dataclass(frozen=True, slots=True)
class _Set:
    """The headers that one forwarder added."""

    findings: Header
    message: Header
    seal: Header
    message_tags: Tags
    seal_tags: Tags

    @property
    def sealer(self) -> str:
        return self.seal_tags[b"d"].decode("ascii", "replace").lower()

    @property
    def headers(self) -> tuple[Header, ...]:
        return (self.findings, self.message, self.seal)


class _BrokenError(ValueError):
    """The seals do not form a chain."""


def seal_of(
    mail: SignedMail,
    domain: str,
    at: datetime,
    sealers: frozenset[str],
    lookup: Callable[[str], bytes | None],
) -> Seal:
    """Return who of `sealers` vouches that `domain` signed this mail; `why` is also None for a mail without seals.

    DNS is queried only for forwarders that the settings name, until one of them has sealed it validly.
    """
    try:
        chain = _chain(mail)
        return _vouching(mail, chain, domain, at, sealers, lookup) if chain else Seal()
    except _BrokenError:
        return Seal(why=_NOT_RIGHT)


def _chain(mail: SignedMail) -> list[_Set]:
    """Return the sets in the order in which they were added; raise if one is missing or incomplete."""
    found: dict[int, dict[bytes, Header]] = {}
    for header in mail.headers:
        name = header[0].lower()
        if name not in _NAMES:
            continue
        if len(header[1]) > _LONGEST:
            raise _BrokenError
        parts = found.setdefault(_instance(name, header), {})
        if name in parts:
            raise _BrokenError
        parts[name] = header
    if len(found) > _MOST_SETS or sorted(found) != list(range(1, len(found) + 1)):
        raise _BrokenError
    return [_set(number, found[number]) for number in range(1, len(found) + 1)]


def _instance(name: bytes, header: Header) -> int:
    if name == _NAMES[0]:
        match = _FINDINGS.fullmatch(header[1])
        number = match[1] if match else b""
    else:
        number = (tags_of(header) or {}).get(b"i", b"")
    if _INSTANCE.fullmatch(number) is None:
        raise _BrokenError
    return int(number)


def _set(number: int, parts: dict[bytes, Header]) -> _Set:
    if len(parts) != len(_NAMES):
        raise _BrokenError
    findings, message, seal = (parts[name] for name in _NAMES)
    made = _Set(findings, message, seal, tags_of(message) or {}, tags_of(seal) or {})
    if b"h" in made.seal_tags or made.seal_tags.get(b"cv") != (b"none" if number == 1 else b"pass"):
        raise _BrokenError
    needed = ((made.message_tags, b"a b bh d h s"), (made.seal_tags, b"a b d s"))
    if any(not tags.get(name) for tags, names in needed for name in names.split()):
        raise _BrokenError
    if made.message_tags[b"a"] != b"rsa-sha256" or made.seal_tags[b"a"] != b"rsa-sha256":
        raise _BrokenError
    return made


def _vouching(
    mail: SignedMail,
    chain: list[_Set],
    domain: str,
    at: datetime,
    sealers: frozenset[str],
    lookup: Callable[[str], bytes | None],
) -> Seal:
    """Check the sets from the newest on; an earlier forwarder is trusted only if all later ones are."""
    vouching = ""
    for number in range(len(chain), 0, -1):
        one = chain[number - 1]
        if not vouching:
            if one.sealer not in sealers:
                return Seal(why=in_own_words(_UNKNOWN, sealer=one.sealer))
            if why := _fault(mail, one, at):
                return Seal(why=why)
            if not _is_unchanged(mail, one, lookup):
                return Seal(why=in_own_words(phrase("it is not as {sealer} forwarded it"), sealer=one.sealer))
            if any(passed.domain == domain for passed in word_in(_text(one.findings)).passed):
                vouching = one.sealer
        if not _is_sealed(mail, chain[:number], lookup):
            return Seal(why=_NOT_RIGHT)
    return (
        Seal(vouching)
        if vouching
        else Seal(
            why=in_own_words(phrase("nobody who forwarded it found a signature of {domain} right"), domain=domain)
        )
    )


def _text(findings: Header) -> str:
    return findings[1].decode("utf-8", "replace")


def _fault(mail: SignedMail, one: _Set, at: datetime) -> Reason | None:
    """Return why this forwarder's word would not suffice, even with a valid seal."""
    if b"l" in one.message_tags:
        return in_own_words(phrase("the seal of {sealer} leaves the end of the text open"), sealer=one.sealer)
    if one.message_tags[b"d"].lower() != one.seal_tags[b"d"].lower():
        return _NOT_RIGHT
    covered = {name.decode("ascii", "replace") for name in _covered(one)}
    if unsealed := [name for name in MUST_BE_SIGNED if name not in covered]:
        text = phrase("the seal of {sealer} does not cover {headers}")
        return in_own_words(text, sealer=one.sealer, headers=titled(unsealed))
    if why_open(mail, covered):
        return in_own_words(phrase("the seal of {sealer} leaves open how its text is to be read"), sealer=one.sealer)
    return untimely(one.message_tags, at) or untimely(one.seal_tags, at)


def _covered(one: _Set) -> list[bytes]:
    return [name.strip().lower() for name in one.message_tags[b"h"].split(b":")]


def _is_unchanged(mail: SignedMail, one: _Set, lookup: Callable[[str], bytes | None]) -> bool:
    names = _covered(one)
    if b"arc-seal" in names:
        return False
    key = lookup(_key_name(one.message_tags))
    return key is not None and checks(mail.raw, one.message_tags, names, one.message, key)


def _is_sealed(mail: SignedMail, chain: list[_Set], lookup: Callable[[str], bytes | None]) -> bool:
    """Return whether the last of these seals covers everything added up to it."""
    last = chain[-1]
    sealed = [header for one in chain for header in one.headers][:-1]
    # A seal does not state its canonicalization, which is always relaxed.
    tags = {**last.seal_tags, b"c": b"relaxed/relaxed"}
    key = lookup(_key_name(tags))
    # dkimpy looks for names from the end.
    among = tuple(reversed(sealed))
    names = [name.lower() for name, _ in sealed]
    return key is not None and checks(mail.raw, tags, names, last.seal, key, among=among)


def _key_name(tags: Tags) -> str:
    selector, domain = (tags[name].decode("ascii", "replace") for name in (b"s", b"d"))
    return f"{selector}._domainkey.{domain}.".lower()
