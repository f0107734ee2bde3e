"""What is done to one mail or to many: archived, thrown away, marked, starred, labelled, moved."""

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.many_acts import DESCRIBED
from butler.orchestrator.embedded.many_wanted import Wanted
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.mail import UNREAD, words_about
from butler.orchestrator.understanding.refs import pointed, several, shows
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.who import known, without_article
from butler.understanding.times.lengths import shifted

MAIL = frozenset({ReferentKind.MAIL})
PROMOTIONS = re.compile(
    r"newsletter|promo|\bads?\b|adverts?|advertis|marketing|offers?|werb|reklame|angebote|publicit|\bpubs?\b|infolettre|"
    r"bolet[ií]n|publicidad|ofertas|anuncios",
    re.IGNORECASE,
)
TABS = (
    ("social", re.compile(r"social|sozial|sociaux|redes", re.IGNORECASE)),
    ("forums", re.compile(r"forum|foro", re.IGNORECASE)),
    ("updates", re.compile(r"updates?|benachrichtigung|notification|notificaci|aktualisierung", re.IGNORECASE)),
)
READ = re.compile(r"\b(?:read|gelesen\w*|schon gelesen|lus?|lues?|le[ií]d[oa]s?)\b", re.IGNORECASE)
NOT_READ = re.compile(r"\b(?:not|nicht|un|non|pas|no|sin)\b|ungelesen|unread", re.IGNORECASE)
ATTACHMENT = re.compile(r"attach|anh[aä]ng|pi[eè]ces? jointe|adjunt", re.IGNORECASE)
SPAM = re.compile(r"spam|junk|ind[ée]sirable|pourriel|basura|no deseado", re.IGNORECASE)
INBOX = re.compile(r"inbox|posteingang|bo[iî]te (?:de )?r[ée]ception|bandeja", re.IGNORECASE)
PLAIN = ("trash", "mark_read", "mark_unread", "star", "unstar", "spam", "unspam")
"""What is done to mails without any further word."""
WHICH = phrase("Which mails do you mean? Say whose, about what, or how old, like “archive all mails from Anna”.")


def act(action: str, said: Said, **named: str) -> PlannerOutput:
    """One step that does it to what was shown or described."""
    tool = f"user_email_{action}"
    said.need(tool)
    narrowed = filtered(said)
    every = pointed(" ".join(said.request.words("ref")), said.language).every
    if said.has("ref") and (narrowed == Wanted() or (not every and shows(said, ReferentKind.MAIL))):
        mails = [{"handle": one.handle} for one in several(said, MAIL)]
        return _planned(tool, action, mails=mails, **named)
    if narrowed == Wanted():
        found = said.scene.request.replied_to
        if not found:
            raise Asking(say(WHICH))
        return _planned(tool, action, mails=[{"handle": one.handle} for one in several(said, MAIL)], **named)
    return _planned(tool, action, **narrowed.args(), **named)


def _planned(tool: str, action: str, **args: Any) -> PlannerOutput:
    return calls.plan(calls.call(tool, say(DESCRIBED[action]), **args))


def filtered(said: Said) -> Wanted:
    """What is said of the mails; nothing at all where nothing was said."""
    states = " ".join(said.request.words("filter"))
    category = "promotions" if PROMOTIONS.search(states) else next((n for n, p in TABS if p.search(states)), "")
    topic = words_about(said, "topic", "subject", "query")
    if not category and PROMOTIONS.fullmatch(topic.rstrip("s")):
        category, topic = "promotions", ""
    unread = None
    if UNREAD.search(states) and not (READ.search(states) and not NOT_READ.search(states)):
        unread = True
    elif READ.search(states):
        unread = bool(NOT_READ.search(states))
    since, before = _span(said)
    return Wanted(
        senders=tuple(_sender(words, said) for words in said.request.words("from")),
        words=topic,
        category=category,
        label="SPAM" if SPAM.search(states + " " + said.words("folder")) else "",
        since=since,
        before=before,
        unread=unread,
        attachment=True if ATTACHMENT.search(states) else None,
        inbox=bool(INBOX.search(said.words("folder"))),
        account=said.words("account"),
    )


def _sender(words: str, said: Said) -> str:
    person = known(words, said.scene)
    if person is None:
        return re.sub(r"['’]s$", "", without_article(words))
    found = person.address or next((a for c in person.contacts if (a := c.address("mail"))), "")
    return found.removeprefix("mail:") or person.said


def _span(said: Said) -> tuple[date | None, date | None]:
    today = said.scene.now().date()
    if said.has("age"):
        age = said.length("age")
        if age is not None:
            return None, shifted(today, -age.months) - timedelta(age.days)
    slot = "time" if said.has("time") else "time_of"
    if not said.has(slot):
        return None, None
    since, before = said.days(slot)
    return (since, None) if before is not None and before > today else (since, before)


def archive(said: Said) -> PlannerOutput:
    """`archive [everything](ref) from [parcelhop](from)`."""
    return act("archive", said)


def move(said: Said) -> PlannerOutput:
    """`move [these](ref) to [Receipts](folder)`."""
    folder = bare(said.words("folder") or said.words("label") or said.words("list"))
    if not folder:
        raise said.missing("folder")
    without = replace(
        said, request=replace(said.request, slots=tuple(s for s in said.request.slots if s.slot != "folder"))
    )
    return act("move", without, to=folder)


def label(said: Said) -> PlannerOutput:
    """`label [it](ref) as [Taxes](label)`."""
    return act("label", said, name=_label(said))


def unlabel(said: Said) -> PlannerOutput:
    """`take [Taxes](label) off [it](ref)`."""
    return act("unlabel", said, name=_label(said))


def _label(said: Said) -> str:
    found = bare(said.words("label") or said.words("folder") or said.words("value"))
    if not found:
        raise said.missing("label")
    return found


def restore(said: Said) -> PlannerOutput:
    """`put [it](ref) back in the inbox`: out of the trash where that is named, else out of the archive."""
    binned = re.search(
        r"trash|bin\b|papierkorb|corbeille|papelera|basura|delet|gelösch|geloesch|supprim|borr|elimin",
        said.request.text,
        re.IGNORECASE,
    )
    return act("untrash" if binned else "unarchive", said)


def _plain(action: str) -> Builder:
    return lambda said: act(action, said)


BUILDERS: dict[str, Builder] = {
    "mail.archive": archive, "mail.move": move, "mail.label": label, "mail.unlabel": unlabel, "mail.restore": restore,
    **{f"mail.{name}": _plain(name) for name in PLAIN},
}  # fmt: skip
