"""Decides which mails never get an automatic answer: those of machines, lists and nobody, and the butler's own.

RFC 3834 names the marks that an honest responder sets. Many set others, or none, so names of senders, marks of common
programs and the form of the mail count too. Answers to mails that pass here are still limited in number
(`AnswerRepository`).
"""

import re
from collections.abc import Callable

from butler.contract.speech import phrase, say
from modules.email.parsing.parsed import ParsedMail

MOST_HOPS = 25
"""The most servers that a mail may pass; ordinary mail passes fewer than fifteen, and only loops pass more."""

_NEVER_READ = (
    *("noreply", "donotreply", "dontreply", "neverreply", "notreply", "noanswer", "unattended", "unmonitored"),
    *("nichtantworten", "keineantwort", "antwortenichtmoeglich", "nepasrepondre", "pasdereponse", "sansreponse"),
    *("noresponder", "noresponda", "sinrespuesta", "nocontestar", "naoresponda", "naoresponder", "semresposta"),
    *("nonrispondere", "nienrispondere", "senzarisposta", "nietbeantwoorden", "nietantwoorden", "geenantwoord"),
    *("svarainte", "svarejikke", "svarikke", "ikkesvar", "ingensvar", "eivastata", "alavastaa", "eivastausta"),
    *("nieodpowiadaj", "bezodpowiedzi", "neodpovidat", "neodpovidejte", "neodpovedat", "nevalaszolj"),
    *("nuraspunde", "nuraspundeti", "yanitlama", "yanitlamayin", "cevaplama", "neotvechat", "neotvechay"),
    *("nevidpovidaty", "neodgovaraj", "neodgovarjaj", "janganbalas", "tidakdibalas", "khongtraloi"),
)
"""Parts of names whose mail nobody reads, without punctuation and digits."""
_MACHINES = frozenset(
    (
        *("mailerdaemon", "maildaemon", "daemon", "postmaster", "mailmaster", "bounce", "bounces", "autoreply"),
        *("autoresponder", "autoresponse", "autoanswer", "autoconfirm", "automailer", "automated", "automatic"),
        *("listserv", "listproc", "majordomo", "mailman", "sympa", "nobody", "notification", "notifications"),
        *("notify", "notifier", "alerts", "root", "cron", "wwwdata"),
    )
)
_LISTS = re.compile(r"(?:bounces?|owner)[-+=].*|.*[-+](?:bounces?|owner|request|errors)")
_NO_PROOF = frozenset({"feedback-id", "x-report-abuse", "x-auto-response-suppress"})
"""Marks that a person's mail may have as well."""
_BULK = frozenset({"bulk", "junk", "list", "auto_reply", "auto-reply"})
_REPORTS = ("multipart/report", "message/delivery-status", "message/disposition-notification", "message/feedback")
_KINDS = {
    "bounce": phrase("says what became of another mail"),
    "report": phrase("is a report"),
    "automatic": phrase("was sent by a machine"),
}
_SAID_BY_CALENDARS = frozenset({"REPLY", "COUNTER", "DECLINECOUNTER", "REFRESH"})
_MANY = {"list": phrase("came over a mailing list"), "newsletter": phrase("is a newsletter")}
Rule = Callable[[ParsedMail], str]
"""Returns what is wrong with a mail; empty if nothing is."""

_OWN_ID = re.compile(r"<(?:\d{12,19}|[0-9a-f]{40})@([^\s<>@]+)>")


def why_never_answered(mail: ParsedMail, own: str) -> str:
    """Return why the mail's sender must not get an automatic answer, as the rest of a sentence about the mail.

    Empty if they may; the answer goes to the sender alone, whatever the Reply-To. `own` is the butler's address.
    """
    return why_of_no_person(mail, own) or _first(_UNWANTED, mail)


def why_of_no_person(mail: ParsedMail, own: str) -> str:
    """Return why the mail was not written and sent by a person themselves; empty if it may have been."""
    return _of_nobody(mail) or _of_its_own(mail, own) or _first(_OF_MACHINES, mail)


