"""Parses one raw mail into plain fields; unreadable parts are named in it, never raised.

It runs as a program of its own in a bounded child process (see `reader.py`), so that a mail that makes it slow, large
or crash costs that process only; therefore it and the files beside it import nothing else of ours but `butler.mime`,
`butler.html`, and small modules of the contract.
"""

import struct
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO, TypeVar

from butler.mime.regular import Headers, IrregularError, Part, quickly, without_lead
from butler.mime.tolerant import headers_only, patiently
from modules.email.parsing.closing import is_closing
from modules.email.parsing.command import MailBody, MailContext, command_of, doubtful
from modules.email.parsing.forwards import bare_subject
from modules.email.parsing.headers import read_headers, text_of
from modules.email.parsing.kind import kind_of, topics_of
from modules.email.parsing.parsed import Filled, ParsedMail, Report, to_json
from modules.email.parsing.parts import PROBLEMS, Reading, read_parts
from modules.email.parsing.relations import answers, passes_on, tells_of_a_call
from modules.email.parsing.report import reports_of_text
from modules.email.parsing.words import Split, split

_T = TypeVar("_T")
_RETURNING = frozenset({"bounce", "report"})
_BY_PROGRAMS = frozenset({"bounce", "report", "automatic", "newsletter"})
_ANSWERS_OF_CALENDARS = frozenset({"REPLY", "COUNTER", "DECLINECOUNTER", "REFRESH", "CANCEL"})
_Read = tuple[ParsedMail, tuple[bytes, ...]]


def parse_mail(raw: bytes, *, understand: bool = True) -> _Read:
    """Return a mail's fields, and the bytes of its attachments in the same order.

    Without `understand`, quotes, topics and link targets are not examined. Raise only `MemoryError`.
    """
    raw = without_lead(raw)
    try:
        return _parsed(*quickly(raw), understand=understand)
    except IrregularError:
        pass
    why = ""
    for read in (patiently, headers_only):
        try:
            mail, files = _parsed(*read(raw), understand=understand)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - the boundary to a hostile format; the kind is recorded
            why = why or type(error).__name__
        else:
            return _with_problem(mail, PROBLEMS["headers_only"], why) if why else mail, files
    return _with_problem(ParsedMail(), PROBLEMS["mail"], why), ()


def _with_problem(mail: ParsedMail, text: str, kind: str) -> ParsedMail:
    filled = Filled.of(text, {"kind": kind})
    return replace(mail, problems=(*mail.problems, filled.told), filled=(*mail.filled, filled))


def _parsed(headers: Headers, part: Part, *, understand: bool) -> _Read:
    reading = Reading(understand)
    fields = read_headers(headers, reading.problem, reading.problem_of_form, part.charset)
    text = _guarded(reading, PROBLEMS["body"], lambda: read_parts(part, reading)) or ""
    apart, command = Split(text), ""
    if understand:
        unread = PROBLEMS["quotes"]
        apart = _guarded(reading, unread, lambda: split(fields["subject"], text)) or Split("", quotes=True)
        holds_another = apart.quotes or apart.forwarded is not None or reading.forwarded is not None
        setting = MailContext(
            fields["subject"],
            answers(headers) or holds_another,
            passes_on(headers),
            is_apart=_is_apart(fields["subject"], reading),
        )
        spoken = reading.spoken or MailBody()
        command = _guarded(reading, unread, lambda: command_of(spoken, setting)) or ""
    report_type = part.parameters.get("report-type", "").lower()
    if report_type or (reading.event is not None and reading.event.method.upper() in _ANSWERS_OF_CALENDARS):
        command = ""  # A program wrote the mail, and somebody else set its subject.
    if part.attached or tells_of_a_call(headers, fields["subject"]):
        command = ""  # A shared file, or what somebody else sent to a phone.
    beside = doubtful(apart.standing, command)
    sender = fields["sender"]
    names = f"{sender.name} {sender.address.partition('@')[0]}" if sender is not None else ""
    mail = ParsedMail(
        **fields,
        media_type=f"{part.kind}; report-type={report_type}" if report_type else part.kind,
        text=text,
        words=apart.words,
        command=command,
        doubtful="" if command and is_closing(beside, names) else beside,
        quotes=apart.quotes,
        forwarded=apart.forwarded or (reading.forwarded if part.kind != "multipart/report" else None),
        links=tuple(reading.links),
        event=reading.event,
        reports=reading.reports or _reports_in_words(headers, text, understand=understand),
        protection=reading.protection,
        attachments=tuple([file for file, _ in reading.files]),
        problems=tuple(reading.problems),
        filled=tuple(reading.filled),
        of_form=tuple(reading.of_form),
    )
    if understand:
        plain = mail
        mail = _guarded(reading, PROBLEMS["topic"], lambda: _understood(plain))
        mail = mail or replace(plain, problems=tuple(reading.problems), filled=tuple(reading.filled))
    return mail, tuple([data for _, data in reading.files])


def _is_apart(subject: str, reading: Reading) -> bool:
    """Return whether the passed-on mail is surely the attached one, not one put into the text."""
    within = reading.forwarded
    return within is not None and bool(within.subject) and bare_subject(subject) == bare_subject(within.subject)


def _understood(mail: ParsedMail) -> ParsedMail:
    """Return the mail with its kind and topics."""
    kind = kind_of(mail)
    returned = kind in _RETURNING and mail.forwarded is not None and mail.forwarded.attached
    # A mail returned by a server was forwarded by nobody.
    mail = replace(mail, kind=kind, forwarded=None if returned else mail.forwarded)
    if kind in _BY_PROGRAMS:
        mail = replace(mail, command="", doubtful=mail.words)  # A program wrote these words.
    topics, invoice = topics_of(mail)
    return replace(mail, topics=topics, invoice=invoice) if topics or invoice else mail


def _guarded(reading: Reading, failed: str, read: Callable[[], _T]) -> _T | None:
    try:
        return read()
    except (IrregularError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - the same boundary: what was read so far is kept
        reading.problem(failed, kind=type(error).__name__)
        return None


def _reports_in_words(headers: Headers, text: str, *, understand: bool) -> tuple[Report, ...]:
    failed = text_of(headers, "x-failed-recipients")
    return reports_of_text(text, failed) if failed and understand else ()


# The child process. In: the number of mails, whether to understand them and return their files, then each mail's
# length and bytes.
# Out: the length of a JSON list, the list with an item for each mail, and their files.

REQUEST = struct.Struct(">I?")
LENGTH = struct.Struct(">I")
READY = b"\n"


def serve(source: BinaryIO, target: BinaryIO) -> None:
    """Parse mails from `source` until it ends."""
    while len(request := source.read(REQUEST.size)) == REQUEST.size:
        count, with_files = REQUEST.unpack(request)
        mails: list[ParsedMail] = []
        kept: list[bytes] = []
        for _ in range(count):
            (size,) = LENGTH.unpack(source.read(LENGTH.size))
            mail, files = parse_mail(source.read(size), understand=with_files)
            mails.append(mail)
            kept += files if with_files else ()
        answer = to_json(mails)
        target.write(LENGTH.pack(len(answer)))
        target.write(answer)
        target.writelines(kept)
        target.flush()


MOST_MEMORY = 400 * 1024 * 1024  # bytes


def bound() -> None:
    """Limit memory to what a large mail needs, and disable core dumps."""
    import resource  # noqa: PLC0415 - of the child only

    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Run the child process; its first output says that it is ready."""
    bound()
    sys.stdout.buffer.write(READY)
    sys.stdout.buffer.flush()
    serve(sys.stdin.buffer, sys.stdout.buffer)
