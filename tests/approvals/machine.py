"""The steps of the state machine: requests, taps, work, faults, clocks. `test_machine` adds the owner's features."""
# names: made up here

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from itertools import product
from typing import Any, TypeVar

import sqlalchemy as sa
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from approvals.tap_result import TapAnswer, TapResult
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.integration import Idempotency
from butler.store.queries import inbox
from butler.store.queries.approvals import ApprovalRow
from tests.approvals.machine_checks import Checks, nonce_of
from tests.approvals.machine_world import Blow, Mood, MortalStore, Search, World
from tests.approvals.providers import A_MAIL, ANNA, BOT_SEND, MAIL, OWN_WORDS, SEND, STRANGER

T = TypeVar("T")

BOB = "telegram:1003"
EVE = "telegram:1666"
TOOLS = [SEND, MAIL, BOT_SEND]
MOST = 10
"""The number of approvals in one run; more of them make the search wider, but not as deep."""
LONG = "\n".join(f"line {number} of a long text" for number in range(200))

M, H = 60, 3600

a_pick = st.integers(0, 30)
a_fault = st.none() | st.tuples(st.sampled_from([Blow.DIE, Blow.DIE, Blow.REFUSE]), st.integers(1, 8))
"""At one of the next points the process dies, or its counterpart refuses."""
pairs = [list(two) for two in product((Mood.LOST, Mood.SILENT, Mood.LATE), (Mood.REFUSED, Mood.BUSY))]
moods = st.sampled_from([[], [], [], *([mood] for mood in Mood), *pairs])
"""The provider's behaviour at the next calls; an unclear one may be followed by another."""
searches = st.lists(st.sampled_from(list(Search)), max_size=1)
some_picks = st.lists(st.integers(0, 2**16), min_size=1, max_size=8)
people = st.lists(st.sampled_from([ANNA, ANNA, BOB, EVE]), min_size=1, max_size=2, unique=True)


def can_ask(machine: "Machine") -> bool:
    return len(machine.asked) < MOST


