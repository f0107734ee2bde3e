"""Turns an indirect question into a direct one: `whether he still has my ladder`, `wann sie kommt`.

Only if the word order and the verb form are certain; the owner decides everything else.
"""

import re
from collections.abc import Mapping
from functools import partial

from butler.contract.tables import table
from butler.orchestrator.understanding.texts.questions_romance import french, spanish
from butler.understanding.stored_words import group_in

FILE = ("butler.orchestrator.understanding.texts", "questions")
group = partial(group_in, *FILE)
ENGLISH, GERMAN = table(*FILE)["en"], table(*FILE)["de"]
SUBJECTS, THEIRS, ANYBODY = (frozenset[str](ENGLISH[kind].split()) for kind in ("subjects", "theirs", "anybody"))
AUXILIARIES: Mapping[str, str] = ENGLISH["auxiliaries"]
PAST_PARTICIPLE = re.compile(group("past_participle"))
OURS: Mapping[str, str] = ENGLISH["yours"]
WHETHER = re.compile(rf"^{group('whether')}", re.IGNORECASE)
WH = re.compile(rf"^{group('question_words', 'en')}\b", re.IGNORECASE)
DETERMINERS = tuple[str, ...](ENGLISH["things"])
GERMAN_YOU: Mapping[str, str] = GERMAN["verbs"]
GERMAN_WH = re.compile(rf"^{group('question_words', 'de')}\b", re.IGNORECASE)
SEPARABLE = re.compile(rf"{group('separable')}\w{{4,}}$")
SEPARABLE_PART = re.compile(rf"(?P<part>{group('separable')})(?P<verb>\w{{3,}}t)$")
GERMAN_WHO = re.compile(rf"(?P<who>{group('who')})\s+(?P<middle>.*?)\s*\b(?P<verb>[^\W\d_]+)$", re.IGNORECASE)
SHORTEST_VERB, LONGEST_SUBJECT = 4, 5
GERMAN_THING = re.compile(rf"^{group('thing')}\b", re.IGNORECASE)
GERMAN_YOURS: Mapping[str, str] = GERMAN["yours"]


def question_of(words: str, language: str, *, several: bool) -> str | None:
    """Return the direct question to the reader; None if it is not certain."""
    plain = WHETHER.sub("", words.strip()).rstrip("?.! ")
    if not plain:
        return None
    if language == "en":
        return _english(plain)
    if language == "de":
        return _german_who(plain) or _german(plain, several=several)
    if language == "fr":
        return french(plain, several=several)
    return spanish(plain, several=several) if language == "es" else None


def _english(words: str) -> str | None:
    match = WH.match(words)
    asked, rest = (match[0], words[match.end() :].strip()) if match else ("", words)
    tokens = (
        rest.replace("’", "'").replace("'s ", " 's ", 1).replace("'ll ", " 'll ", 1).replace("'d ", " 'd ", 1).split()
    )
    if not tokens:
        return None
    subject = tokens[0].casefold()
    if subject in THEIRS:
        return _of_a_thing(asked, ["your", *tokens[1:]], f"your {' '.join(tokens[1:])}")
    if subject in SUBJECTS and len(tokens) > 1:
        verb, after = tokens[1].casefold(), tokens[2:]
        said = _to_you(verb, after, several=subject == "they")
        return _written(asked, said) if said else None
    if asked and (first := tokens[0].casefold()) in AUXILIARIES and asked.casefold() in ENGLISH["who_or_what"].split():
        return _written(asked, [first, *tokens[1:]])
    return _of_a_thing(asked, tokens, rest)


