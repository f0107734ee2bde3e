"""What a change is called, tried out: values that fit one schema are given to the other, by a validator of its own."""

from typing import Any

import jsonschema
from hypothesis import event, given, settings
from hypothesis import strategies as st

from butler.adapters.changes import ChangeKind, changes_between, kind_of, schema_changes
from butler.adapters.schema_changes import Direction
from butler.adapters.schema_reading import structure
from butler.contract.adapters import AdapterContract, AdapterOperation, OperationEffect
from tests.support.nightly import examples

Json = dict[str, Any]
NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, "", "a", "ab", "abc"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
SOME_VALUES = st.lists(VALUES, min_size=5, max_size=20)
LEAVES = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["integer", "number"])},
        optional={"minimum": st.integers(-2, 2), "maximum": st.integers(-2, 2)},
    ),
    st.fixed_dictionaries(
        {"type": st.just("string")},
        optional={"minLength": st.integers(0, 2), "maxLength": st.integers(0, 3), "pattern": st.just("^a")},
    ),
    st.builds(
        lambda values: {"enum": values}, st.lists(st.sampled_from(["a", "ab", 1, None]), min_size=1, unique=True)
    ),
    st.sampled_from([{"type": "boolean"}, {"type": "null"}, {"const": "a"}, {"$ref": "#/$defs/Shared"}]),
    st.sampled_from([{"type": ["string", "null"]}, {"type": ["integer", "string"]}]),
)
SHARED: list[Json] = [{"type": "integer"}, {"type": "number", "minimum": 0}, {"type": "string"}]


def objects(inner: st.SearchStrategy[Json], *, closed: bool) -> st.SearchStrategy[Json]:
    def make(properties: dict[str, Json], needed: list[str]) -> Json:
        shut = {"additionalProperties": False} if closed else {}
        required = [name for name in needed if name in properties]
        return {"type": "object", "properties": properties, "required": required, **shut}

    return st.builds(make, st.dictionaries(NAMES, inner, max_size=3), st.lists(NAMES, unique=True))


def schemas(*, closed: bool) -> st.SearchStrategy[Json]:
    """Schemas as an input (closed) or an output has them, with a definition that they may refer to."""
    bodies = st.recursive(
        LEAVES,
        lambda inner: st.one_of(
            objects(inner, closed=closed),
            st.builds(lambda items: {"type": "array", "items": items}, inner),
            st.builds(lambda parts: {"anyOf": parts}, st.lists(inner, min_size=1, max_size=3)),
        ),
        max_leaves=6,
    )
    return st.builds(lambda body, shared: body | {"$defs": {"Shared": shared}}, bodies, st.sampled_from(SHARED))


def near(schema: Json, data: st.DataObject) -> Json:
    """A schema that differs from another in a place or two: two that have nothing in common tell little."""
    if data.draw(st.integers(0, 3)) == 0:
        return data.draw(LEAVES)
    changed = dict(schema)
    if "items" in schema:
        changed["items"] = near(schema["items"], data)
    if "anyOf" in schema:
        changed["anyOf"] = [near(part, data) for part in schema["anyOf"]]
    if "properties" in schema:
        fields = {name: near(part, data) for name, part in schema["properties"].items()}
        fields |= data.draw(st.dictionaries(NAMES, LEAVES, max_size=1))
        changed |= {"properties": fields, "required": [name for name in fields if data.draw(st.booleans())]}
    return changed


def near_whole(schema: Json, data: st.DataObject) -> Json:
    """The same, with the definition that it may refer to."""
    shared = data.draw(st.sampled_from([schema["$defs"]["Shared"], *SHARED]))
    return near({key: part for key, part in schema.items() if key != "$defs"}, data) | {"$defs": {"Shared": shared}}


def kind(old: Json, new: Json, flow: Direction) -> ChangeKind | None:
    return kind_of(list(schema_changes("op", old, new, flow)))


def fits(schema: Json, values: list[Any]) -> list[bool]:
    """Which of the values fit."""
    validator = jsonschema.Draft202012Validator(schema)
    return [validator.is_valid(value) for value in values]


