"""Decides which mails get no automatic answer: those from machines, lists and unread addresses, and the butler's own.

RFC 3834 names the marks that an honest responder sets. Many set others, or none, so names of senders, marks of common
programs and the form of the mail count too. Answers to mails that pass here are still limited in number
(`AnswerRepository`).
"""

import re
from collections.abc import Callable, Mapping

from butler.contract.reasons import Reason, in_own_words
from butler.contract.speech import phrase
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
"""Parts of mailbox names that nobody reads, without punctuation and digits."""
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
"""Marks that a person's mail may have, too."""
_BULK = frozenset({"bulk", "junk", "list", "auto_reply", "auto-reply"})
_REPORTS = ("multipart/report", "message/delivery-status", "message/disposition-notification", "message/feedback")
_KINDS = {
    "bounce": phrase("says what became of another mail"),
    "report": phrase("is a report"),
    "automatic": phrase("was sent by a machine"),
}
_SAID_BY_CALENDARS = frozenset({"REPLY", "COUNTER", "DECLINECOUNTER", "REFRESH"})
_MANY = {"list": phrase("came over a mailing list"), "newsletter": phrase("is a newsletter")}
UNREAD = in_own_words(phrase("could not be read as a whole"))
"""Why the sender of an unreadable mail gets no answer."""
Rule = Callable[[ParsedMail], Reason | None]
"""Returns what is wrong with a mail; None if nothing is."""

_OWN_ID = re.compile(r"<(?:\d{12,19}|[0-9a-f]{40})@([^\s<>@]+)>")


def why_never_answered(mail: ParsedMail, own: str) -> Reason | None:
    """Return why the mail's sender must not get an automatic answer, as the rest of a sentence about the mail.

    None if they may; the answer goes to the sender alone, whatever the Reply-To. `own` is the butler's address.
    """
    return why_of_no_person(mail, own) or _first(_UNWANTED, mail)


def why_of_no_person(mail: ParsedMail, own: str) -> Reason | None:
    """Return why the mail was not written and sent by a person themselves; None if it may have been."""
    return _of_nobody(mail) or _of_its_own(mail, own) or _first(_OF_MACHINES, mail)


def _first(rules: tuple[Rule, ...], mail: ParsedMail) -> Reason | None:
    return next((why for rule in rules if (why := rule(mail))), None)


def _of_kind(texts: Mapping[str, str], mail: ParsedMail) -> Reason | None:
    return in_own_words(texts[mail.kind]) if mail.kind in texts else None


def _of_nobody(mail: ParsedMail) -> Reason | None:
    if mail.sender is None:
        return in_own_words(phrase("has no sender that can be read"))
    return in_own_words(phrase("has more than one sender")) if mail.several_senders else None


def _of_its_own(mail: ParsedMail, own: str) -> Reason | None:
    addresses = [*([mail.sender] if mail.sender else []), *mail.reply_to]
    if any(_without_detail(one.address) == _without_detail(own) for one in addresses):
        return in_own_words(phrase("comes from the butler's own address"))
    if mail.butler_mark:
        return in_own_words(phrase("was sent by a butler"))
    match = _OWN_ID.fullmatch(mail.message_id)
    if match and match[1].lower() == own.rpartition("@")[2].lower():
        return in_own_words(phrase("is one of the butler's own that came back"))
    return None


def _without_detail(address: str) -> str:
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def _is_automatic(mail: ParsedMail) -> Reason | None:
    said = re.split(r"[;(\s]", mail.auto_submitted.strip().lower(), maxsplit=1)[0]
    return in_own_words(phrase("says that a machine sent it")) if said not in {"", "no"} else None


def _is_bulk(mail: ParsedMail) -> Reason | None:
    if mail.list_id:
        return in_own_words(phrase("came over a mailing list"))
    if re.split(r"[;(\s]", mail.precedence.strip().lower(), maxsplit=1)[0] in _BULK:
        return in_own_words(phrase("says that it was sent to many"))
    return (
        in_own_words(phrase("offers to be unsubscribed from, as what is sent to many does"))
        if mail.list_unsubscribe
        else None
    )


def _is_report(mail: ParsedMail) -> Reason | None:
    return in_own_words(phrase("is a report")) if mail.reports or mail.media_type.startswith(_REPORTS) else None


def _is_marked(mail: ParsedMail) -> Reason | None:
    for name, value in map(_named, mail.marks):
        counts = name not in _NO_PROOF
        if name in {"x-precedence", "x-auto-submitted"}:
            counts = value not in {"", "no", "normal", "first-class"}
        if counts:
            return in_own_words(phrase("bears the mark of a machine, {name}"), name=name.title())
    return None


def _is_of_a_kind(mail: ParsedMail) -> Reason | None:
    return _of_kind(_KINDS, mail)


def _wants_none(mail: ParsedMail) -> Reason | None:
    if mail.return_path == "":
        return in_own_words(phrase("wants no answer: it has no return path"))
    suppressed = (value for name, value in map(_named, mail.marks) if name == "x-auto-response-suppress")
    return (
        in_own_words(phrase("asks for no automatic answer"))
        if any(value not in {"", "none"} for value in suppressed)
        else None
    )


def _is_answer_to_an_invitation(mail: ParsedMail) -> Reason | None:
    is_one = mail.forwarded is None and mail.event is not None and mail.event.method.upper() in _SAID_BY_CALENDARS
    return in_own_words(phrase("was written by a calendar")) if is_one else None


def _is_sent_to_many(mail: ParsedMail) -> Reason | None:
    return _of_kind(_MANY, mail)


def _is_read_by_nobody(mail: ParsedMail) -> Reason | None:
    addresses = [*([mail.sender] if mail.sender else []), *mail.reply_to]
    unread = next((one.address for one in addresses if _is_machine(one.address)), "")
    if not unread and mail.return_path and _is_machine(mail.return_path):
        unread = mail.return_path
    return in_own_words(phrase("comes from {address}, where no person reads"), address=unread) if unread else None


def _is_machine(address: str) -> bool:
    local = address.rpartition("@")[0].lower()
    letters = re.sub(r"[\W\d_]", "", local)
    return letters in _MACHINES or any(name in letters for name in _NEVER_READ) or _LISTS.fullmatch(local) is not None


def _goes_round(mail: ParsedMail) -> Reason | None:
    if mail.hops <= MOST_HOPS:
        return None
    return in_own_words(phrase("passed {count} servers, as mail does that goes round"), count=str(mail.hops))


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
