"""A message whose text stands in something that was read is drafted from that, and never sent as it was asked for."""

from typing import Any

import pytest

from butler.orchestrator.understanding.messages import BUILDERS
from butler.orchestrator.understanding.requests.mending import mended
from butler.orchestrator.understanding.texts.from_source import source_asked
from tests.understanding.marked import said, steps

MUM = {"contact": "mum"}


@pytest.mark.parametrize(
    ("language", "line", "asked"),
    [
        ("en", "tell [Mum](to) [what the contract says about notice](asked)", "what the contract says about notice"),
        ("en", "write [Mum](to) with [what it says](reported) in the lease about pets",
         "what it says in the lease about pets"),
        ("en", "tell [Mum](to) [when the train leaves](asked) according to the ticket",
         "when the train leaves according to the ticket"),
        ("de", "sag [Mama](to), [was im Vertrag über Tiere steht](asked)", "was im Vertrag über Tiere steht"),
        ("fr", "dis à [maman](to) [ce que dit le bail](reported) des animaux", "ce que dit le bail des animaux"),
        ("es", "dile a [mamá](to) [lo que dice el contrato](reported) del gas", "lo que dice el contrato del gas"),
    ],
)  # fmt: skip
def test_what_memory_holds_is_drafted(language: str, line: str, asked: str) -> None:
    draft: dict[str, Any] = {"draft": {"from": [1], "ask": asked}}
    assert steps(BUILDERS, said(line, "message.send", language=language)) == [
        ("bot_memory_search", {"question": asked}),
        ("user_telegram_send_message", {"to": MUM, "text": draft}),
    ]


def test_a_page_is_read_where_its_address_was_said() -> None:
    one = said("tell [Mum](to) what [https://house.example/a](url) says about cats", "web.read")
    meant = mended(one.request, one.scene.now())
    assert meant.intent == "message.send"
    assert source_asked(meant) == "what https://house.example/a says about cats"
    found = steps(BUILDERS, said("tell [Mum](to) what https://house.example/a says about cats", "message.send"))
    assert found[0] == ("bot_web_read_page", {"url": "https://house.example/a"})


def test_what_is_read_as_an_answer_to_what_was_shown_is_a_message_of_its_own() -> None:
    one = said("tell [Anna](to) [what the lease says about pets](reported)", "message.reply")
    assert mended(one.request, one.scene.now()).intent == "message.send"


def test_a_mail_is_called_by_what_it_is_about() -> None:
    found = steps(BUILDERS, said("mail [Carol](to) [what the lease says about pets](asked)", "mail.send"))
    assert found[1][1]["subject"] == "Pets"


@pytest.mark.parametrize(
    "line",
    [
        "ask [Mum](to) [what the contract says about notice](asked)",
        "tell [Mum](to): what the contract says is wrong",
        "tell [Mum](to) [that the contract says nothing of it](reported)",
        "tell [Mum](to) [how happy we are](reported)",
    ],
)
def test_what_is_asked_or_dictated_or_told_is_no_question_to_a_source(line: str) -> None:
    assert source_asked(said(line, "message.send").request) == ""
