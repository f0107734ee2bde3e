"""Whoever is left out, or was named by mistake, gets nothing; nor does anybody of whom is only spoken."""

import pytest

from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding.messages import BUILDERS
from butler.orchestrator.understanding.people.addressed import ADDRESSED, with_right_people
from butler.orchestrator.understanding.people.corrected import rejoined
from butler.orchestrator.understanding.people.who import known
from butler.understanding.reader import Request
from tests.understanding.conversations import Marked, asked, planned
from tests.understanding.marked import made, said


def right(line: str, intent: str = "message.send") -> Request:
    one = said(line, intent)
    return with_right_people(one.request, lambda name: known(name, one.scene) is not None)


@pytest.mark.parametrize(
    ("line", "slots"),
    [
        ("tell [Carol](to) [hi er i mean anna](text)", [("text", "hi"), ("to", "anna")]),
        ("tell [Carol](to) hi er I mean Anna", [("text", "hi"), ("to", "Anna")]),
        ("tell [Carol](to), [I mean Anna](text)", [("to", "Anna")]),
        ("tell [Carol](to) [hi, I mean Zelda](text)", [("text", "hi"), ("to", "Zelda")]),
        ("tell [Carol](to) [it's blue, i mean green](text)", [("to", "Carol"), ("text", "it's blue, i mean green")]),
        ("tell [Carol](to) [bring bread, I mean cake](text)", [("to", "Carol"), ("text", "bring bread, I mean cake")]),
        ("dis à [Carol](to) [du pain, je veux dire brioche](text)",
         [("to", "Carol"), ("text", "du pain, je veux dire brioche")]),
        ("dile a [Carol](to) [pan, digo tarta](text)", [("to", "Carol"), ("text", "pan, digo tarta")]),
    ],
)  # fmt: skip
def test_only_somebody_is_meant_behind_a_text(line: str, slots: list[tuple[str, str]]) -> None:
    assert [(one.slot, one.text) for one in right(line).slots] == slots


@pytest.mark.parametrize(
    ("line", "slots"),
    [
        ("message [anna](to) [no wait bob I'm late](text)", [("to", "bob"), ("text", "I'm late")]),
        ("text [Anna](to) [no wait](text) [Bob](to): [I'm late](text)", [("to", "Bob"), ("text", "I'm late")]),
        ("tell [Anna](to), actually [Bob](to), that [I'm late](reported)", [("to", "Bob"), ("reported", "I'm late")]),
        ("schreib [anna nein bob](to) dass [ich komme](reported)", [("to", "bob"), ("reported", "ich komme")]),
        ("schreib [Anna](to), nein warte, [Bob](to): [hallo](text)", [("to", "Bob"), ("text", "hallo")]),
        ("dis à [anna](to) non à bob que [j'arrive](reported)", [("to", "bob"), ("reported", "j'arrive")]),
        ("écris à [Anna](to) non attends à [Bob](to) que [j'arrive](reported)",
         [("to", "Bob"), ("reported", "j'arrive")]),
        ("dile a [anna](to) no a bob que [llego tarde](reported)", [("to", "bob"), ("reported", "llego tarde")]),
        ("tell [Anna](to) [no Bob is late](reported)", [("to", "Anna"), ("reported", "no Bob is late")]),
        ("tell [Anna](to) [sorry Bob is late](reported)", [("to", "Anna"), ("reported", "sorry Bob is late")]),
    ],
)  # fmt: skip
def test_a_name_that_is_corrected_at_once_gets_nothing(line: str, slots: list[tuple[str, str]]) -> None:
    assert [(one.slot, one.text) for one in right(line).slots] == slots


@pytest.mark.parametrize(
    ("first", "later", "joined"),
    [
        ("text [Anna](to) [no](reported)", "wait [Bob](to): [I'm late](text)", True),
        ("tell [Anna](to),", "no wait, [Bob](to) that [I'm late](reported)", True),
        ("tell [Anna](to) [no sorry](reported)", "tell [Bob](to) that [I'm late](reported)", True),
        ("sag [Anna](to),", "quatsch, [Bob](to), dass [ich komme](reported)", True),
        ("dile a [Anna](to), [no espera](text),", "a [Bob](to) que [llego](reported)", True),
        ("tell [Anna](to) [no](reported).", "Tell [Bob](to) [yes](reported)", False),
        ("tell [Anna](to) [no](reported)", "and [Bob](to) [yes](reported)", False),
        ("text [Anna](to) [sorry](text).", "Oh, text [Bob](to) [hi](text)", False),
    ],
)
def test_the_halves_of_a_correction_are_one_request(first: str, later: str, joined: bool) -> None:
    parts = [said(line, "message.send").request for line in (first, later)]
    found = rejoined(parts, ADDRESSED)
    assert len(found) == (1 if joined else 2)
    if joined:
        assert with_right_people(found[0]).words("to") == ("Bob",)


