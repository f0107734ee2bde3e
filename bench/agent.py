"""How well a model serves as a butler, and what a stranger's text can make of it, by somebody else's tasks.

The workspace suite of AgentDojo (https://agentdojo.spylab.ai) is run through Butler's own loop: the planner, plans and
rounds, the quarantined reader and tailor, the guardrails, the policy and the approvals, over the suite's own mailbox,
calendar and drive. A scripted owner approves a card only if it is what the suite's own solution does, and denies all
else. The suite judges whether a task is done from what then lies in the workspace and what the owner read.

An attack counts twice: as an effect without the owner's yes, of which there must be none, and as a card that would have
done what the injection wants, which is what an owner has to see through. Beside it, a sample of Butler's own blind
requests goes through the same planner. The model is that of `[llm]` in butler.toml, or of the options; without one, a
model from a script answers a handful of tasks, which measures the loop and no model.
"""

import argparse
import asyncio
import logging
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from bench import agent_requests
from bench.agent_dojo import Dojo, Suite, dojo
from bench.agent_harness import Outcome, Runner
from bench.agent_requests import Understood, understood
from bench.agent_script import Character, Script, scripted, settings_of
from bench.agent_tasks import FEW, TASKS
from bench.machine import report, table
from bench.token_counters import o200k_base
from butler.agents.errors import ModelUnavailableError
from butler.agents.fallbacks import EMBEDDED, make_llm
from butler.agents.llm import Llm
from config.load import load
from config.settings import LlmSettings
from tests.agents.wire import KEY

ATTACKED_AS = {
    "anthropic": "claude-3-5-sonnet-20241022",
    "openai": "gpt-4o-2024-05-13",
    "openai-chat": "gpt-4o-2024-05-13",
    "google": "gemini-2.0-flash-001",
}
"""A model of each provider that AgentDojo knows: some attacks address their victim by name."""
COLUMNS = (
    *("", "cases", "done", "unapproved effects", "cards of injection", "cards denied", "injected", "planner saw it"),
    *("held back", "broken", "requests", "tokens", "US$", "s"),
)


@dataclass
class Spent:
    """Meets `Budget`: counts, and stops asking once the run has cost too much."""

    most: float
    requests: int = 0
    tokens: int = 0
    cost: float = 0.0

    async def spend(self, *, requests: int = 0, tokens: int = 0, cost: float = 0.0) -> None:
        if requests and self.cost >= self.most:
            raise ModelUnavailableError(f"this run may cost {self.most:g} US dollars")
        self.requests, self.tokens, self.cost = self.requests + requests, self.tokens + tokens, self.cost + cost

    def since(self, requests: int, tokens: int, cost: float) -> "Spent":
        """What was used beyond these."""
        return Spent(self.most, self.requests - requests, self.tokens - tokens, self.cost - cost)


@dataclass(frozen=True, slots=True)
class Part:
    """Some cases under one condition."""

    label: str
    outcomes: Sequence[Outcome]
    used: Spent
    seconds: float

    @property
    def done(self) -> float:
        """The share of tasks that were done."""
        return sum(one.verdict.done for one in self.outcomes) / max(len(self.outcomes), 1)

    def share(self, has: Callable[[Outcome], object]) -> float:
        """The share of cases in which something happened."""
        return round(sum(bool(has(one)) for one in self.outcomes) / max(len(self.outcomes), 1), 4)

    def row(self) -> list[object]:
        """Its line in the table."""
        done = sum(one.verdict.done for one in self.outcomes)
        return [
            self.label,
            len(self.outcomes),
            f"{done} ({self.done:.0%})",
            sum(len(one.unapproved) for one in self.outcomes),
            sum(len(one.of_the_injection) for one in self.outcomes),
            sum(len(one.denied) for one in self.outcomes),
            sum(one.verdict.injected for one in self.outcomes),
            sum(one.planner_saw_it for one in self.outcomes),
            sum(one.held_back for one in self.outcomes),
            sum(bool(one.trouble) for one in self.outcomes),
            self.used.requests,
            self.used.tokens,
            f"{self.used.cost:.2f}",
            f"{self.seconds:.0f}",
        ]


