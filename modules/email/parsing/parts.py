"""Reads the parts of a mail: the text that a person would read, the files, and the rest."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from io import IncrementalNewlineDecoder

from butler.contract.file_signs import is_calendar, is_mail
from butler.contract.tables import table
from butler.mime.regular import Defect, Headers, Part
from butler.mime.text import clean, decode_bytes
from butler.mime.tolerant import patiently
from modules.email.parsing.command import MailBody
from modules.email.parsing.flowed import unflowed
from modules.email.parsing.headers import addresses, offers_one_click, read_date, text_header
from modules.email.parsing.names import harmless_name
from modules.email.parsing.parsed import AttachedFile, Event, Filled, Forwarded, Link, Report
from modules.email.parsing.report import reports_of, returned_id, returned_mark

LONGEST_TEXT = 400_000  # characters
MOST_PARTS = 300
DEEPEST_PART = 30
DEEPEST_MAIL = 5
_LARGEST_MAIL_READ = 20 * 1024 * 1024
"""The most bytes of an attached mail that is parsed."""

_STUB = re.compile(
    r"(view|read|open|see).{0,40}(html|browser|online|web)|does(n't| not) support html|html (e-?)?mail",
    re.IGNORECASE,
)
_LONGEST_STUB = 300
_LONGEST_TITLE = 100
_WORD = re.compile(r"\w{3,}")
_WORDS_COMPARED = 3_000
_FEWEST_WORDS, _SHARED = 3, 0.3
"""Two forms of a text differ if they share less than this part of the words of the shorter one."""
_URL = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
_MOST_LINKS = 300
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{2,40})", re.IGNORECASE)
_SHOWN_TEXTS = frozenset({"text/plain", "text/enriched", "text/richtext", "text/markdown", "text/x-markdown"})
_NO_FILES = frozenset({"text/x-amp-html"})
"""A third form of the text, which programs that support it show instead."""
_CALENDARS = frozenset({"text/calendar", "application/ics"})
_UNTOLD = frozenset(
    {
        *("application/octet-stream", "application/x-octet-stream", "binary/octet-stream", "application/binary"),
        *("application/force-download", "application/x-download", "application/unknown", "application/x-unknown"),
        *("text/plain", "application/eml", "application/x-eml"),
    }
)
"""Types that programs declare for a file of unknown type."""
_STATUSES = frozenset({"message/delivery-status", "message/global-delivery-status"})
_CRYPTED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_NAMES = {
    "message/delivery-status": "delivery-status.txt",
    "message/disposition-notification": "disposition-notification.txt",
    "message/feedback-report": "feedback-report.txt",
    "text/rfc822-headers": "returned-headers.txt",
    "text/calendar": "invite.ics",
}
_PGP_BEGINS = "-----BEGIN PGP "
_PGP_SIGNED = re.compile(
    r"-----BEGIN PGP SIGNED MESSAGE-----\n(?:[\w-]+:[^\n]*\n)*\n(.*?)\n?-----BEGIN PGP SIGNATURE-----.*?"
    r"(?:-----END PGP SIGNATURE-----\n?|\Z)",
    re.DOTALL,
)
_TWO_TEXTS = "its plain and its rich form say different things; the plain one is shown"
_TOO_DEEP = "its rich form is nested too deeply to be read"
PROBLEMS: Mapping[str, str] = table("modules.email.parsing", "texts")["problems"]
"""The phrases of problems with values."""
_OPAQUE = "the mail is signed in a form that holds its text within (S/MIME), which is not opened here"


@dataclass(slots=True)
class Reading:
    """The results collected while reading."""

    understand: bool = True
    """Whether to examine more than a mail's text and files."""
    within: str = ""
    """The name of the attached mail being read."""
    mails: int = 0
    """The number of mails that this part is nested in."""
    problems: list[str] = field(default_factory=list[str])
    filled: list[Filled] = field(default_factory=list[Filled])
    """The problems that have values."""
    of_form: list[str] = field(default_factory=list[str])
    """The problems that lose no content, or that are visible in the shown text."""
    files: list[tuple[AttachedFile, bytes]] = field(default_factory=list[tuple[AttachedFile, bytes]])
    links: list[Link] = field(default_factory=list[Link])
    parts: int = 0
    event: Event | None = None
    forwarded: Forwarded | None = None
    reports: tuple[Report, ...] = ()
    status: bytes = b""
    returned: str = ""
    """The Message-ID of the returned mail, and then Butler's mark in it."""
    mark: str = ""
    protection: str = ""
    packed_text: str = ""
    """The text in winmail.dat, if the mail has no other."""
    spoken: MailBody | None = None
    """The first text of the mail, with its other form."""
    is_spoken: bool = False
    """Whether that text has been read completely."""

    def say(self, spoken: MailBody) -> None:
        """Note the first text, or its other form; further texts never command."""
        if self.is_spoken or not self.understand:
            return
        known = self.spoken or MailBody()
        html = known.html if known.html is not None else spoken.html
        self.spoken = replace(known if known.plain is not None else spoken, html=html)

    def problem(self, text: str, **values: str) -> None:
        """Note a problem; with `values`, `text` is a phrase that has their names in braces."""
        self._noted(text, values)

    def problem_of_form(self, text: str, **values: str) -> None:
        """Note a problem that loses no content."""
        if (told := self._noted(text, values)) not in self.of_form:
            self.of_form.append(told)

    def _noted(self, text: str, values: dict[str, str]) -> str:
        filled = Filled.of(text, values) if values else None
        told = filled.told if filled is not None else str(text)
        if told not in self.problems:
            self.problems.append(told)
            self.filled += [filled] if filled is not None else []
        return told


