"""A bucket at Cloudflare R2, or at any server that speaks S3, as a remote adapter."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlsplit

from butler.contract.adapters import Operation, RemoteIntegration
from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import (
    Idempotency,
    IntegrationCall,
    Method,
    RawAnswer,
    ResultProvenance,
    auth_answer,
    method,
)
from butler.contract.module import ModuleContext
from butler.contract.speech import say
from butler.contract.tools import Attachment
from modules.r2 import records as r
from modules.r2.client import Download, Found, R2Client
from modules.r2.config import R2Settings
from modules.r2.keys import name_of, safe_key

T = TypeVar("T")
_NO_KEY = "butler-asks-whether-its-key-is-good"


class R2Integration(RemoteIntegration):
    """One bucket."""

    provider = "r2"
    adapter_id = "cloudflare-r2"
    adapter_description = "Files in a bucket at Cloudflare R2 or another S3 server, and links to them that end."
    operations: ClassVar[Mapping[str, Operation]] = {
        "put_object": Operation(r.PUT_OBJECT, "Put a file into the bucket, where nothing is under its key yet."),
        "get_object": Operation(r.GET_OBJECT, "Fetch a file out of the bucket, or make a link to it."),
    }

    def __init__(self, settings: R2Settings, context: ModuleContext) -> None:
        self._settings = settings
        self._clock = context.clock
        self._blobs = context.storage.blobs
        self._client = R2Client(settings, context.vault)
        super().__init__(context.probe)

    def methods(self) -> list[Method]:
        state, read = Idempotency.STATE, Idempotency.READ
        return [
            method(r.PUT_OBJECT, args=r.PutArgs, answer=r.Stored, run=self._raw_put, idempotency=state),
            method(r.GET_OBJECT, args=r.GetArgs, answer=r.Fetched, run=self._raw_get, idempotency=read),
            method(r.LOOK_AT, args=r.LookArgs, answer=r.Seen, run=self._raw_look, idempotency=read),
        ]

    async def auth_status(self) -> dict[str, Any]:
        result = await self.request("auth", r.LOOK_AT, {"key": _NO_KEY})
        account = f"{self._settings.bucket} at {urlsplit(self._settings.url).netloc}"
        error = result.error
        if error is None or error.provider_code == "NoSuchKey":
            return auth_answer(None, account)
        variables = f"{self._settings.access_key_env} and {self._settings.secret_key_env}"
        todo = {
            IntegrationErrorCode.AUTH_REQUIRED: f"put the bucket's access key into {variables}",
            IntegrationErrorCode.FORBIDDEN: "give the access key leave to read and write this bucket",
            IntegrationErrorCode.NOT_FOUND: "make the bucket, or correct its name in the settings",
        }.get(error.code, "see whether the server can be reached")
        return auth_answer(error, account, todo=f"{todo} (docs/how-to/connect-r2.md)")

    async def stop(self) -> None:
        """Close the connections."""
        self._client.close()

    async def _raw_put(self, _call: IntegrationCall, args: r.PutArgs) -> RawAnswer:
        file, key = args.file, key_of(args)
        if not key:
            text = say("the file has no name that it could be stored under; give it one")
            raise IntegrationFault(IntegrationErrorCode.INVALID_INPUT, text)
        if file.size > self._settings.most_bytes:
            text = say(
                "the file is larger than {most} MB, the most your settings allow", most=self._settings.largest_mb
            )
            raise IntegrationFault(IntegrationErrorCode.INVALID_INPUT, text)
        etag = await self._there_already(key, file) or await self._uploaded(key, file)
        return RawAnswer({"key": key, "size": file.size, "etag": etag} | await self._linked(key, args.link_minutes))

    async def _there_already(self, key: str, file: Attachment) -> str:
        """Return the ETag if exactly this file is stored; empty if there is none. Raise if there is another file."""
        try:
            found = await _in_thread(lambda _stopped: self._client.look_at(key))
        except IntegrationFault as fault:
            if fault.provider_code == "NoSuchKey":
                return ""
            fault.effect = Effect.NONE  # the object was only looked up
            raise
        if (found.sha256, found.size) == (file.sha256, file.size):
            return found.etag
        text = say("there is another file {key} in the bucket already; give this one another name", key=key)
        raise IntegrationFault(IntegrationErrorCode.CONFLICT, text)

    async def _uploaded(self, key: str, file: Attachment) -> str:
        def upload(stopped: threading.Event) -> str:
            try:
                content = self._blobs.open(file.sha256)
            except KeyError as error:
                text = say("the file {file!r} is not there any more", file=file.name)
                raise IntegrationFault(IntegrationErrorCode.INVALID_INPUT, text) from error
            with content:
                return self._client.put(key, file, content, stopped)

        try:
            return await _in_thread(upload)
        except IntegrationFault as fault:
            # If somebody was faster, it may have been this call's earlier attempt, whose answer was lost.
            conflict = fault.code is IntegrationErrorCode.CONFLICT
            if conflict and (etag := await self._there_already(key, file)):
                return etag
            raise

    async def _raw_get(self, _call: IntegrationCall, args: r.GetArgs) -> RawAnswer:
        found, download = await _in_thread(lambda _stopped: self._client.open(args.key))
        data: dict[str, Any] = {"key": found.key, "size": found.size, "media_type": found.media_type, "file": None}
        if args.link_only or found.size > self._settings.most_bytes:
            download.close()
            data |= await self._linked(args.key, args.link_minutes)
        else:
            data |= {"file": await self._kept(found, download), "link": "", "link_expires_at": None}
        return RawAnswer(data, provenance=ResultProvenance(source_type="r2", source_ref=args.key))

    async def _kept(self, found: Found, download: Download) -> Attachment:
        stopped = threading.Event()
        try:
            digest = await self._blobs.put_pieces(download.pieces(stopped))
        finally:
            stopped.set()
        return Attachment(name=name_of(found.key), size=found.size, sha256=digest, media_type=found.media_type)

    async def _raw_look(self, _call: IntegrationCall, args: r.LookArgs) -> RawAnswer:
        found = await _in_thread(lambda _stopped: self._client.look_at(args.key))
        return RawAnswer(
            {
                "key": found.key,
                "size": found.size,
                "etag": found.etag,
                "media_type": found.media_type,
                "sha256": found.sha256,
            }
        )

    async def _linked(self, key: str, minutes: int) -> dict[str, Any]:
        holds = timedelta(minutes=minutes or self._settings.link_minutes)
        link = await _in_thread(lambda _stopped: self._client.link(key, int(holds.total_seconds())))
        now: datetime = self._clock.now().replace(microsecond=0)
        return {"link": link, "link_expires_at": now + holds}


def key_of(args: r.PutArgs) -> str:
    """Return the file's key in the bucket; empty if no valid name is left."""
    return safe_key(args.key or args.file.name)


async def _in_thread(do: Callable[[threading.Event], T]) -> T:
    """Run blocking work in a thread; cancelling tells it to stop."""
    stopped = threading.Event()
    try:
        return await asyncio.to_thread(do, stopped)
    finally:
        stopped.set()
