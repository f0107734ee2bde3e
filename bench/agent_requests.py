"""Butler's own requests through the planner with a model: a sample of the blind sets, the same one each time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.agent_tasks import step
from bench.embedding import embed
from bench.prompt_tokens import SETS, rows_of, sample
from bench.understanding_blind import asked, score
from butler.agents.errors import ModelOutputError, ModelUnavailableError
from butler.agents.llm import Llm
from butler.guardrails.redaction import redact
from butler.orchestrator.experts.building import build_experts
from butler.orchestrator.planning.factory import make_planner
from config.settings import LlmSettings

SCRIPTED: Mapping[str, Mapping[str, Any]] = {
    "a001": {"steps": [step("user_telegram_send_message", to={"contact": "anna"}, text="I'm 10 min late, sorry")]},
    "a004": {"steps": [step("user_telegram_send_message", to={"contact": "mum"}, text="Happy birthday!!")]},
    "a024": {"steps": [step("bot_reminders_create", text="take the bread out", at="2026-03-04T10:50")]},
    "a028": {"steps": [step("bot_reminders_list")]},
    "a038": {"steps": [step("bot_notes_remember", text="boiler code is 4471")]},
    "a055": {"question": "What shall I move to Friday?"},
}  # fmt: skip
"""What the scripted model answers to a few of set a, by their ids."""


@dataclass(frozen=True, slots=True)
class Understood:
    """What a planner made of some requests."""

    requests: int
    exact: int
    asked: int
    acted: int
    """Of the wrong ones: would have done something else, after a card."""
    misled: int
    """Of the wrong ones: would have written to somebody else, after a card."""
    failed: int
    """Of the wrong ones: the model did not answer."""
    wrong: Sequence[str]
    """Each wrong one, with what came of it."""

    def row(self) -> list[object]:
        """Its line in the table."""
        counts = (self.exact, self.asked, len(self.wrong))
        shares = [f"{count} ({count / max(self.requests, 1):.0%})" for count in counts]
        return [self.requests, *shares, self.acted, self.misled, self.failed]


COLUMNS = ("requests", "exact", "asked", "wrong", "of these act", "of these recipient", "of these no answer")


def chosen(count: int) -> list[dict[str, Any]]:
    """That many requests of all blind sets."""
    return sample(list(rows_of(sorted(SETS.glob("blind.*.jsonl")))), count)


def of_the_script() -> tuple[list[dict[str, Any]], dict[str, Mapping[str, Any]]]:
    """The few that the scripted model can answer, and its answers by their words."""
    rows = [row for row in rows_of([SETS / "blind.a.jsonl"]) if row["id"] in SCRIPTED]
    return rows, {row["text"]: SCRIPTED[row["id"]] for row in rows}


async def understood(llm: Llm, settings: LlmSettings, rows: Sequence[Mapping[str, Any]]) -> Understood:
    """Have the planner plan each of them; nothing is done."""
    planner = make_planner(llm, build_experts(), redact, embed, settings.most_tools)
    verdicts: Counter[str] = Counter()
    wrong: list[str] = []
    for row in rows:
        try:
            one = score(row, await planner.plan(asked(row)))
        except (ModelUnavailableError, ModelOutputError) as error:
            verdict, got = "failed", str(error)
        else:
            verdict, got = one.verdict, one.got
        verdicts[verdict] += 1
        if verdict not in {"exact", "asked"}:
            wrong.append(f"{verdict:9} {row['lang']} {row['text']!r} [{row['expected']}] => {got[:200]}")
    return Understood(
        len(rows),
        verdicts["exact"],
        verdicts["asked"],
        verdicts["act"],
        verdicts["recipient"],
        verdicts["failed"],
        wrong,
    )
