"""Turns French and Spanish indirect questions into direct ones: `si elle a retrouvé mon chargeur`, `si le queda sitio`.

Only certain cases are put into the second person; the owner decides everything else.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from butler.contract.chat_words import folded
from butler.contract.tables import table
from butler.understanding.stored_words import group_in, patterns_in, whole_in

FILE = ("butler.orchestrator.understanding.texts", "questions")
IMPERSONAL = patterns_in(*FILE, "impersonal")
"""The impersonal French `il`."""
ABOUT_THEM = re.compile(rf"^{group_in(*FILE, 'about_them')}$", re.IGNORECASE)
WHAT = re.compile(rf"^{group_in(*FILE, 'what')}", re.IGNORECASE)
THEM = whole_in(*FILE, "them")
FIRST = re.compile(rf"^{group_in(*FILE, 'first')}\s+(?=\S)", re.IGNORECASE)
SOFT, OBJECTS, THERE_IS, NOBODYS = (
    frozenset[str](table(*FILE)["es"][kind].split()) for kind in ("soft", "objects", "there_is", "nobodys")
)
VOWELS = "aeiouhâàéèêîôû"


def french(words: str, *, several: bool) -> str | None:
    """Return a French indirect question as a direct one to the reader; None if it is not certain."""
    spoken = table(*FILE)["fr"]
    what = WHAT.match(words)
    asked, rest = ("Qu'", words[what.end() :]) if what else _split(words, spoken["asking"])
    if IMPERSONAL.match(rest):
        return _est_ce_que(asked, rest)
    about = ABOUT_THEM.match(rest)
    if about is not None:
        said = None if several else _to_tu(about, spoken)
        if said is None:
            return None
        return f"{_capital(said)} ?" if not asked else _est_ce_que(asked, said)
    if _speaks_of(rest, spoken["others"]) or _speaks_of(rest, " ".join(spoken["yours"])):
        return None
    if _first(rest) in spoken["things"].split():
        return _est_ce_que(asked, rest)
    return f"{_capital(words)} ?" if asked and not what else None


def _to_tu(about: re.Match[str], spoken: Mapping[str, Any]) -> str | None:
    verb, after = about["verb"], about["after"]
    said = spoken["verbs"].get(folded(verb)) or _with_s(verb)
    if said is None or folded(verb) in {"lui", "leur"} or _speaks_of(after, spoken["others"]):
        return None
    before = re.sub(r"\bs(?=e\s|['’])", "t", about["before"], flags=re.IGNORECASE)
    yours = " ".join(spoken["yours"].get(word.casefold(), word) for word in after.split(" "))
    return f"tu {before}{said}{yours}"


def _with_s(verb: str) -> str | None:
    """Return a verb of the third person in the second; None if its form is unknown."""
    if verb.endswith("t"):
        return f"{verb[:-1]}s"
    return f"{verb}s" if verb.endswith(("e", "a", "d", "c")) else None


def _est_ce_que(asked: str, rest: str) -> str:
    que = "est-ce qu'" if rest[:1].casefold() in VOWELS else "est-ce que "
    gap = "" if not asked or asked.endswith("'") else " "
    return f"{_capital(asked + gap + que)}{rest} ?"


def spanish(words: str, *, several: bool) -> str | None:
    """Return a Spanish indirect question as a direct one to the reader; None if it is not certain."""
    spoken = table(*FILE)["es"]
    asked, rest = _split(words.lstrip("¿"), spoken["asking"])
    rest = FIRST.sub("", rest)
    if THEM.search(rest) or not rest:
        return None
    tokens = rest.split()
    start = next((n for n, token in enumerate(tokens) if folded(token) not in SOFT), 0)
    said = _to_you(tokens[start:], spoken, several=several, asked=bool(asked))
    return None if said is None else f"¿{_capital(' '.join(filter(None, (asked, *tokens[:start], *said))))}?"


def _to_you(tokens: list[str], spoken: Mapping[str, Any], *, several: bool, asked: bool) -> list[str] | None:
    """Return the words in the second person, or unchanged if they are about a thing."""
    words = [folded(token).strip(",") for token in tokens]
    if words[0] in THERE_IS or words[0] in spoken["after"].split():
        return _of_a_thing(tokens, words, spoken, several=several)
    if several:
        return None
    verb = 1 if words[0] in {"le", "se"} | OBJECTS and len(words) > 1 else 0
    rest = [spoken["yours"].get(folded(token), token) for token in tokens[verb + 1 :]]
    if words[0] == "le":
        return ["te", tokens[1], *rest] if words[1] in spoken["felt"].split() else None
    if words[0] == "se":
        certain = words[1].endswith(("a", "e")) and words[1] not in NOBODYS
        return ["te", f"{tokens[1]}s", *rest] if certain else None
    follows = words[verb + 1 :]
    is_thing = follows[:1] and follows[0] in spoken["after"].split() and not set(follows[1:2]) & _days(spoken)
    moves = words[verb] in spoken["moving"].split()
    if words[verb] in spoken["done"].split() or (moves and not is_thing):
        return [*tokens[:verb], f"{tokens[verb]}s", *rest]
    return tokens if is_thing and (moves or asked) else None


def _of_a_thing(tokens: list[str], words: list[str], spoken: Mapping[str, Any], *, several: bool) -> list[str] | None:
    """Change only the pronoun in words about a thing: `el martes le viene bien`."""
    at = words.index("le") if "le" in words[:-1] else 0
    felt = bool(at) and words[at + 1] in spoken["felt"].split()
    if {"les", "se"} & set(words) or (at and not felt) or (several and (felt or set(words) & set(spoken["yours"]))):
        return None
    said = [spoken["yours"].get(folded(token), token) for token in tokens]
    return [*said[:at], "te", *said[at + 1 :]] if felt else said


def _days(spoken: Mapping[str, Any]) -> set[str]:
    return set(spoken["days"].split())


def _split(words: str, asking: Sequence[str]) -> tuple[str, str]:
    """Return the question words at the beginning, and the rest."""
    plain = folded(words)
    first = next((one for one in sorted(asking, key=len, reverse=True) if re.match(rf"{one}\b", plain)), "")
    count = len(first.split())
    parts = words.split()
    return " ".join(parts[:count]), " ".join(parts[count:])


def _first(words: str) -> str:
    match = re.match(r"\w+", folded(words))
    return match[0] if match else ""


def _speaks_of(words: str, others: str) -> bool:
    return bool(set(re.findall(r"\w+", folded(words))) & set(others.split()))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
