"""What a request of the evaluation set is said in: people, tools, and what was just shown, by the name of the scene."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from butler.cli.sample_chat import BUTLER_NAME, CONTACTS, listed_mails
from butler.cli.understand import ZONE
from butler.contract.integration import Idempotency, IntegrationResult
from butler.contract.names import ApprovalDefault, Direction, ToolName
from butler.contract.provenance import Labelled, Origin
from butler.contract.referents import ReferentKind
from butler.contract.tools import ToolCall, ToolSpec
from butler.offline import offline_registry
from butler.orchestrator.planning.plan_types import PlannerInput, owners
from butler.store.conversation import Referent
from butler.store.queries.contacts import Contact

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=ZONE)
"""A Wednesday; the clocks change on 29 March."""
TO_COME = {
    "bot_memory_search": Direction.INPUT, "bot_memory_list": Direction.INPUT, "bot_memory_read": Direction.INPUT,
    "bot_memory_forget": Direction.OUTPUT, "bot_web_read_page": Direction.INPUT, "bot_files_list": Direction.INPUT,
    "bot_files_read": Direction.INPUT, "user_drive_search": Direction.INPUT, "user_drive_read": Direction.INPUT,
    "bot_documents_read": Direction.INPUT,
}  # fmt: skip
"""Tools that a person may not have switched on; they stand in the set, so a double stands in for what is not there."""
SAMS = (
    Contact("sam1", "Sam Hill", ("sam", "sam hill"), ("telegram:5011", "mail:sam@hill.example")),
    Contact("sam2", "Sam Dale", ("sam", "sam dale"), ("mail:sam@dale.example",)),
    Contact("tom", "Tom", ("tom", "my boss"), ("mail:tom@work.example",)),
)


@dataclass(frozen=True, slots=True)
class Scene:
    """What there is beside the demo's own people and the list of its newest mails."""

    contacts: tuple[Contact, ...] = ()
    shown: tuple[Referent, ...] = ()
    replied_to: tuple[Referent, ...] = ()
    mails: bool = True


def _shown(kind: ReferentKind, tool: str, *numbers: int, by: str | None = None, listed: bool = True) -> Sequence[Any]:
    return [
        Referent(
            handle=f"{kind}-{number}",
            kind=kind,
            key=f"{kind}:{number}",
            tool=tool,
            contact_id=by,
            ordinal=number if listed else 0,
            at=NOW - timedelta(minutes=20 - number),
            shown_in="newest",
        )
        for number in numbers
    ]


_FILE = _shown(ReferentKind.FILE, "", 1, listed=False)
_INVITE = _shown(ReferentKind.MAIL, "user_email_search_inbox", 11, listed=False)
_HISTORY = "user_telegram_get_message_history"
SCENES = {
    "demo": Scene(),
    "none": Scene(mails=False),
    "sams": Scene(contacts=SAMS),
    "replied": Scene(replied_to=(listed_mails(NOW)[4],)),
    "chat": Scene(
        shown=(
            *_shown(ReferentKind.MESSAGE, _HISTORY, 1, 2, by="mum"),
            *_shown(ReferentKind.MESSAGE, _HISTORY, 3, by="anna"),
        )
    ),
    "mine": Scene(replied_to=tuple(_shown(ReferentKind.MESSAGE, _HISTORY, 9, listed=False))),
    "invite": Scene(shown=tuple(_INVITE), replied_to=tuple(_INVITE)),
    "file": Scene(shown=tuple(_FILE), replied_to=tuple(_FILE)),
    "files": Scene(shown=tuple(_shown(ReferentKind.FILE, "", 1, 2))),
    "drive": Scene(shown=tuple(_shown(ReferentKind.FILE, "user_drive_search", 1, 2, 3))),
    "page": Scene(shown=tuple(_shown(ReferentKind.PAGE, "bot_web_read_page", 1, listed=False))),
    "sources": Scene(shown=tuple(_shown(ReferentKind.SOURCE, "bot_memory_list", 1, 2, 3))),
}


class _Any(BaseModel):
    model_config = ConfigDict(extra="allow")


async def _never(_: ToolCall) -> IntegrationResult:
    raise AssertionError("a planner calls nothing")


def _double(name: str, direction: Direction) -> ToolSpec:
    parsed = ToolName.parse(name)
    return ToolSpec(
        tool_name=name,
        channel=parsed.channel,
        direction=direction,
        identity=parsed.identity,
        approval_default=ApprovalDefault.NONE,
        description=name,
        args=_Any,
        handler=_never,
        idempotency=Idempotency.NONE,
    )


@cache
def tools() -> tuple[ToolSpec, ...]:
    """Every tool that Butler knows, each with one account."""
    specs = tuple(replace(spec, accounts=spec.accounts[:1]) for spec in offline_registry()[0].specs())
    known = {spec.tool_name for spec in specs}
    return specs + tuple(_double(name, way) for name, way in TO_COME.items() if name not in known)


def request(text: str, scene: str, all_tools: tuple[ToolSpec, ...], now: datetime = NOW) -> PlannerInput:
    """One request as a planner gets it."""
    there = SCENES[scene]
    mails = listed_mails(NOW) if there.mails else ()
    base = PlannerInput(
        words=owners(Labelled(value=text, origins=frozenset({Origin.owner("telegram:42")}))),
        source_line="received by: bot; account: @jeeves_demo_bot; channel: telegram; kind: chat",
        tools=all_tools,
        contacts=CONTACTS,
        referents=mails,
        replied_to=(),
        history=(),
        now=now,
        zone=ZONE,
        butler_name=BUTLER_NAME,
    )
    return replace(
        base,
        contacts=(*base.contacts, *there.contacts),
        referents=(*mails, *there.shown),
        replied_to=there.replied_to,
    )
