"""Every change between two contracts is found, told in one sentence, and is of the right kind."""

from typing import Any

import pytest

from butler.adapters.changes import ChangeKind, changes_between, kind_of, next_version
from butler.adapters.version import Version
from butler.contract.adapters import AdapterContract, AdapterOperation, OperationEffect

PATCH, ADDITIVE, BREAKING = ChangeKind.PATCH, ChangeKind.ADDITIVE, ChangeKind.BREAKING
INT, TEXT = {"type": "integer"}, {"type": "string"}
OPEN = {"type": "object"}


def taking(*needed: str, **fields: Any) -> dict[str, Any]:
    """An object of these fields and no other."""
    return {"type": "object", "properties": fields, "required": list(needed), "additionalProperties": False}


def giving(*needed: str, **fields: Any) -> dict[str, Any]:
    """An object of these fields, to which others may be added."""
    return {"type": "object", "properties": fields, "required": list(needed)}


def contract(version: str = "1.0.0", **operations: AdapterOperation) -> AdapterContract:
    return AdapterContract(adapter_id="a", version=version, description="What it is.", operations=operations)


def operation(takes: Any = None, gives: Any = None, **more: Any) -> AdapterOperation:
    fields = {"method_id": "a.b.c.v1", "description": "What it does.", "effect": OperationEffect.READ, **more}
    return AdapterOperation(input=takes or taking(), output=gives or giving(), **fields)


def told(old: AdapterOperation, new: AdapterOperation) -> list[str]:
    return [str(change) for change in changes_between(contract(op=old), contract("1.0.1", op=new))]


def of_input(old: Any, new: Any) -> list[str]:
    """What is told of an input field that was one and is the other."""
    return told(operation(taking(f=old)), operation(taking(f=new)))


def of_output(old: Any, new: Any) -> list[str]:
    return told(operation(gives=giving(f=old)), operation(gives=giving(f=new)))


def test_nothing_changed_is_no_change_whatever_the_version_says():
    old = contract(op=operation(taking(f={"$ref": "#/$defs/N"}) | {"$defs": {"N": {"items": {"$ref": "#/$defs/N"}}}}))
    assert changes_between(old, old.model_copy(update={"version": "7.0.0"})) == []
    assert kind_of([]) is None
    assert next_version(Version(1, 2, 3), None) == Version(1, 2, 3)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"a": operation(), "b": operation()}, {"a": operation()}, "breaking: the operation b was removed"),
        ({"a": operation()}, {"a": operation(), "b": operation()}, "additive: the operation b is new"),
        (
            {"a": operation()},
            {"a": operation(method_id="a.b.c.v2")},
            "breaking: a is done by a.b.c.v2 instead of a.b.c.v1",
        ),
        (
            {"a": operation()},
            {"a": operation(effect=OperationEffect.WRITE)},
            "breaking: a was a read and is a write now",
        ),
        ({"a": operation()}, {"a": operation(description="Anew.")}, "patch: a is described anew"),
    ],
)
def test_changes_of_operations(old, new, said):
    assert [str(change) for change in changes_between(contract(**old), contract(**new))] == [said]


def test_the_adapter_itself_may_be_gone_renamed_or_described_anew():
    old = contract()
    assert [str(change) for change in changes_between(old, None)] == ["breaking: the adapter a is gone"]
    renamed = old.model_copy(update={"adapter_id": "b"})
    assert [str(change) for change in changes_between(old, renamed)] == ["breaking: the adapter a is called b now"]
    worded = old.model_copy(update={"description": "Anew."})
    assert [str(change) for change in changes_between(old, worded)] == ["patch: the adapter is described anew"]


