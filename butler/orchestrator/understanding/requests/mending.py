"""Corrects the reader's marks if the surrounding words show that it marked too little or the wrong word."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.understanding.people.addressed import nobody, with_right_people
from butler.orchestrator.understanding.people.who import each_named
from butler.orchestrator.understanding.recurring.rules import recurrence
from butler.orchestrator.understanding.recurring.words import exception_in
from butler.orchestrator.understanding.requests.carrying import OF_THINGS, TEXTS, WRITES
from butler.orchestrator.understanding.requests.days_left_out import with_days_left_out
from butler.orchestrator.understanding.requests.left_out import with_kept_sender
from butler.orchestrator.understanding.requests.request_words import group, plain, whole
from butler.orchestrator.understanding.texts.from_source import as_message
from butler.orchestrator.understanding.texts.orders import told_not_to
from butler.orchestrator.understanding.things.named import EVENTS, REMINDERS
from butler.orchestrator.understanding.things.pointing import pointed
from butler.understanding.dictation import whole_texts
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.tables import slots_of
from butler.understanding.times.lexicon import folded, lexicon, tokens_of
from butler.understanding.times.loose import marked_time, tells
from butler.understanding.times.parse import length_of, parse

KEEPS = WRITES | {"note.create"}
"""Intents with a text in the owner's own words."""
JOINED = frozenset({"text", "reported", "asked", "title", "place", "subject", "trigger", "every"})
LENGTHS, TIMES = frozenset({"duration", "lead"}), frozenset({"time", "time_of"})
COLON = re.compile(r":\s+")
DECLINE = "calendar.decline"
TELLS = re.compile(rf"\W*(?:{group('please')}\W+)?{group('tells')}\s+(?:{group('to_somebody')}\s+)?", re.IGNORECASE)
"""How a request begins that tells somebody something."""
ABOUT_MYSELF = re.compile(rf"[\s,]+(?:{group('clause')}(?:\s+|(?<=['’])))?(?={group('myself')})", re.IGNORECASE)
"""What stands between whoever is told and a clause about the owner."""
THAT = re.compile(rf"[\s,]+{group('clause')}(?:\s+|(?<=['’]))", re.IGNORECASE)
"""How a clause begins that says what is to be written."""
WEEKLY = whole("weekly")
"""Words for a day of every week."""
OF_ACCOUNT = re.compile(
    rf"\b{group('in_account')}\s+(?P<whose>{group('my_account')})\s+(?P<words>{group('account')}\s+(?P<name>\w+))$",
    re.IGNORECASE,
)
"""An account that is named like an owner of things: `los correos de mi cuenta de trabajo`."""
LONGEST_MOVE = 7 * 3600
"""A duration in seconds that is too long to move something within a day."""
UNTIL = re.compile(rf"(?<!\w){group('until')}\s*$", re.IGNORECASE)
"""Words after which a time is no duration: `von neun bis zehn Uhr`, `de 19h à 22 heures`."""
BY_MAIL = re.compile(rf"(?<!\w){group('by_mail')}(?!\w)", re.IGNORECASE)
"""Words after which another channel is part of the text."""
PLACES = frozenset({"list", "board", "folder", "label"})
PREPOSITION = re.compile(rf"\s+{group('prepositions')}$", re.IGNORECASE)
"""Prepositions at the end of a name, which are no part of it."""
PEOPLE = frozenset({"to", "from", "with"})
CONJUNCTION = re.compile(rf"\s+(?:{group('conjunctions')}|&)$", re.IGNORECASE)
"""Conjunctions at the end of a name."""
OF_A_DAY = re.compile(rf"{group('of_a_day')}$", re.IGNORECASE)
"""The word for its events at the end of a German weekday: `Freitagstermine`."""
ENDS = ((TIMES, OF_A_DAY), (PEOPLE, CONJUNCTION), (PLACES, PREPOSITION))
"""Words that are no part of a slot they end."""
MOST_BEHIND = 4
"""Most polite words at the end."""
MORE_WORDS = 3
"""Most words by which a slot is extended."""
WORD = re.compile(r"\s*[^\s,;!?]+")
ARTICLES = frozenset(plain("articles"))
BEHIND_PRONOUN = frozenset(map(folded, plain("behind_pronoun")))
"""Words after a pronoun that is spelt like an article: `leg die ab`."""
SHORTEST_NAME = 4
KINDS = EVENTS | REMINDERS | frozenset(map(folded, plain("kinds")))
"""Words that only name the kind of a thing."""