def read_parts(part: Part, reading: Reading) -> str:
    """Return the text that a person would read; everything else goes to `reading`."""
    text = _readable(part, reading, 0).strip() or reading.packed_text.strip()
    if len(text) > LONGEST_TEXT:
        text = text[:LONGEST_TEXT]
        reading.problem("the text was cut because it is very long")
    text = clean(text, keep="\n\t")
    if _PGP_BEGINS in text:
        text = _without_armour(text, reading)
    if reading.understand:
        _add_links(text, reading)
        if reading.status or (part.kind == "multipart/report" and Defect.NO_PARTS in reading.problems):
            returned, mark = reading.returned or returned_id(text), reading.mark or returned_mark(text)
            reading.reports = reports_of(reading.status or text.encode("utf-8", "replace"), returned, mark)
    return text


def _readable(part: Part, reading: Reading, depth: int) -> str:
    reading.parts += 1
    for defect in sorted(part.defects):
        reading.problem(defect)
    if depth > DEEPEST_PART or reading.parts > MOST_PARTS:
        reading.problem("there are too many parts; the rest was left out")
        return ""
    if part.kind.startswith("multipart/"):
        return _of_multipart(part, reading, depth)
    if (part.kind in _SHOWN_TEXTS or part.kind == "text/html") and not _is_file(part, depth):
        return _of_text(part, reading)
    if part.inner is not None:
        _keep_mail(part, part.inner, reading)
    elif part.kind in _CRYPTED:
        _keep_crypted(part, reading)
    elif part.kind == "application/ms-tnef" or part.file_name.lower() == "winmail.dat":
        _unpack(part, reading)
    elif part.kind in _UNTOLD:
        _keep_untold(part, reading)
    elif part.kind not in _NO_FILES:
        _keep_file(part, reading)
    return ""


def _of_multipart(part: Part, reading: Reading, depth: int) -> str:
    if part.children is None:
        reading.problem(Defect.NO_PARTS)
        # A text whose forms cannot be compared commands nothing.
        return _plain_text(part, reading)
    if part.kind == "multipart/signed":
        reading.protection = reading.protection or "signed"
    if part.kind == "multipart/encrypted":
        reading.protection = "encrypted"
        reading.problem(
            PROBLEMS["encrypted"], how="PGP" if "pgp" in part.parameters.get("protocol", "pgp") else "S/MIME"
        )
    if part.kind == "multipart/alternative":
        return _of_alternatives(part.children(), reading, depth)
    texts: list[str] = []
    for child in part.children():
        texts.append(_readable(child, reading, depth + 1))
        reading.is_spoken = reading.is_spoken or reading.spoken is not None
    return "\n\n".join(text.strip() for text in texts if text.strip())


def _of_alternatives(children: Iterable[Part], reading: Reading, depth: int) -> str:
    plain = rich = ""
    for child in children:
        if child.kind == "text/html" and _says_enough(plain) and not _is_file(child, depth + 1):
            reading.parts += 1
            if reading.understand and len(plain) < LONGEST_TEXT:
                _compare(plain, child, reading)
            continue
        text = _readable(child, reading, depth + 1).strip()
        if child.kind in _SHOWN_TEXTS:
            plain = plain or text
        else:
            rich = rich or text
    if plain and rich and _says_nothing(plain, rich):
        return rich
    if plain and rich and _differ(plain, rich):
        reading.problem(_TWO_TEXTS)
    return plain or rich


