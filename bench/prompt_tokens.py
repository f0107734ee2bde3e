"""How many tokens a model is sent for a request, and whether the tools that it needs are among those it is told of.

Each request of the blind sets goes through the planner as people get it, with a model behind it that only remembers
what it was sent: the instructions, which are the same for all, the chosen tools with the request, and the form that it
answers by, as JSON the way it goes over the wire. Counted by OpenAI's o200k_base and by the tokenizer of Butler's own
embedder; see `bench.token_counters.py`. Nothing is sent anywhere.
"""

import argparse
import asyncio
import hashlib
import json
import logging
import re
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from bench.agent_script import wire_form
from bench.embedding import embed
from bench.machine import report, table
from bench.token_counters import tokenizers
from bench.understanding_blind import asked
from bench.understanding_labels import LABELS, SAME
from butler.cli.model_prompt import PromptRecorder
from butler.guardrails.redaction import redact
from butler.orchestrator.experts.building import build_experts
from butler.orchestrator.planning.factory import make_planner

SETS = Path(__file__).with_name("understanding")
TOOL = re.compile(r"^## ((?:user|bot)_\w+)", re.MULTILINE)
"""The heading under which a tool is told of."""
NEEDS = {"FORWARD": (("READ", "MAIL"),), "READ": (("READ",), ("SEARCH", "READ")), "COUNT": (("SEARCH",), ("RANK",))}
"""The tools behind labels that name a deed; where there are several ways, any of them."""
OF_BUTTONS = frozenset({"APPROVE", "DENY", "EDITCARD", "CHOOSE"})
"""Labels of what no tool does: buttons and cards."""
AIM = 6_000


@dataclass(frozen=True, slots=True)
class Sent:
    """What a model was sent for one request."""

    row: Mapping[str, Any]
    instructions: str
    prompt: str

    @property
    def tools(self) -> frozenset[str]:
        """The names of the tools that it was told of."""
        return frozenset(TOOL.findall(f"{self.instructions}\n{self.prompt}"))


async def sent_for(rows: Iterable[Mapping[str, Any]]) -> list[Sent | None]:
    """What a model is sent for each request; None where Butler answers without one."""
    model = PromptRecorder()
    planner = make_planner(model, build_experts(), redact, embed)
    found: list[Sent | None] = []
    for row in rows:
        model.forget()
        await planner.plan(asked(row))
        found.append(Sent(row, model.instructions, model.prompt) if model.prompt else None)
    return found


def has_its_tools(sent: Sent) -> bool | None:
    """Whether it was told of all tools of one of the ways in which the request can be met; None if it needs no tool."""
    told = {LABELS[name] for name in sent.tools if name in LABELS}
    ways = [one.split("+") for one in str(sent.row["expected"]).split("/")]
    wanted = [[label for label in way if _has_tools(label)] for way in ways]
    if not any(wanted):
        return None
    return any(way and all(_is_told(label, told) for label in way) for way in wanted)


def _has_tools(label: str) -> bool:
    if label in OF_BUTTONS:
        return False
    return label in NEEDS or bool(({label} | _others(label)) & set(LABELS.values()))


def _is_told(label: str, told: set[str]) -> bool:
    if label in NEEDS:
        return any(set(way) <= told for way in NEEDS[label])
    return bool(({label} | _others(label)) & told)


def _others(label: str) -> set[str]:
    return {one for one in SAME.get(label, ()) if "+" not in one}


def rows_of(files: Iterable[Path]) -> Iterator[dict[str, Any]]:
    """The requests of these sets, each with the name of its set."""
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield {**json.loads(line), "set": file.stem.removeprefix("blind.")}


def sample(rows: Sequence[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """That many of the requests, the same ones each time; all of them if `count` is 0."""
    chosen = sorted(rows, key=lambda row: hashlib.sha256(f"{row['set']}:{row['id']}".encode()).digest())
    return chosen[:count] if count else list(rows)


def spread(numbers: Sequence[int]) -> list[object]:
    """Median, 90 of 100, and the most."""
    ordered = sorted(numbers)
    return [round(statistics.median(ordered)), ordered[int(len(ordered) * 0.9)], ordered[-1]]


def recalls(sent: Sequence[Sent]) -> list[list[object]]:
    """How often the tools of a request were among those told of: in all, by language and by set."""
    lines = [_recall("all", sent)]
    for key in ("lang", "set"):
        lines += [
            _recall(value, [one for one in sent if one.row[key] == value])
            for value in sorted({str(one.row[key]) for one in sent})
        ]
    return lines


def _recall(label: str, sent: Sequence[Sent]) -> list[object]:
    judged = [has for one in sent if (has := has_its_tools(one)) is not None]
    return [label, len(judged), sum(judged), f"{sum(judged) / max(len(judged), 1):.1%}"]


async def measured(options: argparse.Namespace) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    files = sorted(SETS.glob("blind.*.jsonl"))
    rows = sample(list(rows_of(files)), options.requests)
    found = await sent_for(rows)
    sent = [one for one in found if one is not None]
    form = await wire_form()
    figures: dict[str, float] = {"requests": len(rows), "without_model": len(rows) - len(sent)}
    print(f"{len(rows)} requests of {len(files)} blind sets; {len(rows) - len(sent)} need no model\n")
    lines: list[list[object]] = []
    for one in tokenizers():
        fixed = {text: one.count(text) for text in {each.instructions for each in sent}}
        about = [one.count(each.prompt) for each in sent]
        of_form = one.count(form)
        total = [fixed[each.instructions] + of_form + more for each, more in zip(sent, about, strict=True)]
        lines += [
            [one.name, "instructions, the same for all", *spread([fixed[each.instructions] for each in sent])],
            [one.name, "form", *spread([of_form])],
            [one.name, "tools and request", *spread(about)],
            [one.name, "all", *spread(total)],
        ]
        short = one.name.split("_", maxsplit=1)[0].replace("-", "").lower()
        median, p90, most = spread(total)
        figures |= {f"{short}_median": median, f"{short}_p90": p90, f"{short}_max": most}  # type: ignore[dict-item]
        figures[f"{short}_over_{AIM}"] = sum(number > AIM for number in total)
    table(("tokenizer", "of", "median", "p90", "max"), lines)
    counts = [len(one.tools) for one in sent]
    print()
    table(("", "median", "p90", "max"), [["tools told of", *spread(counts)]])
    print("\nis the tool that the request needs among them?\n")
    table(("", "requests that need a tool", "told of it", "share"), recalls(sent))
    judged = [(one, has) for one in sent if (has := has_its_tools(one)) is not None]
    if options.show:
        for each, has in judged:
            if not has:
                print(f"missing {each.row['set']} {each.row['lang']} {each.row['expected']:12} {each.row['text']!r}")
    figures["tools_max"] = max(counts)
    recall = sum(has for _, has in judged) / max(len(judged), 1)
    print()
    report("prompt_tokens", {"recall": round(recall, 4)}, figures)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.prompt_tokens", description=__doc__)
    parser.add_argument("--requests", type=int, default=0, help="how many of the requests; all, when left out")
    parser.add_argument("--show", action="store_true", help="show the requests whose tool is missing")
    asyncio.run(measured(parser.parse_args()))


if __name__ == "__main__":
    main()
