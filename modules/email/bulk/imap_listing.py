"""Lists the mails of an order: folder by folder, newest first, from one position to the next.

A folder is searched once, in windows of UIDs; found mails that are not yet returned are kept in the context as runs of
numbers. Each page is then looked at, which makes days exact: a server's SEARCH knows no time zones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.bulk import BulkItem, PreparedBulkContext
from butler.contract.bulk_adapter import answered, metadata_of
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from modules.email.bulk.imap_actions import WAYS
from modules.email.bulk.imap_calls import BulkCalls, read_place
from modules.email.bulk_actions import MailAction
from modules.email.imap.bulk_criteria import BADCHARSET, can_be_plain, plain_criteria
from modules.email.imap.bulk_headers import names
from modules.email.imap.bulk_methods import FIND, LOCATE, LOOK, Criteria, Found, Located, Looked, Seen
from modules.email.imap.uids import Uids
from modules.email.imap.user_ids import MailRef, place_of, read_ref, spelt_in_ids

PAGE = 500
_ZONES_APART = timedelta(days=2)
"""How far a server's day may be off the owner's: time zones lie up to 26 hours apart."""


@dataclass(frozen=True, slots=True)
class _Named:
    """A mail that the order names, and its presumed place."""

    folder: str
    uidvalidity: int
    uid: int
    message_id: str


class Listing:
    """Lists mails; its position is kept in the context."""

    def __init__(self, calls: BulkCalls, zone: ZoneInfo) -> None:
        self._calls, self._zone = calls, zone

    async def after(self, context: PreparedBulkContext, size: int, offset: int) -> list[BulkItem]:
        """Return at most `size` items after `offset`."""
        place = metadata_of(context)
        if offset == 0 or place.get("at") != offset:
            place |= {
                "at": 0,
                "folder": 0,
                "begun": False,
                "validity": 0,
                "below": 0,
                "left": "",
                "ends": {},
                "plain": False,
            }
        while place["at"] < offset:
            # IMAP has no offsets: items before an offset that paging did not reach are read and skipped.
            if not await self._page(context, min(PAGE, offset - place["at"])):
                return []
        return await self._page(context, size)

    def ends(self, context: PreparedBulkContext) -> list[str]:
        """Return the ids of the newest and the oldest listed mail."""
        return [str(one[1]) for one in metadata_of(context).get("ends", {}).values()]

    async def _page(self, context: PreparedBulkContext, size: int) -> list[BulkItem]:
        place = metadata_of(context)
        listed = self._listed if "folders" in context.query_params else self._named
        while True:
            found = await listed(context, size)
            if found is None:
                return []
            if found:
                place["at"] += len(found)
                return [self._item(context, folder, validity, mail) for folder, validity, mail in found]

    def _item(self, context: PreparedBulkContext, folder: str, validity: int, mail: Seen) -> BulkItem:
        item_id = place_of(spelt_in_ids(folder), validity, mail.uid)
        if mail.received_at is not None:
            self._note_ends(context, item_id, mail.received_at)
        # A moved mail is found again by these; a flag is set where the mail lies.
        data = {"m": mail.message_id, "s": mail.size} if MailAction(context.action) in WAYS else None
        return BulkItem(item_id, " · ".join(filter(None, (mail.sender, mail.subject))) or item_id, data)

    def _note_ends(self, context: PreparedBulkContext, item_id: str, at: datetime) -> None:
        ends: dict[str, list[Any]] = metadata_of(context)["ends"]
        stamp = at.timestamp()
        if "newest" not in ends or stamp > ends["newest"][0]:
            ends["newest"] = [stamp, item_id]
        if "oldest" not in ends or stamp < ends["oldest"][0]:
            ends["oldest"] = [stamp, item_id]

    # Mails by criteria

    async def _listed(self, context: PreparedBulkContext, size: int) -> list[tuple[str, int, Seen]] | None:
        """Return some more mails, perhaps none after filtering; None at the end."""
        place, folders = metadata_of(context), context.query_params["folders"]
        if place["left"]:
            left = Uids.read(place["left"])
            taken = Uids.of(list(left)[-size:])
            place["left"] = str(left - taken)
            folder, validity = folders[place["folder"]], int(place["validity"])
            return [(folder, validity, mail) for mail in await self._matching(context, folder, validity, taken)]
        if place["begun"] and not place["below"]:
            place |= {"folder": place["folder"] + 1, "begun": False, "validity": 0}
        if place["folder"] >= len(folders):
            return None
        await self._search(context, folders[place["folder"]])
        return []

    async def _search(self, context: PreparedBulkContext, folder: str) -> None:
        place = metadata_of(context)
        criteria = self._criteria(context)
        args = {"folder": folder, "below": place["below"], "uidvalidity": place["validity"]}
        result = await self._calls.call(context, FIND, args | {"criteria": criteria.model_dump(mode="json")})
        if result.error is not None and result.error.provider_code == BADCHARSET and can_be_plain(criteria):
            # Exchange, for one, searches for ASCII only: the rest is compared here.
            place["plain"] = True
            args["criteria"] = plain_criteria(criteria).model_dump(mode="json")
            result = await self._calls.call(context, FIND, args)
        if result.error is not None and result.error.code is IntegrationErrorCode.NOT_FOUND:
            place |= {"begun": True, "below": 0, "left": ""}
            return
        found = Found.model_validate(answered(result))
        place |= {"begun": True, "below": found.below, "left": found.uids, "validity": found.uidvalidity}

    def _criteria(self, context: PreparedBulkContext) -> Criteria:
        data = context.query_params
        since, before = _day(data["since"]), _day(data["before"])
        fields = {name: data[name] for name in Criteria.model_fields if name not in {"since", "before"}}
        criteria = Criteria(
            **fields,
            since=since - _ZONES_APART if since else None,
            before=before + _ZONES_APART if before else None,
        )
        return plain_criteria(criteria) if metadata_of(context).get("plain") else criteria

    async def _matching(self, context: PreparedBulkContext, folder: str, validity: int, uids: Uids) -> list[Seen]:
        """Return those of the mails that exist and match, newest first."""
        structure = context.query_params.get("attachment") is not None
        args = {"folder": folder, "uidvalidity": validity, "uids": str(uids), "structure": structure}
        mails = Looked.model_validate(await self._calls.ask(context, LOOK, args)).mails
        spared = _spared(context)
        return [
            mail
            for mail in reversed(mails)
            if not {(folder, validity, mail.uid), mail.message_id} & spared and self._matches(context, mail)
        ]

    def _matches(self, context: PreparedBulkContext, mail: Seen) -> bool:
        """Check the criteria that a search cannot express exactly."""
        data = context.query_params
        if data["attachment"] is not None and mail.attachment != data["attachment"]:
            return False
        return self._says_so(data, mail, compared=bool(metadata_of(context).get("plain"))) and self._came_then(
            data, mail
        )

    @staticmethod
    def _says_so(said: dict[str, Any], mail: Seen, *, compared: bool) -> bool:
        """Check the sender and the subject; `compared` if the server has not done so."""
        if said["senders"] and not any(names(mail.sender, one, searched=not compared) for one in said["senders"]):
            return False
        if said["subject"] and not names(mail.subject, said["subject"], searched=not compared):
            return False
        return not compared or not any(names(mail.sender, one, searched=False) for one in said["keep"])

    def _came_then(self, said: dict[str, Any], mail: Seen) -> bool:
        since, before = _day(said["since"]), _day(said["before"])
        if since is None and before is None:
            return True
        at = mail.received_at
        if at is None:
            return False
        return (since is None or at >= self._midnight(since)) and (before is None or at < self._midnight(before))

    def _midnight(self, day: date) -> datetime:
        return datetime.combine(day, time(), self._zone)

    # Mails by id

    async def _named(self, context: PreparedBulkContext, size: int) -> list[tuple[str, int, Seen]] | None:
        """Return those of the named mails that exist and that the action changes."""
        place, every = metadata_of(context), context.query_params["ids"]
        if place["below"] >= len(every):
            return None
        ids = every[place["below"] : place["below"] + size]
        place["below"] += len(ids)
        wanted = [named for one in ids if (named := _named_by(str(one), place["account"])) is not None]
        found: dict[tuple[str, int, int], Seen] = {}
        await self._where_they_lay(context, wanted, found)
        missing = [one for one in wanted if (one.folder, one.uidvalidity, one.uid) not in found and one.message_id]
        for folder in context.query_params["homes"] if missing else ():
            moved = await self._moved(context, missing, folder)
            await self._where_they_lay(context, moved, found)
            known = {mail.message_id for mail in found.values()}
            missing = [one for one in missing if one.message_id not in known]
        return [
            (folder, validity, mail) for (folder, validity, _), mail in found.items() if _changes(context, folder, mail)
        ]

    async def _where_they_lay(
        self, context: PreparedBulkContext, wanted: Sequence[_Named], found: dict[tuple[str, int, int], Seen]
    ) -> None:
        groups: dict[tuple[str, int], dict[int, str]] = {}
        for one in wanted:
            groups.setdefault((one.folder, one.uidvalidity), {})[one.uid] = one.message_id
        for (folder, validity), uids in groups.items():
            args = {"folder": folder, "uidvalidity": validity, "uids": str(Uids.of(uids))}
            result = await self._calls.call(context, LOOK, args)
            if _is_outdated(result):
                continue
            for mail in Looked.model_validate(answered(result)).mails:
                if not uids[mail.uid] or mail.message_id == uids[mail.uid]:
                    found[folder, validity, mail.uid] = mail

    async def _moved(self, context: PreparedBulkContext, wanted: Sequence[_Named], folder: str) -> list[_Named]:
        """Return the mails that lie in a folder now, matched by Message-ID."""
        mails = [{"uid": 0, "message_id": one.message_id} for one in wanted]
        result = await self._calls.call(context, LOCATE, {"folder": folder, "mails": mails})
        if _is_outdated(result):
            return []
        there = Located.model_validate(answered(result))
        return [
            _Named(folder, there.uidvalidity, uid, one.message_id)
            for one, uid in zip(wanted, there.uids, strict=True)
            if uid
        ]


def _named_by(text: str, account: str) -> _Named | None:
    """Return the mail that an id names, from a list or from the mirror."""
    ref: MailRef | None = read_ref(text)
    if ref is not None:
        return _Named(ref.folder, ref.uidvalidity, ref.uid, ref.message_id) if ref.account == account else None
    place = read_place(text)
    return _Named(*place, "") if place is not None else None


def _spared(context: PreparedBulkContext) -> set[tuple[str, int, int] | str]:
    """Return the mails that the order leaves out: their places, and their Message-IDs, as they may have been moved."""
    data = context.query_params.get("keep_mails", ())
    named = [one for text in data if (one := _named_by(str(text), metadata_of(context)["account"])) is not None]
    return {(one.folder, one.uidvalidity, one.uid) for one in named} | {one.message_id for one in named} - {""}


def _changes(context: PreparedBulkContext, folder: str, mail: Seen) -> bool:
    """Return whether the action changes a mail in this folder."""
    params = context.action_params
    if "flag" in params:
        return (params["flag"].lower() in {flag.lower() for flag in mail.flags}) != params["on"]
    within = context.query_params["within"]
    return folder != params["to"] and (not within or folder in within)


def _is_outdated(result: IntegrationResult) -> bool:
    """Return whether the folder is gone or renumbered."""
    gone = {IntegrationErrorCode.NOT_FOUND, IntegrationErrorCode.CONFLICT}
    return result.error is not None and result.error.code in gone


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
