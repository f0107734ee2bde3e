"""`python -m scripts.train_understanding`: train, measure on a part held out, calibrate, and write the weights."""

import argparse
import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import jax
import numpy as np

from butler.understanding.e5_file import E5File, unpacked
from butler.understanding.reader import decoded
from butler.understanding.tables import LANGUAGES, examples
from butler.understanding.weights import SHIPPED, load
from scripts.train_understanding.examples import Example, read
from scripts.train_understanding.saving import save
from scripts.train_understanding.train import Encoded, Labels, Settings, Trainer, encode
from scripts.train_understanding.variations import Pool, pool_of, varied
from scripts.train_understanding.vocabulary import chosen

HELD = 8
"""Of 256."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.train_understanding", description=__doc__)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    parser.add_argument("--epochs", type=int, default=Settings().epochs)
    parser.add_argument("--frozen", type=int, default=Settings().frozen)
    parser.add_argument("--rate", type=float, default=Settings().rate)
    parser.add_argument("--variants", type=int, default=1, help="variations of each example in an epoch")
    parser.add_argument("--start", type=Path, help="weights of an earlier training of the same intents, to go on from")
    parser.add_argument("--all", action="store_true", help="hold nothing out")
    options = parser.parse_args()
    settings = Settings(frozen=options.frozen, epochs=options.epochs, rate=options.rate)

    pools: dict[str, Pool] = {}
    training: dict[str, list[Example]] = {}
    held: list[Example] = []
    for language in LANGUAGES:
        found, lists = read(examples(language), language)
        out = [one for one in found if not options.all and is_held(one)]
        held += out
        training[language] = [one for one in found if options.all or not is_held(one)]
        pools[language] = pool_of(training[language], lists)
        print(language, len(training[language]), "for training,", len(out), "held out")
    everything = [one for ones in training.values() for one in ones]
    labels = Labels.of(everything)
    held = [one for one in held if one.intent in labels.intents]
    file = E5File.packaged()
    texts = [one.text for one in everything] + [t.lower() for t in (o.text for o in everything)]
    texts += [line for pool in pools.values() for lines in pool.lists.values() for line in lines]
    vocabulary, rows = chosen(file, texts)
    table = unpacked(file.words[rows])
    print(f"{len(labels.intents)} intents, {len(labels.tags)} tags, {len(vocabulary.pieces)} pieces", flush=True)

    steps = options.epochs * (len(everything) * options.variants // settings.batch + 5)
    trainer = Trainer(settings, labels, table, steps, file, options.start)
    chance = random.Random(settings.seed)
    dev = [encode(one, vocabulary, labels) for one in held]
    for epoch in range(options.epochs):
        made: list[Encoded] = []
        for language, ones in training.items():
            for _ in range(options.variants):
                made += [encode(varied(one, ones, pools[language], chance), vocabulary, labels) for one in ones]
        trainer.epoch(made, chance)
        if held and (epoch % 2 == 1 or epoch == options.epochs - 1):
            measured(held, dev, trainer.predict(dev), labels)
    earlier = load(options.start).temperature if options.start else 1.0
    temperature = calibrated(dev, trainer.predict(dev)) if held else earlier
    weights = jax.tree.map(np.asarray, trainer.weights)
    save(options.out, vocabulary, rows, weights["layers"], weights["heads"], labels, temperature)
    print(f"wrote {options.out}, {options.out.stat().st_size / 1e6:.1f} MB, temperature {temperature:.2f}")


def is_held(example: Example) -> bool:
    """One in thirty-two, chosen by the words: enough to calibrate by."""
    return hashlib.sha256(example.text.encode()).digest()[0] < HELD


def measured(held: Sequence[Example], dev: Sequence[Encoded], predicted: Sequence, labels: Labels) -> None:
    """Print how many intents, slots and both are right, by language."""
    counts: Counter[tuple[str, str]] = Counter()
    confused: Counter[tuple[str, str]] = Counter()
    for example, one, (intents, tags, _) in zip(held, dev, predicted, strict=True):
        right = int(intents.argmax()) == one.intent
        slots = decoded(tags, labels.tags) == one.tags
        for key in (example.language, "all"):
            counts[key, "n"] += 1
            counts[key, "intent"] += right
            counts[key, "slots"] += slots
            counts[key, "both"] += right and slots
        if not right:
            confused[example.intent, labels.intents[int(intents.argmax())]] += 1
    for key in sorted({key for key, _ in counts}):
        n = counts[key, "n"]
        print(
            f"  {key}: " + ", ".join(f"{name} {counts[key, name] / n:.1%}" for name in ("intent", "slots", "both")),
            f"of {n}",
        )
    print("  ", confused.most_common(12), flush=True)


def calibrated(dev: Sequence[Encoded], predicted: Sequence) -> float:
    """The temperature with the least cross-entropy on what was held out."""
    logits = np.stack([intents for intents, _, _ in predicted])
    truth = np.array([one.intent for one in dev])

    def entropy(temperature: float) -> float:
        scaled = logits / temperature
        scaled = scaled - scaled.max(1, keepdims=True)
        return float(-(scaled[np.arange(len(truth)), truth] - np.log(np.exp(scaled).sum(1))).mean())

    return min(np.arange(0.5, 3.0, 0.05), key=entropy)


if __name__ == "__main__":
    main()
