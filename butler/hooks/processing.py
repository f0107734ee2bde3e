"""Acts on webhook requests from the stored rows, in the order of each receiver."""

from collections.abc import Mapping
from dataclasses import replace

import structlog

from butler.contract.errors import Refuse
from butler.contract.hooks import HookReceiver
from butler.contract.ports import Clock
from butler.contract.reasons import Reason, ReasonCode, of_error
from butler.contract.speech import say, say_error
from butler.services import Tell
from butler.store.queries import hooks
from butler.store.queries.hooks import HOOK, HookState
from butler.store.store import Store

log = structlog.get_logger(__name__)


class HookProcessor:
    """The work handler of `hook` rows."""

    def __init__(self, store: Store, clock: Clock, receivers: Mapping[str, HookReceiver], tell: Tell) -> None:
        self._store, self._clock, self._receivers, self._tell = store, clock, receivers, tell

    async def act(self, subject: str) -> None:
        """Act on one request, or on a replay of it; raise the receiver's error, for a retry."""
        hook_id, _, replay = subject.partition(":")
        row = await self._store.look(lambda c: hooks.get(c, hook_id))
        if row is None or (not replay and row.state is not HookState.NEW):
            return
        receiver = self._receivers.get(row.hook.receiver)
        if receiver is None:
            await self._settle(hook_id, HookState.REFUSED, Reason(ReasonCode.HOOK_NOT_SET_UP))
            return
        try:
            await receiver.act(replace(row.hook, replay=int(replay or 0)))
        except Refuse as refused:
            why = say_error(refused)
            log.warning("hook_unusable", receiver=receiver.name, hook=hook_id, why=why)
            await self._settle(hook_id, HookState.REFUSED, of_error(refused))
            text = say("I cannot use what came in by the webhook {name}: {why}", name=receiver.name, why=why)
            await self._tell(f"hook_unusable:{receiver.name}", text)
            return
        await self._settle(hook_id, HookState.DONE)

    async def dead_letter(self, kind: str, subject: str, why: Reason) -> None:
        """Mark a request as failed for good; it can be replayed by its id."""
        if kind == HOOK:
            await self._settle(subject.partition(":")[0], HookState.DEAD_LETTER, why)

    async def _settle(self, hook_id: str, state: HookState, *detail: Reason) -> None:
        now = self._clock.now()
        await self._store.write(lambda c: hooks.settle(c, hook_id, state, now, detail), "hook_settled")
