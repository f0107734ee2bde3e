"""The owner's Google Drive as a provider: searches, describes and downloads. Never changes anything."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC
from enum import IntEnum
from functools import wraps
from pathlib import Path
from typing import Any

from butler.contract.base_integration import BaseIntegration
from butler.contract.integration import Idempotency, IntegrationCall, Method, RawAnswer, RawMethod, auth_answer, method
from butler.contract.module import ModuleContext
from modules._accounts.google_account import GoogleAccount
from modules._accounts.google_channels import ChannelRef, Closed, Opened, Opening, body_of, opened_of
from modules._accounts.google_client import Api, Build
from modules._accounts.google_errors import Product
from modules.drive.config import DriveSettings
from modules.drive.records import (
    ABOUT,
    CHANGES,
    CLOSE_CHANNEL,
    DOWNLOAD,
    FOLDER,
    GET,
    NEWEST,
    OPEN_CHANNEL,
    READONLY,
    RECENT,
    SEARCH,
    START,
    About,
    Changes,
    ChangesArgs,
    DownloadArgs,
    Downloaded,
    DriveFile,
    FileId,
    Files,
    FolderArgs,
    NewestArgs,
    Nothing,
    Recent,
    RecentArgs,
    SearchArgs,
    Start,
)

LOGIN = "butler login drive"
DRIVE = Api("drive", "v3", lambda service: service)
PRODUCT = Product("Google Drive", "file", "docs/how-to/connect-drive.md")
_FIELDS = "id,name,mimeType,size,modifiedTime,owners(emailAddress),webViewLink,shortcutDetails(targetId),driveId"
_TOUCHED = f"{_FIELDS},createdTime,trashed,lastModifyingUser(displayName)"
_PAGE, _MOST_CHANGES = 100, 1_000
# Shared drives are included; the API needs both flags for that.
_EVERYWHERE: Mapping[str, bool] = {"supportsAllDrives": True, "includeItemsFromAllDrives": True}


class DriveIntegration(BaseIntegration):
    """One Drive account."""

    provider = "drive"

    def __init__(self, settings: DriveSettings, context: ModuleContext, *, login: str = LOGIN) -> None:
        """`login` is the command that signs in to this account again."""
        self._login = login
        self._account = GoogleAccount(
            DRIVE,
            PRODUCT,
            api_root=settings.api_root,
            credentials=settings.credentials_env,
            vault=context.vault,
            clock=context.clock,
            login=login,
        )
        super().__init__(context.probe)

    def methods(self) -> list[Method]:
        reads = Idempotency.READ
        return [
            _method(ABOUT, Nothing, About, self._raw_about, reads, Units.ONE),
            _method(SEARCH, SearchArgs, Files, self._raw_search, reads, Units.LIST),
            _method(GET, FileId, DriveFile, self._raw_get, reads, Units.ONE),
            _method(FOLDER, FolderArgs, Files, self._raw_folder, reads, Units.LIST),
            _method(START, Nothing, Start, self._raw_start, reads, Units.ONE),
            _method(CHANGES, ChangesArgs, Changes, self._raw_changes, reads, Units.LIST),
            _method(OPEN_CHANNEL, Opening, Opened, self._raw_open_channel, Idempotency.NONE, Units.BOTH),
            _method(CLOSE_CHANNEL, ChannelRef, Closed, self._raw_close_channel, Idempotency.STATE, Units.ONE),
            _method(RECENT, RecentArgs, Recent, self._raw_recent, reads, Units.LIST),
            _method(NEWEST, NewestArgs, Files, self._raw_newest, reads, Units.LIST),
            _method(DOWNLOAD, DownloadArgs, Downloaded, self._raw_download, reads, Units.DOWNLOAD),
        ]

    async def auth_status(self) -> dict[str, Any]:
        result = await self.request("auth-status", ABOUT)
        address = str((result.data or {}).get("address", ""))
        return auth_answer(result.error, address, todo=f"run `{self._login}`")

    def signed_in(self) -> None:
        """Use the credentials that the vault now holds."""
        self._account.signed_in()

    def stop(self) -> None:
        """Shut the threads down."""
        self._account.client.close()

    async def _raw_about(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        answer = await self._ask(lambda drive: drive.about().get(fields="user"))
        user = answer["user"]
        return RawAnswer({"address": user["emailAddress"].lower(), "name": user.get("displayName", "")})

    async def _raw_search(self, _: IntegrationCall, args: SearchArgs) -> RawAnswer:
        words = _quoted(args.words)
        query = f"(name contains {words} or fullText contains {words}) and trashed = false"
        answer = await self._list(query, args.limit, {"corpora": "allDrives"})
        return RawAnswer(_files(answer))

    async def _raw_newest(self, _: IntegrationCall, args: NewestArgs) -> RawAnswer:
        return RawAnswer(_files(await self._list("trashed = false", args.limit, {"orderBy": "modifiedTime desc"})))

    async def _raw_get(self, _: IntegrationCall, args: FileId) -> RawAnswer:
        answer = await self._ask(
            lambda drive: drive.files().get(fileId=args.id, fields=_FIELDS, supportsAllDrives=True)
        )
        return RawAnswer(_file(answer))

    async def _raw_folder(self, call: IntegrationCall, args: FolderArgs) -> RawAnswer:
        query = f"{_quoted(args.id)} in parents and trashed = false"
        where = {"corpora": "drive", "driveId": args.drive} if args.drive else {}
        answer = await self._list(query, _PAGE, where, cursor=call.cursor)
        return RawAnswer(_files(answer), next_cursor=answer.get("nextPageToken"))

    async def _raw_download(self, _: IntegrationCall, args: DownloadArgs) -> RawAnswer:
        def build(drive: Any) -> Any:
            if args.export:
                return drive.files().export_media(fileId=args.id, mimeType=args.export)
            return drive.files().get_media(fileId=args.id, supportsAllDrives=True)

        client, into = self._account.client, Path(args.into)
        size = await self._account.send(
            lambda token, sign_in: client.download(build, token, sign_in, into, args.largest)
        )
        return RawAnswer({"size": size})

    async def _raw_start(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        answer = await self._ask(lambda drive: drive.changes().getStartPageToken(supportsAllDrives=True))
        return RawAnswer({"token": answer["startPageToken"]})

    async def _raw_open_channel(self, _: IntegrationCall, args: Opening) -> RawAnswer:
        start = await self._ask(lambda drive: drive.changes().getStartPageToken(supportsAllDrives=True))
        data = {"pageToken": start["startPageToken"], "body": body_of(args), **_EVERYWHERE}
        return RawAnswer(opened_of(await self._ask(lambda drive: drive.changes().watch(**data)), args))

    async def _raw_close_channel(self, _: IntegrationCall, args: ChannelRef) -> RawAnswer:
        body = {"id": args.channel, "resourceId": args.resource}
        await self._ask(lambda drive: drive.channels().stop(body=body))
        return RawAnswer({})

    async def _raw_changes(self, _: IntegrationCall, args: ChangesArgs) -> RawAnswer:
        fields = f"nextPageToken,newStartPageToken,changes(fileId,removed,time,changeType,file({_TOUCHED}))"
        answer = await self._ask(
            lambda drive: drive.changes().list(
                pageToken=args.token, pageSize=_MOST_CHANGES, fields=fields, includeRemoved=True, **_EVERYWHERE
            )
        )
        # Shared drives have changes of their own, which concern no file.
        items = [_change(one) for one in answer.get("changes", []) if one.get("changeType", "file") == "file"]
        more = answer.get("nextPageToken", "")
        return RawAnswer({"changes": items, "token": more or answer["newStartPageToken"], "more": bool(more)})

    async def _raw_recent(self, call: IntegrationCall, args: RecentArgs) -> RawAnswer:
        query = f"modifiedTime > '{args.since.astimezone(UTC):%Y-%m-%dT%H:%M:%S}' and trashed = false"
        more = {"pageToken": call.cursor} if call.cursor else {}
        fields = f"nextPageToken,files({_TOUCHED})"
        answer = await self._ask(
            lambda drive: drive.files().list(q=query, pageSize=_MOST_CHANGES, fields=fields, **_EVERYWHERE, **more)
        )
        files = [_touched(one) for one in answer.get("files", [])]
        return RawAnswer({"files": files}, next_cursor=answer.get("nextPageToken"))

    async def _list(
        self, query: str, size: int, where: Mapping[str, str], *, cursor: str | None = None
    ) -> dict[str, Any]:
        more = {**where, "pageToken": cursor} if cursor else where
        fields = f"nextPageToken,incompleteSearch,files({_FIELDS})"
        return await self._ask(
            lambda drive: drive.files().list(q=query, pageSize=size, fields=fields, **_EVERYWHERE, **more)
        )

    async def _ask(self, build: Build) -> dict[str, Any]:
        client = self._account.client
        return await self._account.send(lambda token, sign_in: client.run(build, token, sign_in))


class Units(IntEnum):
    """The quota units that each kind of request costs, of those that Google allows a user per minute."""

    ONE = 5
    BOTH = 10
    """Cost of two requests, neither of which is a list."""
    LIST = 100
    DOWNLOAD = 200


def _method(
    method_id: str, args: type[Any], answer: type[Any], run: RawMethod, idempotency: Idempotency, units: Units
) -> Method:
    @wraps(run)
    async def asked(call: IntegrationCall, args: Any) -> RawAnswer:
        return replace(await run(call, args), cost_units=float(units))

    return method(
        method_id,
        args=args,
        answer=answer,
        run=asked,
        idempotency=idempotency,
        auth_scopes=(READONLY,),
        paged=method_id in {FOLDER, RECENT},
        cost_hint=f"{units.value} quota units",
    )


def _quoted(words: str) -> str:
    """Quote words for Drive's query language."""
    escaped = words.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _files(answer: Mapping[str, Any]) -> dict[str, Any]:
    complete = not answer.get("incompleteSearch", False) and not answer.get("nextPageToken")
    return {"files": [_file(one) for one in answer.get("files", [])], "complete": complete}


