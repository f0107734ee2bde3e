# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportArgumentType=false
# dkimpy has no annotations.
"""Checks a mail's DKIM signatures, under a policy stricter than the standard's, which accepts too much for commands.

dkimpy does the arithmetic. It also accepts a body of which only the beginning is signed (`l=`), a second Subject put
before the signed one, keys in test mode, and times by its own clock; this module does not.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import dkim
from dkim.util import InvalidTagValueList, parse_tag_value

from butler.contract.reasons import Reason, in_own_words
from butler.contract.speech import phrase
from butler.mime.tolerant import head_and_body

FRESH = timedelta(days=2)
"""The greatest age of a mail and its signature, and how far they may be ahead of our clock."""
MUST_BE_SIGNED = ("from", "to", "subject", "date", "message-id")
"""Headers that must be signed; the Message-ID is one, as it identifies a mail that is sent again."""
ONCE = (*MUST_BE_SIGNED, "cc", "content-type", "content-transfer-encoding")
_ALGORITHMS = frozenset({b"rsa-sha256", b"ed25519-sha256"})
_MOST_SIGNATURES = 6
_LONGEST_SIGNATURE = 4_096  # bytes
LONGEST_HEADER = 256 * 1024
_LINE_END = re.compile(rb"\r?\n")
_HEADER_LINE = re.compile(rb"[!-9;-~]+:|[\t ]")

_ID = re.compile(r"<[!-;=?A-~]{1,240}@[!-;=?A-~]{1,250}>")

Header = tuple[bytes, bytes]
"""A name and its raw value, with folds and line end."""
Tags = dict[bytes, bytes]
"""A signature's own statements, by the tag names of RFC 6376."""


class UnreadableError(ValueError):
    """Different readers could parse the header differently; its text is a phrase that says why."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One `DKIM-Signature`: the place of its key, and its tags."""

    domain: str
    selector: str
    signed: tuple[str, ...]
    tags: Tags
    header: Header

    @property
    def key_name(self) -> str:
        """The DNS name of the key."""
        return f"{self.selector}._domainkey.{self.domain}."


@dataclass(frozen=True, slots=True)
class SignedMail:
    """A mail as it was signed."""

    raw: bytes
    headers: tuple[Header, ...]

    @classmethod
    def of(cls, raw: bytes) -> "SignedMail":
        """Parse a mail; raise `UnreadableError`."""
        head, _ = head_and_body(raw)
        if len(head) > LONGEST_HEADER:
            raise UnreadableError(phrase("its header is too long"))
        if b"\r" in head.replace(b"\r\n", b"") or b"\0" in head:
            # The header parser takes a bare CR for a line's end, and the signature's parser does not.
            raise UnreadableError(phrase("its header holds characters that have no place there"))
        if not all(map(_HEADER_LINE.match, _LINE_END.split(head))):
            # dkimpy skips a line such as `From now on: ...`, which others take for a header or the first words.
            raise UnreadableError(phrase("its header holds lines that are none of a header"))
        try:
            # Given the whole mail, dkimpy would split all of it into lines.
            pairs, _ = dkim.rfc822_parse(head)
        except (dkim.MessageFormatError, IndexError) as error:
            raise UnreadableError(phrase("its header cannot be read")) from error
        return cls(raw, tuple((bytes(name), bytes(value)) for name, value in pairs))

    def values(self, name: str) -> list[str]:
        """Return the unfolded values of a header, named in lower case, topmost first."""
        return [_unfolded(value) for found, value in self.headers if found.lower() == name.encode()]

    def signatures(self) -> list[Signature]:
        """Return the readable signatures among the first few, topmost first."""
        found = [header for header in self.headers if header[0].lower() == b"dkim-signature"][:_MOST_SIGNATURES]
        read = [_signature(header) for header in found if len(header[1]) <= _LONGEST_SIGNATURE]
        return [signature for signature in read if signature is not None]


def _unfolded(value: bytes) -> str:
    return " ".join(value.decode("utf-8", "replace").split())


def _signature(header: Header) -> Signature | None:
    try:
        tags = parse_tag_value(header[1])
        timeless = {name: value for name, value in tags.items() if name not in {b"t", b"x"}}
        # dkimpy uses the real clock, not the daemon's, so times are left out here and checked in `fault_of`.
        dkim.validate_signature_fields(timeless)
        domain, selector = tags[b"d"].decode("ascii").lower(), tags[b"s"].decode("ascii").lower()
    except (InvalidTagValueList, dkim.ValidationError, UnicodeDecodeError, IndexError):
        return None
    signed = tuple(name.strip().decode("ascii", "replace").lower() for name in tags[b"h"].split(b":"))
    return Signature(domain, selector, signed, tags, header)


