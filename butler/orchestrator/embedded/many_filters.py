"""What is said of many mails, piece by piece: whose, how old, how large, read or not, where they lie, what stays.

A piece that is not understood ends the reading, because a filter that is left out would take more mails than were
meant.
"""

import re
from datetime import date, timedelta

from butler.orchestrator.embedded.accounts import sure_of_account
from butler.orchestrator.embedded.day import add_months
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.many_senders import senders_at
from butler.orchestrator.embedded.many_wanted import ContradictionError, Wanted
from butler.orchestrator.embedded.numbers import count
from butler.orchestrator.embedded.past import BEFORE, SINCE, Span, span_at
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene

Read = tuple[Wanted, Tail]

TRAILING = re.compile(r"(?:[\s,;]+(?:and|but|or))*[\s,;]*$", re.IGNORECASE)
FROM = phrases("[that came|that are|which came|i got|sent|received|coming] (from|by)")
EXCEPT = phrases(
    "[and|but] (not|except|excluding|without|skip) [for] [the ones|those|mails|emails|any|anything|everything]",
    "[and|but] (apart from|other than) [the ones|those|mails|emails|any|anything|everything]",
    "[and|but] (keep|spare|leave) [out] [the ones|those|mails|emails|everything]",
    "[and|but] leave (the ones|those|everything)",
)
SPARED = phrases("[the ones|those|them] (alone|in|there|untouched|where they are)")
ONLY = phrases("[and|but] (only|just) [the ones|those|mails|emails]", "[and|but] nothing but [the ones|those]")
THAT_ARE = phrases("[,] (that|which) (are|is|were)", "are", "[,] (that|which)")
ONES = phrases("(ones|mails|emails|e-mails|messages)")
UNREAD = phrases(
    "[the] (unread|unopened)", "[that|which] [i] (haven't|have not|never|didn't|did not) [yet] (read|opened|open)"
)
READ = phrases(
    "[the] (read|opened)", "[that|which] i (have|'ve) [already] (read|opened) [already]",
    "[that|which] i've [already] (read|opened) [already]", "[that|which] i [already] (read|opened)",
)  # fmt: skip
WITH_FILE = phrases(
    "(with|that have|which have|having) [an|a] (attachment|attachments|file|files|attached files)",
    "[the] with (attachments|an attachment)",
)
WITHOUT_FILE = phrases(
    "(without|with no) [an|a|any] (attachment|attachments|file|files)",
    "(that|which) have no (attachment|attachments|file|files)",
)
ABOUT = phrases("(about|regarding|containing|mentioning|with the words) [the|a|an|my]")
LARGER = phrases("[that are|which are] (larger|bigger|heavier|more) than", "[that are] over", "[of] at least")
OLDER = phrases(
    "[that are|which are|are] (older than|over)", "[that are|which are] more than", "[that are] at least",
    "from (over|more than)",
)  # fmt: skip
NEWER = phrases("[that are|which are|are] (newer than|younger than|under)", "[that are|which are] less than")
OLD = phrases("(old|ago)")
ANYWHERE = phrases("[anywhere|everywhere] in (all mail|the whole mailbox|the archive)", "(anywhere|everywhere)")
IN_INBOX = phrases("[that are|which are|lying] (in|from|of|out of) (my|the) inbox")
LABELLED = phrases(
    "[that are|which are] (labelled|labeled|tagged) [as]", "(with|under|bearing) the (label|tag)",
    "[that are|which are] (in|from|of|inside) [the|my] (folder|label)",
)  # fmt: skip
IN_THE, FOLDER = phrases("[that are|which are] (in|from|of|inside) (the|my)"), phrases("(folder|label)")
BOX = phrases("(mailbox|account|inbox|mail|mails|email)")
INBOX, SEARCH = "inbox", "user_email_search_inbox"
BETWEEN = phrases(", and", ", but", ",", "and", "but")
IN_YEAR = phrases("[received|sent|that came|that arrived] (from|in|of|during|within)")
SINCE_YEAR, BEFORE_YEAR = phrases("[from|received|sent] since"), phrases("[from|received|sent] (before|older than)")
YEAR = re.compile(r"(?:19|20)\d\d", re.ASCII)
SIZE = re.compile(r"(\d{1,5})(kb|mb|gb)", re.ASCII)
KILOBYTES = {
    **dict.fromkeys(("kb", "kilobyte", "kilobytes"), 1),
    **dict.fromkeys(("mb", "megabyte", "megabytes", "meg", "megs", "mega"), 1024),
    **dict.fromkeys(("gb", "gigabyte", "gigabytes"), 1024 * 1024),
}
LARGEST_KB, MOST, MOST_WORDS = 1_000_000, 1_000, 4


