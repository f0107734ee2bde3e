"""What no recurring order can be: made by others' words, widened, without end in sight, or about single things."""

from typing import Any

import pytest
from pydantic import ValidationError

from butler.contract.bulk import BulkSnapshot
from butler.contract.bulk_tool import BulkArgs
from butler.contract.tools import Settled, ToolCall, ToolSpec
from butler.provenance import Labels
from butler.store.queries import rules
from butler.store.store import Store
from config.bulk import BulkSettings
from tests.approvals.harness import card_text
from tests.approvals.providers import A_MAIL, OWN_WORDS
from tests.bulk.repeat_harness import LISTED, SUNDAYS, TOOL, RepeatHarness, ShelfArgs
from tests.bulk.stub_provider import StubProvider
from tests.support.registered import registered

ORDER: dict[str, Any] = {"words": "offers", "repeat": SUNDAYS}
CHANGED = "What is to be done is not what was listed and shown, so nothing was done."


@pytest.fixture
def harness(store: Store) -> RepeatHarness:
    return RepeatHarness(store, StubProvider.of(60))


async def saved(harness: RepeatHarness) -> int:
    return len(await harness.store.read(lambda c: rules.in_state(c, *rules.RuleState)))


async def approved(harness: RepeatHarness, shown: object, **origins: Labels) -> None:
    """A card for the order with this snapshot, whoever said what, gets a yes."""
    args = {**ORDER, "snapshot": shown}
    labels = {**dict.fromkeys(ORDER, OWN_WORDS), "snapshot": LISTED, **origins}
    await harness.ask(TOOL, args=args, origins=labels)
    await harness.tap("Approve")
    await harness.after_undo_window()


async def shown(harness: RepeatHarness, **more: Any) -> dict[str, Any]:
    found = await harness.listed({**ORDER, **more})
    assert isinstance(found, BulkSnapshot), found
    return found.model_dump(mode="json")


async def test_what_others_had_a_hand_in_is_refused_before_anything_is_listed(harness: RepeatHarness) -> None:
    assert await harness.listed(ORDER, OWN_WORDS | A_MAIL) == (
        "a rule can only be made by your own words, and a mail by eve@evil.example had a hand in this one"
    )
    assert await harness.listed(ORDER, frozenset()) == (
        "a rule can only be made by your own words, and nobody knows whose these are"
    )


@pytest.mark.parametrize("argument", ["words", "repeat", "snapshot"])
async def test_a_yes_to_a_card_that_others_had_a_hand_in_makes_no_rule(harness: RepeatHarness, argument: str) -> None:
    await approved(harness, await shown(harness), **{argument: A_MAIL})
    assert await saved(harness) == 0
    assert "a rule can only be made by your own words" in card_text(harness.channel.newest)


async def test_a_card_that_shows_something_else_makes_no_rule(harness: RepeatHarness) -> None:
    once = await harness.listed({"words": "offers"})
    assert isinstance(once, BulkSnapshot)
    await approved(harness, once.model_dump(mode="json"))
    assert await saved(harness) == 0
    assert CHANGED in card_text(harness.channel.newest)


@pytest.mark.parametrize("wider", [{"most": 5000}, {"until": "2099-01-01"}, {"on": ["monday", "sunday"]}])
async def test_a_snapshot_that_was_made_wider_makes_no_rule(harness: RepeatHarness, wider: dict[str, Any]) -> None:
    snapshot = await shown(harness)
    await approved(harness, {**snapshot, "repeat": {**snapshot["repeat"], **wider}})
    assert await saved(harness) == 0


async def test_without_a_card_there_is_no_rule(harness: RepeatHarness) -> None:
    args = ShelfArgs.model_validate({**ORDER, "snapshot": await shown(harness)})
    call = ToolCall(TOOL, args, "nobody-asked", "t", origins=OWN_WORDS)
    result = await harness.invoker.invoke(call)
    assert result.error is not None
    assert result.error.message == CHANGED
    assert (await harness.invoker.spec(TOOL).reconcile(call)).settled is Settled.REPEAT  # pyright: ignore[reportOptionalCall]


async def test_a_yes_that_is_done_twice_makes_one_rule(harness: RepeatHarness) -> None:
    rule = await harness.ruled()
    row = await harness.row(rule.made_from)
    args = ShelfArgs.model_validate_json(row.args)
    call = ToolCall(TOOL, args, row.call_id, "t", origins=OWN_WORDS)
    assert (await harness.invoker.invoke(call)).data == {"rule": 1}
    found = await harness.invoker.spec(TOOL).reconcile(call)  # pyright: ignore[reportOptionalCall]
    assert (found.settled, found.data) == (Settled.DONE, {"rule": 1})
    assert await saved(harness) == 1


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"cards": ["a"]}, "What is done again and again is found anew each time, so say which by whose they are"),
        ({"repeat": {**SUNDAYS, "fixed": ["before"]}}, "There is no date that would stay as it is: before."),
        ({"repeat": {**SUNDAYS, "until": "2027-03-06"}}, "That would never be done: it ends on 6 March 2027."),
        ({"repeat": {**SUNDAYS, "most": 101}}, "At most 100 may be done at once."),
    ],
)
async def test_what_could_not_be_done_again_is_refused(store: Store, more: dict[str, Any], why: str) -> None:
    limits = BulkSettings.model_validate({"limit": [{"tool": TOOL, "per_run": 100}]})
    harness = RepeatHarness(store, StubProvider.of(60), limits)
    told = await harness.listed({**ORDER, **more})
    assert isinstance(told, str)
    assert told.startswith(why)


async def test_a_ceiling_holds_for_a_rule_too_and_when_it_is_saved(harness: RepeatHarness) -> None:
    wide = await shown(harness)
    harness.limits = BulkSettings.model_validate({"limit": [{"tool": TOOL, "per_run": 100}]})
    harness.start()
    await approved(harness, wide)
    assert await saved(harness) == 0
    assert "At most 100 may be done at once." in card_text(harness.channel.newest)
    assert (await shown(harness))["repeat"]["most"] == 100


@pytest.mark.parametrize("spec", [spec for spec in registered().specs() if spec.lists], ids=lambda spec: spec.tool_name)
def test_how_often_says_of_no_tool_which_things_are_meant(spec: ToolSpec) -> None:
    more: dict[str, Any] = {"name": "x", "to": "x", "to_list": "x", "person": "me", "days": 1, "colour": "sage"}
    given = {name: value for name, value in more.items() if name in spec.args.model_fields}
    given |= {"due": None} if spec.tool_name.endswith("due_card") else {}
    daily = {"every": "day"}
    with pytest.raises(ValidationError):
        spec.args.model_validate({**given, "repeat": daily})
    said = given | {"words": "offers", "repeat": daily}
    args = spec.args.model_validate(said | ({"before": "2027-03-01"} if "before" in spec.args.model_fields else {}))
    assert isinstance(args, BulkArgs)
    assert args.dated() == (("before",) if "before" in spec.args.model_fields else ())
