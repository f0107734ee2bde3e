"""`[modules.postgres.bot]`: a PostgreSQL database, by its address or through PostgREST as Supabase offers it."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from modules._accounts.settings import Section
from modules._remote.settings import HttpRoot, RemoteSettings

NAME = r"[A-Za-z_][A-Za-z0-9_$]*"
Column = Annotated[str, Field(pattern=f"^{NAME}$", max_length=63)]
Relation = Annotated[str, Field(pattern=rf"^{NAME}(\.{NAME})?$", max_length=127)]
"""A table, view or function, with an optional schema before a dot."""


class Distance(StrEnum):
    """How near two vectors are: by their angle, by the space between them, or by their inner product."""

    COSINE = "cosine"
    L2 = "l2"
    IP = "ip"


class VectorSettings(Section):
    """A table whose rows are found by their meaning."""

    name: Column
    """What the butler calls it."""
    table: Relation
    """The table or view, such as `public.documents`."""
    column: Column = "embedding"
    """The column of type `vector`."""
    id_column: Column = "id"
    """The column by which a row is known."""
    text_column: Column | None = None
    """The column with the text that was embedded, where there is one."""
    columns: tuple[Column, ...] = ()
    """Further columns that an answer shows."""
    distance: Distance = Distance.COSINE
    """`cosine`, `l2` or `ip`: what its index is made for."""
    function: Relation | None = None
    """Over REST alone: the function that searches, such as `match_documents`; it takes `query_embedding` and
    `match_count`."""
    score_column: Column = "similarity"
    """Over REST alone: what that function calls its score."""


class PostgresSettings(RemoteSettings):
    """The butler's own login at a database; give it a role that may only read."""

    provider: Literal["postgres"] = "postgres"
    """`postgres`."""
    url_env: str = "BUTLER_POSTGRES_URL"
    """The variable that holds `postgresql://ROLE:PASSWORD@HOST/DATABASE?sslmode=verify-full`."""
    rest_url: HttpRoot | None = None
    """Where there is no such address: the root of PostgREST, such as `https://REF.supabase.co/rest/v1`."""
    key_env: str = "BUTLER_SUPABASE_KEY"
    """The variable that holds the key for `rest_url`."""
    max_rows: int = Field(default=1000, ge=1, le=10_000)
    """Rows of an answer at most; over REST no more than the server's own limit, which is 1000 at Supabase."""
    max_bytes: int = Field(default=1_000_000, ge=10_000, le=16_000_000)
    """Bytes of an answer at most."""
    max_value_chars: int = Field(default=10_000, ge=100, le=1_000_000)
    """Where a single value is cut."""
    lock_timeout_s: float = Field(default=3.0, gt=0, le=60)
    """How long a query waits for a lock that somebody holds."""
    free_sql: bool = False
    """Whether SQL, functions and their values run without asking where a language model or others chose them; they may
    have effects outside of the database where the role may call such functions."""
    vectors: tuple[VectorSettings, ...] = ()
    """The tables that can be searched by meaning."""


class PostgresModuleSettings(Section):
    """`[modules.postgres]`."""

    bot: PostgresSettings | None = None
