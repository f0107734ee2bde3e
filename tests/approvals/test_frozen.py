"""A call is frozen from its stored form, whatever the order of its arguments and later changes around it."""

import json
from datetime import datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, JsonValue, NaiveDatetime, TypeAdapter, ValidationError

from approvals.frozen import canonical, freeze, stored_args, thaw
from approvals.policy import Decision
from approvals.states import State
from approvals.transition import redraw
from butler.contract.card import Card
from butler.contract.names import Direction
from butler.contract.speech import say_moment, speak
from butler.contract.tools import ZONE, InZone, Preview, ToolSpec
from butler.contract.value_words import named_lines
from butler.home_zone import HomeZone
from butler.neutral import is_neutral
from butler.store.queries import approvals
from config.language import OwnerLanguage
from tests.approvals.approval_batch_harness import ask_many, digest
from tests.approvals.harness import Harness
from tests.approvals.providers import KEEP, OWN_WORDS, READ, SEND
from tests.approvals.reasons import words
from tests.support.context import make_context
from tests.support.nightly import every_nth
from tests.support.registered import registered
from tests.support.schemas import arguments, shuffled

HOME = HomeZone("Europe/London")
TOOLS = registered(make_context(zone=HOME))
CHAT = {"to": {"address": "telegram:1002"}}
MAIL = {"to": [{"address": "mail:anna@friends.example"}]}
NAMED: dict[str, Any] = {"message_id": "telegram:1002/7"}
GIVEN: dict[str, dict[str, Any]] = {
    "bot_automations_create": {
        "clock": None,
        "hours": None,
        "when": {"event": "mail.received"},
        "do": [{"call": KEEP, "args": {"b": {"z": 1, "a": "ü"}, "a": [1.0]}}],
    },
    "bot_email_send_message": MAIL,
    "user_email_draft_message": MAIL,
    "bot_meilisearch_search": {"query": "boiler", "filter": [], "sort": []},
    "bot_postgres_query": {"table": "notes", "where": [], "sql": "", "function": None, "params": [], "arguments": {}},
    "bot_postgres_vector_search": {"text": "boiler", "vector": [], "where": []},
    "bot_qdrant_upsert": {"points": [{"text": "boiler", "payload": {"b": {"z": 1, "a": [{"y": 1.0, "x": "ü"}]}}}]},
    "bot_telegram_get_chat_messages": {"chat": "telegram:1002"},
    "bot_telegram_reply_to_message": CHAT | {"message_id": 7, "text": "Grüße"},
    "bot_telegram_send_message": CHAT | {"text": "Grüße"},
    "user_calendar_change_event": {"was": None, "title": "Dinner", "clashes": []},
    "user_calendar_create_event": {"start": "2027-03-05T09:00", "clashes": [], "end": ""},
    "user_email_send_message": MAIL,
    "user_telegram_delete_message": CHAT | {"message_ids": ["telegram:1002/7"]},
    "user_telegram_edit_message": CHAT | NAMED | {"text": "Grüße"},
    "user_telegram_get_message_history": {"chat": "telegram:1002", "since": None},
    "user_telegram_read_message": NAMED,
    "user_telegram_reply_to_message": CHAT | NAMED | {"text": "Grüße"},
    "user_telegram_send_message": CHAT | {"text": "Grüße", "attachments": []},
    "user_trello_change_card": {"name": "Paint"},
    "user_trello_due_card": {"board": "Home", "snapshot": None, "repeat": None},
    "user_trello_move_card": {"board": "Home", "to_list": "Done", "snapshot": None, "repeat": None},
}
"""Arguments for tools whose schemas leave few valid values."""


