"""Acts on one batch of mails: marks them in place or moves them, by sets of UIDs, one folder after the other.

A mail that is no longer where it was is searched for in the target by its Message-ID, once for each batch: the move may
have succeeded although its answer was lost.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from butler.contract.bulk import BatchLaterError, BatchUnclearError, BulkItem, BulkResult, PreparedBulkContext
from butler.contract.bulk_adapter import answered
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.speech import phrase, say
from modules.email.bulk.imap_calls import BulkCalls, Place, read_place
from modules.email.imap.bulk_methods import FLAG, LOCATE, LOOK, MOVE, Flagged, Known, Located, Looked, Moved
from modules.email.imap.folders import shown
from modules.email.imap.uids import Uids
from modules.email.imap.user_ids import place_of, spelt_in_ids

GONE = phrase("it is no longer there")
RENUMBERED = phrase("the folder {folder} was rebuilt meanwhile, so its numbers name other mails now; nothing was done")
NOT_DONE = phrase("the mail server took it and did not do it")
_OTHER = frozenset({IntegrationErrorCode.NOT_FOUND, IntegrationErrorCode.CONFLICT})
"""Errors for a folder that is gone or renumbered."""
_Group = tuple[str, int, str]
"""The folder of mails, its UIDVALIDITY, and their target folder, which is empty for a flag."""


@dataclass(frozen=True, slots=True)
class _One:
    """A mail of the batch: where it was listed, and its last known place."""

    item: BulkItem
    listed: Place
    lies: Place

    @property
    def known(self) -> Known:
        data = self.item.raw_data or {}
        return Known(uid=self.lies[2], message_id=str(data.get("m", "")), size=int(data.get("s", 0)))


class BatchExecution:
    """Acts on one batch of one run."""

    def __init__(self, calls: BulkCalls, context: PreparedBulkContext) -> None:
        self._calls, self._context = calls, context
        self._results: dict[str, BulkResult] = {}
        self._acted = False

    async def act(self, items: Sequence[BulkItem]) -> list[BulkResult]:
        """Return a result for each item. Raise a batch error if the server gave no answer."""
        params = self._context.action_params
        ones = [one for item in items if (one := self._one(item)) is not None]
        try:
            if "flag" in params:
                await self._each_group(ones, lambda _: "", self._flag)
            else:
                await self._move_all(ones)
        except BatchLaterError as later:
            if self._acted:
                # One folder is done, and the state of another is not known.
                raise BatchUnclearError(later.detail) from later
            raise
        return [self._results.get(item.id) or BulkResult(item.id, success=False, error=say(GONE)) for item in items]

    def _one(self, item: BulkItem) -> _One | None:
        listed = read_place(item.id)
        if listed is None:
            return None
        return _One(item, listed, read_place(str((item.raw_data or {}).get("at", ""))) or listed)

    async def _each_group(
        self, ones: Sequence[_One], target: Callable[[_One], str], act: Callable[[_Group, list[_One]], Awaitable[None]]
    ) -> None:
        groups: dict[_Group, list[_One]] = {}
        for one in ones:
            groups.setdefault((one.lies[0], one.lies[1], target(one)), []).append(one)
        for group, members in groups.items():
            await act(group, members)

    # Flags

    async def _flag(self, group: _Group, ones: list[_One]) -> None:
        folder, validity, _ = group
        params = self._context.action_params
        uids = str(Uids.of(one.lies[2] for one in ones))
        args = {"folder": folder, "uidvalidity": validity, "uids": uids, "flag": params["flag"], "on": params["on"]}
        result = await self._calls.call(self._context, FLAG, args)
        if self._not_the_same(result, folder, ones):
            return
        answer = Flagged.model_validate(answered(result))
        self._acted = True
        done, left = set(Uids.read(answer.done)), set(Uids.read(answer.left))
        for one in ones:
            uid = one.lies[2]
            self._settle(one, "" if uid in done else say(NOT_DONE) if uid in left else say(GONE))

    # Moves

    async def _move_all(self, ones: Sequence[_One]) -> None:
        if not self._context.action_params.get("back"):
            target = str(self._context.action_params["to"])
            await self._each_group(ones, lambda _: target, self._move)
            return
        # A mail whose move was not answered may be unmoved, or lie in the target.
        unanswered = [one for one in ones if "at" not in (one.item.raw_data or {})]
        await self._each_group(unanswered, lambda one: one.listed[0], self._still_there)
        open_ones = [one for one in unanswered if one.item.id not in self._results]
        found = await self._found_where_they_went(open_ones)
        answered_ones = [one for one in ones if "at" in (one.item.raw_data or {})]
        await self._each_group([*answered_ones, *found], lambda one: one.listed[0], self._move)

    async def _move(self, group: _Group, ones: list[_One]) -> None:
        folder, validity, target = group
        if folder == target:
            for one in ones:
                self._settle(one)
            return
        args = {
            "folder": folder,
            "uidvalidity": validity,
            "target": target,
            "mails": [one.known.model_dump() for one in ones],
        }
        result = await self._calls.call(self._context, MOVE, args)
        if self._not_the_same(result, folder, ones):
            return
        answer = Moved.model_validate(answered(result))
        self._acted = True
        now, left = dict(answer.moved), set(Uids.read(answer.left))
        lost: list[_One] = []
        for one in ones:
            uid = one.lies[2]
            if now.get(uid):
                self._settle(one, at=(target, answer.uidvalidity, now[uid]))
            elif uid in left:
                self._settle(one, say(NOT_DONE))
            else:
                lost.append(one)
        taken = Uids.of(filter(None, now.values()))
        await self._look_in(target, lost, taken, moved={one.item.id for one in lost if one.lies[2] in now})

    async def _look_in(self, target: str, lost: Sequence[_One], taken: Uids, moved: set[str]) -> None:
        """Settle mails that are not where they were: by finding them in the target, or as `moved` by the server."""
        found = {one.item.id: one for one in await self._located(target, lost, taken)}
        for one in lost:
            there = found.get(one.item.id)
            if there is not None:
                self._settle(one, at=there.lies)
            else:
                self._settle(one, "" if one.item.id in moved else say(GONE))

    async def _still_there(self, group: _Group, ones: list[_One]) -> None:
        """Settle the mails that were never moved as unchanged."""
        folder, validity, _ = group
        args = {"folder": folder, "uidvalidity": validity, "uids": str(Uids.of(one.lies[2] for one in ones))}
        result = await self._calls.call(self._context, LOOK, args)
        if result.error is not None and result.error.code in _OTHER:
            return
        there = {mail.uid for mail in Looked.model_validate(answered(result)).mails}
        for one in ones:
            if one.lies[2] in there:
                self._settle(one)

    async def _found_where_they_went(self, ones: Sequence[_One]) -> list[_One]:
        return await self._located(str(self._context.action_params["to"]), ones, Uids())

    async def _located(self, folder: str, ones: Sequence[_One], taken: Uids) -> list[_One]:
        """Return the mails that lie in a folder, with their places; matched by Message-ID and size."""
        if not ones:
            return []
        mails = [one.known.model_dump() for one in ones]
        result = await self._calls.call(self._context, LOCATE, {"folder": folder, "mails": mails, "taken": str(taken)})
        if result.error is not None and result.error.code is IntegrationErrorCode.NOT_FOUND:
            return []
        there = Located.model_validate(answered(result))
        return [
            _One(one.item, one.listed, (folder, there.uidvalidity, uid))
            for one, uid in zip(ones, there.uids, strict=True)
            if uid
        ]

    # Results

    def _not_the_same(self, result: IntegrationResult, folder: str, ones: Sequence[_One]) -> bool:
        """Return whether the folder is gone or renumbered; if so, settle its mails as not done."""
        if result.error is None or result.error.code not in _OTHER:
            return False
        renumbered = result.error.code is IntegrationErrorCode.CONFLICT
        for one in ones:
            self._settle(one, say(RENUMBERED, folder=shown(folder)) if renumbered else say(GONE))
        return True

    def _settle(self, one: _One, error: str = "", at: Place | None = None) -> None:
        data = None
        if at is not None:
            data = {**(one.item.raw_data or {}), "at": place_of(spelt_in_ids(at[0]), at[1], at[2])}
        self._results[one.item.id] = BulkResult(one.item.id, success=not error, error=error or None, data=data)
