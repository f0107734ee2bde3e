"""Cloudflare R2 as the conformance suite sees it: SeaweedFS's S3 behind a proxy that can fail."""

import asyncio
from collections.abc import AsyncGenerator, Hashable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from butler.contract.adapters import RemoteIntegration
from butler.contract.module import Module
from modules.r2.config import R2ModuleSettings
from modules.r2.integration_r2 import R2Integration
from modules.r2.module import R2Module
from tests.adapters.faulty import FaultyProxy, Status
from tests.adapters.servers.seaweed import BUTLER, Bucket, server
from tests.adapters.subject import Drive, Fault, Subject
from tests.support.context import MemoryBlobs, make_context

ACCESS_KEY, SECRET_KEY = "BUTLER_R2_ACCESS_KEY", "BUTLER_R2_SECRET_KEY"
LETTER, PAPERS = "letters/anna.txt", b"%PDF-1.7 the papers"


def refusal(status: int, code: str, message: str) -> Status:
    """A refusal as S3 words it."""
    body = f"<?xml version='1.0' encoding='UTF-8'?><Error><Code>{code}</Code><Message>{message}</Message></Error>"
    return Status(status, body.encode(), {"Content-Type": "application/xml"})


REFUSED = {
    Fault.WRONG_KEY: refusal(403, "InvalidAccessKeyId", "The access key ID you provided does not exist."),
    Fault.NOT_FOUND: refusal(404, "NoSuchBucket", "The specified bucket does not exist."),
}


@dataclass
class R2Subject:
    """The module, a bucket, and the proxy between them."""

    module: Module
    integration: RemoteIntegration
    secrets: Sequence[str]
    drives: Sequence[Drive]
    bucket: Bucket
    proxy: FaultyProxy

    async def state(self) -> Hashable:
        return await asyncio.to_thread(self.bucket.state)

    async def calls(self) -> int:
        return self.proxy.requests

    def fault(self, fault: Fault) -> AbstractAsyncContextManager[None]:
        return self.proxy.fault(fault, REFUSED.get(fault))


@asynccontextmanager
async def subject() -> AsyncGenerator[Subject]:
    """A bucket with one object in it."""
    bucket = await asyncio.to_thread(lambda: server().bucket())
    await asyncio.to_thread(bucket.put, LETTER, b"Dear Anna")
    async with FaultyProxy(bucket.url) as proxy:
        blobs = MemoryBlobs()
        digest = await blobs.put(PAPERS)
        context = make_context(secrets=dict(zip((ACCESS_KEY, SECRET_KEY), BUTLER, strict=True)), blobs=blobs)
        section = {"endpoint": proxy.url, "bucket": bucket.name, "timeout_s": 1.5}
        module = R2Module(R2ModuleSettings.model_validate({"bot": section}), context)
        (integration,) = module.integrations()
        assert isinstance(integration, R2Integration)
        file = {"name": "papers.pdf", "size": len(PAPERS), "sha256": digest, "media_type": "application/pdf"}
        drives = (
            Drive("put_object", {"file": file, "key": "papers/2026.pdf"}),
            Drive("get_object", {"key": LETTER}, missing={"key": "letters/nobody.txt"}),
        )
        try:
            yield R2Subject(module, integration, (BUTLER[1],), drives, bucket, proxy)
        finally:
            await module.stop()