def once_stored(spec: ToolSpec, args: BaseModel) -> str:
    """Freeze, store and read in another environment; all results are equal."""
    frozen = freeze(spec, args)
    assert frozen.args == canonical(json.loads(frozen.args))
    for zone, language in (("Europe/London", OwnerLanguage.ENGLISH), ("Asia/Tokyo", OwnerLanguage.GERMAN)):
        HOME.move(zone)
        speak(language)
        again = thaw(spec, frozen)
        assert again == stored_args(spec, frozen)
        assert canonical(again.model_dump(mode="json")) == frozen.args
        assert freeze(spec, again) == frozen
    HOME.move("Europe/London")
    speak(OwnerLanguage.ENGLISH)
    return frozen.args_sha256 + frozen.contract_digest


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", every_nth([spec.tool_name for spec in TOOLS.specs()], 3))
def test_whatever_fits_a_tool_is_frozen_stored_and_thawed_the_same_in_any_order(name: str) -> None:
    spec = TOOLS.spec(name)
    schema, fitted = spec.args.model_json_schema(), 0
    given_zone = {ZONE: "Europe/London"} if ZONE in spec.args.model_fields else {}

    @settings(max_examples=12, database=None, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def frozen(data: st.DataObject) -> None:
        nonlocal fitted
        made = data.draw(arguments(schema, given_zone | GIVEN.get(name, {})))
        try:
            args, other = (spec.args.model_validate(one) for one in (made, data.draw(shuffled(made))))
        except ValidationError:
            reject()
        fitted += 1
        assert once_stored(spec, args) == once_stored(spec, other)

    frozen()
    assert fitted, "nothing that was made of its schema fits it"


class PointArgs(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    collection: str
    payload: dict[str, JsonValue] = Field(default_factory=dict[str, Any])
    numbers: dict[int, float] = Field(default_factory=dict[int, float])
    at: NaiveDatetime | None = None
    in_zone: InZone = ""


def shown(args: PointArgs, zone: ZoneInfo = HOME) -> Preview:
    """A preview that shows a mapping in its own order, and a moment in the current zone."""
    at = args.at.replace(tzinfo=ZoneInfo(args.in_zone)).astimezone(zone) if args.at and args.in_zone else None
    facts = (("When", f"{say_moment(at)} ({zone.key})"),) if at else ()
    lines = [f"{name}: {value}" for name, value in args.payload.items()]
    return Preview("Puts a point", body="\n".join(lines), facts=facts, told=tuple(PointArgs.model_fields))


POINT = {
    "collection": "notes",
    "payload": {"zebra": 1, "apple": {"ü": [1.0, 2, {"b": None, "a": "☕"}], "10": True, "9": False}, "m": 1e16},
    "numbers": {"10": 1, "9": 0.1},
}


async def ask(harness: Harness, args: dict[str, Any]) -> str:
    harness.invoker.change(SEND, args=PointArgs, preview=shown)
    return await harness.ask(args=args, origins=dict.fromkeys(args, OWN_WORDS))


async def test_a_mapping_in_the_planners_own_order_is_approved_and_done_on_any_database(
    lasting_harness: Harness,
) -> None:
    harness = lasting_harness
    approval_id = await ask(harness, POINT)
    assert [line.partition(":")[0] for line in harness.channel.newest.body.splitlines()] == ["apple", "m", "zebra"]
    await harness.tap("Approve")
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    assert row.state == State.DONE, row.detail
    assert harness.provider.effects[0].args == PointArgs.model_validate({**POINT, "in_zone": "Europe/London"})


async def test_the_same_call_in_another_order_is_the_same_call(harness: Harness) -> None:
    first = await ask(harness, POINT)
    again = {**dict(reversed(POINT.items())), "payload": dict(reversed(POINT["payload"].items()))}  # type: ignore[attr-defined]
    verdict = await harness.request(args=again, origins=dict.fromkeys(again, OWN_WORDS))
    assert verdict.approval_id == first


class TurningArgs(BaseModel):
    """A model whose output differs from its input."""

    text: str = ""

    def model_dump(self, **more: Any) -> dict[str, Any]:
        return {"text": super().model_dump(**more)["text"] + "!"}


async def test_arguments_that_change_when_they_are_stored_are_refused(harness: Harness) -> None:
    harness.invoker.change(SEND, args=TurningArgs, preview=lambda _: Preview("Does it"))
    verdict = await harness.request(args={"text": "x"}, origins={"text": OWN_WORDS})
    assert verdict.decision is Decision.DENY
    assert harness.channel.cards == {}


# The moment that was shown


async def test_a_waiting_card_is_told_by_the_clocks_of_the_new_zone_and_keeps_its_moment(harness: Harness) -> None:
    harness.zone = zone = HomeZone("Europe/London")
    harness.start()
    harness.invoker.change(SEND, args=PointArgs, preview=lambda args: shown(args, zone))
    args = {"collection": "notes", "at": "2027-03-05T09:00:00"}
    approval_id = await harness.ask(args=args, origins=dict.fromkeys(args, OWN_WORDS))
    before = await harness.row(approval_id)
    assert "09:00 (Europe/London)" in str(harness.channel.newest.fields)
    zone.move("America/New_York")
    await harness.approvals.travelled()
    await harness.run()
    card = harness.channel.newest
    assert "04:00 (America/New_York)" in str(card.fields)
    assert "in zone" not in str(card.fields)
    after = await harness.row(approval_id)
    assert (after.args, after.args_sha256, after.contract_digest) == (
        before.args,
        before.args_sha256,
        before.contract_digest,
    )
    await harness.tap("Approve")
    zone.move("Asia/Tokyo")
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    assert row.state == State.DONE, row.detail
    done = harness.provider.effects[0].args
    assert (done.at, done.in_zone) == (datetime(2027, 3, 5, 9), "Europe/London")  # noqa: DTZ001 - a wall time


def takes_wall_times(args: type[BaseModel]) -> bool:
    """Return whether one of the arguments is a time without an offset."""
    for field in args.model_fields.values():
        adapter: TypeAdapter[Any] = TypeAdapter(Annotated[field.annotation, "", *field.metadata])
        try:
            read = adapter.validate_python("2027-03-05T09:00:00")
        except ValidationError:
            continue
        if isinstance(read, datetime) and read.tzinfo is None:
            return True
    return False


def test_every_read_that_takes_wall_times_is_frozen_with_their_zone() -> None:
    reads = [spec for spec in TOOLS.specs() if spec.direction is Direction.INPUT and takes_wall_times(spec.args)]
    assert {"user_calendar_find_free_time", "bot_loki_query_logs"} <= {spec.tool_name for spec in reads}
    assert [spec.tool_name for spec in reads if ZONE not in spec.args.model_fields or spec.preview is None] == []


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("user_calendar_list_events", {"since": "2027-03-05T09:00", "words": "dentist"}),
        ("user_calendar_find_free_time", {"before": "2027-03-05T09:00"}),
        ("user_trello_list_cards", {"due_before": "2027-03-05T09:00:00", "board": "Home"}),
        ("bot_prometheus_query_metrics", {"since": "2027-03-05T09:00:00", "query": "up"}),
        ("bot_grafana_query_dashboard", {"since": "2027-03-05T09:00:00", "uid": "web"}),
    ],
)
def test_a_read_that_asks_tells_its_time_by_the_clocks_of_now(tool: str, args: dict[str, Any]) -> None:
    spec = TOOLS.spec(tool)
    assert spec.preview is not None
    HOME.move("America/New_York")
    shown = dict(spec.preview(spec.args.model_validate({**args, ZONE: "Europe/London"})).facts)
    HOME.move("Europe/London")
    assert "Friday 5 March 2027 at 04:00 (America/New_York)" in shown.values()


