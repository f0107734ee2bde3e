"""Files by digest: whole or not there, and never believed without a look."""

import errno
import hashlib
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from butler.contract.errors import BlobDamagedError
from butler.store.blobs import FileBlobs
from butler.store.errors import StoreFullError, StoreUnavailableError

DATA = b"a mail" * 1000
DIGEST = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def blobs(tmp_path: Path) -> FileBlobs:
    return FileBlobs(tmp_path / "blobs")


def files(blobs: FileBlobs) -> list[Path]:
    return [path for path in blobs.root.rglob("*") if path.is_file()]


async def test_what_was_put_is_got_back_by_its_digest(blobs: FileBlobs):
    assert await blobs.put(DATA) == DIGEST
    assert await blobs.put(DATA) == DIGEST
    assert await blobs.get(DIGEST) == DATA
    assert await blobs.put(b"") == hashlib.sha256(b"").hexdigest()
    assert len(files(blobs)) == len(list(blobs.digests())) == 2


async def test_a_blob_and_every_folder_that_leads_to_it_is_on_disk_before_it_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    synced: list[Path] = []
    real = os.fsync

    def note(handle: int) -> None:
        synced.append(Path(f"/proc/self/fd/{handle}").readlink())
        real(handle)

    monkeypatch.setattr(os, "fsync", note)
    root = tmp_path / "blobs"
    digest = await FileBlobs(root).put(b"a mail")
    assert synced[0].parent == root / digest[:2], "the file first, before it has its name"
    assert synced[1:] == [root / digest[:2], root, tmp_path]


async def test_only_the_owner_may_read_a_blob(blobs: FileBlobs):
    await blobs.put(DATA)
    (path,) = files(blobs)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(blobs.root.stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["0" * 64, "../../etc/passwd", "", "x" * 64])
async def test_what_is_not_there_is_a_key_error(blobs: FileBlobs, name: str):
    with pytest.raises(KeyError):
        await blobs.get(name)


async def test_a_damaged_blob_is_told_and_mended_by_the_next_put(blobs: FileBlobs):
    await blobs.put(DATA)
    (path,) = files(blobs)
    path.write_bytes(DATA[:-1] + b"!")
    with pytest.raises(BlobDamagedError):
        await blobs.get(DIGEST)
    await blobs.put(DATA)
    assert await blobs.get(DIGEST) == DATA


async def test_op_08_a_disk_that_fills_up_in_the_middle_leaves_nothing_half_written(
    blobs: FileBlobs, monkeypatch: pytest.MonkeyPatch
):
    await blobs.put(b"old")

    def full(_file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StoreFullError):
            await blobs.put(DATA)
    assert len(files(blobs)) == 1
    await blobs.put(DATA)
    assert await blobs.get(DIGEST) == DATA


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnavailableError):
        await FileBlobs(tmp_path / "file").put(DATA)


ON_A_FULL_DISK = """
import asyncio, pathlib, sys
from butler.store.errors import StoreFullError
from butler.store.blobs import FileBlobs
from butler.store.open import open_store
from butler.store.queries import cursors
from butler.store.instants import EPOCH

folder = pathlib.Path(sys.argv[1])

async def refused(action):
    try:
        await action
    except StoreFullError:
        return True
    return False

async def main():
    store, blobs = open_store("sqlite:///butler.db", data_dir=folder), FileBlobs(folder / "blobs")
    put = lambda name, value: store.write(lambda c: cursors.put(c, name, value, EPOCH))
    get = lambda name: store.read(lambda c: cursors.get(c, name))
    await put("kept", "old")
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            pass
    refusals = [await refused(put("kept", "y" * 100_000)) for _ in range(3)]
    assert all(refusals), refusals
    assert await refused(blobs.put(b"z" * 100_000))
    assert await get("kept") == "old"
    filler.unlink()
    await put("kept", "new")
    await blobs.get(await blobs.put(b"z" * 100_000))
    await store.close()
    again = open_store("sqlite:///butler.db", data_dir=folder)
    assert await again.read(lambda c: cursors.get(c, "kept")) == "new"
    await again.close()

asyncio.run(main())
print("held")
"""


def test_op_08_a_really_full_disk_leaves_the_old_state_and_recovers_when_there_is_room(tmp_path: Path):
    if shutil.which("unshare") is None or shutil.which("mount") is None:
        pytest.skip("needs unshare and mount")
    mount = f"mount -t tmpfs -o size=2m none {tmp_path}"
    spaces = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    if subprocess.run([*spaces, "sh", "-c", mount], check=False, capture_output=True, timeout=30).returncode != 0:
        pytest.skip("needs the right to mount a small disk")
    argv = [*spaces, "sh", "-c", f'{mount} && exec "$0" -c "$1" "$2"', sys.executable, ON_A_FULL_DISK, str(tmp_path)]
    ran = subprocess.run(argv, check=False, capture_output=True, text=True, timeout=60, cwd=Path(__file__).parents[2])
    assert ran.stdout.endswith("held\n"), ran.stderr[-3000:]


async def test_what_comes_in_pieces_is_one_blob_and_is_read_in_pieces(blobs: FileBlobs):
    assert await blobs.put_pieces(DATA[at : at + 1000] for at in range(0, len(DATA), 1000)) == DIGEST
    assert await blobs.put_pieces([DATA]) == DIGEST
    with blobs.open(DIGEST) as file:
        assert file.read(10) + file.read() == DATA
    (path,) = files(blobs)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert await blobs.get(DIGEST) == DATA


async def test_what_breaks_off_leaves_nothing(blobs: FileBlobs):
    def breaks_off() -> Iterator[bytes]:
        yield b"half"
        raise ConnectionAbortedTest

    with pytest.raises(ConnectionAbortedTest):
        await blobs.put_pieces(breaks_off())
    assert files(blobs) == []


def test_what_is_not_there_cannot_be_opened(blobs: FileBlobs):
    for sha256 in (DIGEST, "../../etc/passwd"):
        with pytest.raises(KeyError):
            blobs.open(sha256)


class ConnectionAbortedTest(Exception):
    """A source that ends too soon."""
