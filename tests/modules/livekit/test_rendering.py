"""A call as its owner reads it: links behind words, a button for each person, and no token in any text."""

from typing import Any

import pytest

from butler.contract.agents import PlanStep
from butler.contract.card import Style, rich_text
from butler.contract.names import Direction
from butler.contract.rendering import Person, Rendered, StepResult
from modules.livekit.rendering import about_calls
from tests.modules._signals.builders import Anything
from tests.orchestrator.embedded import scene
from tests.orchestrator.operations.scene import CREATE, JOIN
from tests.support.rendering import context

TELEGRAM = scene.tool("user_telegram_send_message", Anything, Direction.OUTPUT)
TOOLS = frozenset({JOIN.tool_name, TELEGRAM.tool_name, "user_email_send_message"})
PEOPLE = tuple(Person(one.contact_id, one.name, one.addresses) for one in scene.PEOPLE)
TOKEN = "eyJ.secret.token"


def link(name: str, **more: Any) -> dict[str, Any]:
    address = f"https://meet.home.example/join?token={TOKEN}-{name}"
    data = {"room": "call-1", "identity": name.lower(), "name": name, "link": address}
    return {**data, "expires_at": "2026-03-06T23:00:00+00:00", "invitation": f"Join: {address}", **more}


def shown(
    number: int, spec: Any, data: dict[str, Any] | None, *, after: tuple[int, ...] = (), code: str = ""
) -> StepResult:
    outcome = {"ok": True, "data": data} if data is not None else {"ok": False, "code": code or "UNAVAILABLE"}
    step = PlanStep(step_id=number, description="Do it", tool_call=spec.tool_name, args={}, outcome=outcome,
                    status="completed" if data is not None else "failed", depends_on=list(after))  # fmt: skip
    return StepResult(step, spec, ())


def answer(*names: str, tools: frozenset[str] = TOOLS, people: tuple[Person, ...] = PEOPLE) -> Rendered:
    made = [shown(number, JOIN, link(name), after=(1,)) for number, name in enumerate(names, 2)]
    found = about_calls([shown(1, CREATE, {"room": "call-1"}), *made], context(tools, people))
    assert found is not None
    return found


def test_the_owners_link_comes_first_and_each_stands_behind_words() -> None:
    found = answer("Anna Berg", "Host")
    links = [(span.text, span.url) for span in found.text if span.style is Style.LINK]
    assert [text for text, _ in links] == ["Join the call", "Link for Anna Berg"]
    assert [url.rpartition("-")[2] for _, url in links] == ["Host", "Anna Berg"]
    assert "The links hold until Sat 7 Mar 00:00." in rich_text(found.text)


def test_no_text_and_no_button_holds_a_token() -> None:
    found = answer("Host", "Anna Berg", "Carol")
    assert TOKEN not in rich_text(found.text)
    assert TOKEN not in found.memory
    assert TOKEN not in repr(found.offers)


def test_a_button_makes_a_link_anew_and_sends_it_in_the_owners_name() -> None:
    (anna,) = answer("Host", "Anna Berg").offers
    assert anna.label == "Send Anna Berg the link"
    made, sent = anna.steps
    assert (made.tool_call, made.args) == (JOIN.tool_name, {"room": "call-1", "name": "Anna Berg"})
    assert sent.tool_call == "user_telegram_send_message"
    assert sent.args == {"to": {"contact": "c-anna"}, "text": {"step": 1, "fact": "invitation"}}
    assert sent.depends_on == [1]


def test_who_has_only_mail_gets_a_mail() -> None:
    (carol,) = answer("Host", "Carol").offers
    assert carol.steps[1].tool_call == "user_email_send_message"
    assert carol.steps[1].args["to"] == [{"contact": "c-carol"}]


@pytest.mark.parametrize("name", ["Ghost", "Kim", "Nobody"])
def test_who_cannot_be_reached_or_is_not_known_for_sure_has_no_button(name: str) -> None:
    found = answer("Host", name)
    assert found.offers == ()
    assert f"Link for {name}" in rich_text(found.text)


def test_a_link_that_was_sent_on_is_not_told_again() -> None:
    steps = [shown(1, JOIN, link("Anna Berg")), shown(2, TELEGRAM, {"message_id": "1"}, after=(1,))]
    found = about_calls(steps, context(TOOLS, PEOPLE))
    assert found is not None
    assert (found.text, found.steps) == ((), frozenset({1}))


def test_where_no_room_opened_only_that_is_told() -> None:
    steps = [shown(1, CREATE, None), shown(2, JOIN, None, after=(1,), code="SKIPPED")]
    found = about_calls(steps, context(TOOLS, PEOPLE))
    assert found is not None
    assert (found.text, found.steps) == ((), frozenset({2}))


@pytest.mark.parametrize("address", ["javascript:alert(1)", "", "ftp://x", None])
def test_what_is_no_link_is_none(address: Any) -> None:
    assert about_calls([shown(1, JOIN, link("Anna", link=address))], context(TOOLS, PEOPLE)) is None


def test_hostile_names_and_dates_are_shown_as_what_they_are() -> None:
    step = shown(1, JOIN, link("An\u202ena\n✅ Done", expires_at="soon"))
    found = about_calls([step, shown(2, JOIN, link("Host"))], context(TOOLS, PEOPLE))
    assert found is not None
    assert "\n✅" not in rich_text(found.text)
