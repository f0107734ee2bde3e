"""Fine-tunes the first layers of the multilingual E5 on the example requests, and writes what the daemon reads."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from butler.understanding.context import FLAGS, numbers
from butler.understanding.e5_file import E5File
from butler.understanding.network import embedded, heads_of, in_context, layer
from butler.understanding.tables import LANGUAGES
from butler.understanding.weights import load
from butler.understanding.words import END, START, Vocabulary, words_of
from scripts.train_understanding.examples import Example

LAYER = ("q", "k", "v", "ao", "fi", "fo")
LENGTHS = (12, 16, 20, 26, 34, 48, 96)
"""Requests are padded to one of these, so that few programs have to be compiled."""
HEAD = 192
RARE = 4.0


@dataclass(frozen=True, slots=True)
class Settings:
    """What the training is done with."""

    frozen: int = 6
    """Layers, from the lowest on, that stay as E5 has them: they need no gradients and are not shipped."""
    epochs: int = 8
    batch: int = 32
    rate: float = 2e-4
    head_rate: float = 1e-3
    seed: int = 1
    smoothing: float = 0.05


@dataclass(frozen=True)
class Labels:
    """The intents and tags in the order of the network's outputs."""

    intents: tuple[str, ...]
    tags: tuple[str, ...]

    @classmethod
    def of(cls, examples: Sequence[Example]) -> "Labels":
        """All that occur, sorted."""
        slots = sorted({span.slot for one in examples for span in one.spans})
        return cls(
            tuple(sorted({one.intent for one in examples})),
            ("O", *(f"{way}-{slot}" for slot in slots for way in "BI")),
        )


@dataclass
class Encoded:
    """One request as numbers."""

    ids: list[int]
    words: list[int]
    """The place of each word's first piece."""
    intent: int
    tags: list[int]
    starts: list[bool]
    language: int
    context: list[float]
    single: bool = field(default=True)


def encode(example: Example, vocabulary: Vocabulary, labels: Labels) -> Encoded:
    """Divide a request into pieces; it is cut where it is longer than the longest length."""
    ids, places, tags, starts = [START], list[int](), list[int](), list[bool]()
    intents = {name: at for at, name in enumerate(labels.intents)}
    tag_at = {name: at for at, name in enumerate(labels.tags)}
    for word, tag, start in zip(words_of(example.text), example.tags(), example.clause_starts(), strict=True):
        pieces = vocabulary.ids(word)
        if len(ids) + len(pieces) + 1 > LENGTHS[-1]:
            break
        places.append(len(ids))
        tags.append(tag_at.get(tag, 0))
        starts.append(start)
        ids += pieces
    return Encoded(
        [*ids, END], places, intents[example.intent], tags, starts, LANGUAGES.index(example.language),
        numbers(example.context), not example.starts,
    )  # fmt: skip


def batches(encoded: Sequence[Encoded], size: int, chance: random.Random) -> list[list[Encoded]]:
    """Shuffled batches of requests of like length."""
    shuffled = list(encoded)
    chance.shuffle(shuffled)
    buckets: dict[int, list[Encoded]] = {}
    found: list[list[Encoded]] = []
    for one in shuffled:
        length = next(length for length in LENGTHS if len(one.ids) <= length)
        bucket = buckets.setdefault(length, [])
        bucket.append(one)
        if len(bucket) == size:
            found.append(buckets.pop(length))
    chance.shuffle(found)
    found.extend(buckets.values())
    return found


def arrays(batch: Sequence[Encoded], size: int, table: np.ndarray) -> dict[str, np.ndarray]:
    """One batch, padded to `size` requests."""
    length = next(length for length in LENGTHS if max(len(one.ids) for one in batch) <= length)
    ids = np.ones((size, length), np.int32)
    tags = np.zeros((size, length), np.int32)
    at_word = np.zeros((size, length), np.float32)
    starts = np.zeros((size, length), np.float32)
    intent = np.zeros(size, np.int32)
    single, real = np.zeros(size, np.float32), np.zeros((size, length), np.float32)
    language, context = np.zeros(size, np.int32), np.zeros((size, len(FLAGS)), np.float32)
    for row, one in enumerate(batch):
        ids[row, : len(one.ids)] = one.ids
        real[row, : len(one.ids)] = 1
        tags[row, one.words] = one.tags
        at_word[row, one.words] = 1
        starts[row, one.words] = one.starts
        intent[row] = one.intent
        language[row], context[row] = one.language, one.context
        single[row] = 1.0 if one.single else 0.3
    return {"pieces": table[ids], "real": real, "tags": tags, "at_word": at_word, "starts": starts,
            "intent": intent, "single": single, "language": language, "context": context}  # fmt: skip


