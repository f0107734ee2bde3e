"""The words of a text as full text search and relevance see them: folded, and without those that say nothing.

Names, numbers and codes are what vectors are bad at; here they count as they stand.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

_WORD: Final = re.compile(r"\w+")
LONGEST_WORD: Final = 40
"""Characters; what is longer is no word, and the index does not take it."""
STEM: Final = 4
"""Two words with fewer letters in common at their beginning are strangers."""

_SAY_NOTHING: Final = """
a about an and any are as at be been by can could cost costs day days did do does for from get go had has have he
her him his how i if in is it its just kind last long made make many me much must my need new no not of off on one
or our out said say she should so some still take tell that the their them then there they this time times to two
until up us use used want was we were what when where which who whom whose why will with would write written wrote
year years you your again date far mean message now till

aber als am an auch auf aus bei bin bis da das dass dein dem den der des dich die du ein eine einem einen einer
eines er es fur geld gibt habe haben hat hatte ich ihr im in ist ja jahr jahre kann kosten kostet man mein meine
meiner mich mir mit muss nach nachricht nicht noch nur ob oder sagt sagte gesagt sein sich sie sind so soll tag
tage uber uhr um und uns viel viele von vor wann war warum was welche welcher welches wem wen wenn wer werden wie
wieder wieviel wir wird wo wollen wurde zu zum zur

a an annee au aux avant avec c ce ces cette combien comment d dans de des dois doit du elle en est et ete etre
faut heure il ils j jour jours je l la le les leur lui m ma mais me message mes mon n ne nos notre nous on ou par
pas pour pourquoi prix qu quand que quel quelle quelles quels qui s sa se ses si son sont sur t ta te tes toi ton
tu un une vos votre vous y

al ano anos como con costo cual cuales cuando cuanta cuanto cuantos cuesta de del dia dias donde el ella en es
esta este fue ha hay hora la las le lo los me mensaje mi mis mas muy no nos o para pero por porque que quien
quiero se si sin sobre son su sus te tengo tiene tu un una unos y ya
"""
_EMPTY: Final = frozenset(_SAY_NOTHING.split())
"""Of questions in English, German, French and Spanish: what asks, not what is asked about."""


def words(text: str) -> list[str]:
    """Every word in order, without case and accents."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return [word[:LONGEST_WORD] for word in _WORD.findall(plain)]


def asked(question: str) -> list[str]:
    """The words of a question that say what it is about, each once."""
    return [word for word in dict.fromkeys(words(question)) if word not in _EMPTY and (len(word) > 1 or word.isdigit())]


def has_digit(word: str) -> bool:
    """Whether it is a number or a code."""
    return any(character.isdigit() for character in word)


class Vocabulary:
    """The words of one passage, to be asked for those of a question."""

    def __init__(self, found: Iterable[str]) -> None:
        self._whole = frozenset(found)
        stems: dict[str, list[str]] = {}
        for word in self._whole:
            if len(word) >= STEM:
                stems.setdefault(word[:STEM], []).append(word)
        self._stems: Mapping[str, Sequence[str]] = MappingProxyType(stems)

    def has(self, word: str) -> float:
        """How surely it is there, from 0 to 1: itself, another form of it, or as the beginning of a longer word."""
        if word in self._whole:
            return 1.0
        if len(word) < STEM or has_digit(word):
            return 0.0
        return max((_likeness(word, other) for other in self._stems.get(word[:STEM], ())), default=0.0)


def _likeness(one: str, other: str) -> float:
    """Of two words that begin alike: 0.8 for two forms of one word, 0.5 for a word and one made of it."""
    shorter, longer = sorted((one, other), key=len)
    if has_digit(other):
        return 0.0
    common = next(
        (at for at, pair in enumerate(zip(shorter, longer, strict=False)) if pair[0] != pair[1]), len(shorter)
    )
    if common >= len(shorter) - 2 and common >= 0.6 * len(longer):
        return 0.8
    return 0.5 if common == len(shorter) > STEM else 0.0
