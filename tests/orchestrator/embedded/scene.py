"""The people, tools, shown mails and the moment that the requests of these tests are read in."""
# names: made up here

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from butler.contract.integration import Idempotency, IntegrationResult
from butler.contract.names import ApprovalDefault, Direction, ToolName
from butler.contract.provenance import Labelled, Origin
from butler.contract.referents import ReferentKind
from butler.contract.tools import ToolCall, ToolSpec
from butler.orchestrator.planning.plan_types import PlannerInput, PlannerOutput
from butler.store.conversation import ConversationMessage, Referent
from butler.store.queries.contacts import Contact
from modules.digests.module import SetTimeArgs, SkipArgs, WatchArgs
from modules.email import args as email
from modules.email.bulk.tools import PREFIX
from modules.email.bulk_actions import MailAction
from modules.email.bulk_args import selection_of
from modules.email.ranking import RankSendersArgs
from modules.notes.module import RememberArgs, SearchArgs
from modules.reminders.args import ChangeArgs, CreateArgs, ListArgs, SnoozeArgs, TravelArgs, WhichArgs
from modules.telegram import tool_args as telegram
from modules.telegram import user_args as telegram_user
from modules.telegram.user_args import ListDialogsArgs
from tests.support.reading import reading_planner

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)
"""A Wednesday, 10:30 in Berlin; summer time begins on 29 March."""

ANNA = Contact("c-anna", "Anna Berg", ("anna", "anna berg"), ("telegram:5001", "mail:anna@friends.example"))
BOB = Contact("c-bob", "Bob", ("bob",), ("telegram:5002",))
CAROL = Contact("c-carol", "Carol", ("carol",), ("mail:carol@work.example",))
DAVE = Contact("c-dave", "Dave", ("dave", "my boss"), ("mail:dave@work.example",))
MUM = Contact("c-mum", "Mum", ("mum",), ("telegram:5003",))
NOBODY = Contact("c-ghost", "Ghost", ("ghost",), ())
SAM_HILL = Contact("c-sam-1", "Sam Hill", ("sam", "sam hill"), ("telegram:5011", "mail:sam@hill.example"))
SAM_DALE = Contact("c-sam-2", "Sam Dale", ("sam", "sam dale"), ("mail:sam@dale.example",))
KIM_ONE = Contact("c-kim-1", "Kim", ("kim",), ("telegram:5021",))
KIM_TWO = Contact("c-kim-2", "Kim", ("kim",), ("mail:kim@two.example",))
PEOPLE = (ANNA, BOB, CAROL, DAVE, MUM, NOBODY, SAM_HILL, SAM_DALE, KIM_ONE, KIM_TWO)


async def never(_: ToolCall) -> IntegrationResult:
    raise AssertionError("a planner calls nothing")


def tool(name: str, args: type[BaseModel], direction: Direction, accounts: tuple[str, ...] = ()) -> ToolSpec:
    parsed = ToolName.parse(name)
    return ToolSpec(
        tool_name=name,
        channel=parsed.channel,
        direction=direction,
        identity=parsed.identity,
        approval_default=ApprovalDefault.NONE,
        description=name,
        args=args,
        handler=never,
        idempotency=Idempotency.NONE,
        accounts=accounts,
    )