def filter_at(here: Tail, scene: Scene) -> Read | None:
    """One more thing that is said of them, and what follows."""
    after = here.take(BETWEEN)
    if after is not None and begins_filter(after, scene):
        return filter_at(after, scene)
    if (after := here.take(ONLY)) is not None:
        found = _kind(after, read=True) or filter_at(after, scene)
        return found and (found[0], found[1].past(ONES))
    return excepted(here, scene) or _plain(here, scene)


def begins_filter(tail: Tail, scene: Scene) -> bool:
    """Whether something that is said of mails begins here, and not another request or the rest of a name."""
    words = (EXCEPT, ONLY, FROM, UNREAD, WITH_FILE, WITHOUT_FILE, ABOUT, LABELLED, ANYWHERE, IN_INBOX)
    if any(tail.take(one) for one in words) or tail.word() in {"are", "is", "that", "which"}:
        return True
    return bool(_measured(tail, scene) or _dated(tail, scene) or _boxed(tail, scene))


def _plain(here: Tail, scene: Scene) -> Read | None:
    if (marked := _kind(here, read=here.take(THAT_ARE) is not None)) is not None:
        return marked
    for words, found in ((ANYWHERE, Wanted()), (IN_INBOX, Wanted(inbox=True))):
        if (after := here.take(words)) is not None:
            return found, after
    if (boxed := _boxed(here, scene)) is not None:
        return boxed
    if (dated := _dated(here, scene)) is not None:
        return dated
    if (after := here.take(FROM)) is not None:
        names, end = senders_at(after, scene, lambda tail: begins_filter(tail, scene))
        return Wanted(senders=names), end
    return _measured(here, scene) or _worded(here, scene)


def _kind(here: Tail, *, read: bool) -> Read | None:
    """Read or not, with files or without; `read` alone is a verb where nothing says that it is none."""
    that_are = here.past(THAT_ARE)
    for words, found in (
        (UNREAD, Wanted(unread=True)),
        (WITH_FILE, Wanted(attachment=True)),
        (WITHOUT_FILE, Wanted(attachment=False)),
        *(((READ, Wanted(unread=False)),) if read else ()),
    ):
        if (after := here.take(words) or that_are.take(words)) is not None:
            return found, after.past(ONES)
    return None


def excepted(here: Tail, scene: Scene) -> Read | None:
    """What is left out: `but keep Amazon`, `not the unread ones`, `except those from this week`."""
    after = here.take(EXCEPT)
    if after is None or here.take(WITHOUT_FILE):
        return None
    if (kind := _kind(after, read=True)) is not None:
        found, end = kind
        turned = Wanted(unread=_not(found.unread), attachment=_not(found.attachment))
        return turned, end.past(SPARED)
    if (dated := _measured(after, scene) or _dated(after, scene)) is not None:
        return _turned(dated[0]), dated[1].past(SPARED)
    named = after.take(FROM)
    names, end = senders_at(named or after, scene, lambda tail: begins_filter(tail, scene), sure=named is not None)
    return Wanted(keep=names), end.past(SPARED)


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


def _turned(said: Wanted) -> Wanted:
    """The days that are left when some are taken out, where that is one stretch of time."""
    match said:
        case Wanted(since=date() as first, before=None):
            return Wanted(before=first)
        case Wanted(since=None, before=date() as first):
            return Wanted(since=first)
        case _:
            raise ContradictionError


def _measured(here: Tail, scene: Scene) -> Read | None:
    today = scene.now().date()
    if (start := here.take(OLDER)) is not None and (old := _age(start, today)) is not None:
        return Wanted(before=old[0]), old[1]
    if (start := here.take(NEWER)) is not None and (new := _age(start, today)) is not None:
        return Wanted(since=new[0]), new[1]
    start = here.take(LARGER)
    found = _size(start) if start else None
    return (Wanted(larger_kb=min(found[0], LARGEST_KB)), found[1]) if found else None