async def test_nobody_who_asks_chooses_the_zone(harness: Harness) -> None:
    args = {"collection": "notes", "at": "2027-03-05T09:00:00", "in_zone": "Asia/Tokyo"}
    approval_id = await ask(harness, args)
    assert json.loads((await harness.row(approval_id)).args)["in_zone"] == "Europe/London"


async def test_a_request_that_is_repeated_after_a_journey_is_the_same_one(harness: Harness) -> None:
    harness.zone = zone = HomeZone("Europe/London")
    harness.start()
    args = {"collection": "notes", "at": "2027-03-05T09:00:00"}
    first = await ask(harness, args)
    zone.move("America/New_York")
    verdict = await harness.request(args=args, origins=dict.fromkeys(args, OWN_WORDS))
    assert verdict.approval_id == first


def test_what_is_compared_is_worded_by_the_clocks_of_utc() -> None:
    zones: list[str] = []

    def preview(args: PointArgs) -> Preview:
        zones.append(HOME.key if is_neutral() else "")
        return shown(args)

    spec = TOOLS.spec("bot_qdrant_upsert")
    freeze(ToolSpec(**{**_fields(spec), "args": PointArgs, "preview": preview}), PointArgs(collection="notes"))
    assert zones == ["UTC"]
    assert HOME.key == "Europe/London"


def _fields(spec: ToolSpec) -> dict[str, Any]:
    return {name: getattr(spec, name) for name in ToolSpec.__dataclass_fields__}


