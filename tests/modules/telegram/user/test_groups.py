"""Writing into a group that the owner names by what it is: it is found before the card, and reached by its id."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import ValidationError
from telethon import types

from butler.contract.card import rich_text
from butler.contract.errors import IntegrationErrorCode
from butler.contract.mirror import ChatKind
from butler.contract.tools import Recipient
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.orchestrator.understanding.chats import read_called
from butler.orchestrator.understanding.messages import BUILDERS
from butler.registry import Registry
from butler.store.store import Store
from butler_demo.mtproto.datacentre import DataCentre
from modules.telegram.integration_client_groups import may_write
from modules.telegram.module import TelegramModule
from modules.telegram.user_called import Titled, called, nearest
from tests.modules.telegram.user.conftest import ANNA, BOB, EVE, FAMILY, SAM, Harness
from tests.orchestrator.harness import Harness as Home
from tests.support.tables import create_tables
from tests.understanding.marked import made, said

FIND = "find_group"


def titled(*titles: str) -> list[Titled]:
    return [Titled(f"telegram:-{number}", title, ChatKind.GROUP) for number, title in enumerate(titles, 1)]


@pytest.mark.parametrize(
    ("names", "titles", "found"),
    [
        (["Familiengruppe"], ["Familie Berg", "Work"], ["Familie Berg"]),
        (["le groupe famille", "famille", "family"], ["Family ❤️", "Work"], ["Family ❤️"]),
        (["el grupo de la familia", "familia", "family"], ["FAMILY", "Familiar faces"], ["FAMILY"]),
        (["the family chat"], ["Family", "Family dinner"], ["Family"]),
        (["los de escalada", "escalada", "climbing"], ["Climbing on Monday", "Escape room"], ["Climbing on Monday"]),
        (["Klettergruppe", "kletter", "climbing"], ["Kletterfreunde Nord", "Kleingarten"], ["Kletterfreunde Nord"]),
        (["die Kletterer"], ["Klettern"], ["Klettern"]),
        (["le groupe Éric"], ["eric & co"], ["eric & co"]),
        (["the choir"], ["Choir tenors", "Choir altos"], ["Choir tenors", "Choir altos"]),
        (["the christmas group"], ["Christina"], []),
        (["Hausgruppe", "haus", "building"], ["Hausaufgaben 5b"], ["Hausaufgaben 5b"]),
        (["residents", "haus"], ["Hausaufgaben 5b"], []),
        (["Elterngruppe 3b"], ["Eltern 4a", "Eltern 3b"], ["Eltern 3b"]),
        (["🏔"], ["🏔 Tour", "Tour"], ["🏔 Tour"]),
    ],
)
def test_titles_are_compared_whatever_their_case_accents_articles_and_forms(
    names: list[str], titles: list[str], found: list[str]
) -> None:
    assert [one.title for one in called(names, titled(*titles))] == found


def test_the_nearest_titles_are_offered_where_none_fits() -> None:
    groups = titled("Chess club", "Book club", "Climbing", "Work")

    assert [one.title for one in nearest(["the bok club"], groups, 2)] == ["Book club", "Chess club"]
    assert [one.title for one in nearest(["xyz"], groups, 3)] == ["Chess club", "Book club", "Climbing"]


@pytest.mark.parametrize("names", [["the family"], ["die Familiengruppe", "familie", "family"], ["los de la fam"]])
async def test_the_one_group_that_fits_is_found_as_a_recipient(
    harness: Harness, centre: DataCentre, names: list[str]
) -> None:
    centre.inject(ANNA, -FAMILY, "dinner?")
    centre.inject(EVE, SAM, "hi")

    data = await harness.get(FIND, called=names)

    address = f"telegram:-{FAMILY}"
    assert data == {
        "count": 1,
        "to": {"address": address, "name": "Family"},
        "group": {"address": address, "kind": "group", "members": 3},
    }


async def test_nobody_is_taken_for_a_group_by_the_name_that_they_gave_themselves(
    harness: Harness, centre: DataCentre
) -> None:
    centre.add_account(900, "+1900", "The Family")
    centre.inject(900, SAM, "write to me")

    assert "to" not in await harness.get(FIND, called=["the family"])
    centre.inject(ANNA, -FAMILY, "dinner?")
    assert (await harness.get(FIND, called=["the family"]))["to"]["address"] == f"telegram:-{FAMILY}"


async def test_only_groups_in_which_the_owner_may_write_are_found(harness: Harness, centre: DataCentre) -> None:
    news = centre.add_channel(1, "Family news", ANNA, SAM, broadcast=True)
    own = centre.add_channel(2, "Own news", SAM, ANNA, broadcast=True)
    centre.inject(ANNA, news.peer_id, "a post")
    centre.inject(SAM, own.peer_id, "a post")
    centre.inject(ANNA, -FAMILY, "dinner?")

    assert (await harness.get(FIND, called=["family"]))["to"]["name"] == "Family"
    found = await harness.get(FIND, called=["news"])
    assert (found["to"]["name"], found["group"]["kind"]) == ("Own news", "channel")
    refused = await harness.use(FIND, chat=f"telegram:{news.peer_id}")
    assert refused.error is not None
    assert refused.error.code is IntegrationErrorCode.NOT_FOUND


@pytest.mark.parametrize(
    ("entity", "may"),
    [
        ({"left": True}, False),
        ({"default_banned_rights": types.ChatBannedRights(None, send_messages=True)}, False),
        ({"default_banned_rights": types.ChatBannedRights(None, send_messages=True), "creator": True}, True),
        ({"default_banned_rights": types.ChatBannedRights(None, send_media=True)}, True),
        ({"deactivated": True}, False),
    ],
)
def test_who_may_write_into_a_group_is_what_telegram_says(entity: dict[str, Any], may: bool) -> None:
    assert may_write(types.Chat(1, "Group", types.ChatPhotoEmpty(), 3, None, 1, **entity)) is may
    assert not may_write(types.ChatForbidden(1, "Group"))
    assert not may_write(types.Channel(1, "Direct", types.ChatPhotoEmpty(), None, megagroup=True, monoforum=True))


async def test_several_that_fit_are_choices_and_nobody_is_written_to(harness: Harness, centre: DataCentre) -> None:
    for number, title in ((31, "Choir tenors"), (32, "Choir altos")):
        centre.add_group(number, title, SAM, ANNA)
        centre.inject(ANNA, -number, "la")

    data = await harness.get(FIND, called=["the choir"])

    assert data["count"] == 2
    assert {one["name"] for one in data["choices"]} == {"Choir tenors", "Choir altos"}


def test_a_group_is_named_once(harness: Harness) -> None:
    for args in ({}, {"called": " "}, {"called": [" "]}, {"called": ["x"], "chat": "telegram:-1"}):
        with pytest.raises(ValidationError, match=r"name one conversation|match pattern"):
            harness.call(FIND, **args)
    assert harness.call(FIND, called="the family").args.called == ("the family",)


class Butler(Home):
    """A home whose Telegram account is real, up to the data centre."""

    def __init__(self, store: Store, module: TelegramModule) -> None:
        self._module = module
        super().__init__(store)

    def _tools(self) -> Registry:
        registry, own = super()._tools(), Registry()
        own.add_module(self._module)
        registry._tools |= {name: spec for name, spec in own._tools.items() if name.startswith("user_")}
        registry._metadata |= own._metadata
        registry._modules |= own._modules
        return registry


@pytest.fixture
async def butler(harness: Harness, centre: DataCentre) -> AsyncIterator[Butler]:
    centre.inject(ANNA, -FAMILY, "who brings the cake?")
    store = Store("sqlite://")
    create_tables(store.engine)
    butler = Butler(store, harness.module)
    await butler.meet()
    yield butler
    await store.close()


def planned(line: str, language: str = "en") -> PlannerOutput:
    return made(BUILDERS, said(line, "message.send", language=language))


def fields(butler: Butler) -> dict[str, str]:
    (card,) = butler.phone.cards.values()
    return {label: rich_text(value) for label, value in card.fields}


def written(centre: DataCentre, group: int) -> list[str]:
    return [message.text for message in centre.messages(SAM, -group) if message.from_id == SAM]


async def test_a_message_to_the_family_waits_with_the_title_and_arrives_in_that_group(
    butler: Butler, centre: DataCentre
) -> None:
    await butler.say(
        "let the family know the cake's sorted", planned("let [the family](to) know [the cake's sorted](reported)")
    )

    (card,) = butler.phone.cards.values()
    shown = fields(butler)
    assert shown["To"] == f"Telegram -{FAMILY} (called Family)"
    assert shown["Goes into"] == "a group with 3 members"
    assert card.body == "The cake's sorted"
    assert written(centre, FAMILY) == []
    assert butler.phone.said == []

    other = centre.add_group(77, "Family", SAM, EVE)
    centre.inject(EVE, -other.id, "I am the family now")
    await butler.tap("Approve")

    assert written(centre, FAMILY) == ["The cake's sorted"]
    assert written(centre, other.id) == []


async def test_the_card_says_whose_words_the_title_is(butler: Butler) -> None:
    await butler.say("in die Familiengruppe: bin da", planned("in [die Familiengruppe](to): [bin da](text)", "de"))

    (card,) = butler.phone.cards.values()
    assert card.reasons == (
        "the group and the recipient come from your chats",
        "the recipient is not in your contacts",
    )


async def test_a_name_that_fits_none_asks_with_the_nearest_titles(butler: Butler, centre: DataCentre) -> None:
    centre.add_group(31, "Climbing on Thursday", SAM, BOB)
    centre.inject(BOB, -31, "belay on")
    await butler.say("tell the bouldering lot I'm in", planned("tell [the sailing lot](to) [I'm in](reported)"))

    assert butler.phone.cards == {}
    assert butler.phone.said == ["I find no group called “the sailing lot”. Do you mean one of these?"]
    assert {button.label for row in butler.phone.messages[0].buttons for button in row} == {
        "1. Climbing on Thursday (2 members)",
        "2. Family (3 members)",
    }

    await butler.tap("1. Climbing")
    assert fields(butler)["To"] == "Telegram -31 (called Climbing on Thursday)"
    await butler.tap("Approve")
    assert written(centre, 31) == ["I'm in"]


async def test_several_that_fit_are_asked_about(butler: Butler, centre: DataCentre) -> None:
    for number, title in ((31, "Choir tenors"), (32, "Choir altos")):
        centre.add_group(number, title, SAM, ANNA)
        centre.inject(ANNA, -number, "la")
    await butler.say("tell the choir I'm ill", planned("tell [the choir](to) [I'm ill](reported)"))

    assert butler.phone.said == ["Several groups fit “the choir”. Which one do you mean?"]
    await butler.tap("2. Choir")
    (card,) = butler.phone.cards.values()
    assert card.body == "I'm ill"


async def test_several_that_could_be_read_are_asked_about(butler: Butler, centre: DataCentre) -> None:
    for number, title in ((31, "Choir tenors"), (32, "Choir altos")):
        centre.add_group(number, title, SAM, ANNA)
        centre.inject(ANNA, -number, f"we are the {title}")
    step = read_called("the choir", "en", {"limit": 5})
    await butler.say("what's up in the choir", Planned((step,)))
    await butler.tap("Approve")

    assert butler.phone.said == ["Several conversations fit “the choir”. Which one do you mean?"]
    await butler.tap("1. Choir altos")
    await butler.tap("Approve")
    assert "we are the Choir altos" in butler.phone.said[-1]


async def test_an_unreachable_telegram_is_said_and_nothing_waits(butler: Butler, centre: DataCentre) -> None:
    await centre.go_offline()
    await butler.say("tell the family I'm in", planned("tell [the family](to) [I'm in](reported)"))

    assert butler.phone.cards == {}
    assert "Find the group “the family”" in butler.phone.said[0]


async def test_somebody_and_a_group_are_two_cards(butler: Butler) -> None:
    both = planned("tell [telegram:1004](to) and [the family](to) [we landed](reported)")
    await butler.say("tell telegram:1004 and the family we landed", both)

    assert [rich_text(dict(card.fields)["To"]) for card in butler.phone.cards.values()] == [
        "Telegram 1004 (Mum)",
        f"Telegram -{FAMILY} (called Family)",
    ]


def test_what_is_said_of_a_group_holds_for_that_group_alone(harness: Harness) -> None:
    spec = harness.spec("send_message")
    group = {"address": "telegram:-5", "kind": "channel", "members": 0}
    assert spec.preview is not None

    def shown(to: str) -> tuple[tuple[str, str], ...]:
        args = spec.args.model_validate({"to": {"address": to}, "text": "x", "group": group})
        assert args.to == Recipient(address=to)
        return spec.preview(args).facts  # type: ignore[misc]

    assert shown("telegram:-5") == (("Goes into", "a channel"),)
    assert shown("telegram:5") == ()
