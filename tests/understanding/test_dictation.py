"""What stands behind a colon or in quotes is the text, whole, whatever was marked in it."""

import pytest

from butler.understanding.dictation import whole_texts
from butler.understanding.marked import SlotWords
from scripts.train_understanding.examples import parsed


def slots(line: str) -> list[tuple[str, str]]:
    """What is marked in a line once its dictated texts are whole."""
    example = parsed(line, "en", "")
    marked = [SlotWords(s.slot, example.text[s.start : s.end], s.start, s.end) for s in example.spans]
    return [(one.slot, one.text) for one in whole_texts(example.text, marked)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("answer [number 7](ref): [no walnuts](text) please", [("ref", "number 7"), ("text", "no walnuts please")]),
        ("tell [mum](to): [remind me](text) [at 9](time)", [("to", "mum"), ("text", "remind me at 9")]),
        ("Antworte auf [die erste](ref): [leite das](text) bitte an [Carol](to) weiter",
         [("ref", "die erste"), ("text", "leite das bitte an Carol weiter")]),
        ("Sag [Mum](to) „[erinnere mich um 9](text) daran“", [("to", "Mum"), ("text", "erinnere mich um 9 daran")]),
        ("write “[see you](text) at eight” to [bob](to)", [("text", "see you at eight"), ("to", "bob")]),
        ("Réponds à [Anna](to) par « [oui](text), demain »", [("to", "Anna"), ("text", "oui, demain ")]),
    ],
)  # fmt: skip
def test_a_dictated_text_is_whole(line: str, expected: list[tuple[str, str]]) -> None:
    assert slots(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tell [mum](to) [I'](reported)m not coming", [("to", "mum"), ("reported", "I'm not coming")]),
        ("[i'm running](reported) late, tell [mum](to)", [("reported", "i'm running late"), ("to", "mum")]),
        (
            "tell [anna](to) [I found](reported) it after all please",
            [("to", "anna"), ("reported", "I found it after all")],
        ),
        ("sag [anna](to) [ich bin](reported) gleich da bitte", [("to", "anna"), ("reported", "ich bin gleich da")]),
        (
            "dis à [anna](to) que [j'arrive](reported) en retard stp",
            [("to", "anna"), ("reported", "j'arrive en retard")],
        ),
    ],
)
def test_a_reported_text_goes_on_to_the_end_of_its_clause(line: str, expected: list[tuple[str, str]]) -> None:
    assert slots(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "tell [anna](to) [I'm late](reported) please",
        "tell [anna](to) [I'm late](reported) on [telegram](channel)",
        "tell [anna](to) [I'm late](reported), thanks a lot",
        "remind me [at 10:30](time) to [call](text)",
        "new card: [chase the supplier](title), due [friday](time)",
        "tell [anna](to): [hi](text) and [bob](to): [bye](text)",
    ],
)
def test_nothing_else_is_taken_for_a_text(line: str) -> None:
    example = parsed(line, "en", "")
    assert slots(line) == [(s.slot, example.text[s.start : s.end]) for s in example.spans]
