"""Compares two JSON Schemas, and tells what a difference means for users of the old one.

An input may become wider and an output narrower; the reverse breaks users. An unknown keyword counts as a change of
everything.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, cast

from butler.adapters.schema_reading import (
    DEFINITIONS,
    WORDS,
    alternatives,
    is_object,
    meaning,
    only_one_fits,
    resolved,
    unordered,
    without,
)
from butler.contract.adapters import canonical_json
from butler.contract.integration import Json


class Direction(StrEnum):
    """The direction of a schema's values."""

    INPUT = "input"
    OUTPUT = "output"


class SchemaChange(StrEnum):
    """How a schema changed at one place."""

    WIDER = "wider"
    NARROWER = "narrower"
    OTHER = "other"
    """Neither, or both."""
    WORDS = "words"
    FIELD_ADDED = "field_added"
    """A new optional field, whose name was not restricted before."""
    FIELD_NEEDED = "field_needed"
    """A new required field."""
    FIELD_REMOVED = "field_removed"


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: its place, such as `filter.must[]`, and its description."""

    turn: SchemaChange
    where: str
    what: str


LOWER = {"minimum": 1, "exclusiveMinimum": 1, "minLength": 1, "minItems": 1, "minProperties": 1}
UPPER = {"maximum": -1, "exclusiveMaximum": -1, "maxLength": -1, "maxItems": -1, "maxProperties": -1}
BOUNDS = LOWER | UPPER
"""With 1 for those that narrow the schema as they grow."""
LIMITS = ("pattern", "format", "multipleOf", "uniqueItems")
"""Keywords that always narrow a schema, and cannot be compared with one another."""
HANDLED = frozenset(
    {"type", "enum", "const", "properties", "required", "additionalProperties", "items", "prefixItems", "default"}
    | BOUNDS.keys()
    | set(LIMITS)
    | WORDS
    | DEFINITIONS
)


def differences(old: Json, new: Json, flow: Direction) -> list[Difference]:
    """Return every difference between two whole schemas; one that cannot be followed to its end changed entirely."""
    try:
        return list(_Comparison(old, new, flow).compare(old, new, ""))
    except RecursionError:
        return [Difference(SchemaChange.OTHER, "", "it holds itself in a way that cannot be compared")]


@dataclass(slots=True)
class _Comparison:
    old_root: Json
    new_root: Json
    flow: Direction
    open: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The pairs of references being compared: schemas may be recursive."""

    def compare(self, old: Any, new: Any, where: str, *, optional: bool = True) -> Iterator[Difference]:
        """Yield differences at a place and below; `optional` says that its default counts."""
        pair = (str(old.get("$ref", "")), str(new.get("$ref", ""))) if is_object(old) and is_object(new) else ("", "")
        if all(pair):
            if pair in self.open:
                yield from self._compare(without(old, "$ref"), without(new, "$ref"), where, optional=optional)
                return
            self.open.append(pair)
        yield from self._compare(resolved(self.old_root, old), resolved(self.new_root, new), where, optional=optional)
        if all(pair):
            self.open.pop()

    def _compare(self, old: Json, new: Json, where: str, *, optional: bool) -> Iterator[Difference]:
        for word in sorted(WORDS):
            if old.get(word) != new.get(word):
                yield Difference(SchemaChange.WORDS, where, f"its {word.strip('$')} is worded anew")
        yield from _default(old, new, where, optional=optional)
        old, new = without(old, *WORDS, "default"), without(new, *WORDS, "default")
        if only_one_fits(self.old_root, old) or only_one_fits(self.new_root, new):
            # Alternatives may overlap, and a value that fits two of them fits none: they cannot be compared one by one.
            before, after = meaning(self.old_root, old), meaning(self.new_root, new)
            if not _same(unordered(before), unordered(after)):
                yield Difference(SchemaChange.OTHER, where, "its alternatives, of which only one may fit, have changed")
                return
        olds, news = alternatives(self.old_root, old), alternatives(self.new_root, new)
        if len(olds) == len(news) == 1 and olds[0] == old and news[0] == new:
            yield from self._one(old, new, where)
        else:
            yield from self._several(olds, news, where)

    def _several(self, olds: list[Json], news: list[Json], where: str) -> Iterator[Difference]:
        """Compare alternatives: match similar ones; the rest is removed or new."""
        if len(olds) == len(news) == 1:
            yield from self.compare(olds[0], news[0], where)
            return
        pairs, gone, added = self._pairs(olds, news)
        for old, new in pairs:
            yield from self.compare(old, new, where)
        for old in gone:
            yield Difference(SchemaChange.NARROWER, where, f"it can be {_kind(self.old_root, old)} no longer")
        for new in added:
            yield Difference(SchemaChange.WIDER, where, f"it can be {_kind(self.new_root, new)} as well")

    def _pairs(self, olds: list[Json], news: list[Json]) -> tuple[list[tuple[Json, Json]], list[Json], list[Json]]:
        pairs: list[tuple[Json, Json]] = []
        left, free = list(olds), list(news)
        for likeness in (_meaning, _reference, _type):
            for old in list(left):
                mark = likeness(self.old_root, old)
                match = next((new for new in free if mark and likeness(self.new_root, new) == mark), None)
                if match is not None:
                    pairs.append((old, match))
                    left = [one for one in left if one is not old]
                    free = [one for one in free if one is not match]
        return pairs, left, free

    def _one(self, old: Json, new: Json, where: str) -> Iterator[Difference]:
        """Compare two schemas of one type each."""
        turn = _type_turn(old.get("type"), new.get("type"))
        if turn is not None:
            yield Difference(turn, where, f"its type went from {old.get('type', 'any')} to {new.get('type', 'any')}")
            if turn is SchemaChange.OTHER:
                return
        yield from _values(old, new, where)
        yield from _bounds(old, new, where)
        yield from _limits(old, new, where)
        yield from self._fields(old, new, where)
        yield from self._rest(old, new, where)
        yield from self._elements(old, new, where)
        for key in sorted((old.keys() | new.keys()) - HANDLED):
            if meaning(self.old_root, old.get(key)) != meaning(self.new_root, new.get(key)):
                yield Difference(SchemaChange.OTHER, where, f"its {key} has changed")

    def _fields(self, old: Json, new: Json, where: str) -> Iterator[Difference]:
        olds, news = _properties(old), _properties(new)
        needed, needs = _required(old), _required(new)
        for name in sorted(olds.keys() - news.keys()):
            yield Difference(SchemaChange.FIELD_REMOVED, _field(where, name), "it was removed")
        for name in sorted(news.keys() - olds.keys()):
            yield self._added(old, _field(where, name), needed=name in needs)
        for name in sorted(olds.keys() & news.keys()):
            place = _field(where, name)
            yield from self.compare(olds[name], news[name], place, optional=name not in needed | needs)
            if name in needs - needed:
                yield Difference(SchemaChange.NARROWER, place, "it may be left out no longer")
            if name in needed - needs:
                yield Difference(SchemaChange.WIDER, place, "it may be left out now")
        for name in sorted((needed ^ needs) - olds.keys() - news.keys()):
            yield Difference(SchemaChange.OTHER, _field(where, name), "whether it may be left out has changed")

    def _added(self, old: Json, place: str, *, needed: bool) -> Difference:
        if self.flow is Direction.INPUT and needed:
            return Difference(SchemaChange.FIELD_NEEDED, place, "it is new and may not be left out")
        closed = old.get("additionalProperties", True) is not True
        if self.flow is Direction.OUTPUT and closed:
            return Difference(SchemaChange.WIDER, place, "it is new, where nothing more than was said was to come")
        return Difference(SchemaChange.FIELD_ADDED, place, "it is new")

    def _rest(self, old: Json, new: Json, where: str) -> Iterator[Difference]:
        """Compare the schemas of additional fields."""
        before, after = old.get("additionalProperties", True), new.get("additionalProperties", True)
        place = _field(where, "*")
        if before == after and not is_object(before):
            return
        if after is False:
            yield Difference(SchemaChange.NARROWER, place, "it has no other fields any more")
        elif before is False:
            yield Difference(SchemaChange.WIDER, place, "it has other fields now")
        else:
            yield from self.compare(before, after, place)

    def _elements(self, old: Json, new: Json, where: str) -> Iterator[Difference]:
        before, after = _list(old.get("prefixItems")), _list(new.get("prefixItems"))
        if len(before) != len(after):
            yield Difference(SchemaChange.OTHER, where, "it has another number of elements")
        for index, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from self.compare(one, other, f"{where}[{index}]")
        if "items" in old or "items" in new:
            yield from self.compare(old.get("items", {}), new.get("items", {}), f"{where}[]")


