"""The reader's network: a few layers of a transformer encoder, and heads that classify a request and each word.

The same functions run on NumPy in the daemon and on JAX during training; `xp` is either module. The
layers are those of BERT (Devlin et al. 2018, https://arxiv.org/abs/1810.04805): normalised after each sum.
"""

from typing import Any

HEADS = 12
EPSILON = 1e-12
Arrays = dict[str, Any]


def normalised(xp: Any, x: Any, weight: Any, bias: Any) -> Any:
    """Apply layer normalisation over the last axis."""
    mean = x.mean(-1, keepdims=True)
    spread = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / xp.sqrt(spread + EPSILON) * weight + bias


def softmax(xp: Any, x: Any) -> Any:
    """Apply softmax over the last axis."""
    powers = xp.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def gelu(xp: Any, x: Any) -> Any:
    """Apply the tanh approximation of GELU, which NumPy can compute."""
    return 0.5 * x * (1.0 + xp.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def embedded(xp: Any, weights: Arrays, pieces: Any) -> Any:
    """Return the first layer's input for the pieces' vectors, `(batch, length, hidden)`."""
    length = pieces.shape[1]
    return normalised(xp, pieces + weights["pos"][:length][None], weights["eln.w"], weights["eln.b"])


def layer(xp: Any, weights: Arrays, x: Any, mask: Any) -> Any:
    """Apply one layer. `mask` is 0 for pieces and very negative for padding, `(batch, 1, 1, length)`."""
    batch, length, hidden = x.shape
    depth = hidden // HEADS

    def heads(name: str) -> Any:
        found = x @ weights[name + ".w"].T + weights[name + ".b"]
        return found.reshape(batch, length, HEADS, depth).transpose(0, 2, 1, 3)

    q, k, v = heads("q"), heads("k"), heads("v")
    attention = softmax(xp, q @ k.transpose(0, 1, 3, 2) / depth**0.5 + mask)
    mixed = (attention @ v).transpose(0, 2, 1, 3).reshape(batch, length, hidden)
    x = normalised(xp, x + mixed @ weights["ao.w"].T + weights["ao.b"], weights["aln.w"], weights["aln.b"])
    inner = gelu(xp, x @ weights["fi.w"].T + weights["fi.b"])
    return normalised(xp, x + inner @ weights["fo.w"].T + weights["fo.b"], weights["oln.w"], weights["oln.b"])


def in_context(xp: Any, heads: Arrays, x: Any, context: Any) -> Any:
    """Add the context flags, `(batch, flags)`, to the first piece, which represents the whole request."""
    first = x[:, :1] + (context @ heads["context.w"])[:, None]
    return xp.concatenate([first, x[:, 1:]], 1)


def heads_of(xp: Any, weights: Arrays, x: Any, low: Any, mask: Any) -> tuple[Any, Any, Any, Any]:
    """Return the logits of the intents `(batch, intents)`, of each piece's tags and clause start, and of the languages.

    `x` is the last layer's output, `low` a lower layer's: tags are about single words, intents about the whole request.
    """
    score = (x @ weights["pool.w"])[..., 0] + mask[:, 0, 0]
    pooled = (softmax(xp, score)[..., None] * x).sum(1)
    pooled = xp.concatenate([pooled, x[:, 0]], -1)
    intents = xp.tanh(pooled @ weights["in.w"] + weights["in.b"]) @ weights["intent.w"] + weights["intent.b"]
    both = xp.concatenate([x, low], -1)
    tags = xp.tanh(both @ weights["tg.w"] + weights["tg.b"]) @ weights["tag.w"] + weights["tag.b"]
    starts = (x @ weights["start.w"])[..., 0] + weights["start.b"]
    return intents, tags, starts, pooled @ weights["language.w"] + weights["language.b"]
