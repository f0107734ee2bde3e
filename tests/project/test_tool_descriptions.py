"""What a language model is told of every tool: each argument with an example, when to use it, and what it yields."""

from copy import copy
from dataclasses import replace
from typing import Any, cast

import pytest
from pydantic import create_model

from butler.contract.agents import PlanStep
from butler.contract.attachment import Attachment
from butler.contract.names import Direction
from butler.contract.provenance import Labelled, Origin
from butler.contract.records import ClosedRecord
from butler.contract.referents import ReferentKind
from butler.contract.tools import Recipient, ToolSpec
from butler.offline import offline_registry
from butler.orchestrator.execution.binding import BindError, Sources, bind
from butler.store.conversation import Referent
from butler.store.queries.contacts import Contact
from tests.support.declared_facts import PATH

LONGEST = 120
"""Characters of an argument's description."""
MOST_WORDS = 80
"""Words of a tool's guide."""
KEY = "7"
"""What every handle stands for: a mail, a message and a file may be called so."""
FILE = Attachment(name="lease.pdf", size=9, sha256=KEY)
ADDRESSES = ("mail:eve@friends.example", "telegram:1002")
FOUND: tuple[Any, ...] = (
    KEY, 7, True, "2026-03-09", "2026-03-09T09:00:00+00:00", "2026-03-09T09:00", [FILE.model_dump()],
    *(Recipient(address=one, name="Eve").model_dump() for one in ADDRESSES),
    {"address": "telegram:-1002", "kind": "group", "members": 3},
)  # fmt: skip
"""What an earlier step may have found, of every type that an argument takes."""
KINDS = {kind.value: kind for kind in ReferentKind}

REGISTRY, _CLASSES = offline_registry()
SPECS = REGISTRY.specs()
DECLARED = {path for spec in SPECS for path in spec.facts}


def told_of(spec: ToolSpec) -> dict[str, dict[str, Any]]:
    """The schemas of the arguments that a model may fill in: no secrets, and nothing that only Butler fills in."""
    fields: dict[str, dict[str, Any]] = spec.args.model_json_schema().get("properties", {})
    return {name: one for name, one in fields.items() if not (one.get("readOnly") or one.get("writeOnly"))}


ARGUMENTS = [
    pytest.param(spec, name, schema, id=f"{spec.tool_name}-{name}")
    for spec in SPECS
    for name, schema in told_of(spec).items()
]


@pytest.mark.parametrize(("spec", "name", "schema"), ARGUMENTS)
def test_every_argument_says_briefly_what_it_is(spec: ToolSpec, name: str, schema: dict[str, Any]):
    said = schema.get("description", "")
    assert said, f"{spec.tool_name}.{name} has no description"
    assert said == " ".join(said.split())
    assert len(said) <= LONGEST


@pytest.mark.parametrize(("spec", "name", "schema"), ARGUMENTS)
def test_every_argument_has_an_example_as_a_plan_may_hold_it(spec: ToolSpec, name: str, schema: dict[str, Any]):
    examples = schema.get("examples", [])
    assert examples, f"{spec.tool_name}.{name} has no example"
    for example in examples:
        assert paths_in(example) <= DECLARED, "no tool declares this fact"
        errors = [why for found in FOUND if (why := refused(spec, name, example, found))]
        assert len(errors) < len(FOUND), f"{spec.tool_name}.{name} does not take {example!r}: {errors[0]}"


@pytest.mark.parametrize("spec", [pytest.param(spec, id=spec.tool_name) for spec in SPECS])
def test_every_tool_says_when_to_use_it_and_what_it_yields(spec: ToolSpec):
    assert spec.guide
    assert len(spec.guide.split()) <= MOST_WORDS
    assert bool(spec.facts) or spec.direction is Direction.OUTPUT
    assert len(set(spec.facts)) == len(spec.facts)
    assert all(map(PATH.fullmatch, spec.facts))


@pytest.mark.parametrize(
    ("tool", "name", "example"),
    [
        ("user_email_send_message", "to", {"contact": "c1"}),
        ("user_email_archive", "senders", {"contact": "c1"}),
        ("user_email_send_message", "to", ["eve@friends.example"]),
        ("user_email_send_message", "to", [{"person": "Eve"}]),
        ("user_email_search_inbox", "since", "next Monday"),
        ("user_email_search_inbox", "limit", 0),
        ("user_telegram_send_message", "attachments", ["lease.pdf"]),
    ],
)
def test_an_example_that_no_plan_may_hold_is_found(tool: str, name: str, example: Any):
    spec = REGISTRY.spec(tool)
    assert all(refused(spec, name, example, found) for found in FOUND)


def refused(spec: ToolSpec, name: str, example: Any, found: Any) -> str:
    """Why this argument does not take this value, where an earlier step found that; empty if it does."""
    field = spec.args.model_fields[name]
    kinds: dict[str, Any] = {name: (field.annotation, copy(field))}
    alone = replace(spec, args=create_model("Alone", __base__=ClosedRecord, **kinds), accounts=())
    step = PlanStep(step_id=2, description="", tool_call=spec.tool_name, args={name: example})
    try:
        bind(step, alone, sources_of(example, found))
    except BindError as error:
        return error.detail or "refused"
    return ""


def sources_of(example: Any, found: Any) -> Sources:
    """All that the references of an example may stand for."""
    outcome: dict[str, Any] = {}
    for path in paths_in(example):
        outcome |= mail_found() if path.startswith("forward.") else within(path, found)
    return Sources(
        words=Labelled(value="", origins=frozenset({Origin.owner("chat")})),
        contacts={one: Contact(one, "Eve", ("Eve",), ADDRESSES) for one in ("c1", "c2")},
        referents={handle: referent(handle) for handle in texts_of("handle", example)},
        outcomes={1: {"ok": True, "data": outcome}},
        files={KEY: Labelled(value=FILE, origins=frozenset({Origin.owner("chat")}))},
    )


def referent(handle: str) -> Referent:
    return Referent(handle=handle, kind=KINDS[handle.rpartition("-")[0]], key=KEY)


def mail_found() -> dict[str, Any]:
    return {"message": {"message_id": KEY, "subject": "Lunch", "text": "At one?", "attachments": [FILE.model_dump()]}}


def within(path: str, found: Any) -> dict[str, Any]:
    """The data of a step in which this is found at a path."""
    for part in reversed(path.split(".")):
        found = [found] if part == "0" else {part: found}
    return cast("dict[str, Any]", found)


def paths_in(example: Any) -> set[str]:
    """The facts of earlier steps that an example refers to; those of an automation's event name no step."""
    return texts_of("fact", example, beside="step")


def texts_of(key: str, value: Any, beside: str = "") -> set[str]:
    if isinstance(value, list):
        return {text for one in cast("list[Any]", value) for text in texts_of(key, one, beside)}
    if not isinstance(value, dict):
        return set()
    given = cast("dict[str, Any]", value)
    inner = {text for one in given.values() for text in texts_of(key, one, beside)}
    meant = isinstance(given.get(key), str) and (not beside or beside in given)
    return inner | ({given[key]} if meant else set())
