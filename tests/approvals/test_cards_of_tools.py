"""What a card shows of every registered tool is in words for people: no names of arguments, schemes or raw ids."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

import pytest
from pydantic import BaseModel, ValidationError

from approvals.arguments import argument_label, left_out_label
from approvals.card import ADDRESS, build
from approvals.context import Context
from approvals.frozen import freeze
from approvals.people import Names
from approvals.preview import NoWordsError
from approvals.reason_words import in_words
from butler.contract.card import Card, rich_text
from butler.contract.inbound import Inbound
from butler.contract.reasons import ReasonCode, reason
from butler.contract.tools import ToolSpec
from butler.offline import offline_registry
from butler.store.queries import inbox
from butler.store.queries.approvals import ApprovalRow
from tests.approvals.harness import Harness
from tests.orchestrator.mails import from_others

REGISTRY, _ = offline_registry()
SPECS: Mapping[str, ToolSpec] = {spec.tool_name: spec for spec in REGISTRY.specs()}
MAIL_ID = "<179609868819.7787.13177955539064977043@choir.example>"
RAW = re.compile(r"\b(mail|telegram):|<[^<> ]+@[^<> ]+>")
REPLY = "bot_email_reply_to_thread"


def filled(value: Any, channel: str) -> Any:
    """Return an example of a schema with what its handles and people come to."""
    match value:
        case {"contact": _}:
            return "telegram:@carol" if channel == "telegram" else "mail:carol@choir.example"
        case {"handle": str(handle)}:
            return {"mail": MAIL_ID, "message": "telegram:@carol/7"}.get(handle.partition("-")[0], handle)
        case {"fact": _, "step": _}:
            return None
        case list():
            return [filled(one, channel) for one in cast("list[Any]", value)]
        case _:
            return value


def people(value: Any) -> Any:
    """Return addresses as recipients."""
    if isinstance(value, list):
        return [people(one) for one in cast("list[Any]", value)]
    return {"address": value} if isinstance(value, str) and RAW.match(value) else value


def examples(spec: ToolSpec) -> Iterator[BaseModel]:
    """Yield calls of a tool by the examples of its schema: one with all that goes together, and one with each."""
    properties: dict[str, Any] = spec.args.model_json_schema().get("properties", {})
    given = {name: filled(one["examples"][0], spec.channel) for name, one in properties.items() if one.get("examples")}
    given = {name: value for name, value in given.items() if value not in (None, [None])}
    needed = {name: given.get(name, "x") for name, field in spec.args.model_fields.items() if field.is_required()}
    for some in (given, needed, *({**needed, name: value} for name, value in given.items())):
        for form in (some, {name: people(value) for name, value in some.items()}):
            try:
                yield spec.args.model_validate(form)
            except ValidationError:
                continue
            break


async def drawn(harness: Harness, spec: ToolSpec, args: BaseModel) -> Card:
    """Return the card of a call."""
    kept = await harness.row(await harness.ask())
    call = freeze(spec, args)
    row: ApprovalRow = replace(
        kept, tool=spec.tool_name, args=call.args, args_sha256=call.args_sha256, contract_digest=call.contract_digest
    )
    context: Context = replace(harness.context, invoker=REGISTRY)
    return await harness.store.read(lambda c: build(context, row, Names(c), [], harness.clock.now()))


def shown(card: Card) -> list[str]:
    values = (rich_text(value) for _, value in card.fields)
    return [*(label for label, _ in card.fields), *values, card.body, card.effect, *card.reasons]


@pytest.mark.parametrize("tool", SPECS)
def test_every_argument_has_words_for_people(tool: str) -> None:
    for name in SPECS[tool].args.model_fields:
        words = argument_label(name, tool)
        assert "_" not in words
        assert words != name.replace("_", " "), name
        assert "_" not in left_out_label(name, tool)


async def test_no_card_shows_the_scheme_of_an_address_or_the_id_of_a_mail(harness: Harness) -> None:
    met: set[str] = set()
    for spec in SPECS.values():
        for args in examples(spec):
            try:
                card = await drawn(harness, spec, args)
            except NoWordsError:
                # Examples of single arguments may not fit together; then there is no card to look at.
                continue
            assert [one for one in shown(card) if RAW.search(one)] == [], (spec.tool_name, args)
            met.add(spec.tool_name)
    assert {REPLY, "user_email_read_message", "user_telegram_get_message_history", "bot_digests_watch_answer"} <= met
    assert len(met) > 0.9 * len(SPECS)


async def test_an_answer_names_the_mail_by_its_subject_and_its_sender(harness: Harness) -> None:
    spec = SPECS[REPLY]
    args = spec.args.model_validate({"message_id": MAIL_ID, "body": "Gladly."})
    assert "Answers" not in dict((await drawn(harness, spec, args)).fields)
    mail: Inbound = from_others(
        "Could you?", "carol@choir.example", message_ref=MAIL_ID, payload={"subject": "Quick favour"}
    )
    await harness.write(lambda c: inbox.add(c, mail))
    await harness.know("Carol", "mail:carol@choir.example")
    fields = {label: rich_text(value) for label, value in (await drawn(harness, spec, args)).fields}
    assert fields["Answers"] == "“Quick favour” by Carol"


async def test_an_events_title_and_a_cards_name_are_called_so(harness: Harness) -> None:
    event = {"title": "Choir", "start": "2026-03-14T09:32"}
    spec = SPECS["user_calendar_create_event"]
    labels = dict((await drawn(harness, spec, spec.args.model_validate(event))).fields)
    assert "Title" in labels
    assert "Subject" not in labels
    card = {"board": "Home", "name": "Bins"}
    spec = SPECS["user_trello_create_card"]
    assert "Name" in dict((await drawn(harness, spec, spec.args.model_validate(card))).fields)


def test_a_reason_names_arguments_as_their_tool_means_them() -> None:
    def worded(tool: str, *arguments: str) -> str:
        return in_words(reason(ReasonCode.COMES_FROM, tool=tool, arguments=list(arguments), sources=["a plan"]))

    assert worded(REPLY, "body", "message_id") == "the text and which mail it answers come from a plan"
    assert worded("user_telegram_reply_to_message", "message_id") == "which message it answers comes from a plan"
    assert worded("bot_memory_forget", "source") == "which thing it is comes from a plan"
    assert (
        in_words(reason(ReasonCode.COMES_FROM, arguments=["body"], sources=["a plan"])) == "the text comes from a plan"
    )


def test_only_an_address_is_shown_as_one() -> None:
    assert ADDRESS.fullmatch("telegram:@carol")
    assert not ADDRESS.fullmatch("CPU above 90 % for ten minutes")