def mended(request: Request, now: datetime, knows: Callable[[str], bool] = nobody) -> Request:
    """Return the request with complete times and durations, and without articles marked as pronouns.

    Args:
        request: The request as it was read.
        now: Local and aware.
        knows: Whether a name belongs to somebody.
    """
    request = _with_each_person(with_kept_sender(as_message(told_not_to(_reporting(request)))), knows)
    request = with_days_left_out(with_right_people(request, knows), now)
    slots = tuple(
        _once(_of_each_week(one, request), request, now)
        for one in _joined(_dictated(_with_own_text(_whole_question(request))))
    )
    slots = tuple(_clock(_grown(one, slots, request, now), request, now) for one in slots)
    slots = tuple(_of_noun(one, slots, request) for one in slots)
    return replace(request, slots=tuple(_taken(_of_list(one, slots, request), request) for one in slots))


def _with_each_person(request: Request, knows: Callable[[str], bool]) -> Request:
    """Return the request with each recipient marked alone: `tell bob n carol`, `tell bob & carol`."""
    slots = list[SlotWords]()
    for one in request.slots:
        end = one.start
        for name in each_named(one.text, knows) if one.slot == "to" else (one.text,):
            start = request.text.find(name, end)
            end = start + len(name)
            slots.append(replace(one, text=name, start=start, end=end))
    return replace(request, slots=tuple(slots))


def _with_own_text(request: Request) -> Request:
    """Return the request with its complete text, including words that the reader marked as unsuitable slots."""
    takes = slots_of(request.intent)
    first = min((one.start for one in request.slots if one.slot in TEXTS), default=None)
    if request.intent not in KEEPS or first is None:
        return request
    last = max(one.start for one in request.slots if one.slot in TEXTS)
    named = any(one.slot == "to" and one.start < first for one in request.slots)
    of_text = [
        one
        for one in request.slots
        if one.start > first
        and one.slot not in TEXTS
        and (
            one.slot not in takes
            or (one.slot == "ref" and not _is_answered(one, request))
            or (one.slot == "to" and named and one.start > last)
            or (one.slot == "channel" and one.start > last and BY_MAIL.search(request.text[:first]) is not None)
        )
    ]
    if not of_text:
        return request
    kept = tuple(one for one in request.slots if one not in of_text)
    return replace(request, slots=whole_texts(request.text, kept))


def _is_answered(one: SlotWords, request: Request) -> bool:
    """Return whether words after a text say which message is answered: `write back thanks to the first one`."""
    others = any(other is not one and other.slot == "ref" for other in request.slots)
    counted = pointed(one.text, request.language or "en")
    ends = len(request.text[one.end :].split()) <= MOST_BEHIND
    return request.intent.endswith(".reply") and ends and not others and bool(counted.numbers or counted.handle)


def _whole_question(request: Request) -> Request:
    """Return the request with its whole question, if the reader marked it in parts or less than half of it."""
    parts = request.words("query")
    few = 2 * sum(len(one.split()) for one in parts) < len(request.text.split())
    if request.intent != "memory.ask" or not parts or not (few or len(parts) > 1):
        return request
    words = request.text.strip(" ,.;")
    begins = request.text.find(words)
    return replace(request, slots=(SlotWords("query", words, begins, begins + len(words)),))


def _dictated(request: Request) -> Request:
    """Return the request with all words after its colon as its text, if none of them was marked."""
    colon = COLON.search(request.text)
    if request.intent not in KEEPS or colon is None or any(one.slot in TEXTS for one in request.slots):
        return request
    words = request.text[colon.end() :].rstrip()
    kept = tuple(one for one in request.slots if one.end <= colon.start())
    text = SlotWords("text", words, colon.end(), colon.end() + len(words))
    return replace(request, slots=(*kept, text)) if words else request


