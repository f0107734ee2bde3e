"""What a model is told is wrong with its steps, so that it can correct them; what is right passes."""

from typing import Any

import pytest

from butler.orchestrator.planning.argument_check import faults
from butler.orchestrator.planning.model_forms import PlanForm
from butler.orchestrator.planning.tool_arguments import TOLD_ONCE, argument_lines, examples_of, shown_names
from butler.orchestrator.planning.worked_examples import examples_for, worked_examples
from tests.orchestrator.embedded.scene import request
from tests.support.registered import registered

SEND = "user_telegram_send_message"
EVENT = "user_calendar_create_event"
SEARCH = "user_email_search_inbox"
ANNA = {"contact": "c-anna"}


def fault(*steps: dict[str, Any]) -> str:
    return faults(PlanForm.model_validate({"steps": list(steps)}), request("x"), tuple(registered().specs()))


def one(tool: str, **args: Any) -> dict[str, Any]:
    return {"tool": tool, "args": args}


@pytest.mark.parametrize(
    "step",
    [
        one(SEND, to={"contact": "c-anna"}, text="hi"),
        one(SEND, to={"address": "telegram:@eve"}, text={"replied": "text"}),
        one(SEND, to={"from": "mail-1", "read": "contact", "ask": "who?"}, text={"draft": {"from": "mail-1"}}),
        one(EVENT, title="viewing", start="2026-03-01T09:00:00"),
        one(EVENT, title="viewing", start={"from": "mail-1", "read": "date", "days": -1}),
        one("user_email_read_message", message_id={"handle": "mail-1"}),
        one("user_telegram_reply_to_message", message_id={"handle": "mail-1"}, text="yes"),
        one("user_email_archive", senders=[{"contact": "c-anna"}]),
        one(SEND, to=ANNA, text="hi") | {"when": {"from": "mail-1", "read": "yes_no", "ask": "does she come?"}},
    ],
)
def test_what_fits_its_tool_passes(step: dict[str, Any]) -> None:
    assert fault(step) == ""


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (one("user_telegram_shout", text="x"), "there is no tool"),  # names: wrong on purpose
        (one(SEND, to={"contact": "c-anna"}, message="hi"), "it takes no argument 'message'; its arguments are"),
        (one(EVENT, title="x"), "start: Field required"),
        (one(SEND, to={"contact": "c-nobody"}, text="hi"), "there is no contact 'c-nobody'"),
        (one(EVENT, title="x", start="tomorrow"), "start: "),
        (one(EVENT, title="x", start={"from": "mail-1", "read": "colour"}), "read: Input should be"),
        (one("user_email_read_message", message_id={"handle": "mail-99"}), "there is no handle 'mail-99'"),
        (one(EVENT, title="x", start={"step": 1, "fact": "events.0.start"}), "it may only use earlier steps"),
        (one(SEND, to=ANNA, text="x") | {"when": {"from": 2, "fact": "count"}}, "it may only use earlier steps, and 2"),
        (one(SEND, to=ANNA, text="x") | {"when": {"from": 0, "fact": "count"}}, "it may only use earlier steps, and 0"),
        (
            one(SEND, to=ANNA, text="x") | {"when": {"from": "mail-99", "read": "yes_no"}},
            "there is no handle 'mail-99'",
        ),
    ],
)
def test_what_does_not_fit_is_told_by_its_step(step: dict[str, Any], told: str) -> None:
    found = fault(step)
    assert found.startswith("Step 1")
    assert told in found


def test_a_reference_waits_for_its_value_and_the_rest_is_checked() -> None:
    found = fault(
        one(SEARCH, sender="school"),
        one(EVENT, title="x", start={"step": 1, "fact": "messages.0.date"}, minutes=0) | {"depends_on": [1]},
    )
    assert found.startswith(f"Step 2 ({EVENT}): minutes: ")
    assert found.count("\n") == 0


def test_no_more_faults_are_told_than_a_model_can_correct() -> None:
    assert fault(*(one("no_tool", n=n) for n in range(30))).count("\n") == 4


def test_every_worked_example_fits_the_tools_and_is_told_where_they_are_set_up() -> None:
    tools = tuple(registered().specs())
    names = {spec.tool_name for spec in tools}
    for example in worked_examples():
        assert example.needs() <= names
        if example.form is not None:
            told = faults(example.form, request("x"), tools)
            assert not [line for line in told.split("\n") if line and "no contact 'c1'" not in line], example.said
    assert len(examples_for(names)) == len(worked_examples())
    assert {one.said for one in examples_for(set())} < {one.said for one in worked_examples()}


def test_every_example_of_an_argument_is_told_and_secrets_are_not() -> None:
    for spec in registered().specs():
        lines = argument_lines(spec)
        assert len(lines) >= len(shown_names(spec.args)) - 1
        assert not any("password" in line for line in lines)
        for name, _ in examples_of(spec):
            if name in shown_names(spec.args) - {"account"}:
                told = [line for line in lines if line.startswith((f"{name}:", f"{name}*:"))]
                kinds = set(told[0].split(": ", 1)[1].split(" ", 1)[0].strip("[]").split("|"))
                assert "e.g." in told[0] or kinds <= TOLD_ONCE, (spec.tool_name, name)
