"""Takes personal data out of texts before a model or a log sees them, and restores it in the model's answers."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel

from butler.guardrails.guard import GuardSpan
from butler.guardrails.kinds import API_KEY, BIRTH, CARD, EMAIL, IBAN, IP, LICENCE, NATIONAL_ID, PHONE, PLATE
from butler.guardrails.pii import personal_data, without_links

_NAMES = {
    EMAIL: "EMAIL",
    PHONE: "PHONE",
    CARD: "CARD",
    IBAN: "IBAN",
    IP: "IP",
    NATIONAL_ID: "ID",
    BIRTH: "BIRTH_DATE",
    PLATE: "PLATE",
    LICENCE: "LICENCE",
    API_KEY: "SECRET",
}
_PLACEHOLDER = re.compile(r"\[[A-Z][A-Z_]*_\d+\]")


class Placeholders:
    """The placeholders of one request; never stored, never logged."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Placeholders({', '.join(self._values)})"

    def avoid(self, text: str) -> None:
        """Never use placeholders that the text already has, or `restore` would replace its writer's own words."""
        self._taken.update(_PLACEHOLDER.findall(text))

    def name(self, kind: str, value: str) -> str:
        """Return the placeholder for a value; the same value always gets the same placeholder."""
        known = self._names.get((kind, value))
        if known is not None:
            return known
        number = 1
        while (name := f"[{placeholder_kind(kind)}_{number}]") in self._values or name in self._taken:
            number += 1
        self._values[name] = value
        self._names[kind, value] = name
        return name

    def restore(self, value: Any) -> Any:
        """Replace every placeholder of this request, at any depth of lists, mappings and models."""
        match value:
            case str():
                return _PLACEHOLDER.sub(lambda found: self._values.get(found.group(), found.group()), value)
            case BaseModel():
                return type(value).model_validate(self.restore(value.model_dump()))
            case Mapping():
                items = cast("Mapping[Any, Any]", value).items()
                return {self.restore(key): self.restore(one) for key, one in items}
            case list():
                return [self.restore(one) for one in cast("list[Any]", value)]
            case tuple():
                return tuple(self.restore(one) for one in cast("tuple[Any, ...]", value))
            case _:
                return value


def placeholder_kind(kind: str) -> str:
    """Return the name of a kind of span in a placeholder, such as `PHONE`."""
    return _NAMES.get(kind, kind)


def redact(texts: Sequence[str], placeholders: Placeholders | None = None) -> tuple[list[str], Placeholders]:
    """Redact the texts of one request, in order; return them with the placeholders.

    Pass the placeholders of an earlier call to continue the same request.
    """
    held = placeholders if placeholders is not None else Placeholders()
    for text in texts:
        held.avoid(text)
    return [_replaced(text, held) for text in texts], held


def masked(text: str) -> str:
    """Return a text for a log: personal data is irreversibly replaced by its kind."""
    return cut(text, without_links(personal_data(text)))


def cut(text: str, spans: Sequence[GuardSpan]) -> str:
    """Replace spans, which are in order and do not overlap, by their kinds, such as `[PHONE]`."""
    pieces, at = list[str](), 0
    for span in spans:
        pieces += [text[at : span.start], f"[{placeholder_kind(span.type)}]"]
        at = span.end
    return "".join((*pieces, text[at:]))


def _replaced(text: str, held: Placeholders) -> str:
    pieces, at = list[str](), 0
    for span in without_links(personal_data(text)):
        pieces += [text[at : span.start], held.name(span.type, text[span.start : span.end])]
        at = span.end
    return "".join((*pieces, text[at:]))
