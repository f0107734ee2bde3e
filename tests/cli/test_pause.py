"""`butler pause`, `resume`, `pin` and `pair --again`: what works beside a running daemon, and without Telegram."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

from pathlib import Path

import pytest

from approvals.pause import PAUSED
from approvals.pin import secret_of
from butler.owner import OWNER_CHANGED, PAIRED
from butler.store.instants import EPOCH
from butler.store.open import open_store
from butler.store.queries import audit, cursors, work
from butler.store.store import Store

PIN = "918273645012"


@pytest.fixture
def store(an_empty_home: None) -> Store:
    """A configuration, and the database of a Butler that is paired."""
    Path("butler.toml").touch()
    Path("data").mkdir(mode=0o700)
    store = open_store("sqlite:///butler.db", data_dir=Path("data"))
    with store.engine.begin() as connection:
        cursors.put_fact(connection, PAIRED, 42, EPOCH)
    return store


def fact(store: Store, name: str) -> object:
    with store.engine.connect() as connection:
        return cursors.fact(connection, name)


async def test_a_pause_is_set_and_lifted_any_number_of_times(butler, store):
    for told in ("Paused: nothing is done in your name now.", "What acts as you was paused already."):
        result = await butler("pause")
        assert (result.exit_code, result.stdout) == (0, f"{told} Only `butler resume` lifts it.\n")
    assert fact(store, PAUSED)["by"] == "command line"
    for told in ("What acts as you may be done again", "Nothing was paused."):
        assert (await butler("resume")).stdout.startswith(told)
    assert fact(store, PAUSED) is None


async def test_without_a_database_there_is_nothing_to_pause(butler):
    Path("butler.toml").touch()
    result = await butler("pause")
    assert result.exit_code == 1
    where = Path("data/butler.db").absolute()
    assert result.stderr == f"butler: there is no database at {where} yet; `butler run` makes one\n"
    assert not Path("data/butler.db").exists()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever types is at a terminal."""
    monkeypatch.setattr("butler.cli.commands.pin.on_a_terminal", lambda: True)


async def test_without_a_terminal_no_pin_is_asked_for(butler, store):
    result = await butler("pin", "set", typed=f"{PIN}\n{PIN}\n")
    says = "butler: a PIN is typed where it is not shown; run `butler pin set` on a terminal\n"
    assert (result.exit_code, result.stderr, result.stdout) == (1, says, "")
    assert (await butler("pin", "clear")).stdout == "No PIN was set.\n"


async def test_a_pin_is_typed_twice_and_never_shown(butler, store, terminal):
    result = await butler("pin", "set", typed=f"{PIN}\n{PIN}\n")
    assert result.exit_code == 0
    assert "The PIN is set." in result.stdout
    assert PIN not in result.output
    with store.engine.connect() as connection:
        secret = secret_of(connection)
        assert "pin.set" in [row.kind for row in audit.rows(connection)]
    assert secret is not None
    assert secret.matches(PIN)
    assert all(PIN.encode() not in path.read_bytes() for path in Path("data").rglob("*") if path.is_file())
    assert (await butler("pin", "clear")).stdout == "No PIN is asked for any more.\n"
    assert (await butler("pin", "clear")).stdout == "No PIN was set.\n"


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("4711\n4712\n", "the two were not the same"),
        ("47a1\n47a1\n", "4 to 12 digits"),
        ("123\n123\n", "4 to 12 digits"),
    ],
)
async def test_what_is_no_pin_is_refused_and_nothing_is_set(butler, store, terminal, typed, why):
    result = await butler("pin", "set", typed=typed)
    assert result.exit_code == 1
    assert why in result.stderr
    with store.engine.connect() as connection:
        assert secret_of(connection) is None


async def test_who_is_paired_stays_so_and_the_way_out_is_named(butler, store):
    result = await butler("pair")
    assert result.exit_code == 1
    assert "After a lost or stolen account, run `butler pair --again`" in result.stderr


async def test_pairing_again_makes_a_stranger_of_who_was_paired(butler, store):
    result = await butler("pair", "--again")
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "Telegram user 42 is a stranger now; 0 cards and acts not begun were withdrawn, "
        "0 standing rules were put out of force.\n"
    )
    assert "/start " in result.stdout
    assert fact(store, PAIRED) is None
    with store.engine.connect() as connection:
        assert [row.kind for row in work.ready(connection, max(r.at for r in audit.rows(connection)))] == [
            OWNER_CHANGED
        ]
        kinds = [row.kind for row in reversed(audit.rows(connection))]
    assert kinds == ["unpaired", "pairing.handed_over"]
    assert (await butler("pair", "--again")).stdout.startswith("Nobody was paired; ")


async def test_who_stands_in_the_settings_is_changed_there(butler, store):
    Path("butler.toml").write_text("[owner]\ntelegram_user_id = 42\n")
    result = await butler("pair", "--again")
    assert result.exit_code == 1
    assert "butler.toml says that you are Telegram user 42: change telegram_user_id in [owner] there" in result.stderr
    assert fact(store, PAIRED) == 42


async def test_a_restore_says_who_is_paired_by_it(butler, store):
    await butler("backup", "kept")
    (archive,) = [str(path) for path in Path("kept").iterdir()]
    assert (await butler("pair", "--again")).exit_code == 0
    told = (await butler("restore", archive, "--force")).stdout
    assert "paired with Telegram user 42; if that is no longer you, run `butler pair --again`." in told
