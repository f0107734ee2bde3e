"""The port of embedders, which map texts of similar meaning to near vectors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Works offline and is thread-safe. Loads its weights at the first call."""

    @property
    def name(self) -> str:
        """The model and format of its vectors, as part of a file name; vectors of different names are not compared."""
        ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str], *, query: bool) -> "NDArray[np.float32]":
        """Return one row of length 1 for each text, `(len(texts), dimensions)`; questions if `query`, else passages."""
        ...

    def usual(self, vectors: "NDArray[np.float32]", *, query: bool) -> "NDArray[np.float32]":
        """Return how near each vector is, by cosine, to unrelated texts: the baseline of its similarities."""
        ...