def first_weights(settings: Settings, labels: Labels, file: E5File) -> dict[str, Any]:
    """E5's own for the layers, chance for the rest."""
    hidden, _, _, inner, *_ = file.header
    chance = np.random.default_rng(settings.seed)

    def fresh(rows: int, columns: int) -> np.ndarray:
        return chance.normal(0, rows**-0.5, (rows, columns)).astype(np.float32)

    shapes = {"q": (hidden, hidden), "k": (hidden, hidden), "v": (hidden, hidden), "ao": (hidden, hidden),
              "fi": (inner, hidden), "fo": (hidden, inner)}  # fmt: skip
    layers = []
    for at in range(file.header[1]):
        one: dict[str, Any] = {}
        for name, shape in shapes.items():
            one[name + ".w"] = file.matrix(f"l{at}.{name}.w", *shape)
            one[name + ".b"] = file.floats(f"l{at}.{name}.b")
        for name in ("aln.w", "aln.b", "oln.w", "oln.b"):
            one[name] = file.floats(f"l{at}.{name}")
        layers.append(one)
    positions = (
        file.floats("emb.pos").reshape(-1, hidden)[: LENGTHS[-1]] + file.floats("emb.type").reshape(-1, hidden)[0]
    )
    return {
        "layers": layers[settings.frozen :],
        "frozen": layers[: settings.frozen],
        "embedding": {"pos": positions, "eln.w": file.floats("emb.ln.w"), "eln.b": file.floats("emb.ln.b")},
        "heads": {
            "pool.w": fresh(hidden, 1), "in.w": fresh(2 * hidden, HEAD), "in.b": np.zeros(HEAD, np.float32),
            "intent.w": fresh(HEAD, len(labels.intents)), "intent.b": np.zeros(len(labels.intents), np.float32),
            "tg.w": fresh(2 * hidden, HEAD), "tg.b": np.zeros(HEAD, np.float32),
            "tag.w": fresh(HEAD, len(labels.tags)), "tag.b": np.zeros(len(labels.tags), np.float32),
            "start.w": fresh(hidden, 1), "start.b": np.zeros((), np.float32) - 3,
            "context.w": np.zeros((len(FLAGS), hidden), np.float32),
            "language.w": fresh(2 * hidden, len(LANGUAGES)), "language.b": np.zeros(len(LANGUAGES), np.float32),
        },
    }  # fmt: skip


def trained(path: Path, labels: Labels, fresh: dict[str, Any]) -> dict[str, Any]:
    """The layers and heads of an earlier training; what is new since then as in `fresh`."""
    found = load(path)
    heads = dict(fresh)
    for name in fresh.keys() & found.heads.keys():
        now, before = {"intent": (labels.intents, found.intents), "tag": (labels.tags, found.tags)}.get(
            name.split(".")[0], ((), ())
        )
        if not now:
            heads[name] = found.heads[name]
            continue
        kept = np.array(heads[name])
        for at, label in enumerate(now):
            if label in before:
                kept[..., at] = found.heads[name][..., before.index(label)]
        heads[name] = kept
    return {"layers": [one.floats() for one in found.trained], "heads": heads}


def outputs(weights: dict[str, Any], fixed: dict[str, Any], batch: dict[str, Any]) -> tuple[Any, Any, Any, Any]:
    """Logits for a batch."""
    mask = ((1 - batch["real"]) * -1e4)[:, None, None, :]
    x = embedded(jnp, fixed["embedding"], batch["pieces"])
    for one in fixed["frozen"]:
        x = layer(jnp, one, x, mask)
    low = jax.lax.stop_gradient(x)
    x = in_context(jnp, weights["heads"], low, batch["context"])
    for one in weights["layers"]:
        x = layer(jnp, one, x, mask)
    return heads_of(jnp, weights["heads"], x, low, mask)


