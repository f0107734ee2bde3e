"""Groups as recipients and as chats to read, in four languages."""
# names: made up here

from dataclasses import replace

import pytest

from butler.orchestrator.planning.plan_types import Planned, Unclear
from butler.orchestrator.understanding import chats, messages
from butler.orchestrator.understanding.people.groups import called, group_of
from butler.orchestrator.understanding.said import Said
from butler.store.queries.contacts import Contact
from modules.telegram.user_args import FindGroupArgs, HistoryArgs
from tests.understanding.marked import made, said, steps

BUILDERS = {**messages.BUILDERS, **chats.BUILDERS}
FIND, SEND, HISTORY = "user_telegram_find_group", "user_telegram_send_message", "user_telegram_get_message_history"
FAMILY = Contact("family", "Our family", ("family",), ("telegram:-4001",))
ANNA = {"contact": "anna"}


@pytest.mark.parametrize(
    ("language", "line", "names", "text"),
    [
        ("en", "let [the family](to) know [the cake's sorted](reported)", {"family", "familie"}, "The cake's sorted"),
        ("en", "write in [the climbing group](to) that [I can't make it](reported)", {"climbing", "escalada"},
         "I can't make it"),
        ("en", "ping [the bridge ladies](to): [tonight?](text)", {"bridge"}, "tonight?"),
        ("de", "sag [dem Kegelclub](to): [bin krank](text)", {"bowling"}, "bin krank"),
        ("en", "tell [the climbing lot](to) [I'm in](reported)", {"climbing", "klettern"}, "I'm in"),
        ("en", "ping [everyone in the book club](to): [page 90 by friday](text)", {"book"}, "page 90 by friday"),
        ("en", "put in [Kegelrunde](to) that [I'm in](reported)", {"kegel", "bowling"}, "I'm in"),
        ("de", "schreib in [die Familiengruppe](to), dass [ich die Fotos hochlade](reported)", {"family", "familie"},
         "Ich lade die Fotos hoch"),
        ("de", "sag [den Kletterern](to), dass [ich das Seil mitbringe](reported)", {"climbing", "klettern"},
         "Ich bringe das Seil mit"),
        ("de", "[die WG](to): [der Klempner kommt um sieben](text)", {"wg"}, "der Klempner kommt um sieben"),
        ("fr", "mets sur [le groupe famille](to) que [dimanche c'est chez nous](reported)", {"famille", "family"},
         "Dimanche c'est chez nous"),
        ("fr", "dis à [tous ceux de la chorale](to) que [je suis malade](reported)", {"chorale", "choir", "chor"},
         "Je suis malade"),
        ("es", "escribe a [los de escalada](to) que [mañana no voy](reported)", {"escalada", "climbing"},
         "Mañana no voy"),
        ("es", "pon en [el grupo de la familia](to) que [la abuela está en casa](reported)", {"familia", "family"},
         "La abuela está en casa"),
    ],
)  # fmt: skip
def test_a_group_is_found_first_and_then_written_into(language: str, line: str, names: set[str], text: str) -> None:
    found, sent = steps(BUILDERS, said(line, "message.send", language=language))

    assert found[0] == FIND
    assert names <= set(found[1]["called"])
    FindGroupArgs.model_validate(found[1])
    assert sent == (SEND, {"to": {"step": 1, "fact": "to"}, "group": {"step": 1, "fact": "group"}, "text": text})


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "my sister"), ("en", "the football coach"), ("en", "thomas at work"), ("en", "the vet's reception"),
        ("de", "dem Nachbarn"), ("de", "meinem Bruder"), ("de", "thomas von der arbeit"), ("de", "Frau von Arx"),
        ("de", "meine Eltern"), ("de", "seiner Familie"), ("de", "der Kita"), ("fr", "ma coloc"),
        ("fr", "la présidente du club"), ("fr", "Sylvie du boulot"), ("fr", "la voisine du deuxième"),
        ("es", "la profe de yoga"), ("es", "la vecina del quinto"), ("es", "mi jefe"),
    ],
)  # fmt: skip
def test_somebody_who_belongs_to_a_group_is_none(language: str, words: str) -> None:
    assert group_of(words, "tell ", language) is None
    asked = made(BUILDERS, said(f"x [{words}](to): [hi](text)", "message.send", language=language, scene="none"))
    assert isinstance(asked, Unclear)


