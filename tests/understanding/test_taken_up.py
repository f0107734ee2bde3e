"""What is taken in hand and acted upon is one order: `take the mails from Bob and archive them`."""

from collections.abc import Sequence

import pytest

from butler.orchestrator.understanding.requests.taken_up import as_one
from butler.understanding.reader import Request
from tests.understanding.marked import said


def part(line: str, intent: str) -> Request:
    one = said(line, intent).request
    return Request(one.text, 0, ((intent, 0.99),), one.slots)


class Reads:
    """Reads whatever it is given as requests of some intents, and remembers it."""

    def __init__(self, *intents: str) -> None:
        self.intents, self.texts = intents, list[str]()

    def __call__(self, text: str, _context: Sequence[str]) -> tuple[Request, ...]:
        """One request for each intent."""
        self.texts.append(text)
        return tuple(part(text, intent) for intent in self.intents)


@pytest.mark.parametrize(
    ("first", "later", "order"),
    [
        ("take everything I have on [friday](time_of) ", "and move [it](ref) to [monday](time)",
         "move everything I have on friday to monday"),
        ("ok, grab the mails from [bob](from), ", "then archive [them](ref)", "then archive the mails from bob"),
        ("nimm alle Karten in [Doing](list) ", "und schieb [sie](ref) nach [Done](list)",
         "schieb alle Karten in Doing nach Done"),
        ("prends le mail de [Léa](from) ", "et transfère-[le](ref) à [Bob](to)", "transfère le mail de Léa à Bob"),
        ("coge la [tarjeta](ref) ", "y bórra-[la](ref)", "bórra la tarjeta"),
    ],
)  # fmt: skip
def test_what_is_taken_in_hand_is_acted_upon(first: str, later: str, order: str) -> None:
    reads = Reads("calendar.move")
    found = as_one((part(first, "calendar.delete"), part(later, "calendar.move")), reads, ())
    assert (reads.texts, [one.text for one in found]) == ([order], [order])


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("take a note: [milk](text) ", "and remind me [at six](time)"),
        ("cancel the [lunch](topic) ", "and move [it](ref) to [monday](time)"),
        ("take everything on [friday](time_of) ", "and move [the second one](ref) to [monday](time)"),
    ],
)
def test_two_orders_stay_two(first: str, later: str) -> None:
    parts = (part(first, "note.create"), part(later, "calendar.move"))
    assert as_one(parts, Reads("calendar.move"), ()) == parts


@pytest.mark.parametrize("intents", [("calendar.delete",), ("calendar.move", "calendar.delete"), ()])
def test_what_is_not_read_as_that_one_order_stays_as_it_was(intents: tuple[str, ...]) -> None:
    parts = (
        part("take [it](ref) all ", "calendar.delete"),
        part("and move [it](ref) to [monday](time)", "calendar.move"),
    )
    assert as_one(parts, Reads(*intents), ()) == parts


def test_one_request_or_three_are_left_alone() -> None:
    one = part("take [it](ref) ", "calendar.delete")
    assert as_one((one,), Reads(), ()) == (one,)
    assert as_one((one, one, one), Reads(), ()) == (one, one, one)
