"""The adapter `supabase-postgres`: a PostgreSQL database, by its own protocol if its address is set, else by REST."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from butler.contract.adapters import Operation, RemoteIntegration
from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.integration import (
    Idempotency,
    IntegrationCall,
    Method,
    RawAnswer,
    ResultProvenance,
    method,
)
from butler.contract.speech import phrase, say
from modules.postgres.config import PostgresSettings, VectorSettings
from modules.postgres.plain import plain
from modules.postgres.records import (
    QUERY,
    VECTOR_SEARCH,
    Match,
    QueryAnswer,
    QueryArgs,
    VectorSearchAnswer,
    VectorSearchArgs,
)
from modules.postgres.rest import Rest

if TYPE_CHECKING:
    from butler.contract.module import ModuleContext
    from modules.postgres.reading import Caps
    from modules.postgres.session import Sessions

NO_PACKAGE = phrase("reading PostgreSQL needs psycopg; install butler[remote]")
HOW_TO = "docs/how-to/connect-postgres.md"


class PostgresIntegration(RemoteIntegration):
    """Nothing connects before the first call."""

    provider = "postgres"
    adapter_id: ClassVar[str] = "supabase-postgres"
    adapter_description: ClassVar[str] = "Reads a PostgreSQL database, and searches its vectors; also at Supabase."
    operations: ClassVar[Mapping[str, Operation]] = {
        "query": Operation(QUERY, "Read rows by one SELECT, or of a table or function."),
        "vector_search": Operation(VECTOR_SEARCH, "Find the rows of a table that are nearest in meaning, by pgvector."),
    }

    def __init__(self, settings: PostgresSettings, context: ModuleContext) -> None:
        self.settings = settings
        self._context = context
        self._opened: tuple[str, Sessions | Rest] | None = None
        super().__init__(context.probe)

    def methods(self) -> list[Method]:
        read = Idempotency.READ
        return [
            method(QUERY, args=QueryArgs, answer=QueryAnswer, run=self._raw_query, idempotency=read),
            method(
                VECTOR_SEARCH,
                args=VectorSearchArgs,
                answer=VectorSearchAnswer,
                run=self._raw_vector_search,
                idempotency=read,
            ),
        ]

    async def auth_status(self) -> dict[str, Any]:
        try:
            account = await (await self._peer()).whoami()
        except IntegrationFault as fault:
            return {"ok": False, "account": "", "detail": fault.message, "todo": say("look at {page}", page=HOW_TO)}
        return {"ok": True, "account": account, "detail": "", "todo": ""}

    async def stop(self) -> None:
        """Close the connections."""
        opened, self._opened = self._opened, None
        if opened is not None and isinstance(opened[1], Rest):
            await opened[1].close()

    async def _raw_query(self, _call: IntegrationCall, args: QueryArgs) -> RawAnswer:
        peer = await self._peer()
        answer = await peer.query(args) if isinstance(peer, Rest) else await self._selected(peer, args)
        return RawAnswer(answer.model_dump(), provenance=_from(args.table or args.function or "sql"))

    async def _raw_vector_search(self, _call: IntegrationCall, args: VectorSearchArgs) -> RawAnswer:
        search = self._search(args.table)
        vector = args.vector or await self._embedded(args.text)
        peer = await self._peer()
        if isinstance(peer, Rest):
            matches = await peer.search(search, vector, args)
        else:
            matches = await self._nearest(peer, search, vector, args)
        answer = VectorSearchAnswer(matches=matches, count=len(matches))
        return RawAnswer(answer.model_dump(), provenance=_from(search.table))

    async def _selected(self, sessions: Sessions, args: QueryArgs) -> QueryAnswer:
        from modules.postgres import statements  # noqa: PLC0415 - it needs psycopg

        caps = self._caps(args.limit)
        if args.sql:
            return await sessions.read(args.sql, args.params, caps)
        made = statements.select(args, caps.rows + 1)
        return await sessions.read(made.query, made.values, caps)

    async def _nearest(
        self, sessions: Sessions, search: VectorSettings, vector: Sequence[float], args: VectorSearchArgs
    ) -> list[Match]:
        from modules.postgres import statements  # noqa: PLC0415 - it needs psycopg

        made = statements.nearest(search, vector, args)
        try:
            answer = await sessions.read(made.query, made.values, self._caps(args.limit))
        except IntegrationFault as fault:
            # pgvector has no code of its own for this: 22000 is any data exception.
            if fault.provider_code != "22000":
                raise
            text = say(
                "the vectors of {name} have another length than the {count} numbers given; "
                "give a vector of the model that they were made with",
                name=search.name,
                count=len(vector),
            )
            raise IntegrationFault(IntegrationErrorCode.INVALID_INPUT, text, provider_code="22000") from None
        # A vector of length 0 has no angle to another: its score is NaN.
        return [_match(search, row) for row in answer.rows if isinstance(row[2], int | float)]

    async def _embedded(self, text: str) -> list[float]:
        [vector] = await self._context.agents.embed([text], query=True)
        return vector

    def _search(self, name: str) -> VectorSettings:
        searches = self.settings.vectors
        if not searches:
            text = say("no [[modules.postgres.bot.vectors]] says what can be searched; look at {page}", page=HOW_TO)
            raise IntegrationFault(IntegrationErrorCode.NOT_FOUND, text)
        found = next((one for one in searches if one.name == name), None) if name else searches[0]
        if found is None:
            text = say("there is no search called so; there are {names}", names=", ".join(one.name for one in searches))
            raise IntegrationFault(IntegrationErrorCode.NOT_FOUND, text)
        return found

    def _caps(self, limit: int) -> Caps:
        from modules.postgres.reading import Caps  # noqa: PLC0415 - it needs psycopg

        settings = self.settings
        return Caps(rows=min(limit, settings.max_rows), bytes=settings.max_bytes, value_chars=settings.max_value_chars)

    async def _peer(self) -> Sessions | Rest:
        """Return the database according to the vault: by its address, or else by the key of its REST API."""
        url, key = (self._context.vault.get(name) for name in (self.settings.url_env, self.settings.key_env))
        by_rest = not url and self.settings.rest_url is not None and bool(key)
        if not url and not by_rest:
            variables = {"url": self.settings.url_env, "key": self.settings.key_env}
            text = say("the database's address is missing: set {url}, or rest_url and {key}", **variables)
            raise IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, text)
        credential = url or key
        if self._opened is None or self._opened[0] != credential:
            await self.stop()
            self._opened = credential, Rest(key, self.settings) if by_rest else self._sessions(url)
        return self._opened[1]

    def _sessions(self, url: str) -> Sessions:
        try:
            from modules.postgres.session import Sessions  # noqa: PLC0415 - psycopg is loaded with the first call
        except ModuleNotFoundError:
            raise IntegrationFault(IntegrationErrorCode.UNAVAILABLE, say(NO_PACKAGE)) from None
        return Sessions(url, self.settings, self._context.zone.key)


def _match(search: VectorSettings, row: Sequence[Any]) -> Match:
    key, text, score, *more = row
    return Match(
        id=plain(key, 1_000)[0] if isinstance(key, str) else str(key),
        score=float(score),
        text=str(text or ""),
        row=dict(zip(search.columns, more, strict=True)),
    )


def _from(what: str) -> ResultProvenance:
    return ResultProvenance(source_type="postgres", source_ref=what)
