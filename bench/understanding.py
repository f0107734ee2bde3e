"""How well the planner without a model understands: requests of `bench/understanding/`, by exact tools and arguments.

The set is split in two by a hash of each request's id. One half is for tuning; of the other only totals are printed,
and they are what the last line says. A request counts as
- exact: every step with its tool and all its arguments, a question where one has to be asked, the right command;
- asked: the butler asks although it could have known, so nothing is done;
- wrong: anything else. Of these, a false action is an output that nobody asked for, and a wrong recipient one that
  goes to somebody else.
"""

import argparse
import asyncio
import hashlib
import json
import statistics
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from bench.machine import report, table
from bench.understanding_scenes import NOW, ZONE, request, tools
from butler.contract.agents import PlanStep
from butler.contract.names import Direction
from butler.orchestrator.planning.factory import planner_without_model
from butler.orchestrator.planning.plan_types import AboutCards, Command, Planned, PlannerOutput, Unclear
from butler.orchestrator.planning.preferences import Preference

SET = Path(__file__).with_suffix("")
LANGUAGES = ("en", "de", "fr", "es")
COLUMNS = ("", "requests", "exact", "asked", "wrong", "false actions", "wrong recipients")


@dataclass(frozen=True, slots=True)
class Request:
    """One line of the set; what is expected stands in one of `steps`, `ask`, `command`, `preference`."""

    id: str
    kind: str
    text: str
    expected: Mapping[str, Any]
    scene: str = "demo"
    now: datetime = NOW

    @property
    def is_test(self) -> bool:
        """Whether it belongs to the half that nobody tunes by."""
        return hashlib.sha256(self.id.encode()).digest()[0] % 2 == 1


@dataclass(frozen=True, slots=True)
class Score:
    """What came of one request."""

    request: Request
    got: Mapping[str, Any]
    ms: float
    false_action: bool
    wrong_recipient: bool

    @property
    def verdict(self) -> str:
        """`exact`, `asked` or `wrong`."""
        if self.got == self.request.expected:
            return "exact"
        return "asked" if self.got == {"ask": True} else "wrong"


def requests(language: str) -> Iterator[Request]:
    """The set in one language."""
    for line in (SET / f"requests.{language}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        now = datetime.fromisoformat(row["now"]).replace(tzinfo=ZONE) if "now" in row else NOW
        expected = {key: row[key] for key in ("steps", "ask", "command", "preference") if key in row}
        yield Request(row["id"], row["kind"], row["text"], expected, row.get("scene", "demo"), now)


def as_expected(output: PlannerOutput) -> dict[str, Any]:
    """A planner's answer in the set's own words."""
    match output:
        case Planned():
            return {"steps": [_step(step) for step in output.steps]}
        case Command():
            return {"command": output.value}
        case Preference():
            return {"preference": {output.name.value: output.value}}
        case AboutCards():
            # No card waits in these scenes.
            return as_expected(output.otherwise)
        case Unclear():
            return {"ask": True}


def _step(step: PlanStep) -> dict[str, Any]:
    """One step, with its time where it waits for one."""
    later = {"not_before": step.not_before.astimezone(UTC).isoformat()} if step.not_before else {}
    return {"tool": step.tool_call, "args": step.args, **later}


def _recipients(found: Mapping[str, Any]) -> set[str]:
    """Whom the steps write to."""
    said: list[Any] = [step["args"].get("to", []) for step in found.get("steps", ())]
    everybody: list[Any] = [one for to in said for one in (cast("list[Any]", to) if isinstance(to, list) else [to])]
    return {json.dumps(one, sort_keys=True) for one in everybody}


def _outputs(found: Mapping[str, Any], acting: set[str]) -> list[str]:
    return sorted(step["tool"] for step in found.get("steps", ()) if step["tool"] in acting)


async def scored(all_requests: Iterable[Request]) -> list[Score]:
    """Ask the planner each of them; the weights are loaded before the first."""
    planner, known = planner_without_model(), tools()
    await planner.plan(request("hello", "demo", known))
    acting = {spec.tool_name for spec in known if spec.direction is Direction.OUTPUT}
    scores: list[Score] = []
    for one in all_requests:
        asked = request(one.text, one.scene, known, one.now)
        began = time.process_time()
        got = as_expected(await planner.plan(asked))
        ms = (time.process_time() - began) * 1000
        more = any(
            _outputs(got, acting).count(tool) > _outputs(one.expected, acting).count(tool)
            for tool in _outputs(got, acting)
        )
        other = bool(_recipients(got) - _recipients(one.expected))
        scores.append(Score(one, got, ms, more, other))
    return scores


def row(label: str, scores: Sequence[Score]) -> list[object]:
    """Totals of some requests."""
    verdicts = [score.verdict for score in scores]
    counts = [verdicts.count(verdict) for verdict in ("exact", "asked", "wrong")]
    acted, misled = sum(s.false_action for s in scores), sum(s.wrong_recipient for s in scores)
    shares = [f"{count} ({count / max(len(scores), 1):.0%})" for count in counts]
    return [label, len(scores), *shares, acted, misled]


def share(scores: Sequence[Score], verdict: str) -> float:
    """The share of a verdict."""
    return round(sum(score.verdict == verdict for score in scores) / max(len(scores), 1), 4)


def failures(scores: Sequence[Score]) -> None:
    """Print what went wrong in the half for tuning."""
    for score in scores:
        if score.verdict != "exact":
            print(f"{score.verdict:6} {score.request.id}: {score.request.text!r} [{score.request.scene}]")
            print(f"       expected {json.dumps(score.request.expected, ensure_ascii=False)}")
            print(f"       got      {json.dumps(score.got, ensure_ascii=False)}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.understanding", description=__doc__)
    parser.add_argument("--language", choices=LANGUAGES, default="en")
    parser.add_argument("--failures", action="store_true", help="show what goes wrong in the half for tuning")
    options = parser.parse_args()
    scores = asyncio.run(scored(requests(options.language)))
    tuning, test = ([s for s in scores if s.request.is_test is half] for half in (False, True))
    if options.failures:
        failures(tuning)
    kinds = sorted({score.request.kind for score in scores})
    print(f"half for tuning, {options.language}, by kind\n")
    table(COLUMNS, [row(kind, [s for s in tuning if s.request.kind == kind]) for kind in kinds])
    print("\nboth halves\n")
    table(COLUMNS, [row("tuning", tuning), row("untouched", test)])
    times = sorted(score.ms for score in scores)
    p50, p99 = statistics.median(times), times[int(len(times) * 0.99)]
    print(f"\nto understand one: p50 {p50:.2f} ms of CPU, p99 {p99:.2f} ms, longest {times[-1]:.2f} ms\n")
    ratios = {
        "exact": share(test, "exact"),
        "wrong_recipient": round(sum(s.wrong_recipient for s in test) / max(len(test), 1), 4),
        "false_action": round(sum(s.false_action for s in test) / max(len(test), 1), 4),
    }
    report("understanding", ratios, {"unclear": share(test, "asked"), "p50_ms": round(p50, 3), "p99_ms": round(p99, 2)})


if __name__ == "__main__":
    main()
