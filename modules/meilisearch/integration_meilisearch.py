"""A Meilisearch server over HTTP."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, cast

from butler.contract.adapters import Operation, RemoteIntegration
from butler.contract.errors import IntegrationErrorCode, IntegrationFault
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
from modules.meilisearch.client import Server
from modules.meilisearch.config import MeilisearchSettings
from modules.meilisearch.filters import filter_of
from modules.meilisearch.records import LOOK, SEARCH, Found, Look, LookArgs, SearchArgs

MOST_CHARACTERS = 4 * 1024 * 1024
"""The most characters of the documents of one answer, as JSON."""
_PASSAGE_WORDS = 60


class MeilisearchIntegration(RemoteIntegration):
    """One server."""

    provider = "meilisearch"
    adapter_id = "meilisearch"
    adapter_description = "Search documents by words in the indexes of a Meilisearch server."
    operations: ClassVar[Mapping[str, Operation]] = {
        "search": Operation(SEARCH, "Find documents by words, typos forgiven, and by what holds of their fields."),
    }

    def __init__(self, settings: MeilisearchSettings, context: ModuleContext) -> None:
        self._settings, self._vault = settings, context.vault
        super().__init__(context.probe)

    def methods(self) -> list[Method]:
        read = Idempotency.READ
        return [
            method(SEARCH, args=SearchArgs, answer=Found, run=self._raw_search, idempotency=read),
            method(LOOK, args=LookArgs, answer=Look, run=self._raw_look, idempotency=read),
        ]

    async def auth_status(self) -> dict[str, Any]:
        index = self._settings.index
        result = await self.request(
            "auth-status", LOOK, {"index": index}, timeout_ms=int(self._settings.timeout_s * 1000)
        )
        detail = f"index {index}, about {(result.data or {}).get('documents')} documents"
        todo = "see docs/how-to/connect-meilisearch.md"
        return auth_answer(result.error, self._settings.url, detail=detail, todo=todo)

    async def _raw_search(self, _: IntegrationCall, args: SearchArgs) -> RawAnswer:
        index, text = args.index or self._settings.index, self._settings.text_field
        options: dict[str, Any] = {
            "limit": args.limit,
            "offset": args.offset,
            "showRankingScore": True,
            "attributesToCrop": [text],
            "cropLength": _PASSAGE_WORDS,
        }
        more = {"filter": filter_of(args.filter), "sort": list(args.sort) or None}
        answer = await self._ask(index, args.query, options | {name: one for name, one in more.items() if one})
        hits = [self._hit(one) for one in _documents(answer)]
        if len(json.dumps(hits)) > MOST_CHARACTERS:
            raise IntegrationFault(
                IntegrationErrorCode.INVALID_OUTPUT, say("the answer is too long; ask for less at a time")
            )
        data = {"hits": hits, "count": len(hits), "estimated": answer.get("estimatedTotalHits"), "index": index}
        return RawAnswer(data, provenance=ResultProvenance(source_type="meilisearch", source_ref=index))

    async def _raw_look(self, _: IntegrationCall, args: LookArgs) -> RawAnswer:
        answer = await self._ask(args.index, "", {"limit": 0})
        return RawAnswer({"documents": answer.get("estimatedTotalHits")})

    async def _ask(self, index: str, query: str, options: dict[str, Any]) -> dict[str, Any]:
        name = self._settings.key_env
        key = self._vault.get(name) if name else ""
        if name and not key:
            raise IntegrationFault(
                IntegrationErrorCode.AUTH_REQUIRED,
                say("there is no key in {name}; put it there, or leave key_env empty where none is needed", name=name),
            )
        server = Server(self._settings.url, key, self._settings.timeout_s, self._settings.tls_ca)
        return await server.search(index, query, options)

    def _hit(self, found: dict[str, Any]) -> dict[str, Any]:
        settings = self._settings
        document = {name: value for name, value in found.items() if name not in {"_formatted", "_rankingScore"}}
        cropped = cast("dict[str, Any]", found.get("_formatted") or {})
        return {
            "id": _text(document.get(settings.id_field)),
            "title": _text(document.get(settings.title_field)),
            "text": _text(cropped.get(settings.text_field, document.get(settings.text_field))),
            "score": found.get("_rankingScore"),
            "document": document,
        }


def _documents(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    hits: Any = answer.get("hits")
    listed = cast("list[Any]", hits) if isinstance(hits, list) else [None]
    if not all(isinstance(one, dict) for one in listed):
        raise IntegrationFault(IntegrationErrorCode.INVALID_OUTPUT, "the server's answer is no answer of Meilisearch's")
    return cast("list[dict[str, Any]]", listed)


def _text(value: object) -> str:
    return str(value) if isinstance(value, (str, int)) else ""
