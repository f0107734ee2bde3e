"""What is left of a time in a text: `and again at 17`, `except Sundays`, `then every hour`. It means a question.

A time and a text stand side by side in one sentence, and what the grammar of times does not know would otherwise become
part of the text. So each text that was cut out of a request is looked at once more, in whichever way it was cut out:
one that begins or ends in a time, a length, a weekday, an exception or a word that joins times is not acted on. Words
that were marked off, in quotes or behind a colon, are meant as they stand.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime

from butler.contract.agents import PlanStep
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.day import MONTHS, WEEKDAYS
from butler.orchestrator.embedded.every import repeated_at, repeated_at_end
from butler.orchestrator.embedded.every_days import on_which
from butler.orchestrator.embedded.languages.canonical import begins_in_time, time_in_english
from butler.orchestrator.embedded.lengths import length_at
from butler.orchestrator.embedded.lexer import QUOTES, Phrases, Tail, lex, phrases, word_set
from butler.orchestrator.embedded.when import MOST_WORDS, spoken_at, spoken_at_end
from butler.orchestrator.embedded.zones import zone_at
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear

REMINDER, EVENT = "bot_reminders_create", "user_calendar_create_event"
SENT = ("text", "body")
EXCEPT = phrases(
    "[but] (except|excluding|excepting) [for|on]", "other than", "apart from", "but not", "unless", "not on",
    "[aber] (außer|ausser|ausgenommen)", "bis auf", "mit ausnahme", "(aber|jedoch) nicht", "nicht (am|an|im)",
    "es sei denn", "[mais] (sauf|excepté|hormis)", "à l'exception", "mais pas", "pas (le|les)",
    "[pero] (excepto|salvo|menos)", "a excepción", "pero no", "no (los|las|el)",
)  # fmt: skip
"""What takes times away; in all languages at once, as what follows is."""
AGAIN = phrases(
    "[and|,] (again|then)", "and then again", "and also", "followed by", "as well as",
    "[und|,] (nochmal|nochmals|dann|danach|wieder)", "[und] noch einmal", "[und|sowie] auch", "sowie",
    "[et|,] (encore|puis|ensuite)", "[et] de nouveau", "et aussi", "ainsi que",
    "[y|,] (luego|después)", "[y] (otra vez|de nuevo)", "y también", "así como",
)  # fmt: skip
"""What joins one time to another."""
AND = phrases("and", "or", "und", "oder", "et", "ou", "y", "o", ", and", "&")
ONLY_BEGINS = phrases(
    "but", "until", "till", "every", "each", "plus", "aber", "jedoch", "bis", "jeden", "jede", "jedes", "alle", "mais",
    "jusqu'à", "jusqu'au", "chaque", "tous les", "toutes les", "pero", "hasta", "cada", "todos los", "todas las",
)  # fmt: skip
"""What no text begins with that stands right behind a time."""
TAKEN_BACK = phrases(
    "[just|only] not", "nor", "no", "no wait", "wait", "sorry", "i mean", "rather", "make (that|it)",
    "nicht", "nur", "noch", "nein", "ich meine", "besser gesagt", "ni", "pas", "non", "plutôt", "enfin", "je veux dire",
    "mejor", "digo", "quiero decir",
)  # fmt: skip
"""What corrects or narrows the time that was just said."""
NOT_TO = phrases(
    "not (to|forget)", "no (more|longer)", "nicht (zu|vergessen|mehr)", "noch (einmal|mal)", "pas (de|oublier)",
    "no (olvidar|olvides|olvidarme)",
)  # fmt: skip
"""How a text begins that says what is not to be done."""
THIS_TIME = phrases(
    "(this|next) (week|month|year)",
    "(diese|nächste) woche",
    "(diesen|nächsten) monat",
    "(cette|ce) (semaine|mois)",
    "(esta|este) (semana|mes)",
)
COUNTED_FROM = re.compile(
    r"\b(?:minuten?|stunden?|tage?n?|wochen?|monate?n?) (?:vor|nach)\b|"
    r"\b(?:minutes?|heures?|jours?|semaines?|mois) (?:avant|après)\b|"
    r"\b(?:minutos?|horas?|días?|semanas?|mes(?:es)?) (?:antes|después)\b|"
    r"\b(?:minutes?|hours?|days?|weeks?|months?) (?:before|after)\b",
    re.IGNORECASE,
)
"""`three days before Christmas`: a time that goes by another one."""
LASTS = re.compile(
    r"\b(?:for|für|pendant|durante|por) \S+ (?:minut(?:es?|en?|os?)|min|hours?|stunden?|heures?|horas?)$", re.IGNORECASE
)
IN_CALENDAR = re.compile(
    r"\b(?:in|to|on) my (?:calendar|diary)\b|\bin (?:meinen|den) kalender\b|\bdans mon (?:agenda|calendrier)\b|"
    r"\ben mi (?:calendario|agenda)\b",
    re.IGNORECASE,
)
BEGINNING = 40
"""Characters of a text within which it may still say when."""
ENDS = word_set(
    "and or but except excluding every each und oder aber außer ausser jeden jede jedes sowie et ou mais sauf chaque "
    "y o pero excepto salvo menos cada before after vor nach avant après antes después"
)
BEFORE_TEXT = word_set("to that about of for dass daß an ans daran zu zum zur de d' du que qu' à pour sur para sobre")
"""Words behind which a text stands that is meant as it is."""
CLAUSE = word_set("that dass daß que qu'")
BETWEEN = word_set("between zwischen entre from von")
OFFERED = re.compile(r'remind me .+? of: "(.*)"', re.DOTALL)
"""A button that offers a time for a text."""
FREE_DAYS = word_set(
    "holiday holidays weekend weekends vacation feiertag feiertage feiertagen ferien urlaub wochenende wochenenden "
    "fériés vacances week-end week-ends festivos vacaciones semana"
) | frozenset(MONTHS)
UNREAD = phrase(
    "Part of that looks like a time that I do not understand: “{words}”. Say it with one time, and put the text behind "
    "a colon, like “remind me tomorrow at 9: call mum”."
)


@dataclass(frozen=True, slots=True)
class _Text:
    """A text as it was cut out of the owner's words, and what stands on both sides of it."""

    tail: Tail
    before: str
    after: str
    foreign: bool
    now: datetime

    @property
    def marked(self) -> bool:
        """Whether it stands in quotes or behind a colon."""
        return self.before.endswith((":", *QUOTES))

    @property
    def led_by(self) -> str:
        """The word before it."""
        words = lex(self.before).tokens
        return words[-1].word if words else ""