def _reporting(request: Request) -> Request:
    """Return the request with the clause behind its recipient as its text, if none was marked: `tell Anna that …`."""
    request = _as_telling(request)
    to = max((one.end for one in request.slots if one.slot == "to"), default=None)
    if request.intent not in WRITES or to is None or any(one.slot in TEXTS for one in request.slots):
        return request
    that = THAT.match(request.text, to)
    words = request.text[that.end() :].rstrip(" .!") if that is not None else ""
    if that is None or not words:
        return request
    kept = tuple(one for one in request.slots if one.end <= to)
    return replace(request, slots=(*kept, SlotWords("reported", words, that.end(), that.end() + len(words))))


def _as_telling(request: Request) -> Request:
    """Return what was read as declining an event as the message that says so: `tell Anna I'm not coming`."""
    person = next((one for one in request.slots if one.slot in PEOPLE), None)
    if request.intent != DECLINE or person is None or TELLS.fullmatch(request.text[: person.start]) is None:
        return request
    told = ABOUT_MYSELF.match(request.text, person.end)
    if told is None:
        return request
    words = request.text[told.end() :].rstrip(" .!")
    text = SlotWords("reported", words, told.end(), told.end() + len(words))
    readings = (("message.send", request.confidence), *request.readings)
    return replace(request, readings=readings, slots=(replace(person, slot="to"), text))


def _of_each_week(one: SlotWords, request: Request) -> SlotWords:
    """Return a time on a day of every week as a recurrence: `montags um 9`."""
    takes = slots_of(request.intent)
    return replace(one, slot="every") if one.slot == "time" and "every" in takes and WEEKLY.search(one.text) else one


def _once(one: SlotWords, request: Request, now: datetime) -> SlotWords:
    """Return a marked recurrence with the `every` before it; if it does not recur, return it as a time: `in a day`."""
    language = request.language or "en"
    if one.slot != "every" or exception_in(one.text, language) or _comes_again(one.text, language, now):
        return one
    before = request.text[: one.start].split()
    if before and _comes_again(words := f"{before[-1]} {one.text}", language, now):
        return SlotWords("every", words, request.text.rindex(before[-1], 0, one.start), one.end)
    if "time" not in slots_of(request.intent) or request.words("time"):
        return one
    is_time = any(
        _reads(replace(one, slot=slot), request.text, one.end, language, now) for slot in ("time", "duration")
    )
    return replace(one, slot="time") if is_time else one


def _comes_again(words: str, language: str, now: datetime) -> bool:
    """Return whether words state a recurrence, even an ambiguous one."""
    try:
        return recurrence(words, language, now) is not None
    except Asking:
        return True


def _joined(request: Request) -> tuple[SlotWords, ...]:
    """Return the slots, with adjacent parts of a duration, time or text joined: `about` `an hour`."""
    found: list[SlotWords] = []
    for one in sorted(request.slots, key=lambda each: each.start):
        last = found[-1] if found else None
        if (
            last is not None
            and last.slot == one.slot in LENGTHS | TIMES | JOINED
            and not request.text[last.end : one.start].strip()
        ):
            found[-1] = SlotWords(one.slot, request.text[last.start : one.end], last.start, one.end)
        elif (
            last is not None
            and (last.slot, one.slot) == ("time", "duration")
            and (UNTIL.search(request.text[last.start : one.start]) or _begins_from_now(last, one, request))
        ):
            found[-1] = SlotWords("time", request.text[last.start : one.end], last.start, one.end)
        else:
            found.append(one)
    return tuple(found)


def _begins_from_now(last: SlotWords, one: SlotWords, request: Request) -> bool:
    """Return whether a time is only the `in` before a length: `[in](time) [30 minutes](duration)`."""
    tokens = tokens_of(last.text)
    found = lexicon(request.language or "en").longest(tokens, 0, "in")
    return found is not None and found[1] == len(tokens) and not request.text[last.end : one.start].strip()


def _grown(one: SlotWords, slots: Sequence[SlotWords], request: Request, now: datetime) -> SlotWords:
    """Return an incomplete duration or time with the following words that complete it: `an` `hour`."""
    language = request.language or "en"
    if one.slot not in LENGTHS | TIMES:
        return one
    end = one.end
    limit = min((other.start for other in slots if other.start >= one.end), default=len(request.text))
    if _reads(one, request.text, one.end, language, now) and not _goes_on(one, request.text[one.end : limit], language):
        rest = request.text[one.end : limit]
        more = rest.strip(" ,.;!?")
        goes_on = one.slot in TIMES and rest.lstrip()[:1] == "," and parse(more, language, now) is not None
        end = one.end + rest.find(more) + len(more)
        whole = SlotWords(one.slot, request.text[one.start : end], one.start, end)
        return whole if goes_on and _reads(one, request.text, end, language, now) else one
    for _ in range(MORE_WORDS):
        match = WORD.match(request.text, end)
        if match is None or match.end() > limit:
            return one
        end = match.end()
        if _reads(one, request.text, end, language, now):
            return SlotWords(one.slot, request.text[one.start : end], one.start, end)
    return one


