"""`[modules.meilisearch.bot]`: the server, its default index, and the names of a document's fields."""

from typing import Annotated, Literal

from pydantic import Field

from modules._accounts.settings import Section
from modules._remote.settings import HttpRoot, RemoteSettings
from modules.meilisearch.records import INDEX

FieldName = Annotated[str, Field(min_length=1, max_length=200)]


class MeilisearchSettings(RemoteSettings):
    """A Meilisearch server that the butler searches with a key of its own."""

    provider: Literal["meilisearch"] = "meilisearch"
    """`meilisearch`."""
    url: HttpRoot
    """Its address, with the port, which is 7700 unless you chose another."""
    key_env: str = "BUTLER_MEILISEARCH_KEY"
    """The variable that holds an API key with the action `search`; empty for a server without keys."""
    index: Annotated[str, Field(pattern=INDEX, max_length=400)]
    """The index that is searched when none is named."""
    id_field: FieldName = "id"
    """Which field of a document is its id: the index's primary key."""
    title_field: FieldName = "title"
    """Which field of a document is its title."""
    text_field: FieldName = "text"
    """Which field of a document is its text, of which the part that fits is shown."""


class MeilisearchModuleSettings(Section):
    """`[modules.meilisearch]`."""

    bot: MeilisearchSettings | None = None