class Machine(RuleBasedStateMachine):
    """End a step in which the process dies; the next step finds the process restarted."""

    runner: asyncio.Runner
    store: MortalStore

    def __init__(self) -> None:
        super().__init__()
        self.store.clear()
        self.world = World(self.store)
        self.checks = Checks(self.world)
        self.taps: list[Inbound] = []
        self.asked: list[dict[str, Any]] = []
        self.known = {ANNA}
        self.runner.run(self.world.know("Anna", ANNA))

    def live(self, *jobs: Coroutine[Any, Any, Any], fault: tuple[Blow, int] | None = None) -> list[Any]:
        """Run these concurrently."""
        if fault is not None:
            self.world.fate.blow, self.world.fate.left = fault
        return self.runner.run(self.world.live(*jobs))

    def write(self, job: Callable[[sa.Connection], T]) -> T | None:
        """Return the result of a job on the store; None if it was refused or the process died."""
        (end,) = self.live(self.world.write(job))
        return None if isinstance(end, Exception) else end

    def peek(self, look: Callable[[sa.Connection], T]) -> T:
        return self.store.peek(look)

    @invariant()
    def everything_holds(self) -> None:
        self.checks.always()

    # Requests

    @initialize(
        idempotency=st.sampled_from([Idempotency.NONE, Idempotency.STATE, Idempotency.PROVIDER]),
        limit=st.sampled_from([None, None, None, 2]),
        quiet=st.booleans(),
    )
    def settle_in(self, idempotency: Idempotency, limit: int | None, quiet: bool) -> None:
        """Set up the provider and the settings of this run, and one pending approval."""
        self.checks.limit = limit
        self.world.behave(idempotency)
        settings: dict[str, Any] = {"quiet_hours": "22:00-07:00" if quiet else ""}
        self.world.configure(**settings, **({"limit": [{"per_day": limit}]} if limit else {}))
        self.ask_and_see(SEND, ANNA, None)

    @precondition(can_ask)
    @rule(tool=st.sampled_from(TOOLS), to=people, tainted=st.booleans(), long=st.booleans())
    def ask(self, tool: str, to: list[str], tainted: bool, long: bool) -> None:
        """Request a call."""
        number = len(self.asked) + 1
        text = f"text {number}" + (f"\n{LONG}" if long else "")
        args = {"to": to, "text": text, "subject": f"subject {number}" if tool == MAIL else ""}
        self.request(tool, args, tainted=tainted)

    @precondition(can_ask)
    @rule(tool=st.sampled_from([SEND, BOT_SEND]), to=st.sampled_from([ANNA, BOB]), fault=a_fault)
    def ask_and_see(self, tool: str, to: str, fault: tuple[Blow, int] | None) -> None:
        """Request a call, and see its card if it has one."""
        self.ask(tool, [to], tainted=False, long=False)
        self.live(*self.world.side_by_side(), fault=fault)

    def request(self, tool: str, args: dict[str, Any], *, tainted: bool) -> None:
        number = len(self.asked) + 1
        call = {
            "args": args,
            "origins": dict.fromkeys(args, OWN_WORDS) | ({"text": A_MAIL} if tainted else {}),
            "call_id": f"plan-{number}:1",
            "plan_id": f"plan-{number}",
            "requested_by": f"in-{number}",
        }
        self.asked.append({"tool": tool, "tainted": tainted, **call})
        self.checks.versions[call["call_id"]] = {1: [args]}
        self.checks.tainted[call["call_id"]] = tainted
        if number % 2:
            self._say(f"in-{number}")
        self.pass_or_ask(self.asked[-1])

    def _say(self, inbound_id: str) -> None:
        """Let the owner ask for it in a message; arguments that they did not say come from elsewhere."""
        more = {"inbound_id": inbound_id, "dedup_key": inbound_id, "message_ref": inbound_id.removeprefix("in-")}
        item = self.world.tap_of("", kind=InboundKind.CHAT, **more)
        self.write(lambda c: inbox.add(c, item))

    def pass_or_ask(self, call: dict[str, Any]) -> None:
        if call["call_id"] not in self.checks.always().by_call:
            own = call["tool"] == BOT_SEND and not call["tainted"]
            self.checks.may_pass[call["call_id"]] = own and set(call["args"]["to"]) <= self.known
        self.live(self.world.request(**{name: value for name, value in call.items() if name != "tainted"}))

    # Taps

    @precondition(lambda self: self.world.channel.offered)
    @rule(which=a_pick, fault=a_fault)
    def tap(self, which: int, fault: tuple[Blow, int] | None) -> None:
        """Tap a visible button."""
        self.decide(self.world.channel.offered, which, fault)

    @precondition(lambda self: self.world.channel.offering("Approve"))
    @rule(which=a_pick, seconds=st.sampled_from([0, 9, 10, 10, 10]), moods=moods, searches=searches, fault=a_fault)
    def approve(
        self, which: int, seconds: int, moods: list[Mood], searches: list[Search], fault: tuple[Blow, int] | None
    ) -> None:
        """Approve something, and let the provider behave in a chosen way once the undo window is over."""
        self.decide(self.world.channel.offering("Approve"), which)
        self.world.clock.turn(seconds=seconds)
        self.world.provider.moods.extend(moods)
        self.world.provider.searches.extend(searches)
        self.live(*self.world.side_by_side(), fault=fault)

    @precondition(lambda self: self.world.channel.offered)
    @rule(picks=st.lists(a_pick, min_size=2, max_size=4), twice=st.booleans())
    def tap_at_once(self, picks: list[int], twice: bool) -> None:
        """Tap several buttons concurrently, perhaps each twice, while the engine works."""
        offered = self.world.channel.offered
        taps = [self.press(offered[which % len(offered)]) for which in (picks * 2 if twice else picks)]
        self.live(*taps, *self.world.side_by_side())

    @precondition(lambda self: self.world.channel.ever_offered)
    @rule(which=a_pick)
    def tap_an_old_card(self, which: int) -> None:
        """Tap a button that was visible earlier, preferably one of the last."""
        self.decide(self.world.channel.ever_offered[::-1], which)

    @precondition(lambda self: self.taps)
    @rule(which=a_pick)
    def deliver_again(self, which: int) -> None:
        """Deliver an earlier tap again."""
        self.live(self.world.approvals.decide(self.taps[::-1][which % len(self.taps)]))

    @precondition(lambda self: self.world.channel.ever_offered)
    @rule(which=a_pick, how=st.sampled_from(["stranger", "elsewhere", "guess"]))
    def tap_what_is_not_theirs(self, which: int, how: str) -> None:
        """Tap as a stranger, in another chat, or with an invented nonce: it has no effect, and it is logged."""
        data = self.world.channel.ever_offered[which % len(self.world.channel.ever_offered)]
        match how:
            case "stranger":
                tap, due = self.world.tap_of(data, sender=STRANGER), TapResult.FOREIGN
            case "elsewhere":
                tap, due = self.world.tap_of(data, chat="telegram:-5"), TapResult.ELSEWHERE
            case _:
                tap, due = self.world.tap_of(data[:-1] + ("A" if data[-1] != "A" else "B")), TapResult.UNKNOWN
        before = self.checks.always()
        (answer,) = self.live(self.world.approvals.decide(tap))
        after = self.checks.always()
        assert [row.state for row in before.rows.values()] == [row.state for row in after.rows.values()]
        if isinstance(answer, TapAnswer):
            assert answer.tapped is due
            assert [entry.data["why"] for entry in after.log[len(before.log) :]] == [due.value]

    def decide(self, offered: Sequence[str], which: int, fault: tuple[Blow, int] | None = None) -> None:
        """Tap once, and check the answer: a tapper who is told of a decision finds it in the audit log."""
        before = len(self.checks.always().log)
        (answer,) = self.live(self.press(offered[which % len(offered)]), fault=fault)
        if not isinstance(answer, TapAnswer):
            return
        new = [entry.kind for entry in self.checks.always().log[before:]]
        refused = answer.tapped not in {TapResult.DECIDED, TapResult.NOTED}
        assert refused == ("approval.tap_refused" in new), f"{answer} against {new}"
        assert answer.tapped is not TapResult.DECIDED or new, "nothing was decided"

    async def press(self, data: str) -> TapAnswer:
        """Build a tap of the owner in the button's chat."""
        tap = self.world.tap_of(data)
        self.taps.append(tap)
        self.checks.tapped.add(nonce_of(data))
        return await self.world.approvals.decide(tap)

    # Background work

    @rule(picks=some_picks, fault=a_fault)
    def work(self, picks: list[int], fault: tuple[Blow, int] | None) -> None:
        """Let the engine do some of the work that is due."""
        self.live(self.world.engine(picks), fault=fault)

    @rule(seconds=st.sampled_from([0, 10, 60]), fault=a_fault)
    def work_side_by_side(self, seconds: int, fault: tuple[Blow, int] | None) -> None:
        """Let the engine do all work that is due, its lanes concurrently."""
        self.world.clock.turn(seconds=seconds)
        self.live(*self.world.side_by_side(), fault=fault)

    @rule()
    def settle(self) -> None:
        """Run without faults for a while."""
        self.runner.run(self.world.settle())
        self.checks.at_rest()

    @rule(seconds=st.sampled_from([1, 9, 10, 60, -36, 30 * M, 66 * M, 11 * H, 24 * H, 48 * H, 72 * H, 31 * 24 * H]))
    def wait(self, seconds: int) -> None:
        """Let time pass: a moment, a night, a weekend, a long downtime; or set the clock."""
        self.world.clock.turn(seconds=seconds)

    # Faults

    @precondition(lambda self: self.world.provider.under_way)
    @rule()
    def land(self) -> None:
        """Complete the calls whose callers gave up waiting."""
        self.world.provider.land(self.world.invoker.idempotency)

    @rule(offline=st.booleans(), closed=st.booleans())
    def lose_sight(self, offline: bool, closed: bool) -> None:
        """Take the phone out of reach, or let its owner block the butler; or neither."""
        self.world.channel.offline, self.world.channel.closed = offline, closed

    def row(self, which: int, *states: str) -> ApprovalRow | None:
        """Return one of the approvals in these states."""
        found = [row for row in self.checks.always().rows.values() if row.state in states]
        found.sort(key=lambda row: row.call_id)
        return found[which % len(found)] if found else None
