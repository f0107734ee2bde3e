"""A request is taken apart where a slot shows a second one; reasons and the ends of texts are none."""
# names: made up here

from collections.abc import Sequence

import pytest

from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from butler.orchestrator.understanding.requests.going_on import with_whole_texts
from butler.orchestrator.understanding.requests.parting import parted
from butler.orchestrator.understanding.requests.reasons import without_names_in_a_reason, without_reasons
from butler.understanding.reader import Request
from tests.understanding.marked import said


def part(line: str, intent: str, share: float = 0.99, start: int = 0) -> Request:
    one = said(line, intent).request
    return Request(one.text, start, ((intent, share),), one.slots)


class Known:
    """Reads a few texts as they are marked."""

    def __init__(self, *known: Request) -> None:
        self._known = {one.text.strip(): one for one in known}

    def __call__(self, text: str, _context: Sequence[str]) -> tuple[Request, ...]:
        """The request of a text; none for any other."""
        found = self._known.get(text.strip())
        return (found,) if found is not None else ()


def test_a_slot_that_it_does_not_take_is_of_another_request() -> None:
    whole = part("move [it](ref) to [four](time) and tell [Bob](to)", "calendar.move")
    read = Known(
        part("move [it](ref) to [four](time)", "calendar.move"), part("and tell [Bob](to)", "message.send", 0.5)
    )
    first, second = parted([whole], read, ("event",))
    assert (first.intent, second.intent) == ("calendar.move", "message.send")
    assert second.start == len("move it to four ")


def test_what_comes_before_may_be_another_request() -> None:
    whole = part("thank [her](from), put [rehearsal](title) in for [the 18th](time)", "calendar.create")
    read = Known(
        part("thank [her](from),", "mail.reply"),
        part("put [rehearsal](title) in for [the 18th](time)", "calendar.create"),
    )
    assert [one.intent for one in parted([whole], read, ())] == ["mail.reply", "calendar.create"]


def test_a_second_request_of_a_word_or_two_is_one() -> None:
    whole = part("delete [it](ref) and unsubscribe", "mail.trash")
    read = Known(part("delete [it](ref)", "mail.trash"), part("unsubscribe", "mail.unsubscribe", 0.9))
    first, second = parted([whole], read, ("mail",))
    assert (first.intent, second.intent, second.start) == ("mail.trash", "mail.unsubscribe", len("delete it and "))


@pytest.mark.parametrize(
    "second",
    [part("be quick", "chat.thanks", 0.9), part("be quick", "mail.archive", 0.5), part("be quick", "mail.trash")],
)
def test_a_few_words_that_are_no_sure_act_stay(second: Request) -> None:
    whole = part("delete [it](ref) and be quick", "mail.trash")
    assert parted([whole], Known(part("delete [it](ref)", "mail.trash"), second), ()) == (whole,)


@pytest.mark.parametrize(
    "second", [part("and tell [Bob](to)", "message.send", 0.2), part("and tell [Bob](to)", "refine")]
)
def test_a_part_that_is_no_sure_request_stays(second: Request) -> None:
    whole = part("move [it](ref) to [four](time) and tell [Bob](to)", "calendar.move")
    read = Known(part("move [it](ref) to [four](time)", "calendar.move"), second)
    assert parted([whole], read, ()) == (whole,)


def test_a_yes_and_what_else_is_asked_for_are_two() -> None:
    whole = part("yes, and tell [Bob](to) [I'm late](reported)", "approve.all")
    read = Known(part("yes, and", "answer.yes"), part("tell [Bob](to) [I'm late](reported)", "message.send"))
    assert [one.intent for one in parted([whole], read, ())] == ["answer.yes", "message.send"]


def test_a_request_whose_slots_are_its_own_stays() -> None:
    whole = part("cancel [lunch](topic), and tell nobody", "calendar.delete")
    assert parted([whole], Known(), ()) == (whole,)


@pytest.mark.parametrize(
    ("line", "intent", "kept"),
    [
        ("because [the contract](topic) is cancelled", "mail.trash", 1),
        ("I've cancelled [the gym](topic)", "calendar.delete", 1),
        ("que al final ya está bien [el gato](topic)", "calendar.delete", 1),
        ("I've paid [the rent](topic)", "reminder.done", 2),
        ("and cancel [the gym](topic)", "calendar.delete", 2),
    ],
)
def test_a_reason_is_no_request(line: str, intent: str, kept: int) -> None:
    first = part("bin [the gym's mail](topic)", "mail.trash")
    assert len(without_reasons([first, part(line, intent)])) == kept