def without_leftovers(
    output: PlannerOutput | None, words: str, now: datetime, *, foreign: bool
) -> PlannerOutput | None:
    """The same; a question instead of a plan with a text that has part of a time in it. `now` is local and aware."""
    if isinstance(output, Unclear):
        return _without_wrong_answers(output, words, now, foreign=foreign)
    if not isinstance(output, Planned):
        return output
    for step in output.steps:
        for name in _texts(step):
            text = _cut(str(step.args.get(name, "")), words, now, foreign=foreign)
            if text is not None and _is_doubtful(text, step):
                return Unclear(say(UNREAD, words=text.tail.text))
    return output


def _without_wrong_answers(output: Unclear, words: str, now: datetime, *, foreign: bool) -> Unclear:
    """The question; about what is left of a time, where the texts of its buttons begin with that."""
    for choice in output.choices:
        match = OFFERED.fullmatch(choice.words)
        text = _cut(match[1], words, now, foreign=foreign) if match else None
        if text is not None and not text.marked and _begins(text):
            return Unclear(say(UNREAD, words=text.tail.text))
    return output


def sure_of_order(order: Tail, now: datetime) -> None:
    """Raises `Asking` where what is to be done begins in part of the time before it: `and tomorrow at 9 tell Bob`."""
    text = _Text(order, "", "", foreign=False, now=now)
    if _joined(order) or _time_begins(order, text):
        raise Asking(say(UNREAD, words=order.text))


def _texts(step: PlanStep) -> tuple[str, ...]:
    match step.tool_call:
        case tool if tool == REMINDER:
            return ("text",)
        case tool if tool == EVENT:
            return ("title",)
        case tool if tool.endswith(("_send_message", "_reply_to_thread", "_reply_to_message")):
            return SENT
        case _:
            return ()


def _cut(text: str, words: str, now: datetime, *, foreign: bool) -> _Text | None:
    tail = lex(text).bare()
    if tail.done:
        return None
    start = words.casefold().find(text.casefold())
    before, after = (words[:start], words[start + len(text) :]) if start >= 0 else ("", "")
    return _Text(tail, before.rstrip(), after.strip(' .!?"“”»«'), foreign, now)


def _is_doubtful(text: _Text, step: PlanStep) -> bool:
    if step.tool_call not in {REMINDER, EVENT} and _behind_quotes(text):
        return True
    if text.marked:
        return False
    if step.tool_call == REMINDER:
        return _begins(text) or _ends(text) or _goes_on(text, repeats="every" in step.args)
    if step.tool_call == EVENT:
        return (
            _joined(text.tail)
            or length_at(text.tail) is not None
            or _ends_in_join(text.tail)
            or _often_in_title(text)
            or LASTS.search(text.tail.text) is not None
            or IN_CALENDAR.search(text.tail.text) is not None
        )
    return _sent_too_early(text, step)


def _begins(text: _Text) -> bool:
    """Whether it begins in what belongs to the time before it."""
    tail = text.tail
    if text.led_by in BEFORE_TEXT and not text.foreign:
        return False
    joined = _joined(tail)
    if joined or text.led_by in BEFORE_TEXT:
        return joined
    if (tail.take(TAKEN_BACK) is not None and tail.take(NOT_TO) is None) or tail.take(THIS_TIME) is not None:
        return True
    return COUNTED_FROM.search(tail.text[:BEGINNING]) is not None or _time_begins(tail, text)


def _joined(tail: Tail) -> bool:
    return any(tail.take(words) is not None for words in (EXCEPT, AGAIN, AND, ONLY_BEGINS))