@pytest.mark.parametrize(
    ("old", "new", "where_in", "where_out"),
    [
        # Wider: more values fit than did before.
        (INT, {"type": "number"}, ADDITIVE, BREAKING),
        (TEXT, {"anyOf": [TEXT, {"type": "null"}]}, ADDITIVE, BREAKING),
        (TEXT, {"type": ["string", "null"]}, ADDITIVE, BREAKING),
        (TEXT, {}, ADDITIVE, BREAKING),
        ({"enum": ["a"]}, {"enum": ["a", "b"]}, ADDITIVE, BREAKING),
        ({"const": "a"}, {"enum": ["a", "b"]}, ADDITIVE, BREAKING),
        (TEXT | {"enum": ["a"]}, TEXT, ADDITIVE, BREAKING),
        (INT | {"minimum": 5}, INT | {"minimum": 4}, ADDITIVE, BREAKING),
        (INT | {"maximum": 5}, INT | {"maximum": 6}, ADDITIVE, BREAKING),
        (INT | {"exclusiveMaximum": 5}, INT, ADDITIVE, BREAKING),
        (TEXT | {"maxLength": 5}, TEXT, ADDITIVE, BREAKING),
        (TEXT | {"pattern": "^a"}, TEXT, ADDITIVE, BREAKING),
        ({"type": "array", "items": INT}, {"type": "array", "items": {"type": "number"}}, ADDITIVE, BREAKING),
        ({"type": "array", "items": INT, "minItems": 1}, {"type": "array", "items": INT}, ADDITIVE, BREAKING),
        (taking("x", x=INT), taking(x=INT), ADDITIVE, BREAKING),
        (OPEN | {"additionalProperties": INT}, OPEN, ADDITIVE, BREAKING),
        (OPEN | {"additionalProperties": False}, OPEN | {"additionalProperties": INT}, ADDITIVE, BREAKING),
        # Neither, or both: nothing that was made for the old one can rely on the new one.
        (INT, TEXT, BREAKING, BREAKING),
        (INT, {"type": "array", "items": INT}, BREAKING, BREAKING),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}, BREAKING, BREAKING),
        (TEXT | {"pattern": "^a"}, TEXT | {"pattern": "^b"}, BREAKING, BREAKING),
        (TEXT | {"format": "date"}, TEXT | {"format": "date-time"}, BREAKING, BREAKING),
        (INT | {"minimum": 0, "maximum": 5}, INT | {"minimum": 1, "maximum": 6}, BREAKING, BREAKING),
        (INT | {"default": 10}, INT | {"default": 20}, BREAKING, BREAKING),
        (INT | {"default": 1}, INT | {"default": True}, BREAKING, BREAKING),
        (taking(x=INT), taking(y=INT), BREAKING, BREAKING),
        (TEXT, TEXT | {"x-unheard-of": 1}, BREAKING, BREAKING),
        ({"not": TEXT}, {"not": INT}, BREAKING, BREAKING),
        ({"anyOf": [INT, TEXT]}, {"oneOf": [INT, TEXT]}, BREAKING, BREAKING),
        # Of oneOf only one may fit: a new alternative may take away what another one allowed.
        ({"oneOf": [INT]}, {"oneOf": [INT, {"type": "number"}]}, BREAKING, BREAKING),
        ({"oneOf": [TEXT]}, {"oneOf": [TEXT, TEXT]}, BREAKING, BREAKING),
        ({"oneOf": [INT, TEXT]}, {"oneOf": [{"type": "number"}, TEXT]}, BREAKING, BREAKING),
        (
            {"anyOf": [{"oneOf": [INT, TEXT]}, {"type": "null"}]},
            {"anyOf": [{"oneOf": [INT, INT, TEXT]}, {"type": "null"}]},
            BREAKING,
            BREAKING,
        ),
        ({"const": "a", "enum": ["a", "b"]}, {"const": "a", "enum": ["b"]}, BREAKING, BREAKING),
        ({"const": "a"}, {"const": "a", "enum": ["b"]}, BREAKING, BREAKING),
        ({"enum": ["a"]}, {"const": "a", "enum": ["a"]}, BREAKING, BREAKING),
        (INT | {"minimum": 1}, INT | {"minimum": True}, BREAKING, BREAKING),
        ({"prefixItems": [INT]}, {"prefixItems": [INT, INT]}, BREAKING, BREAKING),
        ({"prefixItems": [INT]}, {"prefixItems": [TEXT]}, BREAKING, BREAKING),
        # Words.
        (TEXT, TEXT | {"description": "Anew.", "title": "T", "examples": ["e"]}, PATCH, PATCH),
        ({"enum": ["a", "b"]}, {"enum": ["b", "a"]}, PATCH, PATCH),
        ({"anyOf": [INT, TEXT]}, {"anyOf": [TEXT, INT]}, PATCH, PATCH),
        ({"oneOf": [INT, TEXT]}, {"oneOf": [TEXT, INT]}, PATCH, PATCH),
        ({"oneOf": [INT]}, {"oneOf": [INT | {"title": "A number"}]}, PATCH, PATCH),
        ({"const": "a", "enum": ["a", "b"]}, {"const": "a", "enum": ["b", "a"]}, PATCH, PATCH),
        (taking("x", x=INT | {"default": 1}), taking("x", x=INT), PATCH, PATCH),
    ],
)
def test_what_goes_in_may_become_wider_and_what_comes_back_narrower(old, new, where_in, where_out):
    def kinds(one: Any, other: Any) -> tuple[ChangeKind | None, ChangeKind | None]:
        ways = operation(taking(f=one)), operation(taking(f=other)), operation(gives=giving(f=one))
        outwards = changes_between(contract(op=ways[2]), contract(op=operation(gives=giving(f=other))))
        return kind_of(changes_between(contract(op=ways[0]), contract(op=ways[1]))), kind_of(outwards)

    assert kinds(old, new) == (where_in, where_out)
    if {where_in, where_out} == {ADDITIVE, BREAKING}:
        assert kinds(new, old) == (where_out, where_in)
    else:
        assert kinds(new, old) == (where_in, where_out)