def tags_of(header: Header) -> Tags | None:
    """Return the tags of a header in a signature's form; None if it has another form."""
    try:
        return dict(parse_tag_value(header[1]))
    except InvalidTagValueList:
        return None


def fault_of(mail: SignedMail, signature: Signature, at: datetime) -> Reason | None:
    """Return why this signature would not suffice, even if valid; None if it would."""
    if signature.tags[b"a"] not in _ALGORITHMS:
        return in_own_words(phrase("its signature is of an outdated kind"))
    if b"l" in signature.tags:
        return in_own_words(phrase("its signature leaves the end of the text open"))
    if unsigned := [name for name in MUST_BE_SIGNED if name not in signature.signed]:
        return in_own_words(phrase("its signature does not cover {headers}"), headers=titled(unsigned))
    if not any(_ID.fullmatch(known) for known in mail.values("message-id")):
        return in_own_words(phrase("it has no Message-ID"))
    if doubled := [name for name in ONCE if len(mail.values(name)) > 1]:
        return in_own_words(phrase("it has more than one {name}"), name=doubled[0].title())
    return untimely(signature.tags, at)


def titled(headers: Iterable[str]) -> list[str]:
    """Return the names of headers as they are usually written."""
    return [name.title() for name in headers]


def untimely(tags: Tags, at: datetime) -> Reason | None:
    """Return why a signature with these tags is no longer or not yet valid; None if it is."""
    try:
        signed_at, expires_at = (_time(tags.get(name)) for name in (b"t", b"x"))
    except (ValueError, OverflowError, OSError):
        return in_own_words(phrase("the time of its signature cannot be read"))
    if expires_at is not None and at >= expires_at:
        return in_own_words(phrase("its signature has expired"))
    if signed_at is not None and abs(at - signed_at) > FRESH:
        return in_own_words(phrase("it was not signed within the last two days"))
    return None


def _time(tag: bytes | None) -> datetime | None:
    return None if tag is None else datetime.fromtimestamp(int(tag), UTC)


def verifies(mail: SignedMail, signature: Signature, key: bytes) -> bool:
    """Return whether the signature is valid by this key record; False for a key that is revoked or in test mode."""
    names = [name.encode("ascii", "replace") for name in signature.signed]
    return checks(mail.raw, signature.tags, names, signature.header, key)


def checks(
    raw: bytes, tags: Tags, names: list[bytes], header: Header, key: bytes, *, among: Sequence[Header] | None = None
) -> bool:
    """Return whether a signature over the headers of these names, and over the text if it covers it, is valid.

    `header` holds the signature; `among` are the headers that are signed in place of the mail's own.
    """
    try:
        if b"y" in parse_tag_value(key).get(b"t", b"").split(b":"):
            return False
        head, body = head_and_body(raw)
        checker = dkim.DKIM(head)
        if among is not None:
            checker.headers = list(among)
        checker.body = canonical(body, relaxed=tags.get(b"c", b"").endswith(b"/relaxed"))
        if checker.body:
            tags = {**tags, b"c": tags.get(b"c", b"simple").partition(b"/")[0] + b"/simple"}
        return bool(checker.verify_sig(tags, list(names), header, _dns(key)))
    except Exception:  # noqa: BLE001 - the boundary to a hostile format: what cannot be checked does not verify
        return False


def canonical(body: bytes, *, relaxed: bool) -> bytes:
    """Return the canonical body (RFC 6376, 3.4); what remains to do is the simple form's part.

    dkimpy splits the body for this, which for tens of megabytes of short lines or words takes too much memory, and
    minutes.
    """
    body = body.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    if relaxed:
        body = body.replace(b"\t", b" ")
        while b"  " in body:
            body = body.replace(b"  ", b" ")
        body = body.replace(b" \r\n", b"\r\n")
    text = body.rstrip(b"\r\n")
    if body[len(text) :].replace(b"\r\n", b""):
        return body
    return text + b"\r\n" if text or not relaxed else b""


def _dns(key: bytes) -> Callable[..., bytes]:
    def answer(_name: bytes, timeout: float = 0) -> bytes:  # noqa: ARG001 - dkimpy's signature
        return key

    return answer
