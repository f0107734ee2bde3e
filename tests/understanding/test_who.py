"""Who is meant by what somebody is called."""
# names: made up here

import pytest

from butler.orchestrator.understanding.messages import BUILDERS
from butler.orchestrator.understanding.people.who import known
from tests.understanding.marked import said, steps


@pytest.mark.parametrize(
    ("words", "name"),
    [("collègue Bob", "Bob"), ("mi colega Bob", "Bob"), ("Annas", "Anna"), ("my mum", "Mum"), ("Bob's", "Bob")],
)
def test_somebody_is_known_by_what_they_are_called(words: str, name: str) -> None:
    person = known(words, said("hi", "message.send").scene)
    assert person is not None
    assert [one.name for one in person.contacts] == [name]


@pytest.mark.parametrize(
    "words", ["Robert Bob", "Bob Miller", "Ana", "the Anna group", "bob & zelda", "bob n zelda", "bank", "", " "]
)
def test_who_has_another_name_is_nobody_known(words: str) -> None:
    assert known(words, said("hi", "message.send").scene) is None


@pytest.mark.parametrize(
    "line",
    [
        "write to [Mrs Patel](to), patel@school.example: [Leo is ill](text)",
        "write to [Mrs Patel (](to)patel@school.example) that [Leo is ill](reported)",
        "schreib [Frau Patel](to) an, patel@school.example, dass [Leo krank ist](reported)",
        "mail [Mme Patel](to) <patel@school.example>: [Leo is ill](text)",
        "write to [the school](to), [patel@school.example](subject), that [Leo is ill](reported)",
    ],
)
def test_an_address_behind_an_unknown_name_is_whose_it_is(line: str) -> None:
    ((tool, args),) = steps(BUILDERS, said(line, "mail.send"))
    assert (tool, args["to"]) == ("user_email_send_message", [{"address": "mail:patel@school.example"}])
    assert "@" not in args["subject"]


def test_somebody_known_is_written_to_as_before() -> None:
    ((_, args),) = steps(BUILDERS, said("mail [Bob](to), cc other@school.example: [Leo is ill](text)", "mail.send"))
    assert args["to"] == [{"contact": "bob"}]
