"""Turns the steps that a model writes into a plan's steps; a model's words only ever become arguments."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from butler.contract.agents import PlanStep, ReadKind, When
from butler.contract.referents import ReferentKind
from butler.contract.tools import ToolSpec
from butler.contract.wall_time import moment
from butler.orchestrator.planning.model_forms import StepForm, WhenForm
from butler.orchestrator.planning.references import Source, moved, sources_in, steps_of
from butler.orchestrator.planning.step_names import step_name
from butler.store.conversation import Referent

SOURCE_READER = "bot_memory_read"
PAGE_READER = "bot_web_read_page"
MESSAGE_READER = "user_telegram_read_message"
FILE_READERS = {"user_drive": ("user_drive_read", "file"), "bot_files": ("bot_files_read", "path")}
SENT_FILE_READER = ("bot_documents_read", "file")


UTC_ZONE = ZoneInfo("UTC")


def steps_from(
    forms: Sequence[StepForm],
    tools: Mapping[str, ToolSpec],
    referents: Mapping[str, Referent],
    zone: ZoneInfo = UTC_ZONE,
) -> tuple[PlanStep, ...]:
    """Return the steps as they are stored; each shown item that a step extracts from gets a reading step of its own.

    `zone` is the time zone of the steps' times.
    """
    handles = dict.fromkeys(handle for form in forms for handle in _handles(form))
    reading = {handle: step for handle in handles if (step := _reading(referents.get(handle), tools)) is not None}
    numbers: dict[Source, int] = {handle: number for number, handle in enumerate(reading, len(forms) + 1)}
    further = [step.model_copy(update={"step_id": numbers[handle]}) for handle, step in reading.items()]
    return (*(_step(number, form, tools, numbers, zone) for number, form in enumerate(forms, 1)), *further)


def _step(
    number: int, form: StepForm, tools: Mapping[str, ToolSpec], numbers: Mapping[Source, int], zone: ZoneInfo
) -> PlanStep:
    """Return a step as it is stored. Its description is the tool's own, never the model's words."""
    args = {name: moved(value, numbers) for name, value in form.args.items()}
    reads = set(numbers.values())
    # What a step only hangs on may have found nothing, and need not have worked: its condition tells.
    hangs_on = {form.when.source} if form.when is not None else set[Source]()
    needs = {*(n for n in form.depends_on if n not in hangs_on), *steps_of(args)}
    return PlanStep(
        step_id=number,
        description=step_name(tools[form.tool]) if form.tool in tools else "",
        tool_call=form.tool,
        args=args,
        # A step can only wait for an earlier step or a reading step; any other would make it wait for ever.
        depends_on=sorted(n for n in needs if 0 < n < number or n in reads),
        when=_when(form.when, number, numbers, zone),
        not_before=local_moment(form.at, zone),
        ask=form.ask.strip(),
    )


def local_moment(at: datetime | None, zone: ZoneInfo) -> datetime | None:
    """Convert a local time to a moment; a time with an offset is returned unchanged."""
    if at is None:
        return None
    return at if at.tzinfo is not None else moment(at, zone)


def _when(form: WhenForm | None, number: int, numbers: Mapping[Source, int], zone: ZoneInfo) -> When | None:
    if form is None:
        return None
    source = numbers.get(form.source, 0) if isinstance(form.source, str) else form.source
    if source >= number and source not in numbers.values():
        source = 0
    value = form.value
    if form.read is ReadKind.YES_NO and value is None:
        value = True
    if form.is_ in {"more", "less"} and form.read is None:
        value = _limit(value, zone)
    return When(step_id=source, fact=form.fact, read=form.read, ask=form.ask, is_=form.is_, value=value)


def _limit(value: str | float | bool | None, zone: ZoneInfo) -> str | float | bool | None:
    """Return what a fact is compared with; a local time as the moment that it is in `zone`, anything else unchanged."""
    if not isinstance(value, str) or "T" not in value:
        return value
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return value
    return value if at.tzinfo is not None else moment(at, zone).astimezone(zone).isoformat()


def _handles(form: StepForm) -> Iterator[str]:
    """Yield the handles that a step extracts something from."""
    condition = [form.when.source] if form.when is not None else []
    yield from (one for one in (*sources_in(form.args), *condition) if isinstance(one, str))


def _reading(referent: Referent | None, tools: Mapping[str, ToolSpec]) -> PlanStep | None:
    """Return the step that reads a shown item; None if no tool reads such an item alone."""
    if referent is None:
        return None
    tool, argument = _reader_of(referent)
    if tool not in tools:
        return None
    args = {argument: {"handle": referent.handle}}
    return PlanStep(step_id=1, description=step_name(tools[tool]), tool_call=tool, args=args)


def _reader_of(referent: Referent) -> tuple[str, str]:
    """Return the tool that reads a shown item, and the argument that names the item."""
    match referent.kind:
        case ReferentKind.MAIL:
            side = "user" if referent.tool.startswith("user_") else "bot"
            return f"{side}_email_read_message", "message_id"
        case ReferentKind.MESSAGE if referent.tool.startswith("user_telegram"):
            return MESSAGE_READER, "message_id"
        case ReferentKind.SOURCE:
            return SOURCE_READER, "source"
        case ReferentKind.PAGE:
            return PAGE_READER, "url"
        case ReferentKind.FILE:
            return FILE_READERS.get("_".join(referent.tool.split("_")[:2]), SENT_FILE_READER)
        case _:
            return "", ""