def _meaning(root: Json, one: Json) -> str:
    return canonical_json(meaning(root, one))


def _reference(_root: Json, one: Json) -> str:
    return str(one.get("$ref", ""))


def _type(root: Json, one: Json) -> str:
    return str(resolved(root, one).get("type", ""))


def _default(old: Json, new: Json, where: str, *, optional: bool) -> Iterator[Difference]:
    nothing = object()
    before, after = old.get("default", nothing), new.get("default", nothing)
    if before is after or (before is not nothing and after is not nothing and _same(before, after)):
        return
    text = " to ".join("nothing" if value is nothing else canonical_json(value) for value in (before, after))
    yield Difference(
        SchemaChange.OTHER if optional else SchemaChange.WORDS, where, f"what it is when left out went from {text}"
    )


def _same(one: Any, other: Any) -> bool:
    """Compare as JSON, where true is not 1."""
    return canonical_json(one) == canonical_json(other)


def _type_turn(old: Any, new: Any) -> SchemaChange | None:
    if old == new:
        return None
    if old is None or (old, new) == ("number", "integer"):
        return SchemaChange.NARROWER
    if new is None or (old, new) == ("integer", "number"):
        return SchemaChange.WIDER
    return SchemaChange.OTHER


def _values(old: Json, new: Json, where: str) -> Iterator[Difference]:
    """Compare the values listed by `enum` or `const`."""
    if "const" in {**old, **new} and any(one.keys() >= {"const", "enum"} for one in (old, new)):
        if not _same(*(unordered({key: one.get(key, []) for key in ("const", "enum")}) for one in (old, new))):
            yield Difference(
                SchemaChange.OTHER, where, "the values that are listed have changed, by enum and const at once"
            )
        return
    before, after = _listed(old), _listed(new)
    if before is None or after is None:
        if before is not None:
            yield Difference(SchemaChange.WIDER, where, "it is not one of listed values any more")
        if after is not None:
            yield Difference(SchemaChange.NARROWER, where, f"it is one of {', '.join(sorted(after))} now")
        return
    if gone := sorted(before - after):
        yield Difference(SchemaChange.NARROWER, where, f"the value {', '.join(gone)} was removed")
    if added := sorted(after - before):
        yield Difference(SchemaChange.WIDER, where, f"the value {', '.join(added)} is new")


