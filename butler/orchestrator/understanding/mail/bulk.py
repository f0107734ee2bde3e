"""Builds acts on one mail or many: archive, trash, mark, star, label, move."""

import re
from dataclasses import replace
from typing import Any

from butler.contract.speech import say, say_many
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.orchestrator.understanding.mail.acts import DESCRIBED
from butler.orchestrator.understanding.mail.filters import (
    ATTACHMENT,
    INBOX,
    NOT_READ,
    OWN_BOX,
    READ,
    SPAM,
    TABS,
    UNREAD,
    WITHOUT,
    about,
    days_before_now,
    larger_kb,
    names_mails,
    without,
)
from butler.orchestrator.understanding.mail.mail_words import group, patterns, whole
from butler.orchestrator.understanding.mail.meant import (
    MAIL,
    WHICH_MAILS,
    Several,
    many_mails,
    one_mail,
    way_of,
    writer,
)
from butler.orchestrator.understanding.mail.senders import PROMOTIONS, senders
from butler.orchestrator.understanding.mail.wanted import Wanted
from butler.orchestrator.understanding.requests.left_out import exception, says_only
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.things.pointing import Pointed
from butler.orchestrator.understanding.things.refs import MOST_BUTTONS, outside, recent, shown_alone, tappable
from butler.understanding.reader import Request

NEWEST = re.compile(rf"\b{group('newest')}\s+{group('newest_mail')}\b", re.IGNORECASE)
"""Words for a single mail of somebody's, not all of them."""
NEAR = 4
"""The most words between an exception's beginning and its mails."""
__all__ = ["BUILDERS", "PROMOTIONS", "READ", "filtered", "mails_said"]
PLAIN = ("trash", "mark_read", "mark_unread", "star", "unstar", "spam", "unspam")
"""Acts that need no further words."""
TO_ALL = frozenset({"archive", "mark_read", "mark_unread"})
"""Acts on all shown mails if the words name none, since they remove nothing."""
CLEANING = frozenset({"archive", "trash", "move"})
"""Acts on a whole inbox that show its top senders instead, with a button for each."""
HARD = frozenset({"trash", "spam"})
"""Acts that do harm if they apply to all mails instead of one."""
FOLDER = whole("folder")
BINNED = patterns("binned")


def act(action: str, said: Said, **named: str) -> PlannerOutput:
    """Return the plan for an act on mails that were shown, described or are searched first."""
    tool = f"user_email_{action}"
    said.need(tool)
    theirs = writer(said)
    if action in CLEANING and _is_all_a_mess(said):
        return calls.plan(calls.rank_senders())
    if theirs is None:
        try:
            mails = many_mails(said, all_of_list=action in TO_ALL, kindly=action not in HARD)
        except Asking as asking:
            raise _or_all(asking, action, said, named) from None
        if mails is not None:
            return _to(action, mails, named)
    if theirs is None and NEWEST.search(outside(said)) and said.has("from"):
        mail = one_mail(said)
        return mail.then(calls.call(tool, say(DESCRIBED[action]), mails=[mail.reference], **named))
    narrowed = filtered(said)
    if theirs is None and not narrowed.says_which():
        raise Asking(say(WHICH_MAILS))
    args = narrowed.args() | ({"senders": [theirs.address]} if theirs is not None else {})
    found = theirs.steps if theirs is not None else ()
    return calls.plan(*found, calls.call(tool, say(DESCRIBED[action]), **args, **named))


def _is_all_a_mess(said: Said) -> bool:
    """Return whether the whole inbox is to be tidied up, without a word for which mails."""
    named = names_mails(said) or said.has("ref", "count") or shown_alone(said, MAIL) is not None
    return not named and not way_of(said).every and INBOX.search(said.request.text) is not None


def _to(action: str, mails: Several, named: dict[str, str]) -> Planned:
    args: dict[str, Any] = {"mails": list(mails.references), **named}
    act = calls.call(f"user_email_{action}", say(DESCRIBED[action]), **args)
    return mails.then(act)


def _or_all(asking: Asking, action: str, said: Said, named: dict[str, str]) -> Asking:
    """Return the question which mail is meant, with a button for all shown ones if they may be meant."""
    shown, unclear = recent(said, MAIL), asking.unclear
    if len(shown) < len(unclear.choices) or not unclear.choices or way_of(said) == Pointed():
        return asking
    everything = Several(tuple({"handle": one.handle} for one in shown))
    label = say_many(len(shown), "The one", "All {count}")
    steps = _to(action, everything, named).steps
    button = choice(label, said.request.text)
    every = type(button)(button.label, button.words, steps=steps)
    return Asking(unclear.question, [every, *unclear.choices[: MOST_BUTTONS - 1]], unclear.stranger)