def _age(start: Tail, today: date) -> tuple[date, Tail] | None:
    """`a month`, `30 days old`: the day that lies so far back."""
    number = count(start.word())
    unit = start.word(1).rstrip("s")
    if not number or number > MOST or unit not in {"day", "week", "month", "year"}:
        return None
    after = start.skip(2).past(OLD)
    if unit in {"month", "year"}:
        months = number * (12 if unit == "year" else 1)
        return (add_months(today, -months), after) if months < 12 * MOST else None
    return today - timedelta(number * (7 if unit == "week" else 1)), after


def _size(start: Tail) -> tuple[int, Tail] | None:
    """`10 MB`, `10MB`, in kilobytes."""
    if (match := SIZE.fullmatch(start.word())) is not None:
        return int(match[1]) * KILOBYTES[match[2]], start.skip()
    number, unit = count(start.word()), KILOBYTES.get(start.word(1))
    return (number * unit, start.skip(2)) if number and unit else None


def _dated(here: Tail, scene: Scene) -> Read | None:
    """Days of arrival, as `span_at` reads them, and whole years."""
    for words, ends in ((SINCE_YEAR, "since"), (BEFORE_YEAR, "before"), (IN_YEAR, "")):
        start = here.take(words)
        if start is not None and YEAR.fullmatch(start.word()):
            first, last = date(int(start.word()), 1, 1), date(int(start.word()) + 1, 1, 1)
            days = {"since": (first, None), "before": (None, first), "": (first, last)}[ends]
            return Wanted(since=days[0], before=days[1]), start.skip()
    found: tuple[Span, Tail] | None = span_at(here, scene.now().date())
    return (Wanted(since=found[0][0], before=found[0][1]), found[1]) if found else None


def _boxed(here: Tail, scene: Scene) -> Read | None:
    """`in my work mailbox`, `in the folder Shops`, `labelled Shops`."""
    if (after := here.take(LABELLED)) is not None:
        name, end = _name(after, scene)
        return (Wanted(label=name), end) if name else None
    start = here.take(IN_THE)
    if start is None or start.done:
        return None
    if start.word(1) and (end := start.skip().take(BOX)) is not None:
        # That there is no such account is no reason to take another.
        sure_of_account(start.word(), SEARCH, scene)
        return Wanted(account=start.word(), inbox=start.word(1) == INBOX), end
    for words in range(1, MOST_WORDS):
        if (end := start.skip(words).take(FOLDER)) is not None:
            return Wanted(label=one_line(start.until(start.skip(words)).text)), end
    return None


def _name(tail: Tail, scene: Scene) -> tuple[str, Tail]:
    """A label's name, in quotes or up to whatever else is said."""
    if (quoted := tail.quoted()) is not None:
        return one_line(quoted[0]), quoted[1]
    here = tail
    while not here.done and here.at - tail.at < MOST_WORDS:
        if here.at > tail.at and ends_name(here, scene):
            break
        here = here.skip()
    return one_line(tail.until(here).text).strip(), here


def _worded(here: Tail, scene: Scene) -> Read | None:
    after = here.take(ABOUT)
    if after is None:
        return None
    end = after
    while not end.done and not (end.at > after.at and ends_name(end, scene)):
        end = end.skip()
    words = TRAILING.sub("", one_line(after.until(end).text)).strip('"“”„«» ')
    return (Wanted(words=words), end) if words else None


def ends_name(tail: Tail, scene: Scene) -> bool:
    """Whether a name or what is searched for ends here, because more is said of the mails.

    A `that` or a `May` is part of it.
    """
    here = tail.take(BETWEEN) or tail
    words = (EXCEPT, ONLY, FROM, WITH_FILE, WITHOUT_FILE, ABOUT, LABELLED, ANYWHERE, IN_INBOX, SINCE, BEFORE)
    if any(here.take(one) for one in words):
        return True
    return bool(_measured(here, scene) or _boxed(here, scene) or _kind(here, read=False))
