"""Acts on mails, one or many: `archive it`, `archive all newsletters from hostinger older than a month`.

Which mails are meant has to be said: by what was shown, by whose they are, what they say, or how old they are. Nothing
is done on it before a card has shown how many there are.
"""

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta

from butler.contract.conversation import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.day import add_months
from butler.orchestrator.embedded.draft import ask_which
from butler.orchestrator.embedded.items import MAILS, Spoken, find, item_at
from butler.orchestrator.embedded.lexer import Phrases, Tail, phrases
from butler.orchestrator.embedded.numbers import count
from butler.orchestrator.embedded.past import Span, span_at
from butler.orchestrator.embedded.people import PRONOUNS, Way, person_at
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning import Planned, PlannerOutput

TRASH = "[the|my] (trash|bin|rubbish|wastebasket)"
VERBS: tuple[tuple[Phrases, str], ...] = (
    (phrases("archive"), "archive"),
    (phrases("(unarchive|un-archive)"), "unarchive"),
    (phrases("(trash|bin|delete|remove|throw away|get rid of)"), "trash"),
    (phrases("(star|flag)"), "star"),
    (phrases("(unstar|unflag|un-star)"), "unstar"),
)
"""Verbs that say it all."""
ENDINGS: tuple[tuple[Phrases, Phrases, str], ...] = (
    (phrases("mark"), phrases("as read"), "mark_read"),
    (phrases("mark"), phrases("as unread"), "mark_unread"),
    (phrases("(put|move|throw)"), phrases(f"(in|into|to) {TRASH}"), "trash"),
    (phrases("(take|get|move|put)"), phrases(f"(out of|from) {TRASH}"), "untrash"),
    (phrases("(put|move)"), phrases("back [in|into|to] [the|my] inbox", "(into|to) [the|my] inbox"), "unarchive"),
    (phrases("(move|put|take)"), phrases("(out of|from) [the|my] inbox", "(in|into|to) [the|my] archive"), "archive"),
)
"""Verbs whose end says what is done."""
LABEL, AS = phrases("(label|tag)"), phrases("as", "with [the label]")
PUT_LABEL, ON = phrases("(put|add) [the|a] label"), phrases("(on|to)")
TAKE_LABEL, OFF = phrases("(take|remove) [the|a] label"), phrases("(off|from)")
ALL = phrases("[all|every|any] [of] [the|my]", "(the|my|any|every|all)")
UNREAD, READ = phrases("(unread|unopened)"), phrases("(read|opened)")
MAIL = phrases("(mails|emails|e-mails|mail|email|e-mail)")
NOUN = phrases("(mails|emails|e-mails|mail|email|e-mail)", "(everything|all|anything|stuff|those|ones|messages)")
OF_ANYTHING = phrases("(delete|remove|throw away|get rid of)")
"""Verbs for messages of a chat, notes and memories as well as for mails."""
NEWSLETTERS = phrases(
    "[the|my] (newsletters|promotions|promos|offers|ads)",
    "[the|my] (newsletter|promotion|marketing) (mails|emails|e-mails|mail|email)",
)
TABS = {"social": "social", "forum": "forums", "forums": "forums", "updates": "updates"}
FROM, BUT = (
    phrases("[that came|i got|sent] (from|by)"),
    phrases(
        "[and|but] (keep|spare|leave) [out] [the ones|those|mails|everything] [from]",
        "[but] not [the ones|those|mails] [from]",
        "(except|apart from|other than) [the ones|those|mails|for] [from]",
    ),
)
AND = phrases("and", ",", "or")
AND_THEN = phrases("[,] and [then]", "then", ";")
FURTHER = tuple(verb for verb, *_ in (*VERBS, *ENDINGS))
"""What begins another request, and no part of a label's name."""
TRAILING = re.compile(r"(?:[\s,;]+(?:and|but|or))*[\s,;]*$", re.IGNORECASE)
ABOUT, WITH_FILE = (
    phrases("(about|regarding|containing|mentioning|with the words) [the|a|an|my]"),
    phrases("(with|that have) [an|a] (attachment|attachments|file|files)"),
)
LARGER = phrases("(larger|bigger) than", "over")
OLDER = phrases("[that are|which are] (older than|over)", "[that are|which are] more than")
OLD = phrases("old")
ANYWHERE = phrases("[anywhere|everywhere] in (all mail|the whole mailbox|the archive)", "(anywhere|everywhere)")
IN_INBOX = phrases("(in|from|of) (my|the) inbox")
NOT_THESE = phrases("[but] not the (unread|unopened) ones", "[but] only the (read|opened) ones")
BETWEEN = phrases(",", "and", "which", "that", "but")
FIXED: tuple[tuple[Phrases, dict[str, bool]], ...] = (
    (NOT_THESE, {"unread": False}),
    (WITH_FILE, {"attachment": True}),
    (ANYWHERE, {}),
    (IN_INBOX, {"inbox": True}),
)
A_MONTH = {"a": 1, "one": 1}
MEGABYTES = {"mb": 1024, "kb": 1, "megabytes": 1024, "megabyte": 1024, "kilobytes": 1}
MOST = 1_000
MAILS_MEANT = phrase("Do you mean mails?")
YES_MAILS = phrase("Yes, mails")
WHICH = phrase("Which mails do you mean? Say whose, about what, or how old, like “archive all mails from Anna”.")
DESCRIBED = {
    "archive": phrase("Archive mails"),
    "unarchive": phrase("Put mails back into the inbox"),
    "trash": phrase("Put mails into the trash"),
    "untrash": phrase("Take mails out of the trash"),
    "star": phrase("Star mails"),
    "unstar": phrase("Take the star off mails"),
    "mark_read": phrase("Mark mails as read"),
    "mark_unread": phrase("Mark mails as unread"),
    "label": phrase("Label mails"),
    "unlabel": phrase("Take a label off mails"),
}
AGAIN = {
    "mark_read": "mark {} as read",
    "mark_unread": "mark {} as unread",
    "untrash": "take {} out of the trash",
    "label": "label {} as {}",
    "unlabel": "take the label {1} off {0}",
}
"""How an act on one of several is asked for again, where its verb alone does not say it."""
HERE = frozenset({"archive", "trash"})
"""Verbs that other things than mails can be meant by: a chat's messages are deleted elsewhere."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which mails, as the tools take it."""

    senders: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    words: str = ""
    category: str = ""
    since: date | None = None
    before: date | None = None
    unread: bool | None = None
    attachment: bool | None = None
    larger_kb: int = 0
    inbox: bool = False

    def args(self) -> dict[str, object]:
        """Only what was said."""
        said: dict[str, object] = {
            "senders": list(self.senders),
            "keep": list(self.keep),
            "words": self.words,
            "category": self.category,
            "since": self.since.isoformat() if self.since else "",
            "before": self.before.isoformat() if self.before else "",
            "attachment": self.attachment,
            "larger_kb": self.larger_kb,
            "inbox": self.inbox,
        }
        found = {name: value for name, value in said.items() if value}
        return found | ({} if self.unread is None else {"unread": self.unread})