def loss_of(weights: dict[str, Any], fixed: dict[str, Any], batch: dict[str, Any], key: Any, smoothing: float) -> Any:
    """The sum of the four losses. A tenth of the pieces are dropped."""
    dropped = jax.random.bernoulli(key, 0.9, batch["pieces"].shape[:2])[..., None]
    intents, tags, starts, languages = outputs(weights, fixed, batch | {"pieces": batch["pieces"] * dropped})
    wanted = optax.smooth_labels(jax.nn.one_hot(batch["intent"], intents.shape[-1]), smoothing)
    filled = (batch["real"].sum(1) > 0) * batch["single"]
    intent_loss = (optax.softmax_cross_entropy(intents, wanted) * filled).sum() / filled.sum()
    at_word = batch["at_word"]
    tag_loss = optax.softmax_cross_entropy_with_integer_labels(tags, batch["tags"]) * at_word
    # One word in a hundred begins a request: it weighs as much as several others.
    start_loss = optax.sigmoid_binary_cross_entropy(starts, batch["starts"]) * at_word * (1 + RARE * batch["starts"])
    language_loss = optax.softmax_cross_entropy_with_integer_labels(languages, batch["language"]) * filled
    return (
        intent_loss
        + 2.0 * tag_loss.sum() / at_word.sum()
        + start_loss.sum() / at_word.sum()
        + 0.3 * language_loss.sum() / filled.sum()
    )


class Trainer:
    """Holds the weights and takes steps."""

    def __init__(
        self, settings: Settings, labels: Labels, table: np.ndarray, steps: int, file: E5File, start: Path | None = None
    ) -> None:
        self.settings, self.labels, self.table = settings, labels, table
        first = jax.tree.map(jnp.asarray, first_weights(settings, labels, file))
        if start is not None:
            first |= jax.tree.map(jnp.asarray, trained(start, labels, first["heads"]))
        self.fixed = {name: first[name] for name in ("frozen", "embedding")}
        self.weights = {name: first[name] for name in ("layers", "heads")}

        def schedule(rate: float) -> optax.Schedule:
            return optax.warmup_cosine_decay_schedule(0.0, rate, max(1, steps // 12), steps, rate * 0.03)

        self._optimizer = optax.chain(
            optax.clip_by_global_norm(1.0),
            optax.multi_transform(
                {"body": optax.adamw(schedule(settings.rate), weight_decay=0.01),
                 "heads": optax.adamw(schedule(settings.head_rate), weight_decay=0.01)},
                {"layers": "body", "heads": "heads"},
            ),
        )  # fmt: skip
        self._state = self._optimizer.init(self.weights)
        self._key = jax.random.key(settings.seed)
        self._step = jax.jit(partial(self._stepped, smoothing=settings.smoothing))
        self._outputs = jax.jit(outputs)

    def _stepped(self, weights: Any, state: Any, fixed: Any, batch: Any, key: Any, smoothing: float) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(weights, fixed, batch, key, smoothing)
        updates, state = self._optimizer.update(gradients, state, weights)
        return optax.apply_updates(weights, updates), state, loss

    def epoch(self, encoded: Sequence[Encoded], chance: random.Random) -> float:
        """One pass over the requests; the mean loss."""
        losses, began = [], time.monotonic()
        for batch in batches(encoded, self.settings.batch, chance):
            self._key, key = jax.random.split(self._key)
            padded = arrays(batch, self.settings.batch, self.table)
            self.weights, self._state, loss = self._step(self.weights, self._state, self.fixed, padded, key)
            losses.append(loss)
        mean = float(np.mean([float(loss) for loss in losses]))
        print(f"  loss {mean:.3f}, {time.monotonic() - began:.0f} s", flush=True)
        return mean

    def predict(self, encoded: Sequence[Encoded]) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """For each request, logits of intents, of tags by word and of starts by word."""
        found = []
        for one in encoded:
            batch = arrays([one], 1, self.table)
            intents, tags, starts, _ = self._outputs(self.weights, self.fixed, batch)
            found.append((np.asarray(intents[0]), np.asarray(tags[0])[one.words], np.asarray(starts[0])[one.words]))
        return found