def _clock(one: SlotWords, request: Request, now: datetime) -> SlotWords:
    """Return an hour that was marked as a duration as a time: `plutôt quinze heures` if something is moved."""
    found = length_of(one.text, "fr", now) if request.language == "fr" and one.slot == "duration" else None
    moved = request.intent in {"calendar.move", "reminder.change"} and not request.words("time")
    late = found is not None and found.seconds >= LONGEST_MOVE and found.seconds % 3600 == 0
    return replace(one, slot="time") if moved and late else one


def _goes_on(one: SlotWords, rest: str, language: str) -> bool:
    """Return whether the next word belongs to the time, too: `six in the` `morning`."""
    match = WORD.match(rest)
    return one.slot in TIMES and match is not None and tells(folded(match[0].strip()), lexicon(language))


def _reads(one: SlotWords, text: str, end: int, language: str, now: datetime) -> bool:
    if one.slot in LENGTHS:
        return length_of(text[one.start : end], language, now) is not None
    return marked_time(text, [(one.start, end)], language, now) is not None


def _taken(one: SlotWords, request: Request) -> SlotWords:
    """Return a slot as the intent takes it: for example, a filter becomes a topic if the intent has no filters."""
    takes = slots_of(request.intent)
    if one.slot == "action" and "action" not in takes and "text" in takes and not request.words("text"):
        return replace(one, slot="text")
    for slots, pattern in ENDS:
        if one.slot in slots and (tail := pattern.search(one.text)) is not None:
            return replace(one, text=one.text[: tail.start()], end=one.start + tail.start())
    acts_on_cards = request.intent.startswith("card.") and request.intent != "card.list"
    unknown = "filter" not in takes or acts_on_cards
    if one.slot == "filter" and unknown and "topic" in takes and not request.words("topic"):
        return replace(one, slot="topic")
    account = OF_ACCOUNT.search(request.text[: one.end])
    begins = {account.start("words"), account.start("whose")} if account is not None else set[int]()
    if account is not None and one.slot in {"topic", "from"} and "account" in takes and one.start in begins:
        at = account.start("name")
        return SlotWords("account", account["name"], at, at + len(account["name"]))
    # A recurring automation has no trigger: the words marked as a trigger belong to the action.
    acts = request.intent == "automation.create" and one.slot == "trigger" and request.words("every")
    before = any(other.slot == "action" and not request.text[other.end : one.start].strip() for other in request.slots)
    return replace(one, slot="action") if acts and before else one


def _of_list(one: SlotWords, slots: Sequence[SlotWords], request: Request) -> SlotWords:
    """Return a title before a colon as the list of a new card: `new card work: expenses`."""
    titled = request.intent == "card.create" and one.slot == "title"
    behind = next((other for other in slots if other.slot == "title" and other.start >= one.end), None)
    colon = behind is not None and request.text[one.end : behind.start].strip() == ":"
    return replace(one, slot="list") if titled and colon else one


def _of_noun(one: SlotWords, slots: Sequence[SlotWords], request: Request) -> SlotWords:
    """Return an article marked as a pronoun as the noun after it: `lösch [die] müllerinnerung`."""
    if one.slot != "ref" or one.text.casefold() not in ARTICLES or not request.intent.startswith(OF_THINGS):
        return one
    match = WORD.match(request.text, one.end)
    noun = match[0].strip(" .:") if match else ""
    taken = any(other.start <= one.end + 1 < other.end for other in slots if other is not one)
    if taken or len(noun) < SHORTEST_NAME or folded(noun) in BEHIND_PRONOUN | KINDS:
        return one
    start = one.end + len(match[0]) - len(match[0].lstrip()) if match else one.end
    return SlotWords("topic", noun, start, start + len(noun))