def many(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to act on mails; None where it is none."""
    bare = tail.bare()
    read = _labelling(bare) or _verb(bare)
    if read is None:
        return None
    action, rest, name = read
    one = item_at(rest, scene)
    if one is not None and one[1].done:
        return _shown(action, name, one[0], scene)
    begun = _begun(rest)
    wanted = _wanted(*begun, scene) if begun else None
    if begun is None or wanted is None:
        return None
    if replace(wanted, keep=(), inbox=False) == Wanted():
        raise Asking(say(WHICH))
    if bare.take(OF_ANYTHING) and not (_names_mail(rest) or wanted.inbox or _mails_shown(scene)):
        raise Asking(say(MAILS_MEANT), [choice(say(YES_MAILS), _of_mails(*begun))])
    return _plan(action, name, scene, **wanted.args())


def _verb(bare: Tail) -> tuple[str, Tail, str] | None:
    for verb, ending, action in ENDINGS:
        start = bare.take(verb)
        split = start.find(ending) if start else None
        if split is not None and split[1].done and not split[0].done:
            return action, split[0], ""
    for verb, action in VERBS:
        if (start := bare.take(verb)) is not None and not start.done:
            return action, start, ""
    return None


def _labelling(bare: Tail) -> tuple[str, Tail, str] | None:
    if (start := bare.take(LABEL)) is not None and (split := start.find(AS)) is not None and not split[1].done:
        further = split[1].find(AND_THEN)
        if further is not None and any(further[1].take(verb) for verb in FURTHER):
            return None
        return "label", split[0], _name(split[1])
    for verb, between, action in ((PUT_LABEL, ON, "label"), (TAKE_LABEL, OFF, "unlabel")):
        start = bare.take(verb)
        split = start.find(between) if start else None
        if split is not None and not split[0].done and not split[1].done:
            return action, split[1], _name(split[0])
    return None


def _name(tail: Tail) -> str:
    return one_line(tail.bare().text.strip("\"“”„«»' "))


def _shown(action: str, name: str, said: Spoken, scene: Scene) -> PlannerOutput | None:
    """What was shown and is spoken of; what is not called a mail may be a message of a chat."""
    if action in HERE and said.kind is None and not _mails_shown(scene):
        return None
    again = AGAIN.get(action, f"{action} {{}}")
    referent = find(said, scene, lambda whose: again.format(whose, name), frozenset({ReferentKind.MAIL}))
    return _plan(action, name, scene, mails=[{"handle": referent.handle}]) if referent else None


def _mails_shown(scene: Scene) -> bool:
    """Whether what was replied to, or else shown last, is a mail; files come with one."""
    shown = scene.request.replied_to or scene.request.referents
    kinds = [one.kind for one in shown if one.kind is not ReferentKind.FILE]
    return bool(kinds) and kinds[-1] is ReferentKind.MAIL


def _names_mail(rest: Tail) -> bool:
    here = rest.past(ALL).past(UNREAD).past(READ)
    return any(here.take(noun) for noun in (MAIL, NEWSLETTERS)) or here.word() in TABS


def _of_mails(wanted: Wanted, after: Tail) -> str:
    """The same, said of mails; `wanted` is what comes before the noun."""
    which = {None: "", True: "unread ", False: "read "}[wanted.unread]
    return f"trash all {which}mails {after.text}"


def _begun(rest: Tail) -> tuple[Wanted, Tail] | None:
    """`all unread mails`, and what follows; None where something else stands there."""
    wanted, here = Wanted(), rest.past(ALL)
    if (after := here.take(UNREAD)) is not None:
        wanted, here = replace(wanted, unread=True), after
    elif (after := here.take(READ)) is not None:
        wanted, here = replace(wanted, unread=False), after
    noun = here.take(NEWSLETTERS)
    if noun is not None:
        wanted, here = replace(wanted, category="promotions"), noun.past(NOUN)
    elif here.word() in TABS and here.skip().take(NOUN):
        wanted, here = replace(wanted, category=TABS[here.word()]), here.skip().past(NOUN)
    elif (after := here.take(NOUN)) is not None:
        here = after
    elif not (here.word() in MAILS or here.take(FROM)):
        return None
    return wanted, here


def _wanted(wanted: Wanted, here: Tail, scene: Scene) -> Wanted | None:
    """`from Anna older than a month, but keep Amazon`; None where something else is said of them, too."""
    while not here.done:
        found = _filter(wanted, here, scene)
        if found is None or found[1].at <= here.at:
            return None
        wanted, here = found
    return wanted


def _filter(wanted: Wanted, here: Tail, scene: Scene) -> tuple[Wanted, Tail] | None:
    """One more thing that is said of them."""
    if (after := here.take(BETWEEN)) is not None and _starts(after):
        return wanted, after
    for words, more in FIXED:
        if (after := here.take(words)) is not None:
            return replace(wanted, **more), after
    if (after := here.take(BUT)) is not None:
        names, end = _senders(after, scene)
        return replace(wanted, keep=wanted.keep + names), end
    days = span_at(here, scene.now().date())
    if (after := here.take(FROM)) is not None and days is None:
        names, end = _senders(after, scene)
        return replace(wanted, senders=wanted.senders + names), end
    return _measured(wanted, here, scene) or _worded(wanted, here, scene, days)


def _measured(wanted: Wanted, here: Tail, scene: Scene) -> tuple[Wanted, Tail] | None:
    if (old := _older(here, scene.now().date())) is not None:
        return replace(wanted, before=old[0]), old[1]
    if (large := _larger(here)) is not None:
        return replace(wanted, larger_kb=large[0]), large[1]
    return None


def _worded(wanted: Wanted, here: Tail, scene: Scene, days: tuple[Span, Tail] | None) -> tuple[Wanted, Tail] | None:
    if days is not None:
        (since, before), after = days
        return replace(wanted, since=since, before=before), after
    if (after := here.take(ABOUT)) is None:
        return None
    end = _end_of_words(after, scene)
    return replace(wanted, words=_searched(after.until(end))), end


def _searched(tail: Tail) -> str:
    return TRAILING.sub("", one_line(tail.text)).strip('"“”„«» ')


def _starts(tail: Tail) -> bool:
    """Whether a filter begins here, and not another request."""
    starts = (BUT, NOT_THESE, FROM, OLDER, WITH_FILE, LARGER, ABOUT)
    return any(tail.take(one) for one in starts) or tail.word() in {"are", "is"}


def _senders(tail: Tail, scene: Scene) -> tuple[tuple[str, ...], Tail]:
    """Names and addresses; of a contact, every address."""
    found: list[str] = []
    here = tail
    while True:
        names, here = _sender(here, scene)
        found += names
        after = here.take(AND)
        if after is None or after.done or _starts(after) or after.take(OLDER):
            return tuple(found), here
        here = after


def _sender(tail: Tail, scene: Scene) -> tuple[tuple[str, ...], Tail]:
    if (found := person_at(tail, scene)) is not None:
        person, after = found
        if len(person.contacts) > 1:
            # Whose mails go is no more guessed than whom a message goes to.
            again = tail.source
            raise ask_which(person, (person,), scene, (Way.MAIL,), lambda name: again.replace(person.said, name, 1))
        written = [address for contact in person.contacts for address in contact.addresses]
        mails = [one.removeprefix("mail:") for one in (person.address, *written) if one.startswith("mail:")]
        return tuple(dict.fromkeys(mails)) or (person.said,), after
    here = tail.past(phrases("(the|my|our)"))
    if here.done or here.word() in PRONOUNS or not any(map(str.isalnum, here.written())):
        raise Asking(say("From whom? Say the name or write the address."))
    return (one_line(here.written()),), here.skip()


def _older(here: Tail, today: date) -> tuple[date, Tail] | None:
    """`older than a month`, `over a year old`: the first day that is not meant any more."""
    start = here.take(OLDER)
    if start is None:
        return None
    number = A_MONTH.get(start.word()) or count(start.word())
    unit = start.word(1).rstrip("s")
    if not number or number > MOST or unit not in {"day", "week", "month", "year"}:
        return None
    after = start.skip(2).past(OLD)
    if unit in {"month", "year"}:
        return add_months(today, -number * (12 if unit == "year" else 1)), after
    return today - timedelta(number * (7 if unit == "week" else 1)), after


def _larger(here: Tail) -> tuple[int, Tail] | None:
    start = here.take(LARGER)
    number = count(start.word()) or (int(start.word()) if start.word().isdecimal() else 0) if start else 0
    unit = MEGABYTES.get(start.word(1), 0) if start else 0
    return (min(number * unit, 1_000_000), start.skip(2)) if start and number and unit else None


def _end_of_words(tail: Tail, scene: Scene) -> Tail:
    here = tail
    while not here.done and not (_starts(here) or _older(here, scene.now().date())):
        here = here.skip()
    return here


def _plan(action: str, name: str, scene: Scene, **args: object) -> Planned:
    tool = f"user_email_{action}"
    if not scene.has(tool):
        mailbox = scene.has("user_email_search_inbox")
        raise Asking(say("I can do that in a Gmail mailbox only, so far.") if mailbox else not_set_up(tool))
    named = {"name": name} if name else {}
    return calls.plan(calls.call(tool, say(DESCRIBED[action]), **args, **named))
