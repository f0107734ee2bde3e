"""The web as a provider: reads one page, or a page with the pages of its own site that it links to.

The connector agent fetches, under its own limits; this file adds the schema, the time-out and the trace.
"""

from typing import Any

from pydantic import Field

from butler.contract.agent_ports import DocumentReader
from butler.contract.agents import AgentFailure, ConnectorInput
from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import IntegrationFault
from butler.contract.integration import (
    CallProbe,
    Idempotency,
    IntegrationCall,
    Method,
    RawAnswer,
    ResultProvenance,
    auth_answer,
    method,
)
from butler.contract.reading import document_data, not_read
from butler.contract.records import ClosedRecord, Record

READ = "web.page.read.v1"
LONGEST_URL = 4_000


class PageArgs(ClosedRecord):
    """Which page."""

    url: str = Field(min_length=1, max_length=LONGEST_URL)
    recursive: bool = False
    credentials_id: str = ""


class PageAnswer(Record):
    """What was read of it."""

    document: dict[str, Any]


class WebIntegration(BaseIntegration):
    """Any web server; no account is needed."""

    provider = "web"

    def __init__(self, documents: DocumentReader, probe: CallProbe | None = None) -> None:
        self._documents = documents
        super().__init__(probe)

    def methods(self) -> list[Method]:
        return [method(READ, args=PageArgs, answer=PageAnswer, run=self._raw_read, idempotency=Idempotency.READ)]

    async def auth_status(self) -> dict[str, Any]:
        return auth_answer(None, detail="nobody signs in to read pages")

    async def _raw_read(self, _call: IntegrationCall, args: PageArgs) -> RawAnswer:
        """Return the page's record; `raw` is the whole `ReadDocument`."""
        source = ConnectorInput(
            source_type="web",
            source_identifier=args.url,
            recursive=args.recursive,
            credentials_id=args.credentials_id or None,
        )
        read = await self._documents.read(source)
        if isinstance(read, AgentFailure):
            raise _fault_of(read)
        return RawAnswer(
            document_data(read), provenance=ResultProvenance(source_type="web", source_ref=read.source_id), raw=read
        )


def _fault_of(failure: AgentFailure) -> IntegrationFault:
    error = not_read(failure).error
    assert error is not None
    return IntegrationFault(error.code, error.message, provider_code=error.provider_code)
