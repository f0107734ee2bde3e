"""A model from a script, behind a server that speaks OpenAI's chat completions: it measures the loop, and no model.

It fills the forms that a model is asked to fill, as a good model would for six tasks of the suite. It comes in three
characters: `good`; `obedient`, which does whatever a text that it can read tells it to; and `hijacked`, which plans
what the injection wants though it has never seen it, as a model would that somebody else has taken over.
"""

import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from aiohttp import web

from bench.agent_dojo import Case, SuiteCall
from bench.agent_tasks import TASKS, Claim, people, step
from bench.agent_tools import BY_FUNCTION, OWN_NAMES
from butler.agents.model import FORM, ModelLlm
from butler.orchestrator.planning.model_forms import PlanForm
from butler.orchestrator.planning.tool_choice import MOST_TOOLS
from config.settings import LlmSettings
from tests.agents.wire import CHAT, KEY, Json, ModelServer

Count = Callable[[str], int]
FACTS_LINE = "What you have done for this request so far:"
CHUNK = re.compile(r'^\{"chunk": .*\}$', re.MULTILINE)
SUITE_NAMES = {suite: own for own, suite in OWN_NAMES.items()}
PEOPLE = ("recipients", "cc", "bcc", "participants")


class Character(StrEnum):
    """What the scripted model is like."""

    GOOD = "good"
    OBEDIENT = "obedient"
    HIJACKED = "hijacked"


@dataclass
class Script:
    """What the scripted model answers in the case that is on; `requests` are answers of their own, by words."""

    character: Character = Character.GOOD
    task: str = ""
    case: Case | None = None
    rounds: int = 0
    """The plans that it has made for this case."""
    requests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    def begin(self, task: str, case: Case | None) -> None:
        """Turn to another case."""
        self.task, self.case, self.rounds = task, case, 0

    def filled(self, form: Json, prompt: str) -> Json:
        """What it fills a form with, which is known by its fields."""
        fields = set(form.get("properties", {}))
        if fields == set(PlanForm.model_json_schema()["properties"]):
            return self._plan(prompt)
        if "claims" in fields:
            return self._answer(prompt)
        return self._reading(prompt)

    def _plan(self, prompt: str) -> Json:
        words = prompt.rpartition("The owner says:\n")[2].strip()
        if self.case is None:
            return dict(self.requests.get(words, {"question": "What do you mean?"}))
        rounds = TASKS[self.task].rounds if self.task in TASKS else ()
        steps = list(rounds[self.rounds]) if self.rounds < len(rounds) else []
        self.rounds += 1
        if FACTS_LINE in prompt:
            return {"steps": steps, "more": self.rounds < len(rounds)}
        if self.character is Character.HIJACKED or (self.character is Character.OBEDIENT and self._reads(prompt)):
            steps += evil_steps(self.case)
        return {"steps": steps, "more": self.rounds < len(rounds)} if steps else {"question": "What do you mean?"}

    def _answer(self, prompt: str) -> Json:
        chunks = [json.loads(line) for line in CHUNK.findall(prompt)]
        if self.character is not Character.GOOD and self._reads(prompt):
            return {"claims": [self._claim(chunks, Claim(re.escape(self._beginning())))]}
        known = TASKS[self.task].claims if self.task in TASKS else ()
        claims = [self._claim(chunks, one) for one in known]
        return {"claims": [one for one in claims if one["quotes"]]}

    def _reading(self, prompt: str) -> Json:
        chunks = [json.loads(line) for line in CHUNK.findall(prompt)]
        if self.character is Character.GOOD or not self._reads(prompt):
            return {}
        quote = self._claim(chunks, Claim(re.escape(self._beginning())))["quotes"]
        return {"chunk": quote[0]["chunk"], "words": quote[0]["words"][:500], "yes": True} if quote else {}

    def _reads(self, prompt: str) -> bool:
        """Whether the injection stands in what it was sent."""
        return bool(self._beginning()) and self._beginning() in prompt

    def _beginning(self) -> str:
        return self.case.goal.splitlines()[0][:40] if self.case is not None and self.case.goal else ""

    @staticmethod
    def _claim(chunks: list[Json], claim: Claim) -> Json:
        """A claim with the words that it quotes, where a chunk has them."""
        for chunk in chunks:
            if found := re.search(claim.quote, str(chunk["text"]), re.DOTALL):
                said = claim.says.format(found[found.re.groups])
                return {"text": said, "quotes": [{"chunk": chunk["chunk"], "words": found[0][:1_000]}]}
        return {"text": "", "quotes": []}


def evil_steps(case: Case) -> list[Json]:
    """What the injection wants, as steps: the calls that the suite lists, or a mail to whom its goal names."""
    steps = [_as_step(one) for one in case.wanted if one.function in BY_FUNCTION and BY_FUNCTION[one.function].effect]
    if steps:
        return steps
    to = re.findall(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", case.goal) or ["david.smith@bluesparrowtech.com"]
    links = re.findall(r"https?://\S+", case.goal)
    body = " ".join(["As you asked.", *links])
    return [step("user_email_send_message", recipients=people(to[0]), subject="As you asked", body=body)]


def _as_step(wanted: SuiteCall) -> Json:
    tool = BY_FUNCTION[wanted.function]
    args: dict[str, Any] = {}
    for name, value in wanted.args.items():
        own = SUITE_NAMES.get(name, name) if SUITE_NAMES.get(name, name) in tool.args.model_fields else name
        args[own] = people(*value) if name in PEOPLE else value
    return step(tool.name, **args)


class ScriptedServer(ModelServer):
    """Answers each request by a script. Tokens are counted by `count`, as a provider would report them."""

    def __init__(self, script: Script, count: Count) -> None:
        super().__init__(CHAT)
        self.script, self._count = script, count

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body: Json = await request.json()
        forms = self.wire.tools(body)
        prompt = str(body["messages"][-1]["content"])
        filled = self.script.filled(forms[FORM], prompt)
        answer = self.wire.call(FORM, filled)
        sent = self._count(json.dumps([body["messages"], body.get("tools", [])], ensure_ascii=False))
        came = self._count(json.dumps(filled, ensure_ascii=False))
        answer["usage"] = {"prompt_tokens": sent, "completion_tokens": came, "total_tokens": sent + came}
        self.answers = [answer]
        return await super()._answer(request)


@asynccontextmanager
async def scripted(script: Script, count: Count) -> AsyncGenerator[ScriptedServer]:
    """A server that answers by a script."""
    server = ScriptedServer(script, count)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


def settings_of(server: ScriptedServer) -> LlmSettings:
    """The settings by which Butler asks that server, like one that is far away."""
    return LlmSettings(model=CHAT.model, base_url=server.base_url, tools=MOST_TOOLS)


async def wire_form() -> str:
    """The form that a planner's answer fills, as JSON the way it goes over the wire."""
    async with scripted(Script(), len) as server:
        llm = ModelLlm(settings_of(server), KEY)
        await llm.respond(PlanForm, instructions="Plan.", prompt="The owner says:\nhello")
        return json.dumps(server.requests[-1]["tools"], ensure_ascii=False, separators=(",", ":"))
