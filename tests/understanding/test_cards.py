"""Words about cards: what is wanted, which card is named, and the new values."""

import pytest

from butler.orchestrator.planning.plan_types import AboutCards, CardAct, Command
from butler.orchestrator.understanding.cards import BUILDERS
from tests.understanding.marked import made, said


def about(line: str, intent: str, language: str = "en") -> AboutCards:
    found = made(BUILDERS, said(line, intent, language=language))
    assert isinstance(found, AboutCards)
    return found


@pytest.mark.parametrize(
    ("line", "language", "named", "every"),
    [
        ("cancel the [family](topic) one", "en", ("family",), False),
        ("deny [all](ref)", "en", (), True),
        ("deny everything", "en", (), True),
        ("ignore all that", "en", (), True),
        ("never mind", "en", (), False),
        ("don't send [it](ref)", "en", (), False),
        ("scrap the mail to [Ramesh](to)", "en", ("Ramesh",), False),
        ("nein, lass gut sein", "de", (), False),
        ("die Nachricht an [Oma](to) doch nicht", "de", ("Oma",), False),
        ("vergiss [alle](ref)", "de", (), True),
        ("je ne valide pas le [mail à Corinne](topic)", "fr", ("mail à Corinne",), False),
        ("annule [tout](ref)", "fr", (), True),
        ("descarta [el correo a Hacienda](ref)", "es", ("el correo a Hacienda",), False),
        ("cancela [todo](ref)", "es", (), True),
    ],
)
def test_a_no_says_which(line: str, language: str, named: tuple[str, ...], every: bool) -> None:
    found = about(line, "approve.deny", language)
    assert (found.act, found.named, found.every) == (CardAct.DENY, named, every)


@pytest.mark.parametrize("line", ["stop", "abort", "stop everything"])
def test_a_stop_stops_everything(line: str) -> None:
    assert made(BUILDERS, said(line, "approve.deny")) is Command.PAUSE


def test_cancel_that_is_an_undo_where_nothing_waits() -> None:
    assert about("cancel that", "approve.deny").otherwise is Command.UNDO
    assert about("never mind", "approve.deny").otherwise is Command.PENDING


@pytest.mark.parametrize(
    ("line", "language", "values"),
    [
        ("make it [seven](time)", "en", (("time", "seven"),)),
        ("make that [15 minutes](duration)", "en", (("duration", "15 minutes"),)),
        ("set it due [friday](time)", "en", (("time", "friday"),)),
        ("instead to [carol](to)", "en", (("to", "carol"),)),
        ("say [south gate](text) instead", "en", (("text", "south gate"),)),
        ("schreib stattdessen [Südtor](text)", "de", (("text", "Südtor"),)),
        ("lieber an [Carola](to)", "de", (("to", "Carola"),)),
        ("mets plutôt [19h](time)", "fr", (("time", "19h"),)),
        ("que sea el [jueves](time) no el [miércoles](time_of)", "es", (("time", "jueves"),)),
        ("cambia el asunto a [Factura pendiente](subject)", "es", (("subject", "Factura pendiente"),)),
    ],
)
def test_a_change_holds_the_new_values(line: str, language: str, values: tuple[tuple[str, str], ...]) -> None:
    found = about(line, "approve.change", language)
    assert (found.act, found.values, found.language) == (CardAct.CHANGE, values, language)


def test_a_yes_by_words_only_shows() -> None:
    found = about("green light for the [mail to the bank](topic)", "approve.all")
    assert (found.act, found.named) == (CardAct.SEND, ("mail to the bank",))


@pytest.mark.parametrize(("intent", "command"), [("approve.list", Command.PENDING), ("undo", Command.UNDO)])
def test_lists_and_undo_are_commands(intent: str, command: Command) -> None:
    assert made(BUILDERS, said("put [them](ref) back", intent)) is command