@pytest.mark.parametrize(
    ("language", "words", "alike"),
    [
        ("de", "Elterngruppe 3b", ["parents 3b", "eltern 3b", "padres 3b"]),
        ("en", "Cork Cycling Club", ["cork cycling", "cork rad"]),
        ("fr", "le groupe rando", ["rando", "hiking", "wandern", "senderismo"]),
        ("es", "los del fútbol", ["futbol", "football", "fussball", "foot"]),
        ("es", "la peña", ["pena"]),
    ],
)
def test_what_a_group_is_about_is_said_in_each_language(language: str, words: str, alike: list[str]) -> None:
    names = called(words, language)

    assert names[0] == words
    assert set(alike) <= set(names)


def test_people_and_groups_are_written_to_alike_and_later() -> None:
    one = said("tell [anna](to) and [the family](to) [we landed](reported) [tomorrow at 9](time)", "message.send")
    output = made(BUILDERS, one)

    assert isinstance(output, Planned)
    anna, _, family = output.steps
    assert (anna.tool_call, anna.args) == (SEND, {"to": ANNA, "text": "We landed"})
    assert (family.args["to"], family.depends_on) == ({"step": 2, "fact": "to"}, [2])
    assert anna.not_before == family.not_before is not None


def test_two_texts_go_to_those_before_them() -> None:
    line = "tell [anna](to) [I'm late](reported) and [the family](to) that [dinner is at eight](reported)"
    first, _, last = steps(BUILDERS, said(line, "message.send"))

    assert first == (SEND, {"to": ANNA, "text": "I'm late"})
    assert last[1]["text"] == "Dinner is at eight"


@pytest.mark.parametrize("words", ["the family", "la familia", "die Familiengruppe"])
def test_a_contact_wins_over_every_title(words: str) -> None:
    assert steps(BUILDERS, knowing(f"x [{words}](to): [hi](text)", "message.send")) == [
        (SEND, {"to": {"contact": "family"}, "text": "hi"})
    ]
    assert steps(BUILDERS, knowing(f"x [{words}](from)", "chat.read"))[0][1]["chat"] == {"contact": "family"}


def knowing(line: str, intent: str) -> Said:
    """A request of an owner who has given the family's group a name."""
    one = said(line, intent)
    request = replace(one.scene.request, contacts=(*one.scene.request.contacts, FAMILY))
    people = {**one.scene.people, ("family",): (FAMILY,)}
    return replace(one, scene=replace(one.scene, request=request, people=people))


def test_a_group_named_after_somebody_is_not_them() -> None:
    assert steps(BUILDERS, said("tell [the Anna group](to) [hi](reported)", "message.send"))[0][0] == FIND
    assert "called" in steps(BUILDERS, said("what's new in [the Anna group](from)", "chat.read"))[0][1]


def test_a_group_gets_no_mail() -> None:
    asked = made(BUILDERS, said("mail [the climbing group](to) that [the hut is booked](reported)", "mail.send"))

    assert isinstance(asked, Unclear)
    assert asked.question == "I can write to “the climbing group” on Telegram only."
    assert [one.words for one in asked.choices] == ["send the climbing group a Telegram message: The hut is booked"]


@pytest.mark.parametrize(
    ("language", "line", "name", "more"),
    [
        ("de", "Was läuft bei [den Kletterern](from)?", "climbing", {"limit": 10}),
        ("es", "¿qué se cuece en [familia](from)?", "family", {"limit": 10}),
        ("fr", "quoi de neuf sur [famille](from) ?", "family", {"limit": 10}),
        ("es", "resúmeme lo de [hoy](time) en [el grupo de escalada](from)", "climbing",
         {"since": "2026-03-04T00:00"}),
        ("de", "was in [der familiengruppe](from) [seit gestern los](time) war", "family",
         {"since": "2026-03-03T00:00"}),
        ("en", "what's up in [the choir](from) [whenever](time)", "choir", {"limit": 50}),
    ],
)  # fmt: skip
def test_a_group_is_read_by_the_same_words(language: str, line: str, name: str, more: dict[str, object]) -> None:
    ((tool, args),) = steps(BUILDERS, said(line, "chat.read", language=language))

    assert (tool, name in args.pop("called"), args) == (HISTORY, True, more)
    HistoryArgs.model_validate({"called": ["x"], **{k: v for k, v in args.items() if k != "since"}})


def test_an_answer_in_a_group_is_no_reply_to_somebody_elses_message() -> None:
    line = "antworte in [der Familiengruppe](to), dass [ich komme](reported)"
    found, sent = steps(BUILDERS, said(line, "message.reply", language="de", scene="chat"))

    assert (found[0], sent[0], sent[1]["text"]) == (FIND, SEND, "Ich komme")
    unknown = made(BUILDERS, said("answer [erich](to) that [I'm coming](reported)", "message.reply", scene="chat"))
    assert isinstance(unknown, Unclear), "what was shown is by Anna"
    assert unknown.stranger == "erich"
