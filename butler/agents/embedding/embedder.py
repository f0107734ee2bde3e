"""What turns texts into vectors that lie near one another where the texts mean the like."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Offline, and safe to be called from several threads. Loads its weights at the first call, never before."""

    @property
    def name(self) -> str:
        """Model and form of its vectors, as part of a file's name: vectors of different names are never compared."""
        ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str], *, query: bool) -> "NDArray[np.float32]":
        """One row of length 1 for each text, `(len(texts), dimensions)`; a question with `query`, else a passage."""
        ...

    def usual(self, vectors: "NDArray[np.float32]", *, query: bool) -> "NDArray[np.float32]":
        """How near each of these is to things that have nothing to do with it, by cosine: what all seems near to."""
        ...
