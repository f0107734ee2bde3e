"""Which stored rows are looked at when something is forgotten: never fewer than hold it."""

import pytest

from butler.store.connect import to_json
from butler.store.queries.forgotten import Texts

FEE = "Die Verlängerungsgebühr beträgt für Anna neun Euro"


@pytest.mark.parametrize("said", [FEE, f"{FEE}\n", f"Zeile\n{FEE}", f"{FEE} \ud800", f"\x1b{FEE}"])
def test_a_text_is_found_in_a_row_however_its_letters_are_written_there(said: str) -> None:
    assert Texts({"mail:1": [FEE]}).may_be_in(to_json({"text": said}))


def test_a_row_with_none_of_its_words_is_not_looked_at() -> None:
    assert not Texts({"mail:1": [FEE]}).may_be_in(to_json({"text": "Morgen regnet es"}))
