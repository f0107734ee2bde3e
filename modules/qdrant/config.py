"""`[modules.qdrant.bot]`: the server, and which of its collections hold texts."""

from typing import Annotated, Literal

from pydantic import Field

from modules._accounts.settings import Section
from modules._remote.settings import HttpRoot, RemoteSettings
from modules.qdrant.args import COLLECTION

Collection = Annotated[str, Field(pattern=COLLECTION, max_length=128)]


class QdrantSettings(RemoteSettings):
    """A Qdrant server that the butler reads and writes with a key of its own."""

    provider: Literal["qdrant"] = "qdrant"
    """`qdrant`."""
    url: HttpRoot
    """Its address with the port of its REST interface, which is 6333 unless you chose another."""
    key_env: str = "BUTLER_QDRANT_KEY"
    """The variable that holds its API key; empty for a server without one."""
    collection: Collection | Literal[""] = ""
    """The collection that is searched when none is named."""
    text_collections: tuple[Collection, ...] = ()
    """Collections whose vectors the butler makes of texts, with its own embedder: 384 dimensions."""
    text_field: Annotated[str, Field(min_length=1, max_length=100)] = "text"
    """Where in a point's payload its text stands."""


class QdrantModuleSettings(Section):
    """`[modules.qdrant]`."""

    bot: QdrantSettings | None = None
