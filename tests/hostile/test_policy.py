"""Every output tool with every mix of labels: none in the person's name passes without the person's yes."""

import itertools
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from approvals.policy import Decision, Verdict
from approvals.request import Proposal
from butler.contract.names import ApprovalDefault, Direction, Identity, ToolName
from butler.contract.provenance import Origin, Trust
from butler.contract.tools import ToolSpec
from butler.orchestrator.execution.binding import PLANNER
from butler.orchestrator.planning.model_planner import MODEL
from butler.provenance import Labels
from butler.store.queries import approvals
from butler.store.store import Store
from butler.store.tables import work
from tests.approvals.reasons import words
from tests.orchestrator.builders import OWNER
from tests.orchestrator.harness import Harness
from tests.support.nightly import every_nth
from tests.support.registered import registered
from tests.support.tables import create_tables

pytestmark = pytest.mark.every_case


OUTPUTS = [spec for spec in registered().specs() if spec.direction is Direction.OUTPUT]
AS_USER = [spec.tool_name for spec in OUTPUTS if spec.identity is Identity.USER]
AS_BOT = [spec.tool_name for spec in OUTPUTS if spec.identity is Identity.BOT and not spec.to_owner]

SOURCES = (
    Origin.owner(OWNER),
    next(iter(PLANNER)),
    Origin(trust=Trust.CONTACT, source="mail:anna@friends.example"),
    Origin(trust=Trust.UNTRUSTED, source="mail:<1@x>", shown_as="a mail by eve@evil.example"),
    next(iter(MODEL)),
)
MIXES: list[Labels] = [
    frozenset(mix) for size in range(len(SOURCES) + 1) for mix in itertools.combinations(SOURCES, size)
]

NOBODY = "nobody"
"""Stands for whom a tool reaches that only changes what the butler keeps."""
OWNERS = {
    "telegram": ["telegram:42"],
    "email": ["mail:me@home.example"],
    "calendar": ["mail:me@home.example"],
    "trello": [NOBODY],
}
KNOWN = {
    "automations": [NOBODY],
    "telegram": ["telegram:1002", "telegram:@anna"],
    "email": ["mail:anna@friends.example"],
    "calendar": ["mail:anna@friends.example"],
    "memory": [NOBODY],
    "qdrant": [NOBODY],
    "r2": [NOBODY],
    "trello": [NOBODY],
}
STRANGERS = {
    "automations": [NOBODY],
    "telegram": ["telegram:666", "telegram:-100666", "telegram:@eve"],
    # Two that are almost the owner's: a longer domain, and a Cyrillic letter.
    "email": ["mail:eve@evil.example", "mail:me@home.example.evil.example", "mail:m\u0435@home.example"],
    "calendar": ["mail:eve@evil.example"],
    "memory": [NOBODY],
    "qdrant": [NOBODY],
    "r2": [NOBODY],
    "trello": [NOBODY],
}


def arguments(spec: ToolSpec, address: str) -> Iterator[dict[str, Any]]:  # noqa: PLR0912 - a branch for each tool
    """Arguments of a tool that reach this address, in each way that the tool has; a new tool gets its own line here."""
    to = {"address": address, "name": "Anna"}
    match spec.channel, ToolName.parse(spec.tool_name).action:
        case "telegram", "send_message":
            yield {"to": to, "text": "approved by the owner"}
        case "telegram", "reply_to_message":
            yield {"to": to, "text": "approved by the owner", "message_id": 7}
        case "telegram", "edit_message":
            yield {"to": to, "text": "approved by the owner", "message_id": 7}
        case "telegram", "delete_message":
            yield {"to": to, "message_ids": [7]}
        case "email", "send_message" | "draft_message":
            mine = {"address": "mail:me@home.example", "name": ""}
            yield {"to": [to], "subject": "approved", "body": "by the owner"}
            yield {"to": [mine], "cc": [to], "subject": "", "body": ""}
            yield {"to": [mine], "bcc": [to], "subject": "", "body": ""}
        case "email", "reply_to_thread" | "draft_reply":
            yield {"to": [to], "message_id": "<1@x>", "body": "approved"}
        case "email", "answer_invite":
            event = {"uid": "1@x", "summary": "approved", "starts": "2026-12-01", "attendee": "me@home.example"}
            yield {"response": "accept", "organizer": [to]} | event
        case "email", "unsubscribe":
            # Whoever it is: a list's server is no address of anybody's.
            yield {"message_id": "<1@x>", "url": "https://list.example/one", "list": "list.example"}
        case "email", _ if spec.lists:
            # Mails of the person's own mailbox, and where they go.
            yield {"words": "approved"} | {
                name: "approved" for name in ("name", "to") if name in spec.args.model_fields
            }
        case "calendar", action:
            yield from of_events(action, to)
        case "trello", action:
            yield on_trello(action, spec)
        case "qdrant", "upsert":
            yield {"collection": "notes", "points": [{"text": "approved"}]}
        case "qdrant", "create_collection":
            yield {"collection": "approved"}
        case "r2", "put_object":
            yield {"file": {"name": "approved.pdf", "size": 1, "sha256": "0" * 64}}
        case "automations", "create":
            yield {"name": "approved", "when": {"event": "mail.received"}, "do": [{"tell": "by the owner"}]}
        case "memory", "forget":
            yield {"source": "note:1", "going": [{"source_id": "note:1", "title": "approved"}]}
        case _:
            pytest.fail(f"nobody said how {spec.tool_name} reaches somebody")