def _compare(plain: str, part: Part, reading: Reading) -> None:
    """Examine the HTML form of a text whose plain form is read."""
    from modules.email.parsing.html import TooDeepError, glance_at, seen_of  # noqa: PLC0415 - see _of_html

    html = _plain_text(part, reading)
    reading.say(MailBody(html=html))
    try:
        glance = glance_at(html)
        if _differ(plain, glance.text) and _differ(plain, seen_of(html).text):
            reading.problem(_TWO_TEXTS)
        reading.links += glance.links
    except TooDeepError:
        reading.problem(_TOO_DEEP)


def _says_enough(plain: str) -> bool:
    """Return whether the HTML form need not be examined."""
    return bool(plain) and (len(plain) > _LONGEST_STUB or _STUB.search(plain) is None)


def _says_nothing(plain: str, rich: str) -> bool:
    return not _says_enough(plain) and len(rich) > len(plain)


def _differ(plain: str, rich: str) -> bool:
    if len(plain) < LONGEST_TEXT > len(rich) and plain.split() == rich.split():
        return False
    one, other = (set(_WORD.findall(text[:LONGEST_TEXT].lower())[:_WORDS_COMPARED]) for text in (plain, rich))
    fewer = min(len(one), len(other))
    return fewer >= _FEWEST_WORDS and len(one & other) < fewer * _SHARED


def _is_file(part: Part, depth: int) -> bool:
    # A mail that is only one text has no other body, even if the text has a file name.
    return depth > 0 and (part.attached or bool(part.file_name))


def _of_text(part: Part, reading: Reading) -> str:
    text = _plain_text(part, reading)
    if part.kind == "text/html":
        return _of_html(text, reading)
    if part.kind in {"text/enriched", "text/richtext"}:
        text = re.sub(r"<[^<>]{0,100}>", "", text)
    flowed = part.parameters.get("format", "").lower() == "flowed"
    delete_space = part.parameters.get("delsp", "").lower() == "yes"
    reading.say(MailBody(plain=text, flowed=flowed, delete_space=delete_space))
    return unflowed(text, delete_space=delete_space) if flowed else text


def _of_html(html: str, reading: Reading) -> str:
    from modules.email.parsing.html import TooDeepError, seen_of  # noqa: PLC0415 - most mails have a text part

    reading.say(MailBody(html=html))
    try:
        seen = seen_of(html)
    except TooDeepError:
        reading.problem(_TOO_DEEP)
        return ""
    if seen.hidden:
        reading.problem("it holds text that nobody sees, which was left out")
    if seen.unsure:
        reading.problem("its styles take too long to follow, so text that nobody sees may be in it")
    if reading.understand:
        reading.links += seen.links
    return seen.text


def _plain_text(part: Part, reading: Reading) -> str:
    data, charset = part.data(reading.problem), part.charset
    if part.kind == "text/html" and not charset and (named := _META_CHARSET.search(data[:2048])):
        charset = named[1].decode()
    text, as_named = decode_bytes(data, charset)
    if not as_named:
        reading.problem("the text does not hold to its charset")
    return IncrementalNewlineDecoder(None, translate=True).decode(text.removeprefix("\ufeff"), final=True)


def _without_armour(text: str, reading: Reading) -> str:
    if "-----BEGIN PGP MESSAGE-----" in text:
        reading.protection = "encrypted"
        reading.problem(PROBLEMS["encrypted"], how="PGP")
    if signed := _PGP_SIGNED.search(text):
        reading.protection = reading.protection or "signed"
        plain = re.sub(r"^- ", "", signed[1], flags=re.MULTILINE)
        return (text[: signed.start()] + plain + text[signed.end() :]).strip()
    return text


def _add_links(text: str, reading: Reading) -> None:
    if "://" in text:
        known = {link.target for link in reading.links}
        found = (url.rstrip(".,;:!?)]}'") for url in _URL.findall(text[:LONGEST_TEXT]))
        reading.links += [Link(url, url) for url in dict.fromkeys(found) if url not in known]
    del reading.links[_MOST_LINKS:]


def _keep_file(part: Part, reading: Reading) -> None:
    data = part.data(reading.problem)
    if part.kind in _STATUSES:
        reading.status += data + b"\n\n"
    elif part.kind == "text/rfc822-headers":
        returned = data.decode("latin-1")
        reading.returned = reading.returned or returned_id(returned)
        reading.mark = reading.mark or returned_mark(returned)
    elif part.kind in _CALENDARS and reading.understand and reading.event is None:
        from modules.email.parsing.calendar import event_of  # noqa: PLC0415 - few mails have a calendar part

        reading.event = event_of(data, part.parameters.get("method", ""))
        if reading.event is None:
            reading.problem("its calendar part cannot be read")
    inline = bool(part.content_id) and not part.attached and part.kind.startswith("image/")
    _keep(part, part.file_name or _NAMES.get(part.kind, ""), data, reading, inline=inline)


