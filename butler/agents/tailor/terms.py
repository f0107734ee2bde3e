"""The content words of a question, and how much of them a passage covers."""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_STOP_WORDS = """
    a about all am an and any are as at be been but by can could did do does for from had has have he her his how i if
    in is it its me my no not of on or our please she should so tell than that the their them then there these they
    this to us was we were what when where which who whom whose why will with would you your much many does say says
    said find know show give ist sind war waren wird werden der die das den dem des ein eine einen einem einer und oder
    aber nicht kein keine in im an am auf aus bei mit nach von vom zu zum zur für über unter um ich du er sie es wir ihr
    mein meine meinen meinem meiner dein sein seine unser euer mir mich dir dich uns was wer wen wem wann wo wie warum
    welche welcher welches viel viele hat haben habe hatte kann muss soll bitte sag dass wenn als auch noch schon steht
    le la les un une des du de et ou mais ne pas dans sur sous pour par avec sans ce cet cette ces je tu il elle nous
    vous ils elles mon ma mes ton ta tes son sa ses notre nos votre vos leur est sont était sera ai as a avons avez ont
    que qui quoi quand où comment pourquoi quel quelle quels quelles combien faut dois est-ce s'il plaît dit
    el los las una unos unas y o pero no en al del con sin por para este esta estos estas ese esa yo él ella nosotros
    mi mis tu tus su sus es son era será he has ha hemos han qué quién cuándo dónde cómo cuál cuánto cuánta cuántos
    cuántas tengo hay dice favor
"""
"""English, German, French and Spanish."""
_STOP = frozenset(_STOP_WORDS.split())
_ENDINGS = (
    *("ements", "ations", "ement", "ation", "ungen", "ungs", "ings", "ung", "ing", "ies", "ées", "és", "ée", "aux"),
    *("ern", "est", "ed", "es", "en", "er", "em", "ly", "al", "os", "as", "s", "e", "n", "y", "a", "o"),
)
_SHORTEST = 4
_PART = 0.7
"""The weight of a word that only shares a beginning, such as `Mietvertrag` for `Miete`."""


def terms(text: str) -> list[str]:
    """Return the stems of the content words, in order, each once."""
    words = (word.casefold() for word in _WORD.findall(text))
    return list(dict.fromkeys(stem(word) for word in words if word not in _STOP and (len(word) > 1 or word.isdigit())))


def stem(word: str) -> str:
    """Strip a word's ending and accents; crude, the same for all languages."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    plain = re.split(r"['’]", plain)[-1] if re.match(r"(?:[cdjlmnst]|qu)['’]", plain) else re.split(r"['’]", plain)[0]
    for ending in _ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= _SHORTEST:
            return plain[: -len(ending)]
    return plain


def weights(question: Sequence[str], texts: Iterable[frozenset[str]]) -> dict[str, float]:
    """Weigh each of the question's terms by how well it distinguishes the texts: rare ones weigh more."""
    known = list(texts)
    return {
        term: math.log(1 + (len(known) + 1) / (1 + sum(found(term, text) > 0 for text in known))) for term in question
    }


def found(term: str, text: frozenset[str]) -> float:
    """Return 1 if the text has the term, less if it only has a word that begins with it, else 0."""
    if term in text:
        return 1.0
    if len(term) >= _SHORTEST and any(word.startswith(term) for word in text):
        return _PART
    return 0.0


def coverage(weighted: Mapping[str, float], own: frozenset[str], around: frozenset[str], around_counts: float) -> float:
    """Return the share of the question that a passage covers, from 0 to 1; its surroundings count less."""
    total = sum(weighted.values())
    if not total:
        return 0.0
    items = (weight * max(found(term, own), around_counts * found(term, around)) for term, weight in weighted.items())
    return sum(items) / total
