"""Times with other words around them: `when I get home so about six`, `Saturday morning when I've got peace`.

The words around are left out only where none of them says a time as well.
"""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.understanding.said import Said
from butler.understanding.times.lengths import Amount, shifted
from butler.understanding.times.lexicon import Lexicon, folded, lexicon, tokens_of
from butler.understanding.times.parse import length_of, parse
from butler.understanding.times.saying import TimeSaid

TELLING = (
    "day",
    "weekday",
    "month",
    "tonight",
    "unit",
    "oclock",
    "am",
    "pm",
    "half",
    "quarter",
    "and_half",
    "three_quarters",
)
OF_A_DAY = {"fr": (re.compile(r"\b(?:du|au|le)\s*$"), "le"), "es": (re.compile(r"\b(?:del|al|el|día)\s*$"), "el")}
"""What stands before a bare number of a day, `au 22`, and what the times read as such."""
IN_DAY = {
    "fr": re.compile(r"\b(?:du|au)\s+(?=\d{1,2}\b(?!\s*(?:h\b|heures|[:h]))(?!.*\bau\b))"),
    "es": re.compile(r"\b(?:del|al)\s+(?=\d{1,2}\b(?!\s*(?:h\b|hs\b|horas|:))(?!.*\bal\b))"),
}
"""The same within the words."""
DATED = {
    "fr": re.compile(
        r"\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\s+(?=\d{1,2}\b(?!\s*(?:[:h]|heures)))",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"\b(?:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo)\s+(?=\d{1,2}\b(?!\s*(?:[:h]|am\b|pm\b)))",
        re.IGNORECASE,
    ),
}
"""A day of the week before a bare number, which is a date: `viernes 20`."""
RANGE = re.compile(
    r"\b(\d{1,2})(?:\.|st|nd|rd|th|er)?\s*(?:to|until|till|through|and|-|–|bis(?: zum)?|und|au|al|a|y|et)\s*"
    r"(?:the |le |el )?(\d{1,2})(?:\.|st|nd|rd|th)?\s+(?:of |de |d['’])?([^\W\d_]{3,})$",
    re.IGNORECASE,
)
DATE_BEHIND = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+(?:the\s+)?(?=\d{1,2}(?:st|nd|rd|th)\b)|"
    r"(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag),?\s+(?:de[nm]\s+)?(?=\d{1,2}\.))",
    re.IGNORECASE,
)
"""A day of the week before its date, which says it all."""
GERMAN_PART = re.compile(
    r"\b(montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)-?"
    r"(früh|morgen|vormittag|mittag|nachmittag|abend|nacht)s?\b",
    re.IGNORECASE,
)
THIS = {"en": "this", "de": "diese", "fr": "cette", "es": "esta"}


def loose_time(said: Said, slot: str = "time") -> TimeSaid | None:
    """What was said of a time; raise `Asking` where it is not understood even without the words around it."""
    marked = [one for one in said.request.slots if one.slot == slot]
    if not marked:
        return None
    words = [_clean(one.text, said.language) for one in marked]
    before = said.request.text[: marked[0].start].casefold()
    before_day, article = OF_A_DAY.get(said.language, (None, ""))
    if before_day is not None and before_day.search(before) and re.match(r"\d{1,2}\b(?!\s*[h:.])", words[0]):
        words[0] = f"{article} {words[0]}"
    now = said.scene.now()
    if (days := _range(" ".join(words), said)) is not None:
        return days
    found = _parsed(" ".join(words), said.language, now) or _merged([_parsed(one, said.language, now) for one in words])
    found = found or time_within(", ".join(words), said)
    if found is None:
        told = " ".join(one.text for one in marked)
        raise Asking(say("Which time is “{words}”? Say it like “tomorrow at 9”.", words=told))
    return found


def _range(words: str, said: Said) -> TimeSaid | None:
    """Days of one month, from one to another: `from 3 to 10 August`, `vom 3. bis 10. Januar`."""
    match = RANGE.search(words)
    if match is None or "month" not in lexicon(said.language).phrases.get((folded(match[3]),), {}):
        return None
    of = "de " if said.language == "es" else ""
    dot = "." if said.language == "de" else ""
    first, last = (_parsed(f"{match[n]}{dot} {of}{match[3]}", said.language, said.scene.now()) for n in (1, 2))
    if first is None or last is None or first.day is None or last.day is None or int(match[1]) > int(match[2]):
        return None
    return TimeSaid(day=min(first.day, last.day.replace(day=first.day.day)), until_day=last.day)


def _clean(words: str, language: str) -> str:
    """Days of the month as the times read them, and no possessive: `monday's`, `viernes 20`, `mois de mai`."""
    words = re.sub(r"['’]s\b", "", words)
    words = DATE_BEHIND.sub("", words)
    if language == "de":
        parted = GERMAN_PART.sub(
            lambda found: f"{found[1]} {'früh' if found[2].casefold() == 'morgen' else found[2]}", words
        )
        return re.sub(r"(?<=\d)h\b", " Uhr", parted)
    if language not in OF_A_DAY:
        return words
    article = OF_A_DAY[language][1]
    words = re.sub(r"^(?:mois|mes) (?:de |d['’])|^d[ií]a (?=\d)", f"{article} " if words[:1] in "dD" else "", words)
    return DATED[language].sub(f"{article} ", IN_DAY[language].sub(f"{article} ", words))


