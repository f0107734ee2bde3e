"""The facts that the automations' tools declare are in what they yield; and what a model is told of events is true."""

from typing import Any

from butler.contract.events import FACTS, EventName
from butler.contract.tools import ToolCall
from modules.automations.args import CreateArgs
from tests.automations.test_firing import BILLS, TELL
from tests.automations.world import World, happened
from tests.support.declared_facts import assert_facts, tools_with_facts


async def test_declared_facts_are_in_what_each_tool_yields(world: World) -> None:
    specs = {spec.tool_name: spec for spec in world.registry.specs() if spec.channel == "automations"}
    calls: dict[str, dict[str, Any]] = {
        "create": {"name": "Bills", **BILLS, **TELL},
        "list": {},
        "show": {"number": 1},
        "replay": {"event": "event-1"},
        "pause": {"number": 1},
        "resume": {"number": 1},
        "remove": {"number": 1},
    }
    await world.happens(happened(subject="Your invoice"))
    for action, args in calls.items():
        spec = specs[f"bot_automations_{action}"]
        call = ToolCall(spec.tool_name, spec.args.model_validate(args), call_id=f"call-{action}", trace_id="trace")
        assert_facts(spec, await spec.handler(call))
    assert tools_with_facts(specs.values()) == {f"bot_automations_{action}" for action in calls}


def test_the_facts_of_a_mail_that_a_model_is_told_of_are_facts_of_a_mail() -> None:
    said = CreateArgs.model_fields["when"].description or ""
    names = said.partition("Facts of a mail: ")[2].removesuffix(".").split(", ")
    assert set(names) <= FACTS[EventName.MAIL_RECEIVED].keys()
    assert len(names) > 1
