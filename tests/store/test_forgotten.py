"""Which stored rows are looked at when something is forgotten: never fewer than hold it."""

import pytest

from butler.store.connect import to_json
from butler.store.queries.forgotten import ForgottenTexts, without

FEE = "Die Verlängerungsgebühr beträgt für Anna neun Euro"


@pytest.mark.parametrize("said", [FEE, f"{FEE}\n", f"Zeile\n{FEE}", f"{FEE} \ud800", f"\x1b{FEE}"])
def test_a_text_is_found_in_a_row_however_its_letters_are_written_there(said: str) -> None:
    assert ForgottenTexts({"mail:1": [FEE]}).may_be_in(to_json({"text": said}))


def test_a_row_with_none_of_its_words_is_not_looked_at() -> None:
    assert not ForgottenTexts({"mail:1": [FEE]}).may_be_in(to_json({"text": "Morgen regnet es"}))


def test_what_another_source_says_stays_though_it_ends_with_the_same_words() -> None:
    texts = ForgottenTexts({"mail:1": [f"{FEE}. Mit freundlichen Grüßen aus dem Büro"]})
    other = {"source_id": "mail:2", "content": "Bis Freitag. Mit freundlichen Grüßen aus dem Büro"}
    gone = {"source_id": "mail:1", "content": FEE, "title": "Vertrag"}

    kept = without({"answer": f"Dort steht: {FEE}", "chunks": [other, gone]}, texts)

    assert kept == {"answer": "", "chunks": [other, {"source_id": "mail:1", "content": "", "title": ""}]}
