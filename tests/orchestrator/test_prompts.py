"""What a language model is told, to the letter; and that nothing which others wrote is ever in it."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from butler.contract.integration import Idempotency, IntegrationResult
from butler.contract.names import ApprovalDefault, Direction, Identity
from butler.contract.referents import ReferentKind
from butler.contract.tools import Recipient, ToolCall, ToolSpec
from butler.orchestrator.planning.model_prompt import HISTORY, instructions, prompt, spoken_texts, tools_text
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.orchestrator.planning.planner_view import Fact, FactName
from butler.orchestrator.prompting import render
from butler.store.conversation import ConversationMessage, LastShown, Referent
from tests.orchestrator.builders import ANNA, MAIL_1, MUM, NOON, OWN, ZONE, message, said

SNAPSHOTS = Path(__file__).parent / "snapshots"


class SendArgs(BaseModel):
    """Whom to write to, and what."""

    model_config = ConfigDict(extra="forbid")

    to: Recipient
    text: str


class ReadArgs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    message_id: str


async def never(_: ToolCall) -> IntegrationResult:
    raise AssertionError("a planner calls nothing")


def tool(name: str, description: str, args: type[BaseModel], direction: Direction) -> ToolSpec:
    return ToolSpec(
        tool_name=name,
        channel=name.split("_")[1],
        direction=direction,
        identity=Identity(name.split("_", maxsplit=1)[0]),
        approval_default=ApprovalDefault.NONE,
        description=description,
        args=args,
        handler=never,
        idempotency=Idempotency.NONE,
    )


TOOLS = (
    tool("user_telegram_send_message", "Sends a Telegram message as the person.", SendArgs, Direction.OUTPUT),
    tool("bot_email_read_message", "Reads one mail of the butler's mailbox.", ReadArgs, Direction.INPUT),
)
NOTE = Referent(handle="note-1", kind=ReferentKind.NOTE, key="n-1")
FROM_ANNA = Referent(handle="mail-2", kind=ReferentKind.MAIL, key="<2@x>", contact_id="c-anna", ordinal=2, at=NOON)


def request(**more: Any) -> PlannerInput:
    item = message("tell Anna that I'll be late\nand read me the second one")
    values: dict[str, Any] = {
        "words": said(item.text, OWN),
        "source_line": item.source_line(),
        "tools": TOOLS,
        "contacts": (ANNA, MUM),
        "referents": (MAIL_1, FROM_ANNA, NOTE),
        "replied_to": (FROM_ANNA,),
        "history": (
            ConversationMessage(role="user", content="any news?", timestamp=NOON, origins=[OWN]),
            ConversationMessage(
                role="assistant", content="Showed mail-1, mail-2 (bot_email_search_inbox).", timestamp=NOON
            ),
        ),
        "now": NOON + timedelta(minutes=30),
        "zone": ZONE,
        "butler_name": "Jeeves",
    }
    return PlannerInput(**(values | more))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("planner", instructions(request())),
        ("tools", tools_text(request(), TOOLS)),
        ("request", prompt(request())),
    ],
)
def test_the_rendered_prompts_are_as_reviewed(name: str, text: str) -> None:
    """A changed prompt is looked at: delete the snapshot, run again, read what is written anew."""
    path = SNAPSHOTS / f"{name}.txt"
    if not path.exists():
        path.write_text(f"{text}\n", encoding="utf-8")
        pytest.fail(f"{path.name} was written anew; read it, and run again")
    assert path.read_text(encoding="utf-8") == f"{text}\n"


def test_a_request_says_which_identity_and_account_received_it() -> None:
    text = prompt(request())
    assert text.startswith("Request (received by: bot; account: telegram:700; channel: telegram; kind: chat; at: 2026-")
    theirs = message("hello", identity=Identity.USER, account="telegram:42")
    text = prompt(request(source_line=theirs.source_line()))
    assert "received by: user; account: telegram:42;" in text


def test_a_first_request_has_nobody_and_nothing_to_speak_of() -> None:
    text = prompt(request(contacts=(), referents=(), replied_to=(), history=()))
    assert "- nobody is known" in text
    assert "- none" in text
    assert "- nothing" in text


def test_a_further_round_sees_codes_numbers_and_handles_of_what_was_found() -> None:
    found = [("outcome", "OK"), ("count", 2), ("item", "mail-1"), ("at", NOON), ("item", "mail-2")]
    facts = [Fact(1, "bot_email_search_inbox", FactName(name), value) for name, value in found]
    text = prompt(request(facts=(*facts, Fact(2, "bot_notes_search", FactName.OUTCOME, "NOT_FOUND"))))
    at = NOON.astimezone(ZONE).strftime("%Y-%m-%dT%H:%M")
    assert f"- step 1, bot_email_search_inbox: outcome OK; count 2; item mail-1 at {at}; item mail-2\n" in text
    assert "- step 2, bot_notes_search: outcome NOT_FOUND\n" in text


def test_only_the_newest_turns_are_told() -> None:
    turns = tuple(ConversationMessage(role="user", content=f"turn {n}.", timestamp=NOON) for n in range(30))
    text = prompt(request(history=turns))
    assert text.count("turn ") == HISTORY
    assert "turn 29." in text


def test_a_value_that_is_missing_is_an_error() -> None:
    values = {"source_line": "", "now": "", "zone": "", "contacts": [], "referents": [], "history": []}
    values |= {"language": "en", "last_shown": "", "own_reply": "", "others_reply": False, "facts": []}
    values |= {"preferred": [], "wanted": "", "cards": []}
    with pytest.raises(Exception, match="'words' is undefined"):
        render("request.md", values | {"language": "en", "facts": []})


def test_the_words_cannot_end_the_template() -> None:
    words = said("{{ butler_name }} {% for x in y %}", OWN)
    assert prompt(replace(request(), words=words)).endswith("The owner says:\n{{ butler_name }} {% for x in y %}")


def test_a_reply_to_an_own_message_tells_its_words_and_what_was_shown_last() -> None:
    shown = LastShown(kind=ReferentKind.REMINDER, count=0)
    text = prompt(request(own_reply="the gas meter reads 4711", last_shown=shown))
    assert "What they say is a reply to this message of their own:\nthe gas meter reads 4711\n" in text
    assert "Shown last: reminder, 0 of them\n" in text
    assert "others had a hand" not in text


def test_a_reply_to_others_words_tells_none_of_them() -> None:
    text = prompt(request(others_reply=True))
    assert '{"replied": "text"} stands for it.' in text


def test_what_an_own_message_holds_is_kept_from_a_model_as_what_is_said_now() -> None:
    assert spoken_texts(request(own_reply="call me at 0170 1234567"))[1] == "call me at 0170 1234567"
    text = prompt(request(own_reply="x"), ["said", "[PHONE_1]", "earlier", "[EMAIL_1]"])
    assert "message of their own:\n[PHONE_1]\n" in text