def leaves_out(request: Request, match: re.Match[str]) -> bool:
    """Return whether an exception only names senders, states or days: `not the unread ones`, `but keep Amazon`."""
    behind = [one for one in request.slots if one.start >= match.end()]
    if says_only(match) and any(one.slot in {"from", "with"} for one in behind):
        return False
    states = [one.text for one in behind if one.slot == "filter"]
    known = all(UNREAD.search(one) or READ.search(one) or ATTACHMENT.search(one) for one in states)
    plain = all(one.slot in {"from", "with", "filter", "time"} for one in behind)
    near = bool(behind) and len(request.text[match.end() : behind[0].start].split()) <= NEAR
    return request.intent.startswith("mail.") and near and plain and known


def filtered(said: Said) -> Wanted:
    """Return the filters of the request, narrowed by its exception."""
    match = exception(said.request)
    if match is None or not leaves_out(said.request, match):
        return mails_said(said)
    slots = said.request.slots
    behind = tuple(one for one in slots if one.start >= match.end() and one.slot in {"filter", "time"})
    kept = tuple(one for one in slots if one not in behind)
    meant = mails_said(said.with_slots(kept))
    out = mails_said(said.with_slots(behind))
    if out.since is not None and out.before is not None:
        raise Asking(say(WHICH_MAILS))
    return replace(
        meant,
        unread=meant.unread if out.unread is None else not out.unread,
        attachment=meant.attachment if out.attachment is None else not out.attachment,
        before=out.since or meant.before,
        since=out.before or meant.since,
    )


def mails_said(said: Said) -> Wanted:
    """Return the filters of the request; raise `Asking` for a time that is not understood."""
    states = " ".join(said.request.words("filter"))
    category = "promotions" if PROMOTIONS.search(states) else next((n for n, p in TABS if p.search(states)), "")
    topic = about(said)
    if not category and PROMOTIONS.fullmatch(topic.rstrip("s")):
        category, topic = "promotions", ""
    since, before = days_before_now(said)
    return Wanted(
        senders=tuple(one.address for one in senders(said)),
        keep=tuple(one.address for one in senders(said, leaving_out=True)),
        words=topic,
        category=category,
        label=_lies_in(said, states),
        since=since,
        before=before,
        unread=_unread(states),
        attachment=_attachment(said),
        larger_kb=larger_kb(said),
        inbox=bool(INBOX.search(said.words("folder"))),
        account=said.words("account"),
    )


def _lies_in(said: Said, states: str) -> str:
    """Return the mails' folder or label; empty for the inbox, or for the bin that they are restored from."""
    folder = bare(said.words("folder"))
    if SPAM.search(f"{states} {folder}"):
        return "SPAM"
    if said.request.intent == "mail.restore" or INBOX.search(folder) or OWN_BOX.search(folder):
        return ""
    return " ".join(FOLDER.sub(" ", folder).split())


def _attachment(said: Said) -> bool | None:
    """Return whether the mails have attachments; None if nothing is said about it."""
    for one in said.request.slots:
        match = ATTACHMENT.search(one.text) if one.slot == "filter" else None
        if match is not None:
            return WITHOUT.search(said.request.text[: one.start] + one.text[: match.start()]) is None
    return None


def _unread(states: str) -> bool | None:
    if UNREAD.search(states):
        return True
    return bool(NOT_READ.search(states)) if READ.search(states) else None


def archive(said: Said) -> PlannerOutput:
    """`archive [everything](ref) from [parcelhop](from)`."""
    return act("archive", said)


def move(said: Said) -> PlannerOutput:
    """`move [these](ref) to [Receipts](folder)`."""
    folder = bare(said.words("folder") or said.words("label") or said.words("list"))
    if not folder:
        raise said.missing("folder")
    return act("move", without(said, "folder"), to=folder)


def label(said: Said) -> PlannerOutput:
    """`label [it](ref) as [Taxes](label)`."""
    return act("label", without(said, "folder") if not said.has("label") else said, name=_label(said))


def unlabel(said: Said) -> PlannerOutput:
    """`take [Taxes](label) off [it](ref)`."""
    return act("unlabel", without(said, "folder") if not said.has("label") else said, name=_label(said))


def _label(said: Said) -> str:
    found = bare(said.words("label") or said.words("folder") or said.words("value"))
    if not found:
        raise said.missing("label")
    return found


def restore(said: Said) -> PlannerOutput:
    """`put [it](ref) back in the inbox`: out of the trash where that is named, else out of the archive."""
    return act("untrash" if BINNED.search(said.request.text) else "unarchive", said)


def _plain(action: str) -> Builder:
    return lambda said: act(action, said)


BUILDERS: dict[str, Builder] = {
    name: tappable(builder)
    for name, builder in (
        ("mail.archive", archive), ("mail.move", move), ("mail.label", label), ("mail.unlabel", unlabel),
        ("mail.restore", restore), *((f"mail.{name}", _plain(name)) for name in PLAIN),
    )
}  # fmt: skip
