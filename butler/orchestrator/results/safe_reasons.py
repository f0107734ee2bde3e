"""Why a step failed, as a planner may know it: the butler's own sentences, without the values that stand in them.

A sentence is told as the code has it in English, and each value in it as an ellipsis: others may have chosen it. What
is no sentence of ours, such as a provider's message, is not told.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, cast

from butler.contract.agents import PlanStep
from butler.contract.reasons import Reason, ReasonCode, load_reasons
from butler.contract.speech import spoken
from butler.contract.tools import ToolSpec
from butler.languages.catalogues import catalogue
from butler.orchestrator.planning.planner_view import OwnSentence
from config.language import OwnerLanguage

LONGEST, MOST = 300, 4
"""Characters of a reason that a planner is told, and reasons of one step."""
_VALUE = re.compile(r"\{(\w*)[^{}]*\}")
_TELLS = re.compile(r"[^\W\d_]{3,}.*[^\W\d_]{3,}", re.DOTALL)
"""A sentence that says something without its values."""
_NUMBER = re.compile(r"\d{1,6}")
_COUNTS = frozenset({"count", "most", "limit", "length", "number"})
"""The names of values that only the butler's code counts."""
_FIELD = re.compile(r"[a-z_]{1,40}(?:\.(?:[a-z_]{1,40}|\d{1,3}))*: ", re.ASCII)
_REFERENCES = frozenset({"step", "from", "draft", "replied", "handle", "address", "every", "fact", "select"})
_PRIVATE = re.compile(r"@|\d{5}")
"""What may be an address or a number of somebody."""


def safe_reason(step: PlanStep, spec: ToolSpec, outcome: Mapping[str, Any]) -> OwnSentence | None:
    """Return why a step failed; None if it did not, or if nothing of it may be told."""
    if outcome.get("ok"):
        return None
    reasons = load_reasons(outcome.get("why") or ())
    told = [_of_reason(one, step, spec) for one in reasons] or [own_sentence(str(outcome.get("message") or ""))]
    text = "; ".join(list(dict.fromkeys(filter(None, told)))[:MOST])
    return OwnSentence(text[:LONGEST]) if text else None


def _of_reason(one: Reason, step: PlanStep, spec: ToolSpec) -> str:
    match one.code:
        case ReasonCode.WORDS:
            text = str(one.params["text"])
            of_arguments = text.removeprefix(f"{spec.tool_name}: ")
            return _of_arguments(of_arguments, step, spec) if of_arguments != text else own_sentence(text)
        case ReasonCode.ERROR:
            return own_sentence(str(one.params["detail"])) or own_sentence(str(one.params["error"]))
        case _:
            # The code says it, and its values may be anybody's.
            return one.code.value.replace("_", " ")


def _of_arguments(text: str, step: PlanStep, spec: ToolSpec) -> str:
    """Return what is wrong with the arguments: all of it, if the planner itself wrote them; else which ones."""
    if not _refers(step.args) and not _PRIVATE.search(text):
        return text
    fields = [part.split(":", 1)[0] for part in text.split("; ") if _FIELD.match(part)]
    named = [one for one in fields if one.split(".")[0] in spec.args.model_fields]
    return own_sentence(text) or (f"does not fit: {', '.join(named)}" if named else "")


def _refers(value: Any) -> bool:
    match value:
        case dict():
            names = cast("dict[str, Any]", value)
            return not _REFERENCES.isdisjoint(names) or any(map(_refers, names.values()))
        case list():
            return any(map(_refers, cast("list[Any]", value)))
        case _:
            return False


def own_sentence(text: str) -> str:
    """Return the English sentence of the butler's that a text is, with its values left out; empty if it is none."""
    text = _plain(text)
    if not text:
        return ""
    bare, templates = _sentences(spoken())
    if (english := bare.get(text)) is not None:
        return english
    found = (one for one in templates if all(part in text for part in one.parts) and one.pattern.fullmatch(text))
    best = max(found, key=lambda one: sum(map(len, one.parts)), default=None)
    return best.without_values(text) if best is not None else ""


class _Template:
    """A sentence with values in it."""

    def __init__(self, english: str, said: str) -> None:
        self._english = english
        self._names = [match[1] for match in _VALUE.finditer(said)]
        self.parts = [part for part in _VALUE.sub("\0", said).split("\0") if part.strip()]
        between = (re.escape(part) for part in _VALUE.sub("\0", said).split("\0"))
        self.pattern = re.compile("(.*)".join(between), re.DOTALL)

    def without_values(self, text: str) -> str:
        """Return the English sentence; of its values, only what was counted stays."""
        found = self.pattern.fullmatch(text)
        values = dict(zip(self._names, found.groups() if found else (), strict=False))
        counted = {name: value for name, value in values.items() if name in _COUNTS and _NUMBER.fullmatch(value)}
        return _VALUE.sub(lambda one: counted.get(one[1], "…"), self._english)


@cache
def _sentences(language: OwnerLanguage) -> tuple[Mapping[str, str], tuple[_Template, ...]]:
    """Return the butler's sentences in a language: those without values with their English ones, and the others."""
    bare: dict[str, str] = {}
    templates: list[_Template] = []
    for english, said in _pairs(language):
        if not _VALUE.search(said):
            bare[said] = english
        elif _TELLS.search(_VALUE.sub(" ", said)):
            templates.append(_Template(english, said))
    return bare, tuple(templates)


def _pairs(language: OwnerLanguage) -> Iterator[tuple[str, str]]:
    """Yield every sentence in English and as it is said; reasons are stored in English in any language."""
    texts = catalogue(OwnerLanguage.GERMAN if language is OwnerLanguage.ENGLISH else language).texts
    for english, said in texts.items():
        yield _plain(english), _plain(english)
        if language is not OwnerLanguage.ENGLISH:
            yield _plain(english), _plain(said)


def _plain(text: str) -> str:
    return text.strip().rstrip(".")