def _first(rules: tuple[Rule, ...], mail: ParsedMail) -> str:
    return next((why for rule in rules if (why := rule(mail))), "")


def _of_nobody(mail: ParsedMail) -> str:
    if mail.sender is None:
        return say("has no sender that can be read")
    return say("has more than one sender") if mail.several_senders else ""


def _of_its_own(mail: ParsedMail, own: str) -> str:
    addresses = [*([mail.sender] if mail.sender else []), *mail.reply_to]
    if any(_without_detail(one.address) == _without_detail(own) for one in addresses):
        return say("comes from the butler's own address")
    if mail.butler_mark:
        return say("was sent by a butler")
    match = _OWN_ID.fullmatch(mail.message_id)
    if match and match[1].lower() == own.rpartition("@")[2].lower():
        return say("is one of the butler's own that came back")
    return ""


def _without_detail(address: str) -> str:
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def _is_automatic(mail: ParsedMail) -> str:
    said = re.split(r"[;(\s]", mail.auto_submitted.strip().lower(), maxsplit=1)[0]
    return say("says that a machine sent it") if said not in {"", "no"} else ""


def _is_bulk(mail: ParsedMail) -> str:
    if mail.list_id:
        return say("came over a mailing list")
    if re.split(r"[;(\s]", mail.precedence.strip().lower(), maxsplit=1)[0] in _BULK:
        return say("says that it was sent to many")
    return say("offers to be unsubscribed from, as what is sent to many does") if mail.list_unsubscribe else ""


def _is_report(mail: ParsedMail) -> str:
    return say("is a report") if mail.reports or mail.media_type.startswith(_REPORTS) else ""


def _is_marked(mail: ParsedMail) -> str:
    for name, value in map(_named, mail.marks):
        counts = name not in _NO_PROOF
        if name in {"x-precedence", "x-auto-submitted"}:
            counts = value not in {"", "no", "normal", "first-class"}
        if counts:
            return say("bears the mark of a machine, {name}", name=name.title())
    return ""


def _is_of_a_kind(mail: ParsedMail) -> str:
    return say(_KINDS.get(mail.kind, ""))


def _wants_none(mail: ParsedMail) -> str:
    if mail.return_path == "":
        return say("wants no answer: it has no return path")
    suppressed = (value for name, value in map(_named, mail.marks) if name == "x-auto-response-suppress")
    return say("asks for no automatic answer") if any(value not in {"", "none"} for value in suppressed) else ""


def _is_answer_to_an_invitation(mail: ParsedMail) -> str:
    is_one = mail.forwarded is None and mail.event is not None and mail.event.method.upper() in _SAID_BY_CALENDARS
    return say("was written by a calendar") if is_one else ""


def _is_sent_to_many(mail: ParsedMail) -> str:
    return say(_MANY.get(mail.kind, ""))


def _is_read_by_nobody(mail: ParsedMail) -> str:
    addresses = [*([mail.sender] if mail.sender else []), *mail.reply_to]
    unread = next((one.address for one in addresses if _is_machine(one.address)), "")
    if not unread and mail.return_path and _is_machine(mail.return_path):
        unread = mail.return_path
    return say("comes from {address}, where no person reads", address=unread) if unread else ""


def _is_machine(address: str) -> bool:
    local = address.rpartition("@")[0].lower()
    letters = re.sub(r"[\W\d_]", "", local)
    return letters in _MACHINES or any(name in letters for name in _NEVER_READ) or _LISTS.fullmatch(local) is not None


def _goes_round(mail: ParsedMail) -> str:
    return say("passed {count} servers, as mail does that goes round", count=mail.hops) if mail.hops > MOST_HOPS else ""


def _named(mark: str) -> tuple[str, str]:
    name, _, value = mark.partition(":")
    return name.strip().lower(), value.strip().lower()


_OF_MACHINES: tuple[Rule, ...] = (_is_automatic, _is_bulk, _is_report, _is_marked, _is_of_a_kind)
_UNWANTED: tuple[Rule, ...] = (
    _wants_none,
    _is_answer_to_an_invitation,
    _is_sent_to_many,
    _is_read_by_nobody,
    _goes_round,
)
