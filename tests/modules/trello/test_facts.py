"""The facts that Trello's tools declare are in what they yield."""

from datetime import UTC, datetime
from typing import Any

from butler.contract.bulk_tool import FACTS
from tests.modules.trello.boards import ME, boards
from tests.support.declared_facts import assert_facts, tools_with_facts


async def test_declared_facts_are_in_what_each_tool_yields() -> None:
    async with boards() as home:
        due = datetime(2027, 3, 5, 13, tzinfo=UTC)
        card = home.server.add_card(home.todo, "Pay", desc="To the landlord.", members=[ME], due=due)
        calls: dict[str, dict[str, Any]] = {
            "list_boards": {},
            "list_cards": {},
            "read_card": {"card": card},
            "create_card": {"name": "Mend the roof"},
            "change_card": {"card": card, "done": True},
            "comment_card": {"card": card, "text": "Done on Monday."},
            "create_list": {"name": "Later"},
        }
        for tool, args in calls.items():
            assert_facts(home.registry.spec(f"user_trello_{tool}"), await home.do(tool, **args))
        own = tools_with_facts(spec for spec in home.registry.specs() if spec.facts != FACTS)
        assert own == {f"user_trello_{tool}" for tool in calls}, (
            "the others are bulk tools, with their launcher's facts"
        )