@given(st.data(), schemas(closed=True), SOME_VALUES)
@settings(max_examples=examples(100), deadline=None)
def test_what_fitted_an_input_still_fits_after_a_change_that_breaks_nothing(data, old, values):
    new = near_whole(old, data)
    if kind(old, new, Direction.INPUT) is not ChangeKind.BREAKING:
        event("breaks nothing")
        for fitted, fits_still in zip(fits(old, values), fits(new, values), strict=True):
            assert not fitted or fits_still


@given(st.data(), schemas(closed=False), SOME_VALUES)
@settings(max_examples=examples(100), deadline=None)
def test_what_comes_back_after_a_change_that_breaks_nothing_fits_what_was_promised(data, old, values):
    new = near_whole(old, data)
    if kind(old, new, Direction.OUTPUT) is not ChangeKind.BREAKING:
        event("breaks nothing")
        for promised, comes in zip(fits(old, values), fits(new, values), strict=True):
            assert not comes or promised


@given(schemas(closed=True), st.sampled_from(Direction))
@settings(max_examples=examples(50), deadline=None)
def test_a_schema_has_not_changed_from_itself(schema, flow):
    assert kind(schema, schema, flow) is None


@given(st.data(), schemas(closed=True))
@settings(max_examples=examples(100), deadline=None)
def test_what_adds_something_breaks_when_it_is_taken_back(data, old):
    new = near_whole(old, data)
    if kind(old, new, Direction.INPUT) is ChangeKind.ADDITIVE:
        event("adds something")
        assert kind(new, old, Direction.INPUT) is ChangeKind.BREAKING


@given(st.data(), schemas(closed=True), st.sampled_from(Direction), SOME_VALUES)
@settings(max_examples=examples(100), deadline=None)
def test_a_patch_changes_nothing_that_fits(data, old, flow, values):
    new = near_whole(old, data)
    if kind(old, new, flow) in {None, ChangeKind.PATCH}:
        event("a patch")
        assert fits(old, values) == fits(new, values)


def worded(schema: Any, text: str) -> Any:
    """A schema with words at every place where there may be some."""
    if isinstance(schema, list):
        return [worded(part, text) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {
        key: {name: worded(one, text) for name, one in part.items()} if key in {"properties", "$defs"} else part
        for key, part in schema.items()
    }
    made |= {key: worded(made[key], text) for key in ("items", "anyOf", "additionalProperties") if key in made}
    return made | {"description": text, "title": text}


@given(schemas(closed=True), st.sampled_from(Direction))
@settings(max_examples=examples(50), deadline=None)
def test_words_anywhere_are_a_patch_and_no_part_of_what_is_locked_of_a_method(schema, flow):
    one, other = worded(schema, "One."), worded(schema, "Another.")
    assert kind(one, other, flow) is ChangeKind.PATCH
    assert structure(one) == structure(other) == structure(schema)


@given(schemas(closed=True), schemas(closed=False), VALUES, st.data())
@settings(max_examples=examples(100), deadline=None)
def test_whatever_is_written_into_a_contract_can_be_compared(takes, gives, rubbish, data):
    def contract(input_schema: Json, output_schema: Json) -> AdapterContract:
        op = AdapterOperation(
            method_id="a.b.c.v1",
            description="",
            effect=OperationEffect.READ,
            input=input_schema,
            output=output_schema,
        )
        return AdapterContract(adapter_id="a", version="1.0.0", description="", operations={"op": op})

    def spoilt(schema: Json) -> Json:
        key = data.draw(
            st.sampled_from([*schema, "properties", "required", "items", "anyOf", "minimum", "$ref", "enum"])
        )
        return schema | {key: rubbish}

    old, new = contract(takes, gives), contract(spoilt(takes), spoilt(gives))
    for before, after in ((old, new), (new, old), (new, new)):
        changes = changes_between(before, after)
        assert bool(changes) == (before.digest != after.digest)
