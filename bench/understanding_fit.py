"""Learns what the planner's router knows, and shows how sure it has to be.

Run it after a change of `exemplars.toml` or of the embedder: it writes `router.json` beside that file, one linear
function for each kind of request (ridge regression). Each exemplar is then asked as if it had not been learnt from.
"""

import argparse
import json

import numpy as np
from numpy.typing import NDArray

from bench.machine import table
from butler.agents.embedding.e5 import MultilingualE5
from butler.orchestrator.embedded.router import AHEAD, MADE_BY, WEIGHTS, Meaning, exemplars

RIDGE = (0.1, 0.3, 1.0, 3.0)
CHOSEN = 1.0
AHEADS = (0.0, 0.1, 0.2, AHEAD, 0.4, 0.5)
Matrix = NDArray[np.float64]


def fit(inputs: Matrix, targets: Matrix, ridge: float) -> tuple[Matrix, Matrix]:
    """The weights, and what each row is given by weights that were learnt without it."""
    kernel = inputs @ inputs.T
    inverse = np.linalg.inv(kernel + ridge * np.eye(len(inputs)))
    hat = kernel @ inverse
    own = np.diag(hat)[:, None]
    return inputs.T @ inverse @ targets, (hat @ targets - own * targets) / (1 - own)


def main() -> None:
    argparse.ArgumentParser(prog="python -m bench.understanding_fit", description=__doc__).parse_args()
    embedder = MultilingualE5()
    if embedder.name != MADE_BY:
        print(f"the embedder is {embedder.name} now: write that into MADE_BY of router.py")
    said = exemplars()
    vectors = np.concatenate([embedder.embed([words], query=True) for _, words in said]).astype(np.float64)
    inputs = np.concatenate([vectors, np.ones((len(said), 1))], axis=1)
    kinds = list(Meaning)
    truth = np.array([kinds.index(kind) for kind, _ in said])
    targets = np.where(np.arange(len(kinds))[None] == truth[:, None], 1.0, -1.0)
    rows: list[tuple[object, ...]] = []
    for ridge in RIDGE:
        weights, given = fit(inputs, targets, ridge)
        if ridge == CHOSEN:
            rows_of = ",\n".join(json.dumps([round(float(w), 4) for w in column]) for column in weights.T)
            WEIGHTS.write_text(f"[\n{rows_of}\n]\n", encoding="ascii")
        ordered = np.sort(given, axis=1)
        margin, chosen = ordered[:, -1] - ordered[:, -2], given.argmax(axis=1)
        for ahead in AHEADS:
            sure = (margin >= ahead) & (chosen != kinds.index(Meaning.NOTHING))
            right, wrong = int((sure & (chosen == truth)).sum()), int((sure & (chosen != truth)).sum())
            rows.append((ridge, ahead, right, wrong, len(said) - right - wrong))
    print(f"{len(said)} exemplars, {WEIGHTS.stat().st_size / 1000:.0f} kB\n")
    table(("ridge", "ahead", "right", "wrong", "asked or nothing"), rows)


if __name__ == "__main__":
    main()
