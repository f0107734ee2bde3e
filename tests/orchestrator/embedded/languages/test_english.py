"""English is never touched: no request of the tests and of the evaluation set is taken for another language's."""

import json
from pathlib import Path

from butler.orchestrator.embedded.help import EXAMPLES
from butler.orchestrator.embedded.languages.canonical import canonical
from tests.orchestrator.embedded import test_when
from tests.orchestrator.embedded.test_many_more import ROWS
from tests.orchestrator.embedded.test_stopping import COMMANDS

SET = Path(__file__).parents[4] / "bench" / "understanding" / "requests.en.jsonl"


def english() -> list[str]:
    rows = [json.loads(line)["text"] for line in SET.read_text(encoding="utf-8").splitlines()]
    tests = [row[0] for row in (*ROWS, *COMMANDS, *test_when.TIMES)]
    examples = [example for _, examples in EXAMPLES for example in examples]
    return [*rows, *tests, *examples]


def test_no_english_words_are_taken_for_another_languages() -> None:
    touched = {words: said for words in english() if (said := canonical(words)) is not None}
    assert touched == {}


def test_the_set_holds_english_requests() -> None:
    assert len(english()) > 500
