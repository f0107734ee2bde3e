# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportArgumentType=false
# dkimpy has no annotations.
"""A mail's DKIM signatures, under a policy stricter than the standard's, which lets through what must not command.

dkimpy does the arithmetic. It also accepts a body of which only the beginning is signed (`l=`), a second Subject put
before the signed one, keys that are only being tested, and times by a clock of its own; here it does not.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import dkim
from dkim.util import InvalidTagValueList, parse_tag_value

from butler.contract.speech import say, say_list
from butler.mime.tolerant import head_and_body

FRESH = timedelta(days=2)
"""How old a mail and its signature may be, and how far ahead of our clock."""
MUST_BE_SIGNED = ("from", "to", "subject", "date", "message-id")
"""By its Message-ID a mail is known when somebody sends it again."""
ONCE = (*MUST_BE_SIGNED, "cc", "content-type", "content-transfer-encoding")
_ALGORITHMS = frozenset({b"rsa-sha256", b"ed25519-sha256"})
_MOST_SIGNATURES = 6
_LONGEST_SIGNATURE = 4_096  # bytes
LONGEST_HEADER = 256 * 1024
_LINE_END = re.compile(rb"\r?\n")
_HEADER_LINE = re.compile(rb"[!-9;-~]+:|[\t ]")

_ID = re.compile(r"<[!-;=?A-~]{1,240}@[!-;=?A-~]{1,250}>")

Header = tuple[bytes, bytes]
"""A name and its value as they stand, folds and line end included."""
Tags = dict[bytes, bytes]
"""What a signature says of itself, by the names of RFC 6376."""


class UnreadableError(ValueError):
    """The header is not one that every reader takes apart in the same way."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One `DKIM-Signature`: where its key stands, and what it says of itself."""

    domain: str
    selector: str
    signed: tuple[str, ...]
    tags: Tags
    header: Header

    @property
    def key_name(self) -> str:
        """Where DNS holds the key."""
        return f"{self.selector}._domainkey.{self.domain}."


@dataclass(frozen=True, slots=True)
class SignedMail:
    """A mail as it was signed."""

    raw: bytes
    headers: tuple[Header, ...]

    @classmethod
    def of(cls, raw: bytes) -> "SignedMail":
        """Raises `UnreadableError`."""
        head, _ = head_and_body(raw)
        if len(head) > LONGEST_HEADER:
            raise UnreadableError(say("its header is too long"))
        if b"\r" in head.replace(b"\r\n", b"") or b"\0" in head:
            # The parser takes a bare CR for a line's end, and the signature's reader does not.
            raise UnreadableError(say("its header holds characters that have no place there"))
        if not all(map(_HEADER_LINE.match, _LINE_END.split(head))):
            # dkimpy passes over a line such as `From now on: ...`, which others take for a header or the first words.
            raise UnreadableError(say("its header holds lines that are none of a header"))
        try:
            # The whole of a large mail would be taken apart line by line.
            pairs, _ = dkim.rfc822_parse(head)
        except (dkim.MessageFormatError, IndexError) as error:
            raise UnreadableError(say("its header cannot be read")) from error
        return cls(raw, tuple((bytes(name), bytes(value)) for name, value in pairs))

    def values(self, name: str) -> list[str]:
        """The values of a header, named in lower case, unfolded, topmost first."""
        return [_unfolded(value) for found, value in self.headers if found.lower() == name.encode()]

    def signatures(self) -> list[Signature]:
        """Those that can be read, topmost first; past the first few nobody looks."""
        found = [header for header in self.headers if header[0].lower() == b"dkim-signature"][:_MOST_SIGNATURES]
        read = [_signature(header) for header in found if len(header[1]) <= _LONGEST_SIGNATURE]
        return [signature for signature in read if signature is not None]


def _unfolded(value: bytes) -> str:
    return " ".join(value.decode("utf-8", "replace").split())


def _signature(header: Header) -> Signature | None:
    try:
        tags = parse_tag_value(header[1])
        timeless = {name: value for name, value in tags.items() if name not in {b"t", b"x"}}
        # By the real clock, which is not the one that the house goes by: the times are looked at in `fault_of`.
        dkim.validate_signature_fields(timeless)
        domain, selector = tags[b"d"].decode("ascii").lower(), tags[b"s"].decode("ascii").lower()
    except (InvalidTagValueList, dkim.ValidationError, UnicodeDecodeError, IndexError):
        return None
    signed = tuple(name.strip().decode("ascii", "replace").lower() for name in tags[b"h"].split(b":"))
    return Signature(domain, selector, signed, tags, header)


def tags_of(header: Header) -> Tags | None:
    """What a header of a signature's form says; None where it has no such form."""
    try:
        return dict(parse_tag_value(header[1]))
    except InvalidTagValueList:
        return None


def fault_of(mail: SignedMail, signature: Signature, at: datetime) -> str:
    """Why this signature would not be enough, even if it is right; empty when it would."""
    if signature.tags[b"a"] not in _ALGORITHMS:
        return say("its signature is of an outdated kind")
    if b"l" in signature.tags:
        return say("its signature leaves the end of the text open")
    if unsigned := [name for name in MUST_BE_SIGNED if name not in signature.signed]:
        return say("its signature does not cover {headers}", headers=say_list([name.title() for name in unsigned]))
    if not any(_ID.fullmatch(known) for known in mail.values("message-id")):
        return say("it has no Message-ID")
    if doubled := [name for name in ONCE if len(mail.values(name)) > 1]:
        return say("it has more than one {name}", name=doubled[0].title())
    return untimely(signature.tags, at)


def untimely(tags: Tags, at: datetime) -> str:
    """Why a signature that says this counts no longer, or not yet; empty where it does."""
    try:
        signed_at, expires_at = (_time(tags.get(name)) for name in (b"t", b"x"))
    except (ValueError, OverflowError, OSError):
        return say("the time of its signature cannot be read")
    if expires_at is not None and at >= expires_at:
        return say("its signature has expired")
    if signed_at is not None and abs(at - signed_at) > FRESH:
        return say("it was not signed within the last two days")
    return ""


def _time(tag: bytes | None) -> datetime | None:
    return None if tag is None else datetime.fromtimestamp(int(tag), UTC)


def verifies(mail: SignedMail, signature: Signature, key: bytes) -> bool:
    """Whether the signature is right by this key record; never for a revoked key or one that is only tested."""
    names = [name.encode("ascii", "replace") for name in signature.signed]
    return checks(mail.raw, signature.tags, names, signature.header, key)


def checks(
    raw: bytes, tags: Tags, names: list[bytes], header: Header, key: bytes, *, among: Sequence[Header] | None = None
) -> bool:
    """Whether a signature over the headers of these names, and over the text where it says so, is right.

    `header` is the one that holds it; `among` are the headers that are signed in place of the mail's own.
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
    """A body as it is signed (RFC 6376, 3.4); what is left to do is what the simple form takes.

    dkimpy takes a body apart for that, which for tens of megabytes of short lines or words is more memory than there
    is, and minutes.
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