TOOLS = (
    tool("user_telegram_send_message", telegram_user.SendArgs, Direction.OUTPUT),
    tool("user_telegram_list_dialogs", ListDialogsArgs, Direction.INPUT),
    tool("user_telegram_get_message_history", telegram_user.HistoryArgs, Direction.INPUT),
    tool("user_telegram_get_updates", telegram_user.GetUpdatesArgs, Direction.INPUT),
    tool("user_telegram_read_message", telegram_user.ReadMessageArgs, Direction.INPUT),
    tool("user_telegram_reply_to_message", telegram_user.ReplyArgs, Direction.OUTPUT),
    tool("user_telegram_edit_message", telegram_user.EditArgs, Direction.OUTPUT),
    tool("user_telegram_delete_message", telegram_user.DeleteArgs, Direction.OUTPUT),
    tool("bot_telegram_send_message", telegram.SendMessageArgs, Direction.OUTPUT),
    tool("bot_email_send_message", email.SendMailArgs, Direction.OUTPUT),
    tool("user_email_send_message", email.UserSendArgs, Direction.OUTPUT),
    tool("user_email_search_inbox", email.UserSearchArgs, Direction.INPUT),
    tool("user_email_list_threads", email.ListThreadsArgs, Direction.INPUT),
    tool("user_email_rank_senders", RankSendersArgs, Direction.INPUT),
    tool("user_email_read_message", email.UserReadArgs, Direction.INPUT),
    tool("user_email_reply_to_thread", email.ReplyToThreadArgs, Direction.OUTPUT),
    tool("user_email_draft_message", email.DraftMessageArgs, Direction.OUTPUT),
    tool("user_email_draft_reply", email.DraftReplyArgs, Direction.OUTPUT),
    *(tool(PREFIX + act, selection_of(act), Direction.OUTPUT) for act in MailAction),
    tool("bot_email_search_inbox", email.SearchMailArgs, Direction.INPUT),
    tool("bot_email_read_message", email.ReadMailArgs, Direction.INPUT),
    tool("bot_email_reply_to_thread", email.ReplyArgs, Direction.OUTPUT),
    tool("bot_notes_remember", RememberArgs, Direction.OUTPUT),
    tool("bot_notes_search", SearchArgs, Direction.INPUT),
    tool("bot_reminders_create", CreateArgs, Direction.OUTPUT),
    tool("bot_reminders_list", ListArgs, Direction.INPUT),
    tool("bot_digests_set_time", SetTimeArgs, Direction.OUTPUT),
    tool("bot_digests_skip", SkipArgs, Direction.OUTPUT),
    tool("bot_digests_watch_answer", WatchArgs, Direction.OUTPUT),
    tool("bot_reminders_change", ChangeArgs, Direction.OUTPUT),
    tool("bot_reminders_snooze", SnoozeArgs, Direction.OUTPUT),
    tool("bot_reminders_done", WhichArgs, Direction.OUTPUT),
    tool("bot_reminders_skip", WhichArgs, Direction.OUTPUT),
    tool("bot_reminders_remove", WhichArgs, Direction.OUTPUT),
    tool("bot_reminders_travel", TravelArgs, Direction.OUTPUT),
)
TWO_ACCOUNTS = tuple(
    replace(spec, accounts=("main", "work") if spec.channel == "email" else ("main", "shop"))
    if spec.tool_name.startswith(("user_email", "user_telegram"))
    else spec
    for spec in TOOLS
)
"""The same tools of a person with two mailboxes and two Telegram accounts."""


def mail(number: int, *, side: str = "bot", ordinal: int = 0, by: str | None = None, shown_in: str = "m1") -> Referent:
    """A shown mail `mail-<number>`; the higher the number, the newer."""
    return Referent(
        handle=f"mail-{number}",
        kind=ReferentKind.MAIL,
        key=f"key-{number}",
        tool=f"{side}_email_search_inbox",
        contact_id=by,
        ordinal=ordinal,
        at=datetime(2026, 3, 1, number, tzinfo=UTC),
        shown_in=shown_in,
    )


OLD = mail(1, by="c-carol", shown_in="m0")
LIST = (mail(2, ordinal=1, by="c-anna"), mail(3, ordinal=2), mail(4, ordinal=3, by="c-anna"))
SHOWN = (OLD, *LIST)
USER_LIST = tuple(m.model_copy(update={"tool": "user_email_search_inbox"}) for m in LIST)


def request(words: str, **changes: Any) -> PlannerInput:
    base = PlannerInput(
        words=Labelled(value=words, origins=frozenset({Origin.owner("telegram:42")})),
        source_line="received by: bot; account: @jeeves_bot; channel: telegram; kind: chat",
        tools=TOOLS,
        contacts=PEOPLE,
        referents=SHOWN,
        replied_to=(),
        history=(),
        now=NOW,
        zone=ZONE,
        butler_name="Jeeves",
    )
    return replace(base, **changes)


def said(role: Any, content: str) -> ConversationMessage:
    return ConversationMessage(role=role, content=content, timestamp=NOW)


async def plan(words: str, **changes: Any) -> PlannerOutput:
    return await reading_planner().plan(request(words, **changes))