def _to_you(verb: str, after: list[str], *, several: bool) -> list[str] | None:
    rest = [OURS.get(word.casefold(), word) for word in after]
    if verb in {"has", "have"} and after and not PAST_PARTICIPLE.match(after[0].casefold()):
        unsure = after[0].casefold() in ENGLISH["unsure"].split()
        return None if unsure else ["do", "you", "have", *rest]
    if verb in AUXILIARIES:
        return [AUXILIARIES[verb], "you", *rest]
    if verb in ENGLISH["adverbs"].split() and after:
        inner = _to_you(after[0].casefold(), after[1:], several=several)
        return [*inner[:2], verb, *inner[2:]] if inner else None
    plain = verb if several else _without_s(verb)
    return ["do", "you", plain, *rest] if plain else None


def _without_s(verb: str) -> str | None:
    """Return a verb such as `likes` in the second person (`like`); None if it has no such ending."""
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "ches", "xes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else None


def _of_a_thing(asked: str, tokens: list[str], rest: str) -> str | None:
    """Move the auxiliary to the front: `the meeting is still on`."""
    if not rest.casefold().startswith(DETERMINERS):
        return None
    place = next((n for n, word in enumerate(tokens) if n and word.casefold() in AUXILIARIES), None)
    others = any(word.casefold() in SUBJECTS for word in tokens)
    if place is None or place > LONGEST_SUBJECT or others:
        return None
    verb = tokens[place].casefold()
    if verb == "'s" and tokens[0].casefold() in ANYBODY:
        has = PAST_PARTICIPLE.match(" ".join(tokens[place + 1 : place + 2]).casefold())
        verb = "has" if has else "is"
    if verb.startswith("'"):
        return None
    return _written(asked, [verb, *tokens[:place], *tokens[place + 1 :]])


def _written(asked: str, words: list[str]) -> str:
    text = " ".join(word for word in (asked, *words) if word)
    return f"{text[:1].upper()}{text[1:]}?"


def _german_who(words: str) -> str | None:
    """Move the verb behind the question word: `wer von euch am Samstag kann`."""
    match = GERMAN_WHO.match(words)
    if match is None or "," in words:
        return None
    verb, part = match["verb"].casefold(), SEPARABLE_PART.match(match["verb"])
    if part is not None:
        return _written(match["who"], [part["verb"], match["middle"].strip(), part["part"]])
    known = verb in GERMAN_YOU or (verb.endswith("t") and len(verb) >= SHORTEST_VERB)
    return _written(match["who"], [verb, match["middle"].strip()]) if known else None


def _german(words: str, *, several: bool) -> str | None:
    match = GERMAN_WH.match(words)
    asked, rest = (match[0], words[match.end() :].strip()) if match else ("", words)
    tokens = rest.rstrip(",").split()
    if len(tokens) < 2 or "," in rest or len(tokens) > 14:  # noqa: PLR2004 - one clause
        return None
    verb = tokens[-1].casefold()
    if tokens[0].casefold() in {"er", "sie"}:
        return None if several else _german_you(asked, tokens, verb)
    if GERMAN_THING.match(rest) and (verb in GERMAN_YOU or verb in GERMAN["of_things"].split()):
        if verb == "stattfindet":
            return _written(asked, ["findet", *tokens[:-1], "statt"])
        theirs = tokens[:-1] if several else [GERMAN_YOURS.get(word.casefold(), word) for word in tokens[:-1]]
        return _written(asked, [verb, *theirs])
    return None


def _german_you(asked: str, tokens: list[str], verb: str) -> str | None:
    form, middle = GERMAN_YOU.get(verb) or _second_person(verb), tokens[1:-1]
    if form is None or (middle and middle[-1].casefold() == "zu"):
        return None
    return _written(asked, [form, "du", *(GERMAN_YOURS.get(word.casefold(), word) for word in middle)])


def _second_person(verb: str) -> str | None:
    """Return a verb such as `kommt` in the second person (`kommst`); None for verbs with a split-off part."""
    if SEPARABLE.match(verb) or not verb.endswith("t") or len(verb) < SHORTEST_VERB:
        return None
    stem = verb[:-1]
    return f"{stem}t" if stem.endswith(("s", "ß", "z", "x")) else f"{stem}st"
