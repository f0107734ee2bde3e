"""What is kept from a model stays kept, and what a model was told of labels what it says."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from butler.contract.provenance import Origin, Trust
from butler.guardrails.redaction import redact
from butler.orchestrator.planning.model_planner import MODEL, ModelPlanner
from butler.orchestrator.planning.plan_types import NOTHING_DONE, Unclear
from butler.store.conversation import ConversationMessage
from tests.agents.tailor.builders import Model
from tests.agents.test_fallbacks import request
from tests.support.registered import registered

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
WORDS = "write to Eve at eve@friends.example, she is at +44 20 7946 0958"


async def test_a_model_that_asks_for_tools_by_a_placeholder_is_not_told_what_it_stands_for() -> None:
    def answer(prompt: str) -> dict[str, Any]:
        asked_before = "You asked for tools" in prompt
        return {"question": "Who?"} if asked_before else {"find_tools": "[EMAIL_1] and [PHONE_1]"}

    model = Model(answer)
    await ModelPlanner(model, redact).plan(replace(request(WORDS), tools=tuple(registered().specs())))
    assert "You asked for tools that can: [EMAIL_1] and [PHONE_1]." in model.asked[1][1]
    assert not [prompt for _, prompt in model.asked if "eve@" in prompt or "7946" in prompt]


async def test_a_question_carries_the_labels_of_what_its_model_was_told_before_and_no_sign_of_a_record() -> None:
    stranger = Origin(trust=Trust.UNTRUSTED, source="mail:x")
    before = ConversationMessage(role="assistant", content="Two.", timestamp=NOON, origins=[stranger])
    asked = await ModelPlanner(Model({"question": "✅ Sent. Which one?"})).plan(
        replace(request("and then?"), history=(before,))
    )
    assert asked == Unclear(f"Sent. Which one?\n\n{NOTHING_DONE}")
    assert isinstance(asked, Unclear)
    assert asked.labels == MODEL | {stranger}


class Talking(Model):
    """A model that answers in words, which come in a few characters at a time."""

    def __init__(self, text: str) -> None:
        super().__init__({})
        self.text = text

    async def respond(self, form: Any, *, on_text: Any = None, **_: Any) -> Any:
        del form
        for end in range(1, len(self.text) + 1):
            await on_text(self.text[:end])
        return self.text


async def test_no_half_placeholder_is_shown_while_an_answer_comes_in() -> None:
    shown: list[str] = []

    async def show(text: str) -> None:
        shown.append(text)

    await ModelPlanner(Talking("Her mail is [EMAIL_1], [as I said]."), redact).plan(
        replace(request(WORDS), on_text=show)
    )
    assert not [text for text in shown if "EMAIL" in text or text.endswith("[")]
    assert "Her mail is eve@friends.example" in shown
    assert shown[-1] == "Her mail is eve@friends.example, [as I said]."