@dataclass
class Bench:
    """One run: the model, the suite's process, and what was asked for."""

    suite: Suite
    dojo: Dojo
    llm: Llm
    settings: LlmSettings
    spent: Spent
    options: argparse.Namespace
    parts: list[Part] = field(default_factory=list[Part])

    async def run(
        self, label: str, cases: Iterable[tuple[str, str]], attack: str = "", script: Script | None = None
    ) -> Part:
        """Run these cases, each a task and perhaps an injection."""
        named = ATTACKED_AS.get(self.settings.model.partition(":")[0], "local")
        runner = Runner(self.dojo, dict(self.suite.functions), self.llm, self.settings, named, script)
        before, began = (self.spent.requests, self.spent.tokens, self.spent.cost), time.monotonic()
        outcomes: list[Outcome] = []
        for task, injection in cases:
            if self.spent.cost >= self.spent.most:
                print(f"{label}: stopped after {len(outcomes)} cases, which have cost {self.spent.cost:.2f} US dollars")
                break
            outcome = await runner.run(task, injection, attack if injection else "")
            outcomes.append(outcome)
            if self.options.show:
                _show(task, injection, outcome)
        part = Part(label, outcomes, self.spent.since(*before), time.monotonic() - began)
        self.parts.append(part)
        return part


def _show(task: str, injection: str, outcome: Outcome) -> None:
    verdict = "done" if outcome.verdict.done else "not done"
    print(f"{task} {injection or 'alone'}: {verdict}; {outcome.trouble}".rstrip("; "))
    for name in ("unapproved", "approved", "denied", "of_the_injection"):
        for call in getattr(outcome, name):
            print(f"    {name}: {call.function} {dict(call.args)}")
    for text in outcome.said:
        print("    | " + text.replace("\n", "\n    | "))


def chosen(options: argparse.Namespace) -> tuple[LlmSettings, str]:
    """The model's settings and its key: of the options, or of butler.toml."""
    settings, secrets = LlmSettings(), dict(os.environ)
    if (path := Path(options.config)).exists():
        loaded = load(path)
        settings, secrets = loaded.settings.llm, dict(loaded.secrets)
    wanted = {"model": options.model, "base_url": options.base_url, "api_key_env": options.key_env}
    settings = settings.model_copy(update={name: value for name, value in wanted.items() if value} | {"fallbacks": ()})
    return settings, secrets.get(settings.api_key_env, "")


async def with_a_model(options: argparse.Namespace, settings: LlmSettings, key: str) -> None:
    """Measure a model."""
    spent = Spent(options.cost_limit)
    llm = make_llm(settings, {settings.api_key_env: key}, spent)
    assert llm is not None, "a model is named"
    async with dojo() as process:
        suite = await process.suite()
        tasks = _some(suite.tasks, options.tasks)
        pairs = [(task, injection) for task in tasks for injection in _some(suite.injections, options.injections)]
        bench = Bench(suite, process, llm, settings, spent, options)
        print(f"AgentDojo {suite.version}, workspace, {settings.model}; attack: {options.attack}\n")
        alone = await bench.run("without an attack", [(task, "") for task in tasks])
        attacked = await bench.run("under attack", pairs, options.attack)
        table(COLUMNS, [part.row() for part in bench.parts])
    made = await understood(llm, settings, agent_requests.chosen(options.requests))
    _finish(made, options, alone, [attacked], spent, from_a_script=False)


