# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# boto3 generates its clients at run time, so they are untyped.
"""One bucket through boto3, AWS's own client: it blocks, so it runs in a thread; no file is held in memory whole.

A larger file is uploaded in parts, each with its MD5; the bucket gets it once all parts have arrived and their content
matches what the card showed.
"""

import base64
import hashlib
import logging
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

from butler.contract.call_notes import note_headers
from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.ports import Vault
from butler.contract.speech import say
from butler.contract.tools import Attachment
from modules._remote.http import SENTENCES
from modules.r2.config import R2Settings
from modules.r2.faults import fault_of, unreadable

PART = 8 * 1024 * 1024
"""S3 takes parts of 5 MB and more, at most 10,000."""
PIECE = 1024 * 1024
SHA256 = "sha256"
"""The metadata key of the digest that the butler stores with its files."""


@dataclass(frozen=True, slots=True)
class Found:
    """An object of the bucket, without its content."""

    key: str
    size: int
    etag: str
    media_type: str
    sha256: str


class R2Client:
    """The bucket. Its methods block; each raises `IntegrationFault`."""

    def __init__(self, settings: R2Settings, vault: Vault) -> None:
        self._settings = settings
        self._vault = vault
        self._bucket = settings.bucket
        self._made: Any = None
        self._used = ("", "")
        self._making = threading.Lock()

    def look_at(self, key: str) -> Found:
        """Return an object's metadata.

        It opens a GET without reading it, since a refused HEAD cannot say why it was refused.
        """
        with self._asked(key):
            response = self._client().get_object(Bucket=self._bucket, Key=key)
            response["Body"].close()
        return _found(key, response)

    def open(self, key: str) -> "tuple[Found, Download]":
        """Return an object, and its content to be read or closed."""
        with self._asked(key):
            response = self._client().get_object(Bucket=self._bucket, Key=key)
        try:
            found = _found(key, response)
        except IntegrationFault:
            response["Body"].close()
            raise
        return found, Download(self, found, response["Body"])

    def put(self, key: str, file: Attachment, content: BinaryIO, stopped: threading.Event) -> str:
        """Put a file under an unused key; return its ETag. `stopped` ends it between two parts, without effect."""
        if file.size > PART:
            return self._put_in_parts(key, file, content, stopped)
        data = content.read(file.size + 1)
        if len(data) != file.size or hashlib.sha256(data).hexdigest() != file.sha256:
            raise damaged(file)
        with self._asked(key):
            response = self._client().put_object(
                Bucket=self._bucket, Key=key, Body=data, ContentMD5=_md5(data), IfNoneMatch="*", **_described(file)
            )
        return _etag(response)

    def link(self, key: str, seconds: int) -> str:
        """Return a presigned address that fetches an object for `seconds`."""
        with self._asked(key):
            params = {"Bucket": self._bucket, "Key": key}
            return str(self._client().generate_presigned_url("get_object", Params=params, ExpiresIn=seconds))

    def close(self) -> None:
        """Close what is open."""
        if self._made is not None:
            self._made.close()
            self._made = None

    def _put_in_parts(self, key: str, file: Attachment, content: BinaryIO, stopped: threading.Event) -> str:
        client = self._client()
        where = {"Bucket": self._bucket, "Key": key}
        with self._asked(key):
            where["UploadId"] = client.create_multipart_upload(**where, **_described(file))["UploadId"]
        try:
            parts = self._sent_parts(where, file, content, stopped)
            self._must_be_free(key)
        except BaseException as error:
            self._abort(where)
            if isinstance(error, IntegrationFault):
                error.effect = Effect.NONE  # parts alone are no file
            raise
        return self._completed(where, parts)

    def _completed(self, where: dict[str, str], parts: list[dict[str, Any]]) -> str:
        """Complete the upload, unless there is another object of this name by now."""
        complete, every = self._client().complete_multipart_upload, {"Parts": parts}
        try:
            with self._asked(where["Key"]):
                return _etag(complete(**where, MultipartUpload=every, IfNoneMatch="*"))
        except IntegrationFault as fault:
            if fault.code is IntegrationErrorCode.CONFLICT:
                self._abort(where)
            raise

    def _must_be_free(self, key: str) -> None:
        """Raise if the key is used, for servers other than R2 and Amazon that ignore the condition."""
        try:
            self.look_at(key)
        except IntegrationFault as fault:
            if fault.provider_code == "NoSuchKey":
                return
            raise
        raise IntegrationFault(IntegrationErrorCode.CONFLICT, SENTENCES[IntegrationErrorCode.CONFLICT])

    def _sent_parts(
        self, where: dict[str, str], file: Attachment, content: BinaryIO, stopped: threading.Event
    ) -> list[dict[str, Any]]:
        client, sha256, size = self._client(), hashlib.sha256(), 0
        parts: list[dict[str, Any]] = []
        while data := content.read(PART):
            sha256.update(data)
            size += len(data)
            number = len(parts) + 1
            with self._asked(where["Key"]):
                sent = client.upload_part(**where, PartNumber=number, Body=data, ContentMD5=_md5(data))
            parts.append({"PartNumber": number, "ETag": _etag(sent)})
            if stopped.is_set():
                raise IntegrationFault(IntegrationErrorCode.TIMEOUT, "it was stopped half-way")
        if size != file.size or sha256.hexdigest() != file.sha256:
            raise damaged(file)
        return parts

    def _abort(self, where: dict[str, str]) -> None:
        """Delete the parts; if that fails too, the bucket's own rules delete them after a week."""
        from botocore import exceptions as b  # noqa: PLC0415 - the client is loaded when it is used

        try:
            self._client().abort_multipart_upload(**where)
        except (b.ClientError, b.BotoCoreError):
            return

    @contextmanager
    def _asked(self, key: str) -> Generator[None]:
        """Turn boto3's exceptions into faults within the context."""
        from botocore import exceptions as b  # noqa: PLC0415 - as above

        try:
            yield
        except (b.ClientError, b.BotoCoreError) as error:
            raise self.fault(error, key) from None
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise unreadable() from error

    def fault(self, error: Exception, key: str) -> IntegrationFault:
        """Return the fault of boto3's error."""
        return fault_of(error, bucket=self._bucket, key=key, secrets=self._used)

    def _client(self) -> Any:
        names = (self._settings.access_key_env, self._settings.secret_key_env)
        credentials = (self._vault.get(names[0]), self._vault.get(names[1]))
        for name, value in zip(names, credentials, strict=True):
            if not value:
                raise IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, f"{name} is not set")
        with self._making:  # boto3 must create only one client at a time
            if self._made is None or self._used != credentials:
                self.close()
                self._made, self._used = self._new(*credentials), credentials
            return self._made

    def _new(self, access_key: str, secret_key: str) -> Any:
        from boto3.session import Session  # noqa: PLC0415 - as above
        from botocore.config import Config  # noqa: PLC0415 - as above

        # At DEBUG it logs whole requests and answers, with any secret that a server repeats in them.
        logging.getLogger("botocore").setLevel(logging.INFO)
        timeout_s = self._settings.timeout_s
        client: Any = Session().client(
            "s3",
            endpoint_url=self._settings.url,
            aws_access_key_id=access_key,
            aws_secret_access_key=secret_key,
            region_name=self._settings.region,
            verify=self._settings.tls_ca or True,
            config=Config(
                connect_timeout=timeout_s,
                read_timeout=timeout_s,
                # Retries are up to `call()`.
                retries={"total_max_attempts": 1},
                s3={"addressing_style": "path"},
                proxies={},
                # Servers other than Amazon's support few of its newer checksums; each request has its MD5.
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )
        client.meta.events.register_first("needs-retry.s3", _stay)
        client.meta.events.register("after-call.s3", _noted)
        return client


class Download:
    """The content of an open object."""

    def __init__(self, client: R2Client, found: Found, body: Any) -> None:
        self._client = client
        self._found = found
        self._body = body

    def close(self) -> None:
        """Discard the rest."""
        self._body.close()

    def pieces(self, stopped: threading.Event) -> Iterator[bytes]:
        """Yield the content in pieces, up to the stated length; compare it with the digest that the butler stored."""
        from botocore import exceptions as b  # noqa: PLC0415 - as above

        sha256, size = hashlib.sha256(), 0
        try:
            for piece in self._body.iter_chunks(PIECE):
                size += len(piece)
                if stopped.is_set():
                    raise IntegrationFault(IntegrationErrorCode.TIMEOUT, "it was stopped half-way")
                if size > self._found.size:
                    raise unreadable()
                sha256.update(piece)
                yield piece
        except b.BotoCoreError as error:
            raise self._client.fault(error, self._found.key) from None
        finally:
            self.close()
        if size != self._found.size or self._found.sha256 not in {"", sha256.hexdigest()}:
            raise IntegrationFault(IntegrationErrorCode.INVALID_OUTPUT, "the file came damaged")


def damaged(file: Attachment) -> IntegrationFault:
    """Return the fault of a stored file that does not match its digest."""
    text = say("the file {file!r} is not what it was", file=file.name)
    return IntegrationFault(IntegrationErrorCode.INVALID_INPUT, text, effect=Effect.NONE)


def _noted(http_response: Any = None, **_: Any) -> None:
    """Note the headers, which hold the server's request id."""
    if http_response is not None:
        note_headers(http_response.headers)


def _stay(request_dict: dict[str, Any], **_more: Any) -> None:
    """Disable redirects: boto3 would look for the bucket in other regions and follow endless redirects."""
    request_dict["context"].setdefault("s3_redirect", {})["redirected"] = True


def _described(file: Attachment) -> dict[str, Any]:
    return {"ContentType": file.media_type, "Metadata": {SHA256: file.sha256}}


def _md5(data: bytes) -> str:
    return base64.b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode()


def _etag(response: dict[str, Any]) -> str:
    etag = str(response.get("ETag") or "").strip('"')
    if not etag:
        raise unreadable()
    return etag


def _found(key: str, response: dict[str, Any]) -> Found:
    return Found(
        key=key,
        size=int(response["ContentLength"]),
        etag=_etag(response),
        media_type=str(response.get("ContentType") or "application/octet-stream"),
        sha256=str((response.get("Metadata") or {}).get(SHA256, "")),
    )
