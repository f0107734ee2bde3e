"""Words the reasons of the guardrails' verdicts, each as a sentence."""

from collections.abc import Iterable, Mapping

from butler.contract.reasons import Reason, ReasonCode, own_words
from butler.contract.speech import say, say_number
from butler.contract.tables import table

_TEXTS = table("butler.guardrails", "texts")
SIGNS: Mapping[str, str] = _TEXTS["signs"]
"""The kinds of signs of instructions to an assistant."""
_NAMED = frozenset(_TEXTS["kinds"].values())
_SENTENCES: Mapping[ReasonCode, str] = {ReasonCode(code): text for code, text in _TEXTS["reasons"].items()}
GUARD_CODES = frozenset(_SENTENCES)


def sentence(found: Reason) -> str:
    """Return a reason in the owner's language, as a sentence."""
    values: dict[str, str] = {}
    if "signs" in found.params:
        values["signs"] = "; ".join(say(SIGNS[kind]) for kind in found.params["signs"]) or say("much in it together")
    if "kinds" in found.params:
        values["kinds"] = ", ".join(say(name) if name in _NAMED else name for name in found.params["kinds"])
    if "count" in found.params:
        values["count"] = say_number(found.params["count"])
    return say(_SENTENCES[found.code], **values)


def verdict_in_words(found: Iterable[Reason]) -> str:
    """Return the reasons of a verdict in the owner's language, a sentence each."""
    return " ".join(own_words(one) if one.code is ReasonCode.WORDS else sentence(one) for one in found)
