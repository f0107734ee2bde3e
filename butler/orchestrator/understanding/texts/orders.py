"""Turns what somebody is told to do into an order to them: `tell mum not to cook` becomes `Don't cook`.

A French infinitive is kept (`Merci de m'appeler`), or becomes a question if the owner asks (`Peux-tu m'appeler ?`). A
Spanish `que me llame` becomes `llámame` for the verbs of `orders.toml`.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from butler.contract.tables import table
from butler.orchestrator.understanding.people.who import KIN
from butler.orchestrator.understanding.texts.text_words import group, patterns
from butler.understanding.dictation import DICTATED
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request

PACKAGE = "butler.orchestrator.understanding.texts"
NOT_TO = re.compile(rf"{group('not_to')}\s+(?P<what>.+)", re.IGNORECASE | re.DOTALL)
BEFORE_NOT_TO = re.compile(rf"\b{group('before_not_to')}\s*$", re.IGNORECASE)
INFINITIVE = patterns("infinitive")
BEFORE_TO = re.compile(rf"{group('before_to')}\s*$", re.IGNORECASE)
LEADING_TO = re.compile(rf"{group('to')}\s+(?!(?i:{group('no_verb')})\b)(?=[a-z])")
NOT = re.compile(rf"{group('not')}\s+", re.IGNORECASE)
AND_NOT_TO = patterns("and_not_to")
AND_TO = re.compile(rf"{group('and_to')}(?!{group('no_verb')}\b)(?=[a-z])")
OF = re.compile(rf"(?P<of>{group('of')})", re.IGNORECASE)
BEFORE_OF = re.compile(rf"(?<!\w)(?P<of>{group('before_of')})$", re.IGNORECASE)
ASKS = re.compile(rf"(?<!\w){group('asks')}", re.IGNORECASE)
AND_OF = patterns("and_of")
THEIRS = re.compile(rf"(?<!\w){group('reflexive')}", re.IGNORECASE)
OWN = re.compile(rf"(?<!\w){group('own')}(?=\s)", re.IGNORECASE)
"""Whose it is, but not the noun `le son`."""
PERSON = re.compile(
    rf"(?<=[\s'’])[A-ZÀ-ÖØ-Þ]|(?<!\w)(?i:{group('other_person')}|{'|'.join(sorted(frozenset[str]().union(*KIN)))})(?!\w)"
)
"""Somebody behind whose mention `son` may be theirs: `passer chez Marie prendre son sac`."""
THAT = re.compile(rf"(?<!\w){group('that_they')}\s*$", re.IGNORECASE)
LEADING_THAT = re.compile(rf"{group('that_they')}\s+", re.IGNORECASE)
AND_THAT = patterns("and_that_they")
CLAUSE = re.compile(group("told_clause"), re.IGNORECASE | re.DOTALL)
OTHERS = re.compile(r"\s+[A-ZÀ-ÖØ-Þ]")
"""The name of somebody else after a verb, who is to do it: `que venga Bob`."""
FORBIDS = re.compile(rf"\W*(?:{group('before_forbids')}\W+)*{group('forbids')}", re.IGNORECASE | re.DOTALL)
"""A whole request that only tells somebody not to do something."""
WRITES = ("message.send", "message.reply", "mail.send", "mail.reply", "mail.draft")
LONGEST_NAME = 4
SURE = 0.9
STRONG, VOWELS = "aeo", "aeiou"
ACCENTS: Mapping[str, str] = dict(zip(VOWELS, "áéíóú", strict=True))


PEOPLE = frozenset({"to", "from", "with"})


def told_not_to(request: Request) -> Request:
    """Return the request as a message if it forbids somebody something: `tell Bob not to come tomorrow`."""
    found = FORBIDS.fullmatch(request.text.strip())
    who = (found["who"] or found["qui"] or "") if found is not None else ""
    writes = request.intent.startswith(WRITES)
    if found is None or len(who.split()) > LONGEST_NAME:
        return request
    what = found["what"] or found["quoi"]
    start = request.text.index(what)
    begins = min((one.start for one in request.slots if one.slot in DICTATED), default=len(request.text))
    if writes and begins <= start + len(found["not"] or found["ne"]):
        return request
    named = (one for one in request.slots if one.slot in PEOPLE and one.end <= start)
    people = tuple(replace(one, slot="to") for one in named)
    text = SlotWords("reported", what.rstrip(" .!"), start, start + len(what.rstrip(" .!")))
    readings = request.readings if writes else (("message.send", SURE), *request.readings)
    return replace(request, readings=readings, slots=(*people, text))


def order_of(before: str, words: str, language: str, *, several: bool) -> str | None:
    """Return the words as an order to the reader; None if they tell nobody to do anything.

    Args:
        before: The request before the words.
        words: What they are told.
        language: The request's language.
        several: Whether several people are told.
    """
    match language:
        case "en":
            return _english(before, words)
        case "fr":
            return _french(before, words, several=several)
        case "es" if not several:
            return _spanish(before, words)
        case _:
            return None


def _english(before: str, words: str) -> str | None:
    lead = BEFORE_NOT_TO.search(before)
    forbidden = NOT_TO.fullmatch(f"{lead[0]}{words}" if lead is not None else words)
    if forbidden is not None:
        return f"Don't {_joined(forbidden['what'])}"
    if BEFORE_TO.search(before):
        return f"Don't {_joined(words[no.end() :])}" if (no := NOT.match(words)) is not None else _joined(words)
    if (leading := LEADING_TO.match(words)) is not None:
        return _joined(words[leading.end() :])
    also = AND_TO.search(words)
    return None if also is None or " to " in words[: also.start()] else _joined(words)


def wished(order: str) -> str:
    """Return an English order as a question, as in `ask Bob to call me`; not one that forbids something."""
    return order if order.startswith("Don't ") else f"Can you {order[:1].lower()}{order[1:].rstrip(' .!?')}?"


def _joined(words: str) -> str:
    """Join several orders: `call me and not to be late`."""
    return AND_TO.sub(r"\1 ", AND_NOT_TO.sub(r"\1 don't ", words))


def _french(before: str, words: str, *, several: bool) -> str | None:
    leading = OF.match(words)
    of = leading or BEFORE_OF.search(before)
    what = words[leading.end() :] if leading is not None else words
    if of is None or INFINITIVE.match(what) is None:
        return None
    what = THEIRS.sub(lambda se: "vous " if several else f"t{se['end']}", what, count=1)
    yours: Mapping[str, str] = table(PACKAGE, "orders")["fr"]["yours_all" if several else "yours"]
    other = PERSON.search(what)
    end = other.start() if other is not None else len(what)
    what = OWN.sub(lambda own: yours[own[0].lower()], what[:end]) + what[end:]
    if ASKS.search(before[: of.start()] if leading is None else before):
        both = AND_OF.sub(r"\1 ", what).rstrip(".")
        return f"{'Pouvez-vous' if several else 'Peux-tu'} {both} ?"
    link = of["of"].strip().lower()
    return f"Merci {link} {what}" if link == "de" else f"Merci {link}{what}"


def _spanish(before: str, words: str) -> str | None:
    if (inside := LEADING_THAT.match(words)) is not None:
        words = words[inside.end() :]
    elif THAT.search(before) is None:
        return None
    parts = AND_THAT.split(words)
    said = [_to_them(part) for part in parts[::2]]
    if not any(said):
        return None
    clauses = [order or part for order, part in zip(said, parts[::2], strict=True)]
    return "".join(part for pair in zip(clauses, [*parts[1::2], ""], strict=True) for part in pair)


def _to_them(clause: str) -> str | None:
    """Return a clause as an order (`no venga` as `no vengas`, `me lo traiga` as `tráemelo`).

    None for unknown verbs, for what somebody else is to do, and for `pase lo que pase`.
    """
    found = CLAUSE.fullmatch(clause.strip())
    verb = found["verb"].lower() if found is not None else ""
    order = _orders().get(verb)
    if (
        found is None
        or order is None
        or OTHERS.match(found["rest"])
        or verb in re.findall(r"\w+", found["rest"].lower())
    ):
        return None
    clitics = found["clitics"].lower().split()
    if clitics == ["se"]:
        clitics = ["te"]
    if found["no"]:
        return " ".join(["no", *clitics, f"{verb}s".replace("dés", "des")]) + found["rest"]
    return f"{_accented(order, len(clitics))}{''.join(clitics)}{found['rest']}"


def _accented(stem: str, clitics: int) -> str:
    """Return a stem with an accent that keeps its stress before added syllables: `llama` as `lláma`."""
    if not clitics or any(letter in ACCENTS.values() for letter in stem):
        return stem
    syllables = _nuclei(stem)
    if len(syllables) == 1 and clitics == 1:
        return stem
    first, last = syllables[-2] if len(syllables) > 1 else syllables[-1]
    at = next((n for n in range(first, last) if stem[n] in STRONG), last - 1)
    return stem[:at] + ACCENTS[stem[at]] + stem[at + 1 :]


def _nuclei(stem: str) -> list[tuple[int, int]]:
    """Return where the vowels of each syllable begin and end; two strong vowels are two syllables."""
    found: list[tuple[int, int]] = []
    for at, letter in enumerate(stem):
        if letter not in VOWELS or (
            letter == "u" and stem[at - 1 : at] in {"q", "g"} and stem[at + 1 : at + 2] in "ei"
        ):
            continue
        joins = found and found[-1][1] == at and not (letter in STRONG and stem[at - 1] in STRONG)
        if joins:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    return found


def _orders() -> Mapping[str, str]:
    return table(PACKAGE, "orders")["es"]
