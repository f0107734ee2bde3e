"""Slips in the first words of a request."""
# names: made up here

import pytest

from butler.orchestrator.understanding.requests.slips import without_slips


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("tel Bob dinner is at 8", "tell Bob dinner is at 8"),
        ("look in my mial for invoice", "look in my mail for invoice"),
        ("cancle the meting with Anna", "cancel the meeting with Anna"),
        ("Remidn me to water the plants", "remind me to water the plants"),
    ],
)
def test_slips_in_the_first_words_are_corrected(words: str, right: str) -> None:
    assert without_slips(words) == right


@pytest.mark.parametrize(
    "words",
    [
        "tell Anna emial is down", "Notiz: mial an Bob", "save Anna's tel 0170 123", "Archiv ansehen",
        "“sned it” is what she wrote", "what did he set up last week with the mial", "book a flight to Mali",
        "write Archie", "mali trip mails", "the froward child", "show canel mails", "Tel. von Anna?", "tel von Anna",
        "tel nr of the vet", "tel est son numéro", "tel quel", "tel 0170 123 of the vet", "remind Sned about it",
    ],
)  # fmt: skip
def test_texts_and_words_of_their_own_are_left_as_they_are(words: str) -> None:
    assert without_slips(words) == words
