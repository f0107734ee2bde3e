"""Who is meant by what somebody is called."""
# names: made up here

import pytest

from butler.orchestrator.understanding.people.who import known
from tests.understanding.marked import said


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
