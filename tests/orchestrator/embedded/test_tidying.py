"""Who wants the inbox cleaned is offered who fills it; what is about anything else is left alone."""
# names: made up here

import pytest

from butler.orchestrator.planning.plan_types import Planned, Unclear
from tests.orchestrator.embedded.scene import TOOLS, TWO_ACCOUNTS, plan

RANK = "user_email_rank_senders"


@pytest.mark.parametrize(
    "words",
    [
        "clean my inbox",
        "clean up my mailbox, please",
        "can you tidy up my inbox?",
        "declutter my mailbox",
        "clear out my inbox",
        "empty my inbox",
        "who sends me the most mail?",
        "who emails me the most",
        "who do I get most emails from?",
        "what is filling my inbox?",
        "Räum mein Postfach auf",
        "Wer schickt mir am meisten Mails?",
        "Nettoie ma boîte mail",
        "Qui m'envoie le plus de mails ?",
        "Limpia mi bandeja de entrada",
        "¿Quién me envía más correos?",
    ],
)
async def test_who_fills_the_inbox_is_counted(words: str) -> None:
    output = await plan(words, referents=())
    assert isinstance(output, Planned), output
    assert [(step.tool_call, step.args) for step in output.steps] == [(RANK, {})]


async def test_each_mailbox_is_counted_unless_one_was_named() -> None:
    output = await plan("clean my inbox", tools=TWO_ACCOUNTS)
    assert isinstance(output, Planned)
    assert [step.args for step in output.steps] == [{"account": "main"}, {"account": "work"}]
    output = await plan("clean up my work inbox", tools=TWO_ACCOUNTS)
    assert isinstance(output, Planned)
    assert [step.args for step in output.steps] == [{"account": "work"}]
    missing = await plan("clean up my shop inbox", tools=TWO_ACCOUNTS)
    assert isinstance(missing, Unclear)
    assert "shop" in missing.question


@pytest.mark.parametrize(
    "words", ["clean my kitchen", "clear my calendar on Friday", "sort out my inbox rules", "who sends me flowers"]
)
async def test_nothing_else_is_taken_for_it(words: str) -> None:
    output = await plan(words, referents=())
    steps = output.steps if isinstance(output, Planned) else ()
    assert RANK not in [step.tool_call for step in steps]


async def test_without_a_mailbox_it_says_what_is_missing() -> None:
    tools = tuple(spec for spec in TOOLS if not spec.tool_name.startswith("user_email"))
    output = await plan("clean my inbox", tools=tools)
    assert isinstance(output, Unclear)
    assert "mailbox is not set up" in output.question
