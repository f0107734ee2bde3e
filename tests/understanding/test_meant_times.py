"""Of several times in a request, those that are meant: not the refused ones, and not those of a reason behind them."""

import pytest

from butler.orchestrator.understanding.times.meant import meant_times
from tests.understanding.marked import said


@pytest.mark.parametrize(
    ("intent", "language", "line", "times"),
    [
        ("reminder.change", "en", "make it [nine in the morning](time) instead, [eight](time)'s too early for me",
         ("nine in the morning",)),
        ("reminder.change", "de", "[neun](time) ist zu früh, mach [zehn](time)", ("zehn",)),
        ("reminder.change", "fr", "le rappel à [7h30](time) au lieu de [8h](time)", ("7h30",)),
        ("calendar.move", "es", "que sea el [jueves](time), no el [miércoles](time)", ("jueves",)),
        ("calendar.move", "de", "lieber [Mittwoch](time) statt [Dienstag](time)", ("Mittwoch",)),
        ("calendar.move", "en", "[tomorrow](time), not [friday](time)", ("tomorrow",)),
        # A reason that stands behind it has a time of its own.
        ("reminder.create", "fr", "rappelle-moi [à 17h](time) d'[appeler la crèche](text), ils ferment à [18h](time)",
         ("à 17h",)),
        ("reminder.change", "de", "auf [Montagabend um acht](time), die holen schon um [sechs Uhr früh](time) ab",
         ("Montagabend um acht",)),
        # What was marked and is no time, or stands beside one.
        ("calendar.free", "de", "hab ich [am](time) [Donnerstagabend nach](time) dem [Klettern](topic) Luft",
         ("am Donnerstagabend",)),
        # What is made has no old time.
        ("calendar.create", "en", "put the [dentist](title) in for [monday](time_of) [at 9](time)", ("monday", "at 9")),
        # Times that belong together stay, and so do those that are said by something shown.
        ("reminder.create", "en", "[tomorrow](time) to [call mum](text) [at 9](time)", ("tomorrow", "at 9")),
        ("calendar.create", "en", "[tomorrow](time) [from 3](time) [to 5](time)", ("tomorrow", "from 3", "to 5")),
        ("reminder.create", "fr", "et un autre [la](time) [veille à 19h](time)", ("la", "veille à 19h")),
        ("calendar.list", "en", "not before [9](time)", ("9",)),
        ("calendar.free", "de", "hab ich am [langen Wochenende](time) frei", ("langen Wochenende",)),
        # Of two old times, the one that is not refused is the new one.
        ("reminder.change", "fr", "mets les [cachets](topic) à [8h30](time_of) au lieu de [9h](time_of)", ("8h30",)),
        # A day that never comes is not cut to one that does.
        ("reminder.create", "en", "remind me [on 31 June](time) to [pay](text)", ("on 31 June",)),
        ("reminder.create", "es", "recuérdame el [31 de junio](time) [pagar](text)", ("31 de junio",)),
    ],
)  # fmt: skip
def test_the_times_that_are_meant(intent: str, language: str, line: str, times: tuple[str, ...]) -> None:
    meant = meant_times(said(line, intent, language=language))
    assert meant.request.words("time") == times
    assert all(meant.request.text[one.start : one.end] == one.text for one in meant.request.slots)


def test_what_was_marked_as_a_time_names_it_where_nothing_else_does() -> None:
    line = "erinner mich am [20. März](time) an den [Hochzeitstag](time), am besten [vormittags um zehn](time)"
    meant = meant_times(said(line, "reminder.create", language="de"))
    assert meant.request.words("time") == ("20. März", "vormittags um zehn")
    assert meant.request.words("text") == ("Hochzeitstag",)