def _listed(schema: Json) -> set[str] | None:
    if "const" in schema:
        return {canonical_json(schema["const"])}
    return {canonical_json(value) for value in _list(schema["enum"])} if "enum" in schema else None


def _bounds(old: Json, new: Json, where: str) -> Iterator[Difference]:
    for key, sign in BOUNDS.items():
        before, after = old.get(key), new.get(key)
        if before == after and isinstance(before, bool) is isinstance(after, bool):
            continue
        text = f"its {key} went from {_or_none(before)} to {_or_none(after)}"
        if before is None:
            yield Difference(SchemaChange.NARROWER, where, text)
        elif after is None:
            yield Difference(SchemaChange.WIDER, where, text)
        elif {type(before), type(after)} <= {int, float}:
            yield Difference(SchemaChange.NARROWER if (after - before) * sign > 0 else SchemaChange.WIDER, where, text)
        else:
            yield Difference(SchemaChange.OTHER, where, text)


def _limits(old: Json, new: Json, where: str) -> Iterator[Difference]:
    for key in LIMITS:
        before, after = old.get(key) or None, new.get(key) or None
        if _same(before, after):
            continue
        turn = SchemaChange.NARROWER if before is None else SchemaChange.WIDER if after is None else SchemaChange.OTHER
        yield Difference(turn, where, f"its {key} went from {_or_none(before)} to {_or_none(after)}")


def _or_none(value: Any) -> str:
    return "none" if value is None else str(value)


def _properties(schema: Json) -> Json:
    found = schema.get("properties")
    return found if is_object(found) else {}


def _required(schema: Json) -> frozenset[str]:
    return frozenset(map(str, _list(schema.get("required"))))


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _field(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _kind(root: Json, schema: Json) -> str:
    """Return the name of a schema in a sentence."""
    ref = schema.get("$ref")
    return ref.rsplit("/", 1)[-1] if isinstance(ref, str) else str(resolved(root, schema).get("type", "anything"))
