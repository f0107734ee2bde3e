"""A reply that names people: who is added to those whom the card reaches, who is left out, and who replaces them."""
# names: made up here

import pytest

from butler.orchestrator.planning.plan_types import AboutCards, CardAct
from butler.store.queries import contacts
from tests.orchestrator.edits.test_handler import newest, row
from tests.orchestrator.harness import MAIL, NOON, Harness
from tests.orchestrator.test_turns import planned, step

ANNA, BOB, CAROL = "mail:anna@friends.example", "mail:bob@work.example", "mail:carol@work.example"


async def asked(harness: Harness) -> str:
    """A card of a mail to Anna and Bob; the id of its message."""
    for name, address in (("Bob", BOB), ("Carol", CAROL)):
        await harness.store.write(
            lambda c, name=name, address=address: contacts.learn(
                c, name, (address,), source="settings", owner_says_so=True, now=NOON
            )
        )
    both = [{"address": ANNA, "name": "Anna"}, {"address": BOB, "name": "Bob"}]
    await harness.say("mail them", planned(step(1, MAIL, to=both, subject="Dinner", body="On Friday at eight")))
    return list(harness.phone.cards)[-1]


def naming(*names: str, slot: str = "to") -> AboutCards:
    return AboutCards(CardAct.CHANGE, values=tuple((slot, name) for name in names))


@pytest.mark.parametrize(
    ("words", "names", "recipients"),
    [
        ("not to Bob", ["Bob"], (ANNA,)),
        ("nicht an Bob", ["Bob"], (ANNA,)),
        ("pas à Bob", ["Bob"], (ANNA,)),
        ("enlève Bob", ["Bob"], (ANNA,)),
        ("no a Bob", ["Bob"], (ANNA,)),
        ("Bob nicht", ["Bob"], (ANNA,)),
        ("nimm Bob raus", ["Bob"], (ANNA,)),
        ("auch nicht an Bob", ["Bob"], (ANNA,)),
        ("auch Carol, aber Bob nicht", ["Carol", "Bob"], (ANNA, CAROL)),
        ("nicht an Bob, sondern an Carol", ["Carol"], (ANNA, CAROL)),
        ("an Carol statt an Bob", ["Carol"], (ANNA, CAROL)),
        ("a Carol en lugar de Bob", ["Carol"], (ANNA, CAROL)),
        ("tausch Bob gegen Carol", ["Bob", "Carol"], (ANNA, CAROL)),
        ("nur an Anna", ["Anna"], (ANNA,)),
        ("an Anna und Carol", ["Anna", "Carol"], (ANNA, CAROL)),
        ("à Anna et Carol", ["Anna et", "Carol"], (ANNA, CAROL)),
        ("a Anna y Carol", ["Anna y Carol"], (ANNA, CAROL)),
        ("auch an Carol", ["Carol"], (ANNA, BOB, CAROL)),
        ("an Carol", ["Carol"], (CAROL,)),
        ("non, à Carol", ["Carol"], (CAROL,)),
        ("nur an Bob, ohne Anna", ["Bob"], (BOB,)),
        ("nicht nur an Anna, auch an Carol", ["Anna", "Carol"], (ANNA, BOB, CAROL)),
        ("weder Anna noch Bob, nur Carol", ["Anna", "Bob", "Carol"], (CAROL,)),
        ("Carol à la place de Bob", ["Carol"], (ANNA, CAROL)),
        ("plus Carol", ["Carol"], (ANNA, BOB, CAROL)),
        ("y Carol", ["Carol"], (ANNA, BOB, CAROL)),
        ("Bob soll es nicht bekommen", ["Bob"], (ANNA,)),
        ("an Carol weil Bob das heute abend nicht mehr lesen wird", ["Carol"], (CAROL,)),
        ("auch an Carol aber nicht an Bob", ["Carol"], (ANNA, CAROL)),
        ("an Carol, Bob kann auch kommen", ["Carol"], (ANNA, BOB, CAROL)),
    ],
)
async def test_a_name_is_what_the_words_around_it_say(
    harness: Harness, words: str, names: list[str], recipients: tuple[str, ...]
) -> None:
    await asked(harness)
    await harness.say(words, naming(*names))
    assert (await row(harness)).recipients == recipients


@pytest.mark.parametrize("words", ["behalte Bob", "garde Bob", "keep Bob"])
async def test_whoever_is_to_stay_stays(harness: Harness, words: str) -> None:
    await asked(harness)
    await harness.say(words, naming("Bob"))
    assert (await row(harness)).recipients == (ANNA, BOB)
    assert "what the card says already" in harness.phone.said[-1]


@pytest.mark.parametrize(
    ("words", "names", "told"),
    [
        ("ersetze Bob durch Carol", ["Bob"], "What shall I change on the card?"),
        ("somebody else", ["Dora"], "What shall I change on the card?"),
        ("not to Carol", ["Carol"], "It does not go to Carol"),
        ("nicht an Anna, nicht an Bob", ["Anna", "Bob"], "Then nobody would get it"),
        ("not Anna and Bob", ["Anna", "Bob"], "Then nobody would get it"),
        ("don't remove Bob", ["Bob"], "What shall I change on the card?"),
        ("lass Bob nicht weg", ["Bob"], "What shall I change on the card?"),
        ("nicht ohne Bob", ["Bob"], "What shall I change on the card?"),
        ("erwähne Bob", ["Bob"], "What shall I change on the card?"),
        ("auch Carol, aber verdeckt", ["Carol"], "On a card I can only add people"),
        ("Carol en cci", ["Carol"], "On a card I can only add people"),
    ],
)
async def test_what_makes_no_sense_is_asked(harness: Harness, words: str, names: list[str], told: str) -> None:
    await asked(harness)
    await harness.say(words, naming(*names))
    assert harness.phone.said[-1].startswith(told)
    assert (await row(harness)).recipients == (ANNA, BOB)


@pytest.mark.parametrize("reply", ["ohne Bob", "lass Bob weg", "a Bob no", "take Bob off", "take Bob out of it please"])
async def test_a_reply_that_only_leaves_somebody_out_is_no_text(harness: Harness, reply: str) -> None:
    card = await asked(harness)
    await harness.say(reply, reply_to=card)
    assert (await row(harness)).recipients == (ANNA,)
    assert newest(harness).body == "On Friday at eight"


async def test_a_reply_with_only_a_name_is_asked_about(harness: Harness) -> None:
    card = await asked(harness)
    await harness.say("Bob", reply_to=card)
    assert harness.phone.said[-1].startswith("Shall it go to Bob, or is that the text?")
    assert (await row(harness)).recipients == (ANNA, BOB)


@pytest.mark.parametrize(
    ("words", "names"), [("an Carol statt an Anna", ["Carol"]), ("nicht an Anna, an Carol", ["Carol"])]
)
async def test_the_only_recipient_is_replaced(harness: Harness, words: str, names: list[str]) -> None:
    await asked(harness)
    await harness.say("not to Bob", naming("Bob"))
    await harness.say(words, naming(*names))
    assert (await row(harness)).recipients == (CAROL,)