def _merged(parts: list[TimeSaid | None]) -> TimeSaid | None:
    """What several spans say, each of a part of the time; None where one says what another has said."""
    if len(parts) < 2 or any(one is None for one in parts):  # noqa: PLR2004 - one has nothing to be merged with
        return None
    whole = TimeSaid()
    for one in parts:
        assert one is not None
        said = one
        for name in ("day", "until_day", "clock", "until_clock", "part", "moment", "bound", "or_day"):
            value: Any = getattr(said, name)
            if value and getattr(whole, name):
                return None
            if value:
                whole = cast("TimeSaid", replace(whole, **{name: value}))
        whole = replace(whole, weekday=whole.weekday or said.weekday, half_said=whole.half_said and said.half_said)
    return whole


def time_within(words: str, said: Said) -> TimeSaid | None:
    """The longest time at the beginning or the end of words that say no other."""
    words = _clean(words, said.language)
    tokens, known, now = tokens_of(words), lexicon(said.language), said.scene.now()
    if (this := _parsed(f"{THIS.get(said.language, 'this')} {words}", said.language, now)) and len(tokens) == 1:
        return this
    for size in range(len(tokens), 0, -1):
        for part, rest in ((tokens[-size:], tokens[:-size]), (tokens[:size], tokens[size:])):
            if any(_tells(token, known) for token in rest) or _qualified(
                rest if part == tokens[-size:] else [], part, known
            ):
                continue
            found = _parsed(" ".join(part), said.language, now)
            if found is not None and not _only_article(part, found, known):
                return found
    return _of_known(tokens, said)


def _qualified(before: list[str], part: list[str], known: Lexicon) -> bool:
    """Whether an unknown word stands right before a day or a unit that it may change: `übernächstes Wochenende`."""
    if not before or not before[-1].isalpha() or (before[-1],) in known.phrases:
        return False
    return any(kind in known.phrases.get((part[0],), {}) for kind in ("unit", "weekday", "month"))


def _only_article(part: list[str], found: TimeSaid, known: Lexicon) -> bool:
    """Whether the hour of it is nothing but an `a` or `un`."""
    words = [token for token in part if known.phrases.get((token,), {}).get("number") == "1"]
    return bool(words) and found.clock is not None and found.clock.hour == 1


def _of_known(tokens: list[str], said: Said) -> TimeSaid | None:
    """What all words that belong to times say together, where no number stands beside an unknown word."""
    known = lexicon(said.language)
    kept: list[str] = []
    for n, token in enumerate(tokens):
        if token[:1].isdigit() or (token,) in known.phrases or not token.isalpha():
            kept.append(token)
        elif any(
            near.rstrip(".").isdigit() for near in (*tokens[max(n - 1, 0) : n], *tokens[n + 1 : n + 2])
        ) or _qualified([token], tokens[n + 1 :] or [""], known):
            return None
    found = _parsed(" ".join(kept), said.language, said.scene.now()) if len(kept) < len(tokens) else None
    return found if found is not None and not _only_article(kept, found, known) else None


def length_within(words: str, said: Said) -> Amount | None:
    """A length of time, whatever stands before or behind it that says no other: `another ten minutes`."""
    tokens, now = tokens_of(words), said.scene.now()
    for begin in range(len(tokens)):
        for end in range(len(tokens), begin, -1):
            found = length_of(" ".join(tokens[begin:end]), said.language, now)
            if found is not None:
                known = lexicon(said.language)
                rest = tokens[:begin] + tokens[end:]
                return None if any(_tells(token, known) for token in rest) else found
    return None


def minutes_of(amount: Amount) -> int:
    """A length in whole minutes."""
    return amount.seconds // 60 + (amount.days + 30 * amount.months) * 24 * 60


def after(amount: Amount, now: datetime) -> datetime:
    """So long from now, local: days by the wall clock, hours by real time."""
    wall = now.replace(tzinfo=None, microsecond=0)
    then = datetime.combine(shifted(wall.date(), amount.months) + timedelta(amount.days), wall.time())
    if not amount.seconds:
        return then
    return datetime.fromtimestamp(then.replace(tzinfo=now.tzinfo).timestamp() + amount.seconds, now.tzinfo).replace(
        tzinfo=None
    )


def _parsed(words: str, language: str, now: datetime) -> TimeSaid | None:
    try:
        return parse(words, language, now)
    except IndexError:
        return None


def _tells(token: str, known: Lexicon) -> bool:
    """Whether a word says something of a time."""
    meanings = known.phrases.get((token,), {})
    number = meanings.get("number", "1")
    return token[:1].isdigit() or number not in {"0", "1"} or any(kind in meanings for kind in TELLING)