def test_what_a_reason_names_is_no_part_of_the_request() -> None:
    line = "took [my pills](topic), late because I couldn't find the [box](topic)"
    assert without_names_in_a_reason(part(line, "reminder.done")).words("topic") == ("my pills",)
    line = "because the [box](topic) is lost, take [pills](topic) off"
    assert len(without_names_in_a_reason(part(line, "reminder.remove")).words("topic")) == 2


@pytest.mark.parametrize(
    "line",
    [
        "remind me [every friday](every) to [fill it in](text), otherwise HR calls me [every month](every)",
        "erinner mich [jeden Freitag](every) an [die Stunden](text), sonst ruft man mich [jeden Monat](every) an",
        "rappelle-moi [mes heures](text) [tous les vendredis](every), sinon on m'appelle [chaque fin de mois](every)",
        "recuérdame [las horas](text) [cada viernes](every), porque me llaman [cada mes](every)",
    ],
)
def test_how_often_something_happens_in_a_reason_is_no_recurrence(line: str) -> None:
    found = without_names_in_a_reason(part(line, "reminder.create"))
    assert (len(found.words("every")), len(found.words("text"))) == (1, 1)


def test_a_reason_alone_is_kept() -> None:
    assert len(without_reasons([part("because [the contract](topic) is cancelled", "mail.trash")])) == 1


def asks(_one: Request) -> PlannerOutput:
    return Unclear("When?")


def acts(_one: Request) -> PlannerOutput:
    return Planned((), frozenset())


WHOLE = "text Anna I'm in the tube, back at half eight"


def test_the_end_of_a_text_is_no_request() -> None:
    first = part("text [Anna](to) [I'm in the tube](reported), ", "message.send")
    later = part("back at [half eight](time)", "reminder.create", 0.8, start=first.text.index("tube") + 6)
    (one,) = with_whole_texts([first, later], WHOLE, asks)
    assert one.words("reported") == ("I'm in the tube, back at half eight",)
    assert one.text == WHOLE


def test_what_is_cut_off_in_a_sentence_belongs_to_the_text() -> None:
    first = part("answer [Bob](to) that [it's fine but on page three](reported) ", "mail.reply")
    later = part("[the total](query) is missing", "file.read", 0.8, start=len(first.text))
    (one,) = with_whole_texts([first, later], first.text + later.text, acts)
    assert one.words("reported") == ("it's fine but on page three the total is missing",)


def test_a_second_clause_of_what_is_told_is_no_request() -> None:
    first = part("text [Anna](to) that [I'm here](reported) ", "message.send")
    later = part("and I ring [tonight](time)", "reminder.create", 0.99, start=len(first.text))
    (one,) = with_whole_texts([first, later], first.text + later.text, acts)
    assert one.words("reported") == ("I'm here and I ring tonight",)
    needed = part("and I need a reminder [tonight](time)", "reminder.create", 0.99, start=len(first.text))
    assert len(with_whole_texts([first, needed], first.text + needed.text, acts)) == 2


@pytest.mark.parametrize(
    "later",
    [
        part("and remind me", "reminder.create", 0.99, start=30),
        part("and remind [Bob](to)", "message.send", 0.5, start=30),
    ],
)
def test_a_sure_request_and_one_for_somebody_stay(later: Request) -> None:
    first = part("text [Anna](to) [I'm in the tube](reported), ", "message.send")
    assert len(with_whole_texts([first, later], f"{first.text}{later.text}", asks)) == 2


@pytest.mark.parametrize(
    ("line", "intent"),
    [
        ("the transfer went out five minutes ago", "reminder.snooze"),
        ("virement parti il y a cinq minutes", "reminder.snooze"),
        ("und behalt den Rest", "note.create"),
        ("et garde le reste", "note.create"),
        ("and keep the rest", "note.create"),
    ],
)
def test_what_is_over_or_only_stays_is_no_request(line: str, intent: str) -> None:
    first = part("archive [the first two](ref)", "mail.archive")
    assert without_reasons([first, part(line, intent)]) == (first,)
