"""A name or a text at the end of a German sentence ends before the rest of the verb: `leg ... an`, `trag ... ein`."""

import pytest

from butler.orchestrator.embedded.languages.canonical import canonical


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("trag Friseur morgen um 15 Uhr in den Kalender ein", "put Friseur in my calendar tomorrow at 15:00"),
        ("trag morgen um 15 Uhr Friseur ein", "put Friseur in my calendar tomorrow at 15:00"),
        ("leg eine Karte Miete in der Liste Bills an!", 'add a card "Miete" to the list "Bills"'),
        ("füg bitte eine Karte „Miete“ zur Liste „Bills“ hinzu", 'add a card "Miete" to the list "Bills"'),
        ("leg eine Karte Anzug an der Naht in der Liste Zu Hause an", None),
        (
            "leg eine Erinnerung um 9 Uhr an den Müll rauszubringen an",
            "remind me at 9:00 of: an den Müll rauszubringen",
        ),
        ("erinnere mich um 9 Uhr daran, das Licht anzumachen: Licht an", None),
        ("sag Anna, dass ich sie anrufe", None),
    ],
)
def test_the_rest_of_a_verb_is_no_part_of_what_is_named(words: str, said: str | None) -> None:
    found = canonical(words)
    if said is not None:
        assert found == said
    else:
        assert found is None or not found.endswith((' an"', " hinzu", " ein"))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("sag Anna, ich komme gleich an", "ich komme gleich an"),
        ("schick Anna eine Nachricht: stell bitte den Wagen ab", "stell bitte den Wagen ab"),
        ("sag Anna: leg das Buch an", "leg das Buch an"),
        ("erinnere mich morgen um 9: Heizung an", "Heizung an"),
    ],
)
def test_a_dictated_text_keeps_its_last_word(words: str, text: str) -> None:
    found = canonical(words)
    assert found is not None
    assert found.rstrip('"').endswith(text)