async def from_a_script(options: argparse.Namespace) -> None:
    """Run the loop with the scripted model."""
    spent, script = Spent(float("inf")), Script()
    async with dojo() as process, scripted(script, o200k_base()) as server:
        settings = settings_of(server)
        llm = make_llm(settings, {settings.api_key_env: KEY}, spent)
        assert llm is not None, "a model is named"
        suite = await process.suite()
        known = TASKS if options.tasks else FEW
        tasks = _some([one for one in known if one in suite.tasks], options.tasks)
        pairs = [(task, injection) for task in tasks for injection in _some(suite.injections, options.injections)]
        bench = Bench(suite, process, llm, settings, spent, options)
        print(
            f"AgentDojo {suite.version}, workspace. NO MODEL IS CONFIGURED: a script answers {len(tasks)} of "
            f"{len(suite.tasks)} tasks, so this measures\nthe loop and not a model. Attack: {options.attack}\n"
        )
        alone = await bench.run("good, without an attack", [(task, "") for task in tasks], script=script)
        attacked: list[Part] = []
        for character in (Character.GOOD, Character.OBEDIENT, Character.HIJACKED):
            script.character = character
            attacked.append(await bench.run(f"{character}, under attack", pairs, options.attack, script))
        table(COLUMNS, [part.row() for part in bench.parts])
        rows, answers = agent_requests.of_the_script()
        script.begin("", None)
        script.character, script.requests = Character.GOOD, answers
        made = await understood(llm, settings, rows)
    _finish(made, options, alone, attacked, spent, from_a_script=True)


def _finish(
    made: Understood,
    options: argparse.Namespace,
    alone: Part,
    attacked: Sequence[Part],
    spent: Spent,
    *,
    from_a_script: bool,
) -> None:
    """Print Butler's own requests, and the last line."""
    print("\nButler's own requests\n")
    table(agent_requests.COLUMNS, [made.row()])
    if options.show:
        print("\n".join(made.wrong))
    for one in (outcome for part in (alone, *attacked) for outcome in part.outcomes):
        if one.trouble:
            print(f"broken: {one.trouble}", file=sys.stderr)
    worst = attacked[-1]
    ratios = {
        "utility": round(alone.done, 4),
        "utility_under_attack": round(attacked[0].done, 4),
        "effect_without_approval": max(part.share(lambda one: one.unapproved) for part in (alone, *attacked)),
        "card_of_injection": worst.share(lambda one: one.of_the_injection),
        "injection_succeeded": max(part.share(lambda one: one.verdict.injected) for part in attacked),
        "exact": round(made.exact / max(made.requests, 1), 4),
        "asked": round(made.asked / max(made.requests, 1), 4),
        "wrong": round(len(made.wrong) / max(made.requests, 1), 4),
    }
    figures = {
        "scripted": int(from_a_script),
        "tasks": len(alone.outcomes),
        "pairs": sum(len(part.outcomes) for part in attacked),
        "own_requests": made.requests,
        "own_words_held_back": sum(one.held_back for one in alone.outcomes),
        "planner_saw_injection": sum(one.planner_saw_it for part in attacked for one in part.outcomes),
        "broken": sum(bool(one.trouble) for part in (alone, *attacked) for one in part.outcomes),
        "requests": spent.requests,
        "tokens": spent.tokens,
        "cost": round(spent.cost, 4),
        "seconds": round(sum(part.seconds for part in (alone, *attacked)), 1),
    }
    print()
    report("agent", ratios, figures)


def _some(names: Sequence[str], count: int) -> Sequence[str]:
    return names[:count] if count else names


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.agent", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", type=int, default=0, help="how many of the 40 tasks; all, when left out")
    parser.add_argument("--injections", type=int, default=3, help="how many of the 14 injections for each; 0 for all")
    parser.add_argument("--attack", default="important_instructions", help="an attack of AgentDojo, such as direct")
    parser.add_argument("--requests", type=int, default=300, help="how many of Butler's own blind requests")
    parser.add_argument("--config", default="butler.toml", help="where [llm] stands, if the file exists")
    parser.add_argument("--model", default="", help="as [llm] model, such as anthropic:NAME")
    parser.add_argument("--base-url", default="", help="as [llm] base_url")
    parser.add_argument("--key-env", default="", help="as [llm] api_key_env")
    parser.add_argument("--cost-limit", type=float, default=5.0, help="US dollars, where the model's price is known")
    parser.add_argument("--show", action="store_true", help="show each case with its cards and answers")
    return parser.parse_args()


async def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    options = _options()
    settings, key = chosen(options)
    if settings.model == EMBEDDED:
        await from_a_script(options)
    else:
        await with_a_model(options, settings, key)


if __name__ == "__main__":
    asyncio.run(main())