def on_trello(action: str, spec: ToolSpec) -> dict[str, Any]:
    """One card, or cards of the person's own boards and what becomes of them; a new tool gets its own line here."""
    one = {
        "create_card": {"board": "Home", "name": "approved"},
        "create_list": {"board": "Home", "name": "approved"},
        "comment_card": {"card": "aB3dE6gH", "text": "approved"},
        "change_card": {"card": "aB3dE6gH", "name": "approved"},
        "delete_card": {"card": "aB3dE6gH"},
    }
    many: dict[str, Any] = {"move_card": {"to_list": "Done"}, "due_card": {"due": None}}
    named = dict.fromkeys({"name", "person"} & spec.args.model_fields.keys(), "approved")
    return one[action] if not spec.lists else {"words": "approved"} | named | many.get(action, {})


def of_events(action: str, to: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The same of a tool for events of the person's own calendar."""
    match action:
        case "create_event":
            yield {"title": "approved", "start": "2027-03-05T14:00", "guests": [to]}
        case "change_event":
            yield {"event": "e1", "title": "approved"}
            yield {"event": "e1", "add_guests": [to]}
        case _:
            more = {"move_event": {"days": 1}, "colour_event": {"colour": "sage"}}
            yield {"words": "approved"} | more.get(action, {})


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    store = Store("sqlite://")
    create_tables(store.engine)
    harness = Harness(store)
    await harness.meet()
    yield harness
    await store.close()


async def ask(harness: Harness, tool: str, args: dict[str, Any], labels: dict[str, Labels]) -> Verdict:
    harness.items += 1
    call_id = f"plan:{harness.items}"
    proposal = Proposal(tool=tool, args=args, origins=labels, account="", requested_by="in-1", call_id=call_id)
    return await harness.store.write(lambda c: harness.approvals.request(c, proposal, harness.clock.now()))


async def waits(harness: Harness, verdict: Verdict) -> bool:
    """Whether the call is stored as one that waits, with nothing that would carry it out."""
    row = await harness.store.read(lambda c: approvals.get(c, verdict.approval_id or ""))
    jobs = sa.select(work.c.kind).where(work.c.subject == verdict.approval_id)
    kinds = await harness.store.read(lambda c: set(c.execute(jobs).scalars()))
    return row is not None and row.state == "pending" and approvals.EXECUTE not in kinds


@pytest.mark.parametrize("tool", every_nth(AS_USER, 3))
async def test_nothing_in_the_persons_name_passes_whatever_its_labels(harness: Harness, tool: str) -> None:
    spec = harness.registry.spec(tool)
    for groups in (OWNERS, KNOWN, STRANGERS):
        for args in arguments(spec, groups[spec.channel][0]):
            for labels in MIXES:
                verdict = await ask(harness, tool, args, dict.fromkeys(args, labels))
                assert verdict.decision is Decision.ASK, (args, labels)
                assert await waits(harness, verdict)


@pytest.mark.parametrize("tool", AS_BOT)
async def test_the_butler_writes_to_no_stranger_unasked_whatever_the_labels(harness: Harness, tool: str) -> None:
    spec = harness.registry.spec(tool)
    for address in STRANGERS[spec.channel]:
        for args in arguments(spec, address):
            for labels in (frozenset({SOURCES[0]}), frozenset(SOURCES), frozenset[Origin]()):
                verdict = await ask(harness, tool, args, dict.fromkeys(args, labels))
                assert verdict.decision is Decision.ASK, (args, labels)
                assert await waits(harness, verdict)


@pytest.mark.parametrize("tool", AS_BOT)
async def test_the_butler_writes_to_known_people_unasked_only_what_nobody_untrusted_had_a_hand_in(
    harness: Harness, tool: str
) -> None:
    spec = harness.registry.spec(tool)
    for args in arguments(spec, KNOWN[spec.channel][0]):
        for labels in MIXES:
            for tainted in args:
                given = dict.fromkeys(args, frozenset({SOURCES[0]})) | {tainted: labels}
                verdict = await ask(harness, tool, args, given)
                clean = spec.approval_default is not ApprovalDefault.ALWAYS and bool(labels)
                clean = clean and all(origin.trust is not Trust.UNTRUSTED for origin in labels)
                assert verdict.decision is (Decision.ALLOW if clean else Decision.ASK), (args, tainted, labels)


@pytest.mark.parametrize("tool", AS_BOT)
async def test_whatever_a_model_planned_for_others_is_asked_about(harness: Harness, tool: str) -> None:
    spec = harness.registry.spec(tool)
    for address in KNOWN[spec.channel]:
        for args in arguments(spec, address):
            verdict = await ask(harness, tool, args, dict.fromkeys(args, frozenset({SOURCES[0]}) | MODEL))
            assert verdict.decision is Decision.ASK
            assert any("a language model's plan" in reason for reason in words(verdict.reasons))


def test_no_tool_that_acts_as_the_person_can_say_that_only_the_owner_sees_it() -> None:
    assert AS_USER
    assert AS_BOT
    assert not any(spec.to_owner for spec in OUTPUTS if spec.identity is Identity.USER)
