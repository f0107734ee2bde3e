"""What is made on the person's boards, which Trello cannot tell from a double: once, or openly unknown; never twice."""

from tests.crash.scenarios import Scenario, states
from tests.crash.scenarios_accounts import ended, say_yes

CREATE = "user_trello_create_card"
CARD = "Water the fern"


async def make_a_card(home):
    """Chat, card, yes: it stands on the board once, or it is openly unknown; what the board's log has is known."""
    home.world.say(f"add a card {CARD} to To Do on Home")
    await say_yes(home, CARD)
    await ended(home, CREATE)
    made = made_cards(home)
    if states(home, CREATE) == ["done"]:
        assert len(made) == 1, made
        return
    assert home.deaths, "an outcome is unknown only after a crash"
    assert not made, "what stands in the log is known to have been made"
    assert home.buttons("It"), "an unknown outcome is asked about"


def made_cards(home):
    """The cards of that name, wherever they lie."""
    return [card for card in home.world.trello._state.cards.values() if card.name == CARD]


BOARD_SCENARIO = Scenario("make_a_card", make_a_card)
