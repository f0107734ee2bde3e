# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# Qdrant's client leaves some of its arguments untyped.
"""A Qdrant server through its own client, over REST. The client is heavy, so it is loaded with the first call."""

import json
import math
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

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
from modules._remote.http import trusting
from modules.qdrant.args import (
    CreateArgs,
    Created,
    Distance,
    Found,
    Health,
    HealthArgs,
    Point,
    SearchArgs,
    UpsertArgs,
    Upserted,
)
from modules.qdrant.bounds import PLAIN, bounded
from modules.qdrant.config import QdrantSettings
from modules.qdrant.faults import clean
from modules.qdrant.filters import filter_of

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient

SEARCH = "qdrant.points.search.v1"
UPSERT = "qdrant.points.upsert.v1"
CREATE = "qdrant.collections.create.v1"
HEALTH = "qdrant.service.health_check.v1"
MOST_CHARACTERS = 4 * 1024 * 1024
"""The most characters of the payloads of one answer, as JSON."""


class QdrantIntegration(RemoteIntegration):
    """One server."""

    provider = "qdrant"
    adapter_id = "qdrant-vector"
    adapter_description = (
        "Search by meaning in a Qdrant server's collections of vectors, and put texts or vectors there."
    )
    operations: ClassVar[Mapping[str, Operation]] = {
        "search": Operation(SEARCH, "Find the points nearest to a text or a vector."),
        "upsert": Operation(UPSERT, "Put texts or vectors into a collection; what has the same id is overwritten."),
        "create_collection": Operation(CREATE, "Make a collection, unless it is there already."),
        "health_check": Operation(HEALTH, "Ask the server how it is, and which collections it has."),
    }

    def __init__(self, settings: QdrantSettings, context: ModuleContext) -> None:
        self._settings = settings
        self._vault, self._embed = context.vault, context.agents.embed
        self._client: AsyncQdrantClient | None = None
        super().__init__(context.probe)

    def methods(self) -> list[Method]:
        # A point's id, or a collection's name, prevents duplicates at the server.
        read, once = Idempotency.READ, Idempotency.PROVIDER
        return [
            method(SEARCH, args=SearchArgs, answer=Found, run=self._raw_search, idempotency=read),
            method(UPSERT, args=UpsertArgs, answer=Upserted, run=self._raw_upsert, idempotency=once),
            method(CREATE, args=CreateArgs, answer=Created, run=self._raw_create, idempotency=once),
            method(HEALTH, args=HealthArgs, answer=Health, run=self._raw_health, idempotency=read),
        ]

    async def auth_status(self) -> dict[str, Any]:
        result = await self.request("auth-status", HEALTH, timeout_ms=int(self._settings.timeout_s * 1000))
        if result.error is not None:
            return auth_answer(result.error, self._settings.url, todo="see docs/how-to/connect-qdrant.md")
        data = result.data or {}
        detail = f"Qdrant {data['version']}, collections: {', '.join(data['collections']) or 'none'}"
        todo = "" if data["ok"] else "the server is not ready yet; look at its log"
        return {"ok": bool(data["ok"]), "account": self._settings.url, "detail": detail, "todo": todo}

    async def stop(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _raw_search(self, _: IntegrationCall, args: SearchArgs) -> RawAnswer:
        collection = args.collection or self._settings.collection
        if not collection:
            raise _no_use(say("say which collection of Qdrant's is searched"))
        vectors = [list(args.vector)] if args.vector else await self._embedded(collection, [args.text], query=True)
        with self._asked() as client:
            from qdrant_client import models  # noqa: PLC0415 - heavy

            conditions = filter_of(args.filter)
            found = await client.query_points(
                collection,
                query=vectors[0],
                limit=args.limit,
                query_filter=models.Filter.model_validate(conditions) if conditions else None,
                score_threshold=args.score_threshold,
                with_payload=True,
            )
            matches = [self._match(one.id, one.score, one.payload or {}) for one in found.points]
        if len(json.dumps(matches)) > MOST_CHARACTERS:
            raise IntegrationFault(
                IntegrationErrorCode.INVALID_OUTPUT, say("the answer is too long; ask for less at a time")
            )
        provenance = ResultProvenance(source_type="qdrant", source_ref=collection)
        return RawAnswer({"matches": matches, "count": len(matches)}, provenance=provenance)

    async def _raw_upsert(self, _: IntegrationCall, args: UpsertArgs) -> RawAnswer:
        texts = [point.text for point in args.points if not point.vector]
        embedded = iter(await self._embedded(args.collection, texts, query=False) if texts else [])
        wire = [
            (point, self._payload(point), list(point.vector) if point.vector else next(embedded))
            for point in args.points
        ]
        with self._asked() as client:
            from qdrant_client import models  # noqa: PLC0415 - heavy

            points = [
                models.PointStruct(id=point.point_id, vector=vector, payload=payload) for point, payload, vector in wire
            ]
            done = await client.upsert(args.collection, points=points, wait=True)
            return RawAnswer({"count": len(points), "status": done.status.value})

    async def _raw_create(self, _: IntegrationCall, args: CreateArgs) -> RawAnswer:
        there = await self._vectors_of(args.collection)
        if there is None and await self._made(args):
            return RawAnswer({"collection": args.collection, "created": True})
        there = there or await self._vectors_of(args.collection)
        if there != (args.size, args.distance):
            raise IntegrationFault(IntegrationErrorCode.CONFLICT, _otherwise(args.collection, there))
        return RawAnswer({"collection": args.collection, "created": False})

    async def _raw_health(self, _: IntegrationCall, __: HealthArgs) -> RawAnswer:
        with self._asked() as client:
            version = (await client.info()).version
            listed = (await client.get_collections()).collections
            ready = await _ready(client)
        return RawAnswer({"ok": ready, "version": version, "collections": sorted(one.name for one in listed)})

    async def _embedded(self, collection: str, texts: list[str], *, query: bool) -> list[list[float]]:
        """Return the texts' vectors; raise `IntegrationFault` if the collection's vectors are not made here."""
        if collection not in self._settings.text_collections:
            raise _no_use(
                say("{name} is none of the collections of texts in your settings; it takes vectors", name=collection)
            )
        return await self._embed(texts, query=query)

    def _payload(self, point: Point) -> dict[str, Any]:
        field = self._settings.text_field
        if point.vector:
            return dict(point.payload)
        if point.payload.get(field, point.text) != point.text:
            raise _no_use(
                say("{field} is where the text itself is kept; call what is beside it otherwise", field=field)
            )
        return {**point.payload, field: point.text}

    def _match(self, point: int | str | object, score: float, payload: Mapping[str, Any]) -> dict[str, Any]:
        text = payload.get(self._settings.text_field)
        return {
            "id": point if isinstance(point, int) else str(point),
            "score": score,
            "payload": dict(payload),
            "text": text if isinstance(text, str) else "",
        }

    async def _vectors_of(self, collection: str) -> tuple[int, Distance] | tuple[()] | None:
        """Return a collection's size and distance; empty if its points have several vectors, None if it is missing."""
        try:
            with self._asked() as client:
                found = (await client.get_collection(collection)).config.params.vectors
        except IntegrationFault as fault:
            if fault.code is IntegrationErrorCode.NOT_FOUND:
                return None
            raise
        if found is None or isinstance(found, dict):
            return ()
        return found.size, Distance(found.distance.value)

    async def _made(self, args: CreateArgs) -> bool:
        """Create the collection; return False if somebody else did so first."""
        try:
            with self._asked() as client:
                from qdrant_client import models  # noqa: PLC0415 - heavy

                vectors = models.VectorParams(size=args.size, distance=models.Distance(args.distance.value))
                return await client.create_collection(args.collection, vectors_config=vectors)
        except IntegrationFault as fault:
            if fault.code is IntegrationErrorCode.CONFLICT:
                return False
            raise

    @contextmanager
    def _asked(self) -> Generator["AsyncQdrantClient"]:
        """Yield the client, whose errors become `IntegrationFault`."""
        key = self._key()
        if self._client is None:
            self._client = self._opened(key)
        with clean(self._settings.timeout_s, (key,)):
            yield self._client

    def _key(self) -> str:
        name = self._settings.key_env
        key = self._vault.get(name) if name else ""
        if name and not key:
            raise IntegrationFault(
                IntegrationErrorCode.AUTH_REQUIRED,
                say("there is no key in {name}; put it there, or leave key_env empty where none is needed", name=name),
            )
        return key

    def _opened(self, key: str) -> "AsyncQdrantClient":
        from qdrant_client import AsyncQdrantClient  # noqa: PLC0415 - heavy

        verify = trusting(self._settings.tls_ca) if self._settings.tls_ca else True
        return AsyncQdrantClient(
            url=self._settings.url,
            # The address holds the port; the client would warn of a key in `api_key` on the owner's own network.
            port=None,
            headers=PLAIN | ({"api-key": key} if key else {}),
            timeout=math.ceil(self._settings.timeout_s),
            check_compatibility=False,
            verify=verify,
            trust_env=False,
            event_hooks={"response": [bounded]},
        )


async def _ready(client: "AsyncQdrantClient") -> bool:
    """Return whether the server reports that it is ready."""
    from qdrant_client.http.exceptions import UnexpectedResponse  # noqa: PLC0415 - heavy

    try:
        await client.http.service_api.readyz()
    except UnexpectedResponse as error:
        if error.status_code == 503:  # noqa: PLR2004 - what Qdrant answers while it starts
            return False
        raise
    except json.JSONDecodeError:
        # The answer is plain text, which the client cannot parse as JSON; its arrival shows that the server is ready.
        return True
    return True


def _otherwise(collection: str, there: tuple[int, Distance] | tuple[()] | None) -> str:
    if not there:
        return say("there is a collection {name} already, made otherwise; choose another name", name=collection)
    return say(
        "there is a collection {name} already, with {size} dimensions compared by {distance}; choose another name",
        name=collection,
        size=there[0],
        distance=there[1].value,
    )


def _no_use(message: str) -> IntegrationFault:
    return IntegrationFault(IntegrationErrorCode.INVALID_INPUT, message)
