"""Arguments of a tool made from its own schema, with the keys of every object in whatever order."""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

MOST = 3
"""Of a list or an open object, as many at most."""
TEXTS = st.text(max_size=12) | st.sampled_from(
    ["Zürich", "naïve\u0301", "\U0001f469\u200d\U0001f467", "\u202eevil", "10", "9", " "]
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32) | st.integers(-(10**6), 10**6)
SCALARS = st.none() | st.booleans() | TEXTS | NUMBERS | st.sampled_from([1.0, -0.0, 1e16, 2**53, 1e-7])
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=MOST) | st.dictionaries(TEXTS, inner, max_size=MOST), max_leaves=6
)
_FORMATS = {
    "date": st.dates().map(lambda one: one.replace(year=2000 + one.year % 100).isoformat()),
    "time": st.times().map(lambda one: one.replace(microsecond=0).isoformat()),
    "date-time": st.datetimes().map(lambda one: one.replace(year=2000 + one.year % 100, microsecond=0).isoformat()),
}


def arguments(schema: dict[str, Any], given: dict[str, Any] | None = None) -> st.SearchStrategy[dict[str, Any]]:
    """Objects that fit the schema as far as it says so; `given` properties are those, and no others."""
    return _object(schema, schema, given or {}).flatmap(shuffled)


@st.composite
def shuffled(draw: st.DrawFn, value: Any) -> Any:
    """The same value, with the keys of each object in another order."""
    if isinstance(value, dict):
        return {name: draw(shuffled(value[name])) for name in draw(st.permutations(list(value)))}
    return [draw(shuffled(one)) for one in value] if isinstance(value, list) else value


def _of(schema: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        return _of(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root)
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    alternatives = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if alternatives:
        return st.one_of([_of(one, root) for one in alternatives])
    made = _KINDS.get(schema.get("type", ""))
    return made(schema, root) if made else ANYTHING


@st.composite
def _object(draw: st.DrawFn, schema: dict[str, Any], root: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    known: dict[str, Any] = schema.get("properties", {})
    required = set(schema.get("required", ()))
    names = [name for name in known if name not in given and (name in required or draw(st.integers(0, 4)) == 0)]
    made = {name: draw(_of(known[name], root)) for name in names} | given
    more = schema.get("additionalProperties", False)
    patterns = list(schema.get("patternProperties", {}).items())
    for pattern, inner in patterns:
        made |= draw(st.dictionaries(st.from_regex(pattern, fullmatch=True), _of(inner, root), max_size=MOST))
    if not known and not patterns and more is not False:
        keys = _text(schema.get("propertyNames", {}), root)
        made |= draw(st.dictionaries(keys, ANYTHING if more is True else _of(more, root), max_size=MOST))
    return made


def _list(schema: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "prefixItems" in schema:
        return st.tuples(*(_of(one, root) for one in schema["prefixItems"])).map(list)
    least = schema.get("minItems", 0)
    most = min(schema.get("maxItems", MOST), max(MOST, least))
    return st.lists(_of(schema.get("items", {}), root), min_size=least, max_size=most)


def _text(schema: dict[str, Any], _root: dict[str, Any]) -> st.SearchStrategy[str]:
    if schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    least, most = schema.get("minLength", 0), schema.get("maxLength", 40)
    if "pattern" in schema:
        return st.from_regex(schema["pattern"], fullmatch=True).filter(lambda text: least <= len(text) <= most)
    return TEXTS.filter(lambda text: least <= len(text) <= most) if least else TEXTS.map(lambda text: text[:most])


def _bounds(schema: dict[str, Any], low: int, high: int) -> tuple[Any, Any]:
    least = schema.get("minimum", schema.get("exclusiveMinimum", low - 1) + 1)
    most = schema.get("maximum", schema.get("exclusiveMaximum", high + 1) - 1)
    return least, most


def _number(schema: dict[str, Any], _root: dict[str, Any]) -> st.SearchStrategy[Any]:
    low, high = _bounds(schema, -1000, 10**6)
    return st.floats(low, high, allow_nan=False) | st.integers(int(low) + 1, int(high))


_KINDS: Mapping[str, Callable[[dict[str, Any], dict[str, Any]], st.SearchStrategy[Any]]] = {
    "object": lambda schema, root: _object(schema, root, {}),
    "array": _list,
    "string": _text,
    "integer": lambda schema, _root: st.integers(*_bounds(schema, -1000, 10**6)),
    "number": _number,
    "boolean": lambda _schema, _root: st.booleans(),
    "null": lambda _schema, _root: st.none(),
}