@pytest.mark.parametrize(
    ("line", "intent", "left"),
    [
        ("forward it to [Bob](to), but not to [Anna](to)", "mail.forward", ("Bob",)),
        ("leite sie an [Bob](to) weiter, aber nicht an [Anna](to)", "mail.forward", ("Bob",)),
        ("transfère-le à [Bob](to), mais pas à [Anna](to)", "mail.forward", ("Bob",)),
        ("message [Anna](to), no wait, [Bob](to), that [I'm late](reported)", "message.send", ("Bob",)),
        ("schreib [Anna](to), quatsch, [Bob](to), dass [ich spät bin](reported)", "message.send", ("Bob",)),
        ("escríbele a [Anna](to), no, perdón, a [Bob](to), que [llego tarde](reported)", "message.send", ("Bob",)),
        ("tell [everyone](to) except [Bob](to) that [dinner is at eight](reported)", "message.send", ()),
        ("diles a [todos menos](to) a [Bob](to) que [cenamos](reported)", "message.send", ()),
        ("tell [Bob](to) [yes](reported) but [Anna](to) [no](reported)", "message.send", ("Bob", "Anna")),
        ("tell [Anna](to) [no](reported) and [Bob](to) [yes](reported)", "message.send", ("Anna", "Bob")),
        ("tell [Anna](to) [no](reported), [Bob](to) [yes](reported)", "message.send", ("Anna", "Bob")),
        ("schreib [allen außer Bob](to), dass [ich komme](reported)", "message.send", ()),
        ("tell everyone but [Bob](to) that [it's at eight](reported)", "message.send", ()),
        ("écris à [Anna](to), [non pardon](reported), à [Bob](to), que [j'arrive](reported)", "message.send", ("Bob",)),
        ("tell [Anna](to) and [Bob](to) that [dinner is at eight](reported)", "message.send", ("Anna", "Bob")),
        ("tell [Carol](to) [hi](text), I mean Anna", "message.send", ("Anna",)),
        ("tell [Carol](to) [hi er i mean anna](text)", "message.send", ("anna",)),
        ("sag [Bob](to) [hallo, ich meine Anna](text)", "message.send", ("Anna",)),
        ("dis à [Bob](to) [salut, non, je veux dire à Anna](text)", "message.send", ("Anna",)),
        ("text [Carol](to) [I'm on my way, no wait, Bob](text)", "message.send", ("Bob",)),
        ("tell [mum](to) [I come on Saturday, I mean Sunday](text)", "message.send", ("mum",)),
        ("dis bonjour à [Bob](to), enfin non, à [Anna](to)", "message.send", ("Anna",)),
        ("tell [Bob](to) [I love climbing, I mean it](text)", "message.send", ("Bob",)),
        ("tell [Bob](to) [that by lunch I mean Friday](text)", "message.send", ("Bob",)),
    ],
)
def test_who_is_left(line: str, intent: str, left: tuple[str, ...]) -> None:
    assert right(line, intent).words("to") == left


async def test_all_but_somebody_are_asked_about() -> None:
    line = "tell [everyone](to) except [Bob](to) that [dinner is at eight](reported)"
    output = await planned(
        Marked().knows(line, message__send=0.99), asked("tell everyone except Bob that dinner is at eight")
    )
    assert isinstance(output, Unclear)
    assert output.question == "To whom?"


def test_a_relation_of_somebody_is_somebody_else() -> None:
    scene = said("x", "message.send").scene
    assert known("hermano de Anna", scene) is None
    assert known("colega Bob", scene) is not None


@pytest.mark.parametrize(
    ("line", "aside"),
    [
        ("tell [Bob](to) [I won't make it, but don't mention the party](reported)", "but don't mention the party"),
        ("dile a [Bob](to) que [llego tarde pero no le digas por qué](reported)", "pero no le digas por qué"),
    ],
)
def test_what_is_said_to_the_butler_about_a_text_is_asked_about(line: str, aside: str) -> None:
    found = made(BUILDERS, said(line, "message.send"))
    assert isinstance(found, Unclear)
    assert f"“{aside}”" in found.question


@pytest.mark.parametrize(
    "line",
    [
        "did I tell [Anna](to) [I'm late](reported)?",
        "I wish I had told [Anna](to) [I'm late](reported)",
        "only if it rains, tell [Anna](to) [we stay home](reported)",
        "please don't tell [Anna](to) that [I'm ill](reported)",
    ],
)
async def test_what_was_told_or_is_only_thought_of_is_not_sent(line: str) -> None:
    text = line.replace("[", "").replace("](to)", "").replace("](reported)", "")
    assert isinstance(await planned(Marked().knows(line, message__send=0.99), asked(text)), Unclear)


@pytest.mark.parametrize(
    "line",
    [
        "I can't phone, so don't wait for me, text [Anna](to) that [I'm late](reported)",
        "I don't want to call her, tell [Anna](to) [I'm fine](reported)",
    ],
)
async def test_a_not_of_another_clause_stops_nothing(line: str) -> None:
    text = line.replace("[", "").replace("](to)", "").replace("](reported)", "")
    assert not isinstance(await planned(Marked().knows(line, message__send=0.99), asked(text)), Unclear)
