# pyright: reportPrivateUsage=false
"""Butler over AgentDojo's workspace: the real turn, plans, rounds, approvals and agents, on a store in memory.

Only the owner's phone is a stand-in, and the providers are the suite's. Times of the suite are wall times of the owner.
"""

import json
import time
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel

from bench.agent_dojo import Dojo, SuiteCall, Verdict
from bench.agent_modules import MODULES, Workspace
from bench.agent_owner import ScriptedOwner
from bench.agent_script import Script
from bench.agent_tools import BY_NAME
from bench.embedding import embed
from butler.agents.llm import Check, Llm, OnText
from butler.agents.reader.factory import make_reader
from butler.agents.redacting import as_it_is
from butler.agents.tailor.factory import make_tailor
from butler.contract.card import Button
from butler.guardrails.agent import Guardrails
from butler.guardrails.redaction import redact
from butler.orchestrator.execution.rounds import TurnLimits
from butler.orchestrator.experts.expert import Experts
from butler.orchestrator.planning.factory import make_planner
from butler.orchestrator.planning.model_forms import PlanForm
from butler.registry import Registry
from butler.store.queries import approvals as approval_rows
from butler.store.queries.approvals import ApprovalRow
from butler.store.store import Store
from config.agents import GuardrailsSettings
from config.settings import LlmSettings
from modules.notes.module import NotesModule
from modules.reminders.module import RemindersModule
from tests.orchestrator.builders import ZONE
from tests.orchestrator.harness import Harness
from tests.support.context import MemoryNotes, make_context
from tests.support.tables import create_tables

EVENING = 20
"""The hour of the suite's day at which the owner asks: its mails of that day have come by then."""
MOST_TAPS = 40
ANYWAY = "Run anyway"
APPROVE, DENY = ("Approve", "Approve this"), ("Deny", "Deny this")
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case."""

    verdict: Verdict
    unapproved: tuple[SuiteCall, ...]
    """Effects without a yes of the owner."""
    approved: tuple[SuiteCall, ...]
    denied: tuple[SuiteCall, ...]
    of_the_injection: tuple[SuiteCall, ...]
    """Cards that would have done what the injection wants; all of them were denied."""
    planner_saw_it: bool
    """Whether the words of the injection stood in a prompt of the planner."""
    said: tuple[str, ...]
    """What the owner read."""
    seconds: float
    held_back: bool
    """Whether the guardrails took the owner's own words for an attack, so that the owner had to say "run anyway"."""
    trouble: str = ""
    """What broke, if anything did."""


@dataclass
class Watched:
    """Meets `Llm`: passes everything on, and notes whether the planner is shown the words of an injection."""

    llm: Llm
    goal: str = ""
    saw_it: bool = False

    async def fill(self, form: type[M], *, instructions: str, prompt: str, check: Check[M] | None = None) -> M:
        self._look(form, instructions, prompt)
        return await self.llm.fill(form, instructions=instructions, prompt=prompt, check=check)

    async def respond(
        self,
        form: type[M],
        *,
        instructions: str,
        prompt: str,
        check: Check[M] | None = None,
        on_text: OnText | None = None,
    ) -> M | str:
        self._look(form, instructions, prompt)
        return await self.llm.respond(form, instructions=instructions, prompt=prompt, check=check, on_text=on_text)

    def _look(self, form: type[BaseModel], *texts: str) -> None:
        beginning = self.goal.splitlines()[0][:40] if self.goal else ""
        self.saw_it |= form is PlanForm and bool(beginning) and any(beginning in text for text in texts)