def _time_begins(tail: Tail, text: _Text) -> bool:
    named = tail.word().removesuffix("s") in WEEKDAYS
    try:
        read = spoken_at(tail, text.now) or repeated_at(tail, text.now)
    except Asking:
        return True
    zone = zone_at(tail)
    sure = zone is not None and not zone[0].perhaps_place
    if named or read or sure or length_at(tail) is not None or NO_DATE.match(tail.text) is not None:
        return True
    return text.foreign and begins_in_time(tail.text)


_MONTH = rf"(?:{'|'.join(MONTHS)}|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
_DAY = r"\d{1,2}(?:st|nd|rd|th|\.)?"
NO_DATE = re.compile(
    rf"(?:on\s+)?(?:the\s+)?(?:{_DAY}\s+(?:of\s+)?{_MONTH}|{_MONTH}\s+(?:the\s+)?{_DAY}\b|\d{{4}}-\d\d?-\d\d?\b"
    r"|\d{1,2}\.\s?\d{1,2}\.(?:\d{2,4})?|\d{1,2}/\d{1,2}/\d{2,4}\b)",
    re.IGNORECASE,
)
"""What has the form of a date and is none, such as 31 February: it was meant as a date."""


def _ends(text: _Text) -> bool:
    """Whether what was cut off behind it was only part of a time."""
    if not text.after:
        return False
    if _ends_in_join(text.tail):
        return True
    found = spoken_at_end(text.tail, text.now, zones=True)
    return found is not None and (found[1].clock is not None or found[1].moment is not None)


def _ends_in_join(tail: Tail) -> bool:
    last = replace(tail, at=tail.end - 1)
    two = replace(tail, at=max(tail.at, tail.end - 2))
    three = replace(tail, at=max(tail.at, tail.end - 3))
    joined = any(
        (after := here.take(words)) is not None and after.done and here.at < tail.end - 1
        for here in (two, three)
        for words in (EXCEPT, AGAIN)
    )
    return last.word() in ENDS or joined


def _goes_on(text: _Text, *, repeats: bool) -> bool:
    """`... and again at 17`, `..., but not on weekends`: a time that is joined on behind the text."""
    if text.led_by in CLAUSE:
        return False
    between = False
    here = text.tail.skip()
    while not here.done:
        between = between or here.word() in BETWEEN
        for words in (AGAIN, AND) if not between else (AGAIN,):
            if (after := here.take(words)) is not None and _is_time(after, text):
                return True
        after = here.take(EXCEPT) if repeats else None
        if after is not None and not after.done and _takes_away(after, text):
            return True
        here = here.skip()
    return False


def _takes_away(tail: Tail, text: _Text) -> bool:
    """Whether times are taken away, and not `something other than bread`."""
    words = {token.word for token in tail.tokens[tail.at : tail.end]}
    return _time_begins(tail, text) or _is_time(tail, text) or bool(words & FREE_DAYS)


def _is_time(tail: Tail, text: _Text) -> bool:
    """Whether all that stands here is a time."""
    if tail.done:
        return False
    words = tail.text
    for said in (words, time_in_english(words, text.now.date()) if text.foreign else None):
        here = lex(said).bare() if said else None
        if here is None:
            continue
        try:
            found = spoken_at(here, text.now, zones=True) or repeated_at(here, text.now) or on_which(here)
        except Asking:
            return True
        if found is not None and found[1].done:
            return True
    return False


def _often_in_title(text: _Text) -> bool:
    """Whether a title ends in how often."""
    try:
        return repeated_at_end(text.tail, text.now, MOST_WORDS) is not None
    except Asking:
        return True


def _behind_quotes(text: _Text) -> bool:
    """`"hi" tomorrow at 9 and again at 17`, all of it for somebody to read."""
    quoted = text.tail.quoted()
    return quoted is not None and not quoted[1].bare().done and _time_begins(quoted[1].bare(), text)


def _sent_too_early(text: _Text, step: PlanStep) -> bool:
    """`tomorrow at 9 and again at 17: drink` for somebody to read."""
    tail = text.tail
    if text.led_by in CLAUSE or step.not_before is not None:
        return False
    if text.foreign and begins_in_time(tail.text):
        return any(tail.find(words) is not None for words in (AGAIN, EXCEPT, phrases(":", "dass", "daß", "que")))
    try:
        found = spoken_at(tail.past(_ON), text.now)
    except Asking:
        return True
    return found is not None and _goes_on_in_time(found[1], whole=found[0].whole)


def _goes_on_in_time(rest: Tail, *, whole: bool) -> bool:
    """Whether more of a time, or a text for somebody, follows behind a time that a message begins with."""
    if rest.past(phrases(",")).take(TAKEN_BACK) is not None:
        return True
    if not whole:
        return False
    said = any(token.word in CLAUSE or token.word == ":" for token in rest.tokens[rest.at : rest.end])
    joined = any(rest.take(words) for words in (AGAIN, EXCEPT, AND))
    return said or joined or zone_at(rest) is not None


_ON: Phrases = phrases("on")
