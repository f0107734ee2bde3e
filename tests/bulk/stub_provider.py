"""An adapter over a shelf of things in memory, whose provider can be told to fail in each way that providers do."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from butler.contract.bulk import (
    BatchLaterError,
    BatchRefusedError,
    BatchUnclearError,
    BulkDetail,
    BulkItem,
    BulkLimits,
    BulkResult,
    BulkToolAdapter,
    BulkWords,
    PreparedBulkContext,
)
from butler.contract.errors import AuthRequiredError

BEGAN = datetime(2027, 3, 1, tzinfo=UTC)


@dataclass
class StubProvider:
    """Things by id, open or away. `sent` counts how often the provider was given each."""

    things: dict[str, bool] = field(default_factory=dict[str, bool])
    sent: Counter[str] = field(default_factory=Counter[str])
    batches: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    bad: set[str] = field(default_factory=set[str])
    """Refused, with the whole batch that holds one."""
    failing: set[str] = field(default_factory=set[str])
    """Answered as not done."""
    silent: set[str] = field(default_factory=set[str])
    """Answered as done, and not done."""
    lied_about: set[str] = field(default_factory=set[str])
    """What was last answered like that: nobody can know where it lies."""
    later: int = 0
    unclear: int = 0
    unclear_after: int = 0
    """So many batches are done, and their answer is lost."""
    signed_out: bool = False
    shifts: bool = False
    """A new thing comes in front before the second page, so that what was last on the first is on it again."""
    listing_later: bool = False
    lagging: set[str] = field(default_factory=set[str])
    """Listed once more after they were put away."""
    vanished: list[str] = field(default_factory=list[str])
    changed: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """What others did to things before the run began."""
    asked: int = 0
    """How often it was asked for that."""
    places: dict[str, str] = field(default_factory=dict[str, str])
    """Where things lie, where that is kept of them."""
    noted: set[str] = field(default_factory=set[str])
    """What had been kept of the things that were put back."""
    nameless: bool = False
    """What things are called cannot be found out now."""
    named: dict[str, str] = field(default_factory=dict[str, str])
    meanwhile: Callable[[], Awaitable[object]] | None = None
    """What happens while the next batch is being sent."""
    while_listing: Callable[[], Awaitable[object]] | None = None

    @classmethod
    def of(cls, count: int) -> "StubProvider":
        return cls({f"t{at:05}": True for at in range(count)})


class StubBulkAdapter(BulkToolAdapter):
    """Puts things away, or back."""

    @property
    def tool_name(self) -> str:
        return "shelf"

    def __init__(self, shelf: StubProvider, *, page: int = 50, batch: int = 20, plain: bool = False) -> None:
        """With `plain`, nothing is known of a thing but its name."""
        self.shelf, self._limits, self._plain = shelf, BulkLimits(page, batch, listed_while_open=True), plain

    def limits(self, context: PreparedBulkContext) -> BulkLimits:
        return replace(self._limits, listed_while_open=context.action == "away")

    def words(self, context: PreparedBulkContext) -> BulkWords:
        if context.action == "back":
            return BulkWords("Puts things back", "Putting back", "Put back")
        return BulkWords("Puts things away", "Putting away", "Put away", "They stay on the shelf.")

    def inverse(self, context: PreparedBulkContext) -> PreparedBulkContext | None:
        return replace(context, action="back") if context.action == "away" else None

    async def prepare(self, params: dict[str, Any]) -> PreparedBulkContext:
        if not params.get("action"):
            raise ValueError("say what is to be done")
        return PreparedBulkContext("shelf", params["action"], {}, {}, {})

    async def get_total_count(self, context: PreparedBulkContext) -> int:
        return len(self._open(context))

    async def get_next_batch(self, context: PreparedBulkContext, batch_size: int, offset: int = 0) -> list[BulkItem]:
        if self.shelf.while_listing is not None:
            listing, self.shelf.while_listing = self.shelf.while_listing, None
            await listing()
        if self.shelf.listing_later:
            raise BatchLaterError("not now")
        if self.shelf.shifts and offset:
            self.shelf.shifts = False
            self.shelf.things = {f"t{9_000 + offset}": True, **self.shelf.things}
        named = self.shelf.named
        listed = self._open(context)
        if not offset and (late := self.shelf.lagging - set(listed)):
            self.shelf.lagging = set()
            listed += sorted(late)
        found = listed[offset : offset + batch_size]
        places = self.shelf.places
        return [BulkItem(one, named.get(one, f"thing {one}"), {"at": places[one]} if places else None) for one in found]

    async def meanwhile(self, context: PreparedBulkContext) -> Sequence[BulkItem]:
        self.shelf.asked += 1
        changed = [BulkItem(one, one, data) for one, data in self.shelf.changed.items()]
        return [*await super().meanwhile(context), *changed]

    async def vanished(self, context: PreparedBulkContext) -> Sequence[str]:
        return [*await super().vanished(context), *self.shelf.vanished]

    async def execute_batch(self, items: list[BulkItem], context: PreparedBulkContext) -> list[BulkResult]:
        shelf, ids = self.shelf, tuple(item.id for item in items)
        if shelf.meanwhile is not None:
            meanwhile, shelf.meanwhile = shelf.meanwhile, None
            await meanwhile()
        if shelf.signed_out:
            raise AuthRequiredError("sign in again")
        if shelf.later:
            shelf.later -= 1
            raise BatchLaterError("it is full")
        if shelf.bad & set(ids):
            raise BatchRefusedError("one of them is not for me")
        if shelf.unclear:
            shelf.unclear -= 1
            raise BatchUnclearError("nobody answered")
        shelf.batches.append(ids)
        shelf.sent.update(ids)
        context.action_params["learnt"] = True
        results = [self._placed(item, context) if shelf.places else self._done(item.id, context) for item in items]
        if shelf.unclear_after:
            shelf.unclear_after -= 1
            raise BatchUnclearError("the answer was lost")
        return results

    async def sample(self, items: Sequence[BulkItem], context: PreparedBulkContext) -> Sequence[BulkDetail]:
        if self._plain:
            return await super().sample(items, context)
        if self.shelf.nameless:
            raise BatchLaterError("not now")
        at = BEGAN
        return [
            BulkDetail(self._called(one), "Anna", at + timedelta(days=int(one.id[1:])), item_id=one.id) for one in items
        ]

    async def by_sender(self, ids: Sequence[str], context: PreparedBulkContext) -> Sequence[tuple[str, int]]:
        return await super().by_sender(ids, context) if self._plain else [("Anna", len(ids) // 2)]

    def _called(self, item: BulkItem) -> str:
        return f"book {item.id}" if item.id == item.display_name else item.display_name

    def _open(self, context: PreparedBulkContext) -> list[str]:
        wanted = context.action == "away" or self._plain
        return [one for one, is_open in self.shelf.things.items() if is_open is wanted]

    def _placed(self, item: BulkItem, context: PreparedBulkContext) -> BulkResult:
        """What it was is kept beside what it is."""
        assert item.raw_data is not None
        done = self._done(item.id, context)
        if context.action == "away":
            self.shelf.places[item.id] = "away"
            return replace(done, data={**item.raw_data, "now": "away"})
        self.shelf.places[item.id] = item.raw_data["at"]
        self.shelf.noted.add(f"{item.raw_data['at']}, then {item.raw_data['now']}")
        return done

    def _done(self, one: str, context: PreparedBulkContext) -> BulkResult:
        if one not in self.shelf.things:
            return BulkResult(one, success=False, error="it is gone")
        if one in self.shelf.failing:
            return BulkResult(one, success=False, error="it is stuck")
        if one in self.shelf.silent:
            self.shelf.lied_about.add(one)
        else:
            self.shelf.lied_about.discard(one)
            self.shelf.things[one] = context.action != "away"
        return BulkResult(one, success=True)