def test_what_holds_itself_without_end_is_breaking():
    def holding(*more: Any) -> dict[str, Any]:
        return taking(f={"$ref": "#/$defs/A"}) | {"$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}, *more]}}}

    assert told(operation(holding(TEXT)), operation(holding(TEXT, INT))) == [
        "breaking: op input: it holds itself in a way that cannot be compared"
    ]


def test_fields_of_an_input():
    old = operation(taking("q", q=TEXT))
    assert told(old, operation(taking("q", q=TEXT, more=INT))) == ["additive: op input, more: it is new"]
    assert told(old, operation(taking("q", "more", q=TEXT, more=INT))) == [
        "breaking: op input, more: it is new and may not be left out"
    ]
    assert told(old, operation(taking())) == ["breaking: op input, q: it was removed"]
    assert told(operation(taking(q=TEXT)), old) == ["breaking: op input, q: it may be left out no longer"]
    assert told(old, operation(taking(q=TEXT | {"default": ""}))) == [
        'patch: op input, q: what it is when left out went from nothing to ""',
        "additive: op input, q: it may be left out now",
    ]


def test_fields_of_an_output():
    old = operation(gives=giving("count", count=INT))
    assert told(old, operation(gives=giving("count", count=INT, more=TEXT))) == ["additive: op output, more: it is new"]
    assert told(old, operation(gives=giving("count", "more", count=INT, more=TEXT))) == [
        "additive: op output, more: it is new"
    ]
    assert told(old, operation(gives=giving())) == ["breaking: op output, count: it was removed"]
    assert told(operation(gives=giving(count=INT)), operation(gives=giving())) == [
        "breaking: op output, count: it was removed"
    ]
    closed = operation(gives=taking("count", count=INT))
    assert told(closed, operation(gives=taking("count", count=INT, more=TEXT))) == [
        "breaking: op output, more: it is new, where nothing more than was said was to come"
    ]


def test_changes_are_found_wherever_they_lie():
    def nested(maximum: int) -> dict[str, Any]:
        leaf = taking(n={"$ref": "#/$defs/N"})
        deep = {"type": "array", "items": {"anyOf": [{"type": "null"}, leaf | {"description": "Deep."}]}}
        root = taking(f=OPEN | {"additionalProperties": deep})
        return root | {"$defs": {"N": INT | {"maximum": maximum}}}

    assert told(operation(nested(9)), operation(nested(8))) == [
        "breaking: op input, f.*[].n: its maximum went from 9 to 8"
    ]


def test_a_schema_that_holds_itself_is_followed_once():
    def tree(**leaf: Any) -> dict[str, Any]:
        node = taking(leaf=leaf, children={"type": "array", "items": {"$ref": "#/$defs/Node"}})
        return taking(f={"$ref": "#/$defs/Node", "description": "The root."}) | {"$defs": {"Node": node}}

    assert told(operation(tree(**INT)), operation(tree(**INT))) == []
    assert told(operation(tree(**INT)), operation(tree(**TEXT))) == [
        "breaking: op input, f.leaf: its type went from integer to string"
    ]


def test_references_that_lead_nowhere_or_in_circles_are_compared_as_they_are():
    for defs in ({}, {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}):
        old, new = (taking(f={"$ref": f"#/$defs/{name}"}) | {"$defs": defs} for name in "AB")
        assert told(operation(old), operation(old)) == []
        assert told(operation(old), operation(new)) != []


def test_what_a_reference_names_counts_and_not_its_name():
    def named(name: str, schema: Any) -> dict[str, Any]:
        return taking(f={"$ref": f"#/$defs/{name}"}) | {"$defs": {name: schema}}

    assert told(operation(named("A", INT)), operation(named("B", INT))) == [
        "patch: it is written in another way and says the same"
    ]
    assert told(operation(named("A", INT)), operation(taking(f=INT))) == [
        "patch: it is written in another way and says the same"
    ]
    assert told(operation(named("A", INT)), operation(named("A", TEXT))) == [
        "breaking: op input, f: its type went from integer to string"
    ]


def test_what_stands_beside_a_reference_or_a_choice_counts_too():
    defs = {"$defs": {"Text": TEXT | {"maxLength": 5}}}
    old = taking(f={"$ref": "#/$defs/Text"}) | defs
    new = taking(f={"$ref": "#/$defs/Text", "maxLength": 9}) | defs
    assert kind_of(changes_between(contract(op=operation(old)), contract(op=operation(new)))) is BREAKING
    choice = {"anyOf": [TEXT, INT]}
    assert of_input(choice, choice | {"minimum": 3})[0].startswith("breaking: op input, f: its minimum went")


def test_alternatives_are_compared_like_with_like():
    one, other = taking("kind", kind={"const": "one"}), taking("kind", kind={"const": "other"}, x=INT)
    grown = taking("kind", kind={"const": "other"}, x=INT, y=INT)
    assert of_input({"anyOf": [one, other]}, {"anyOf": [grown, one]}) == ["additive: op input, f.y: it is new"]
    assert of_input({"anyOf": [one, other]}, one) == ["breaking: op input, f: it can be object no longer"]
    assert of_output(TEXT, {"anyOf": [TEXT, {"type": "null"}]}) == ["breaking: op output, f: it can be null as well"]


def test_the_worst_change_decides_the_version():
    old = contract(op=operation(taking(a=TEXT, b=TEXT)))
    new = contract(op=operation(taking(a=TEXT | {"title": "A"}, c=TEXT), description="Anew."))
    changes = changes_between(old, new)
    assert {change.kind for change in changes} == {PATCH, ADDITIVE, BREAKING}
    assert next_version(Version(1, 2, 3), kind_of(changes)) == Version(2, 0, 0)
    assert next_version(Version(1, 2, 3), ADDITIVE) == Version(1, 3, 0)
    assert next_version(Version(1, 2, 3), PATCH) == Version(1, 2, 4)
    assert [kind.part for kind in (BREAKING, ADDITIVE, PATCH)] == ["MAJOR", "MINOR", "PATCH"]