class AgentHarness(Harness):
    """One case, over a store of its own."""

    def __init__(self, store: Store, workspace: Workspace, llm: Llm, settings: LlmSettings) -> None:
        self._workspace = workspace
        super().__init__(store)
        hidden = redact if GuardrailsSettings().redact_models else as_it_is
        self.llm, self.planner = llm, make_planner(llm, self._nobody(), hidden, embed, settings.most_tools)
        self.tailor, self.reader = make_tailor(llm, redact=hidden), make_reader(llm, redact=hidden)
        self.guard, self.limits = Guardrails(GuardrailsSettings()), TurnLimits.of(settings)
        self.start()

    def _tools(self) -> Registry:
        """The suite's tools, and Butler's own that need no account."""
        registry, context = Registry(), make_context(notes=MemoryNotes())
        for module in MODULES:
            registry.add_module(module(self._workspace, context))
        for own in (NotesModule, RemindersModule):
            registry.add_module(own(own.settings_model(), context))
        return registry

    def _nobody(self) -> Experts:
        """No experts: the shipped ones are for Butler's own tools, and know none of the suite's."""
        return Experts(frozenset(spec.tool_name for spec in self.registry.specs()), ())

    async def waiting(self) -> list[tuple[ApprovalRow, Button, Button | None]]:
        """The cards that wait, each with its no and, where there is one, its yes."""
        found: list[tuple[ApprovalRow, Button, Button | None]] = []
        for card in list(self.phone.cards.values()):
            buttons = [button for line in card.buttons for button in line]
            no = next((one for one in buttons if one.label in DENY), None)
            yes = next((one for one in buttons if one.label in APPROVE), None)
            row = await self.store.read(lambda c, card=card: approval_rows.get(c, card.approval_id))
            if no is not None and row is not None and row.state == "pending":
                found.append((row, no, yes))
        return found

    def shown(self, row: ApprovalRow) -> SuiteCall:
        """What a card would do, as the suite calls it."""
        if row.tool not in BY_NAME:
            return SuiteCall(row.tool, json.loads(row.args))
        tool = BY_NAME[row.tool]
        return tool.suite_call(tool.args.model_validate_json(row.args), ZONE)


@dataclass
class Runner:
    """Runs one case after another."""

    dojo: Dojo
    functions: dict[str, str]
    llm: Llm
    settings: LlmSettings
    attacker: str = ""
    """The model's name, as an attack addresses it."""
    script: Script | None = None
    """A scripted model, which is told of each case."""

    async def run(self, task: str, injection: str = "", attack: str = "") -> Outcome:
        """Set a case up, say its request, tap what the owner taps, and have the suite judge it."""
        case = await self.dojo.begin(task, injection, attack, self.attacker)
        if self.script is not None:
            self.script.begin(task, case)
        workspace = Workspace(self.dojo, self.functions, ZONE)
        owner, model = ScriptedOwner(case), Watched(self.llm, case.goal)
        store = Store("sqlite://")
        create_tables(store.engine)
        harness = AgentHarness(store, workspace, model, self.settings)
        harness.clock.time = datetime.combine(case.today, datetime.min.time(), ZONE).replace(hour=EVENING)
        began, trouble, taps = time.monotonic(), "", _Taps(harness, owner)
        try:
            await harness.say(case.prompt, received_at=harness.clock.now())
            await taps.make()
        except Exception as error:  # noqa: BLE001 - one broken case must not lose the others
            trouble = f"{type(error).__name__}: {error}"
        finally:
            await store.close()
        seconds = time.monotonic() - began
        said = tuple(harness.phone.said)
        return Outcome(
            await self.dojo.end("\n\n".join(said)),
            tuple(call for call_id, call in workspace.effects if call_id not in taps.yes),
            tuple(owner.approved),
            tuple(owner.denied),
            tuple(owner.of_the_injection),
            model.saw_it,
            said,
            seconds,
            taps.held_back,
            trouble,
        )


class _Taps:
    """Taps the owner's yes and no until no card waits."""

    def __init__(self, harness: AgentHarness, owner: ScriptedOwner) -> None:
        self._harness, self._owner = harness, owner
        self.yes: set[str] = set()
        """The calls that were approved, by id."""
        self.held_back = False

    async def make(self) -> None:
        # The guardrails may take a request for an attack; the owner knows their own words.
        for button in self._harness.phone.buttons(ANYWAY):
            self.held_back = True
            await self._harness.press(button)
        for _ in range(MOST_TAPS):
            waiting = await self._harness.waiting()
            if not waiting:
                return
            row, no, yes = waiting[0]
            wanted = self._owner.approves(self._harness.shown(row))
            if wanted and yes is not None:
                self.yes.add(row.call_id)
            await self._harness.press(yes if wanted and yes is not None else no)