def _keep_untold(part: Part, reading: Reading) -> None:
    """Read a file of any declared type: a calendar and a mail are read as such."""
    data = part.data(reading.problem)

    def known(_: object) -> bytes:
        return data

    if is_calendar(data):
        _keep_file(replace(part, kind="text/calendar", data=known), reading)
    elif is_mail(data, part.file_name) and len(data) <= _LARGEST_MAIL_READ:
        headers, inner = patiently(data)
        mail = replace(part, kind="message/rfc822", data=known, headers=headers)
        _keep_mail(mail, lambda: inner, reading)
    else:
        _keep_file(part, reading)


def _keep(part: Part, name: str, data: bytes, reading: Reading, *, inline: bool = False) -> str:
    """Keep a file; return the name it was given."""
    harmless = harmless_name(name)
    if harmless != name:
        reading.problem_of_form("the name of a file was made harmless")
    harmless = harmless or f"part-{reading.parts}"
    file = AttachedFile(harmless, part.kind, len(data), part.content_id, inline, reading.within)
    reading.files.append((file, data))
    return harmless


def _keep_crypted(part: Part, reading: Reading) -> None:
    if "signed" in part.parameters.get("smime-type", ""):
        reading.protection = reading.protection or "signed"
        reading.problem(_OPAQUE)
    else:
        reading.protection = "encrypted"
        reading.problem(PROBLEMS["encrypted"], how="S/MIME")
    _keep_file(part, reading)


def _unpack(part: Part, reading: Reading) -> None:
    from modules.email.parsing.tnef import unpack  # noqa: PLC0415 - few mails have one

    data = part.data(reading.problem)
    try:
        container = unpack(data)
    except ValueError as error:
        reading.problem(PROBLEMS["winmail"], why=str(error))
        _keep(part, part.file_name or "winmail.dat", data, reading)
        return
    if not (container.files or container.text or container.html):
        reading.problem("winmail.dat holds no files and no text that can be read")
        _keep(part, part.file_name or "winmail.dat", data, reading)
    reading.packed_text = container.text or (_of_html(container.html, reading) if container.html else "")
    if container.text:
        reading.say(MailBody(plain=container.text))
    for file in container.files:
        packed = replace(part, kind=file.media_type, content_id=file.content_id)
        _keep(packed, file.name, file.data, reading)


def _keep_mail(part: Part, inner: Callable[[], Part], reading: Reading) -> None:
    """Keep an attached mail as a file, and its content; the first one is the forwarded mail."""
    headers, data = part.headers or {}, part.data(reading.problem)
    reading.returned = reading.returned or _message_id(headers)
    reading.mark = reading.mark or _mark(headers)
    titled = harmless_name(text_header(headers, "subject")[:_LONGEST_TITLE].replace("/", "_"))
    name = _keep(part, part.file_name or f"{titled or 'message'}.eml", data, reading)
    if reading.mails >= DEEPEST_MAIL or len(data) > _LARGEST_MAIL_READ:
        reading.problem("a mail within the mail was not looked into")
        return
    mail = Reading(reading.understand, name, reading.mails + 1, parts=reading.parts)
    text = read_parts(inner(), mail)
    reading.parts = mail.parts
    reading.files += mail.files
    for problem in mail.problems:
        note = reading.problem_of_form if problem in mail.of_form else reading.problem
        note(PROBLEMS["within"], problem=problem)
    if reading.understand:
        reading.forwarded = reading.forwarded or _forwarded(headers, text)
        reading.event = reading.event or mail.event


def _forwarded(headers: Headers, text: str) -> Forwarded:
    def ignore(_: str) -> None:
        """Ignore problems of an attached mail's headers: missing fields show them."""

    senders = addresses(headers, "from")
    date = text_header(headers, "date")
    return Forwarded(
        sender=senders[0] if senders else None,
        to=tuple(addresses(headers, "to")),
        subject=text_header(headers, "subject"),
        date=date,
        sent_at=read_date(date, ignore),
        text=text,
        message_id=_message_id(headers),
        attached=True,
        one_click=offers_one_click(headers),
    )


def _message_id(headers: Headers) -> str:
    return next(
        (known for value in headers.get("message-id", ()) if (known := returned_id(f"Message-ID: {value}"))), ""
    )


def _mark(headers: Headers) -> str:
    return returned_mark("\n".join(f"X-Butler-Call: {value}" for value in headers.get("x-butler-call", ())))
