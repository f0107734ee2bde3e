"""Writes what training leaves for the daemon, as `butler/understanding/weights.py` reads it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from butler.understanding.weights import MATRICES, in_bytes
from butler.understanding.words import Vocabulary
from scripts.train_understanding.train import Labels


def save(
    path: Path,
    vocabulary: Vocabulary,
    rows: Sequence[int],
    layers: Sequence[dict[str, Any]],
    heads: dict[str, Any],
    labels: Labels,
    temperature: float,
) -> None:
    """Write one `.npz` file: the trained layers' matrices in 8 bits, all else in half precision."""
    pieces = sorted(vocabulary.pieces.items(), key=lambda item: item[1][0])
    arrays: dict[str, Any] = {
        "pieces": np.frombuffer("\n".join(piece for piece, _ in pieces).encode(), np.uint8),
        "scores": np.array([score for _, (_, score) in pieces], np.float16),
        "rows": np.array(rows, np.uint32),
    }
    for at, one in enumerate(layers):
        for name, value in one.items():
            if name in MATRICES:
                arrays[f"l{at}.{name}"], arrays[f"l{at}.{name}.scale"] = in_bytes(np.asarray(value))
            else:
                arrays[f"l{at}.{name}"] = np.asarray(value, np.float16)
    arrays |= {f"heads.{name}": np.asarray(value, np.float16) for name, value in heads.items()}
    names = {
        "layers": len(layers), "heads": sorted(heads), "intents": labels.intents, "tags": labels.tags,
        "temperature": float(temperature),
    }  # fmt: skip
    arrays["names"] = np.frombuffer(json.dumps(names).encode(), np.uint8)
    np.savez(path, **arrays)
