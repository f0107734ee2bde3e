"""A wipe leaves nothing of Butler's, and everything that is not."""

import asyncio

import pytest
import sqlalchemy as sa

from butler.maintenance.wipe import wipe
from butler.store.backup import backup
from butler.store.blobs import FileBlobs
from butler.store.connect import make_engine, resolve_url
from butler.store.errors import AlreadyRunningError
from butler.store.lock import DataLock
from butler.store.open import open_store
from butler.store.tables import metadata


@pytest.fixture
async def place(lasting_url, tmp_path):
    """A data folder with everything that Butler makes, and a file that it did not."""
    data = tmp_path / "data"
    store = open_store(lasting_url, data_dir=data)
    await store.close()
    data.mkdir(exist_ok=True)
    await FileBlobs(data / "blobs").put(b"a mail")
    for name in ("memory", "vault", "workspace"):
        (data / name).mkdir()
        (data / name / "one").write_text("x")
    (data / "audit-heads.jsonl").touch()
    (data / "holiday.jpg").write_text("mine")
    (tmp_path / "butler.key").write_text("key")
    await asyncio.to_thread(backup, lasting_url, data, data / "backups")
    return data


@pytest.mark.parametrize("backups", [False, True])
def test_nothing_of_butlers_is_left_and_what_is_not_stays(place, lasting_url, backups):
    done = wipe(lasting_url, place, place.parent / "butler.key", backups=backups)
    assert {one.name for one in place.iterdir()} == {"holiday.jpg"} | (set() if backups else {"backups"})
    assert not (place.parent / "butler.key").exists()
    assert done.foreign == ["holiday.jpg"]
    if lasting_url.startswith("postgresql"):
        engine = make_engine(resolve_url(lasting_url, place))
        assert not set(sa.inspect(engine).get_table_names()) & {*metadata.tables, "alembic_version"}
        engine.dispose()
    again = wipe(lasting_url, place, place.parent / "butler.key", backups=backups)
    assert [one for one in again.gone if "PostgreSQL" not in one and "lock" not in one] == []


def test_a_link_goes_and_what_it_leads_to_stays(place, lasting_url, tmp_path):
    outside = tmp_path / "pictures"
    outside.mkdir()
    (outside / "one.jpg").write_text("mine")
    (place / "memory" / "one").unlink()
    (place / "memory").rmdir()
    (place / "memory").symlink_to(outside)
    wipe(lasting_url, place, place.parent / "butler.key", backups=True)
    assert (outside / "one.jpg").read_text() == "mine"


def test_while_a_daemon_runs_nothing_is_taken_away(place, lasting_url):
    with DataLock(lasting_url, place), pytest.raises(AlreadyRunningError):
        wipe(lasting_url, place, place.parent / "butler.key", backups=True)
    assert (place / "vault" / "one").exists()
    assert (place.parent / "butler.key").exists()
