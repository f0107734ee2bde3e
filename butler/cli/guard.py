"""`butler guard`: the guardrails' verdict on a text, for people or programs; nothing else happens to the text."""

import io
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Literal, cast

from butler.contract.errors import Refuse
from butler.guardrails.agent import Guardrails
from butler.guardrails.guard import GuardrailsInput, GuardrailsOutput
from config.agents import GuardrailsSettings

CheckType = Literal["input_validation", "output_safety"]


def standard_input() -> io.TextIOWrapper:
    """Read standard input with its line ends, so that spans fit the given text; replace invalid UTF-8."""
    return io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace", newline="")


def guarded(text: str, check: CheckType, *, as_json: bool) -> str:
    """Return the verdict on one text."""
    verdict = _verdict(text, check)
    return _line(verdict.model_dump(mode="json")) if as_json else _verdict_line(text, verdict)


def guarded_lines(lines: Iterable[str], check: CheckType) -> Iterator[str]:
    """Yield, for each line of `{"id", "text"}`, a line with its verdict and id; raise `Refuse` for any other line."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        given = _given(line, number)
        yield _line({"id": given.get("id"), **_verdict(given["text"], check).model_dump(mode="json")})


def _given(line: str, number: int) -> dict[str, Any]:
    try:
        held = json.loads(line)
    except ValueError:
        held = None
    if not isinstance(held, dict) or not isinstance(cast("dict[str, Any]", held).get("text"), str):
        raise Refuse(f'line {number} is no JSON object with a "text"')
    return cast("dict[str, Any]", held)


def _verdict(text: str, check: CheckType) -> GuardrailsOutput:
    # The recipient is unknown, so anybody might get it.
    given = GuardrailsInput(content=text, check_type=check, metadata={"recipients": None})
    return Guardrails(GuardrailsSettings()).check(given)


def _line(value: dict[str, Any]) -> str:
    # A line of JSON must be text on any terminal: a lone surrogate stays an escape.
    return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace").decode()


def _verdict_line(text: str, verdict: GuardrailsOutput) -> str:
    head = f"{'safe' if verdict.is_safe else 'not safe'}: {verdict.reasoning}"
    spans = (f"  {span.type} {span.start}-{span.end}: {text[span.start : span.end]!r}" for span in verdict.spans)
    return "\n".join((head, *spans))