def _change(answer: Mapping[str, Any]) -> dict[str, Any]:
    file: Mapping[str, Any] = answer.get("file") or {}
    if answer.get("removed") or not file or file.get("trashed"):
        return {"id": answer["fileId"], "removed": True, "name": file.get("name", ""), "at": answer.get("time")}
    return {**_touched(file), "at": answer.get("time")}


def _touched(answer: Mapping[str, Any]) -> dict[str, Any]:
    by: Mapping[str, Any] = answer.get("lastModifyingUser") or {}
    whole = _file(answer)
    return {name: whole[name] for name in ("id", "name", "media_type", "size", "modified_at", "owner", "url")} | {
        "created_at": answer.get("createdTime"),
        "by": by.get("displayName", ""),
    }


def _file(answer: Mapping[str, Any]) -> dict[str, Any]:
    owners: list[dict[str, Any]] = answer.get("owners") or [{}]
    return {
        "id": answer["id"],
        "name": answer["name"],
        "media_type": answer["mimeType"],
        "size": int(answer["size"]) if "size" in answer else None,
        "modified_at": answer.get("modifiedTime"),
        "owner": str(owners[0].get("emailAddress", "")).lower(),
        "url": answer.get("webViewLink", ""),
        "target": answer.get("shortcutDetails", {}).get("targetId", ""),
        "drive": answer.get("driveId", ""),
    }