async def test_what_holds_for_now_is_shown_and_not_held_to(harness: Harness) -> None:
    over = Preview("Does it", body="x", told=("collection",), passing=(("Worth knowing", "It is in the past."),))
    words = [Preview("Does it", body="x", told=("collection",))]
    harness.invoker.change(SEND, args=PointArgs, preview=lambda _: words[-1])
    approval_id = await harness.ask(args={"collection": "notes"}, origins={"collection": OWN_WORDS})
    await harness.tap("Approve")
    words.append(over)
    await harness.after_undo_window()
    assert await harness.state(approval_id) == State.DONE
    await harness.redraw(await harness.row(approval_id))
    assert "It is in the past." in str(harness.channel.newest.fields)


# Own previews


async def test_a_card_whose_tool_has_changed_has_no_approve_and_an_old_button_does_nothing(harness: Harness) -> None:
    approval_id = await harness.ask()
    old = harness.channel.newest.buttons[0][0]
    harness.invoker.change(SEND, preview=lambda _: Preview("Does something else"))
    await harness.redraw(await harness.row(approval_id))
    assert [button.label for line in harness.channel.newest.buttons for button in line] == ["Deny"]
    await harness.approvals.decide(harness.tap_of(old))
    assert await harness.state(approval_id) == State.SUPERSEDED
    await harness.after_undo_window()
    assert harness.provider.calls == []


async def test_a_preview_that_fails_is_refused_and_takes_the_approve_from_a_card_that_waits(harness: Harness) -> None:
    def fails(_args: Any) -> Preview:
        raise KeyError("words")

    approval_id = await harness.ask()
    harness.invoker.change(SEND, preview=fails)
    await harness.redraw(await harness.row(approval_id))
    assert [button.label for line in harness.channel.newest.buttons for button in line] == ["Deny"]
    verdict = await harness.request(call_id="c2", requested_by="in-2")
    assert (verdict.decision, words(verdict.reasons)) == (Decision.DENY, ("what it would do cannot be put into words",))


async def test_a_read_that_holds_a_mapping_and_has_no_words_is_not_asked_about(harness: Harness) -> None:
    harness.configure(policy=[{"tool": READ, "approval": "always"}])
    harness.invoker.change(READ, args=PointArgs, preview=None)
    for payload, decision in ({"a": 1}, Decision.DENY), ({}, Decision.ASK):
        args = {"collection": "notes", "payload": payload}
        verdict = await harness.request(READ, args=args, origins=dict.fromkeys(args, OWN_WORDS), call_id=str(payload))
        assert verdict.decision is decision


@pytest.mark.parametrize("language", OwnerLanguage)
def test_a_mapping_is_told_whole_line_by_line_in_every_language(language: OwnerLanguage) -> None:
    speak(language)
    lines = named_lines({"b": {"y": None, "x": [1, "zwei"]}, "a": True, "c": [{"d": 1}, {}]})
    yes, nothing, empty = {
        OwnerLanguage.ENGLISH: ("yes", "nothing", "empty"),
        OwnerLanguage.GERMAN: ("ja", "nichts", "leer"),
        OwnerLanguage.SPANISH: ("sí", "nada", "vacío"),
        OwnerLanguage.FRENCH: ("oui", "rien", "vide"),
    }[language]
    assert lines == [f"a: {yes}", "b › x: 1, zwei", f"b › y: {nothing}", "c 1 › d: 1", f"c 2: {empty}"]


async def test_on_a_shared_card_what_nobody_can_say_yes_to_can_only_be_denied(harness: Harness) -> None:
    await ask_many(harness, 5)
    before = labels_of_card(digest(harness))
    assert "Approve this" in before
    harness.invoker.change(SEND, preview=lambda _: Preview("Does something else"))
    for approval in await harness.store.read(lambda c: approvals.in_state(c, State.PENDING)):
        await harness.write(lambda c, row=approval: redraw(c, row, now=harness.clock.now()))
    await harness.run()
    after = labels_of_card(digest(harness))
    assert "Deny this" in after
    assert not any(label.startswith("Approve") for label in after)
    while "Deny all 2" not in labels_of_card(digest(harness)):
        await harness.tap("▶", digest(harness))
    assert not any(label.startswith("Approve") for label in labels_of_card(digest(harness)))


async def test_a_card_that_was_never_shown_is_not_drawn_because_its_owner_travels(harness: Harness) -> None:
    harness.channel.closed = True
    await harness.ask()
    await harness.run()
    harness.channel.closed = False
    await harness.approvals.travelled()
    await harness.run()
    assert harness.channel.cards == {}


def labels_of_card(card: Card) -> list[str]:
    return [button.label for line in card.buttons for button in line]
