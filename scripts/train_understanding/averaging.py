"""`python -m scripts.train_understanding.averaging FIRST SECOND --out FILE`: the mean of two trainings of one network.

Where the second went on from the first, their mean errs less than either ("Model soups", Wortsman et al. 2022). Both
know the same intents and tags; the pieces are those of the second.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from butler.understanding.weights import MATRICES, SHIPPED, in_bytes

KEPT = frozenset({"pieces", "scores", "rows", "names"})
SCALE = ".scale"


def averaged(first: Path, second: Path) -> dict[str, Any]:
    """Return the arrays of the mean; raise `ValueError` for networks of other intents or tags."""
    with np.load(first) as one, np.load(second) as other:
        names, others = (json.loads(each["names"].tobytes()) for each in (one, other))
        if any(names[key] != others[key] for key in ("intents", "tags", "layers", "heads")):
            raise ValueError("The two were trained for other intents or tags; train both on the same tables.")
        arrays: dict[str, Any] = {}
        for name in other.files:
            if name in KEPT:
                arrays[name] = other[name]
            elif name.split(".", 1)[-1] in MATRICES and name + SCALE in other.files:
                mean = (one[name] * one[name + SCALE] + other[name] * other[name + SCALE]) / 2
                arrays[name], arrays[name + SCALE] = in_bytes(np.asarray(mean, np.float32))
            elif not name.endswith(SCALE):
                arrays[name] = ((one[name].astype(np.float32) + other[name]) / 2).astype(other[name].dtype)
        return arrays


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.train_understanding.averaging", description=__doc__)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    options = parser.parse_args()
    np.savez(options.out, **averaged(options.first, options.second))


if __name__ == "__main__":
    main()
