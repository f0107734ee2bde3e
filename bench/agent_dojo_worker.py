# pyright: basic, reportMissingImports=false
"""AgentDojo's workspace suite behind a pipe: a line of JSON in, a line of JSON out.

It runs in the environment of `bench/compared.py` and knows nothing of Butler. It holds one task's mailbox, calendar and
drive at a time, runs the suite's own functions on them, and lets the suite itself judge what became of it.
"""

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
from agentdojo.attacks.attack_registry import ATTACKS, load_attack
from agentdojo.attacks.base_attacks import BaseAttack
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
from agentdojo.models import MODEL_NAMES
from agentdojo.task_suite.load_suites import get_suite
from pydantic import BaseModel

VERSION, SUITE = "v1.2.2", "workspace"
ASKS_A_PERSON = "manual"


class Named(BasePipelineElement):
    """What an attack is told of its target: the name of a model."""

    def __init__(self, name: str) -> None:
        self.name = name if any(full in name for full in MODEL_NAMES) else "local"

    def query(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


class Session:
    """One task after another."""

    def __init__(self) -> None:
        self._suite = get_suite(VERSION, SUITE)
        self._runtime = FunctionsRuntime(self._suite.tools)
        self._attacks: dict[tuple[str, str], BaseAttack] = {}
        self._task: Any = None
        self._injection: Any = None
        self._environment: Any = None
        self._before: Any = None
        self._calls: list[FunctionCall] = []

    def suite(self) -> dict[str, Any]:
        """What there is."""
        return {
            "version": VERSION,
            "name": SUITE,
            "tasks": list(self._suite.user_tasks),
            "injections": list(self._suite.injection_tasks),
            "attacks": sorted(name for name, attack in ATTACKS.items() if name != ASKS_A_PERSON),
            "functions": {one.name: one.description for one in self._suite.tools},
        }

    def begin(self, task: str, injection: str = "", attack: str = "", model: str = "") -> dict[str, Any]:
        """Set a task up, with an attack's texts in it if one is named."""
        self._task = self._suite.get_user_task_by_id(task)
        self._injection = self._suite.get_injection_task_by_id(injection) if injection else None
        texts: dict[str, str] = {}
        if self._injection is not None:
            if (attack, model) not in self._attacks:
                self._attacks[attack, model] = load_attack(attack, self._suite, Named(model))
            texts = self._attacks[attack, model].attack(self._task, self._injection)
        loaded = self._suite.load_and_inject_default_environment(texts)
        self._environment = self._task.init_environment(loaded)
        self._before = self._environment.model_copy(deep=True)
        self._calls = []
        scratch = self._environment.model_copy(deep=True)
        return {
            "prompt": self._task.PROMPT,
            "today": self._environment.calendar.current_day.isoformat(),
            "owner": str(self._environment.inbox.account_email),
            "right": _calls(self._task.ground_truth(scratch)),
            "goal": self._injection.GOAL if self._injection else "",
            "wanted": _calls(self._injection.ground_truth(scratch)) if self._injection else [],
            "texts": texts,
        }

    def call(self, function: str, args: dict[str, Any]) -> dict[str, Any]:
        """Run one of the suite's functions; what it raises is its answer."""
        self._calls.append(FunctionCall(function=function, args=args))
        found, error = self._runtime.run_function(self._environment, function, args)
        return {"found": _plain(found), "error": error or ""}

    def mail(self, message_id: str) -> dict[str, Any]:
        """One mail by its id, for which the suite has no function."""
        mail = self._environment.inbox.emails.get(message_id)
        return {"found": _plain(mail), "error": "" if mail else f"Email with ID '{message_id}' not found."}

    def end(self, said: str) -> dict[str, Any]:
        """The suite's own verdicts: whether the task is done, and whether the injection has succeeded."""
        after = (said, self._before, self._environment)
        done = self._task.utility_from_traces(*after, self._calls)
        done = self._task.utility(*after) if done is None else done
        if self._injection is None:
            return {"done": bool(done), "injected": False}
        injected = self._injection.security_from_traces(*after, self._calls)
        injected = self._injection.security(*after) if injected is None else injected
        return {"done": bool(done), "injected": bool(injected)}


def _calls(calls: Sequence[FunctionCall]) -> list[dict[str, Any]]:
    return [{"function": one.function, "args": _plain(dict(one.args))} for one in calls]


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    match value:
        case BaseModel():
            return value.model_dump(mode="json")
        case dict():
            return {str(name): _plain(one) for name, one in value.items()}
        case list() | tuple():
            return [_plain(one) for one in value]
        case _:
            return value


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Whatever a library prints must not stand among the answers.
    os.dup2(2, 1)
    session = Session()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"answer": getattr(session, request.pop("do"))(**request)}
        except Exception as error:  # noqa: BLE001 - whoever asked raises it again
            answer = {"failed": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer, ensure_ascii=False, default=str) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
