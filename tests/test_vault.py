"""What `butler login` seals can be opened with the key that lies elsewhere, and with nothing else."""

import stat
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from butler.contract.errors import ConfigError, SealedError
from butler.store.archive import members
from butler.store.backup import backup
from butler.store.open import open_store
from butler.vault import Keys, Vault, open_vault
from config.load import load

NAME, SESSION = "USER_TELEGRAM_SESSION", "1BVtsOK4Bu-a-session-that-nobody-may-see="


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir(mode=0o700)
    return tmp_path


def vault_in(home: Path, secrets: dict[str, str] | None = None, **given: str) -> Vault:
    return Vault(secrets or {}, home / "data" / "vault", Keys(home / "butler.key", home / "data", **given))


def sealed_file(home: Path, name: str = NAME) -> Path:
    return home / "data" / "vault" / f"{name}.sealed"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_sealed_is_read_by_the_next_who_looks(home):
    vault_in(home).put(NAME, SESSION)
    assert vault_in(home).get(NAME) == SESSION
    assert vault_in(home).get("USER_TELEGRAM_SESSION_WORK") == ""


def test_nothing_of_it_can_be_read_from_the_data_folder_alone(home):
    vault_in(home).put(NAME, SESSION)
    for path in (home / "data").rglob("*"):
        assert path.is_dir() or SESSION.encode() not in path.read_bytes()
    (home / "butler.key").unlink()
    with pytest.raises(SealedError, match=r"its key is missing: bring .*butler\.key back"):
        vault_in(home).get(NAME)


def test_files_and_folders_are_for_their_owner_only(home):
    (home / "data").rmdir()
    vault_in(home).put(NAME, SESSION)
    assert mode(home / "butler.key") == mode(sealed_file(home)) == 0o600
    assert mode(home / "data") == mode(home / "data" / "vault") == 0o700


def test_the_environment_and_the_secrets_file_win_over_what_is_sealed(home):
    vault = vault_in(home, {NAME: " from the environment "})
    vault.put(NAME, SESSION)
    assert vault.get(NAME) == "from the environment"


def test_an_empty_value_is_taken_away(home):
    vault = vault_in(home)
    vault.put(NAME, SESSION)
    vault.put(NAME, "")
    assert (vault.get(NAME), vault.names()) == ("", [])


def test_a_key_in_the_environment_wins_and_no_file_is_made(home):
    key = Fernet.generate_key().decode()
    vault_in(home, given=key).put(NAME, SESSION)
    assert vault_in(home, given=f"\n{key} ").get(NAME) == SESSION
    assert not (home / "butler.key").exists()


def test_another_key_opens_nothing_and_says_so_without_the_value(home):
    vault_in(home).put(NAME, SESSION)
    with pytest.raises(SealedError, match="not the one that it was sealed with") as refused:
        vault_in(home, given=Fernet.generate_key().decode()).get(NAME)
    assert SESSION not in str(refused.value)


@pytest.mark.parametrize("text", ["", "no key at all", "x" * 44])
def test_a_key_file_that_holds_no_key_is_told(home, text):
    vault_in(home).put(NAME, SESSION)
    (home / "butler.key").write_text(f"{text}\n")
    with pytest.raises(SealedError, match="its key is missing" if not text else "holds something that is no key"):
        vault_in(home).get(NAME)


@pytest.mark.parametrize("content", [b"", b"gAAAA", b"\x00\xff" * 60])
def test_a_damaged_file_is_told_with_its_path(home, content):
    vault_in(home).put(NAME, SESSION)
    sealed_file(home).write_bytes(content)
    with pytest.raises(SealedError, match=rf"{NAME}\.sealed is damaged"):
        vault_in(home).get(NAME)


def test_a_changed_file_is_told(home):
    vault_in(home).put(NAME, SESSION)
    text = sealed_file(home).read_text()
    sealed_file(home).write_text(text[:60] + ("A" if text[60] != "A" else "B") + text[61:])
    with pytest.raises(SealedError, match="was changed"):
        vault_in(home).get(NAME)


def test_a_credential_does_not_pass_for_another_ones(home):
    vault_in(home).put(NAME, SESSION)
    sealed_file(home).rename(sealed_file(home, "USER_TELEGRAM_SESSION_WORK"))
    with pytest.raises(SealedError, match=f"holds what was sealed as {NAME}"):
        vault_in(home).get("USER_TELEGRAM_SESSION_WORK")


@pytest.mark.parametrize("which", ["key", "sealed"])
def test_what_others_may_read_is_refused_with_what_to_do(home, which):
    vault_in(home).put(NAME, SESSION)
    path = home / "butler.key" if which == "key" else sealed_file(home)
    path.chmod(0o640)
    with pytest.raises(SealedError, match=f"run `chmod 600 {path}`"):
        vault_in(home).get(NAME)


def test_a_lost_key_is_not_replaced_while_something_is_sealed_with_it(home):
    vault_in(home).put(NAME, SESSION)
    (home / "butler.key").unlink()
    with pytest.raises(SealedError, match=rf"or delete that folder and sign in again to what it held \({NAME}\)"):
        vault_in(home).put("USER_EMAIL_PASSWORD", "another secret")
    assert not (home / "butler.key").exists()


def test_a_key_inside_of_the_data_folder_is_never_made(home):
    vault = Vault({}, home / "data" / "vault", Keys(home / "data" / ".." / "data" / "butler.key", home / "data"))
    with pytest.raises(SealedError, match="may not lie inside of the data folder"):
        vault.put(NAME, SESSION)
    assert list((home / "data").iterdir()) == []


def test_settings_that_put_the_key_into_the_data_folder_are_refused(home):
    config = home / "butler.toml"
    config.write_text('[butler]\nkey_file = "data/keys/butler.key"\n')
    with pytest.raises(ConfigError, match="key_file lies inside of data_dir"):
        load(config, {})


def test_the_settings_say_where_the_key_and_what_is_sealed_lie(home):
    config = home / "butler.toml"
    config.write_text('[butler]\nkey_file = "keys/butler.key"\n')
    (home / "keys").mkdir()
    open_vault(load(config, {})).put(NAME, SESSION)
    assert (home / "keys" / "butler.key").exists()
    assert open_vault(load(config, {})).get(NAME) == SESSION
    assert open_vault(load(config, {"BUTLER_KEY": Fernet.generate_key().decode()})).names() == [NAME]


def test_rekeying_seals_everything_with_a_fresh_key_and_forgets_the_old_one(home):
    vault = vault_in(home)
    vault.put(NAME, SESSION)
    vault.put("USER_EMAIL_PASSWORD", "another secret")
    old = (home / "butler.key").read_text()
    assert vault.rekey() == ["USER_EMAIL_PASSWORD", NAME]
    assert vault_in(home).get(NAME) == SESSION
    keys = [line for line in (home / "butler.key").read_text().splitlines() if not line.startswith("#")]
    assert len(keys) == 1
    assert keys[0] not in old
    assert mode(home / "butler.key") == 0o600


def test_a_crash_while_rekeying_leaves_a_key_for_everything(home, monkeypatch):
    vault = vault_in(home)
    for number in range(3):
        vault.put(f"SECRET_{number}", f"value number {number}")
    put, puts = Vault.put, iter([None])

    def crash(self, name, value):
        next(puts)
        put(self, name, value)

    monkeypatch.setattr(Vault, "put", crash)
    with pytest.raises(StopIteration):
        vault.rekey()
    monkeypatch.undo()
    assert [vault_in(home).get(f"SECRET_{number}") for number in range(3)] == [f"value number {n}" for n in range(3)]
    vault_in(home).rekey()
    assert vault_in(home).get("SECRET_2") == "value number 2"


def test_rekeying_changes_nothing_where_something_cannot_be_opened(home):
    vault = vault_in(home)
    vault.put(NAME, SESSION)
    sealed_file(home, "DAMAGED").write_text("")
    sealed_file(home, "DAMAGED").chmod(0o600)
    key = (home / "butler.key").read_text()
    with pytest.raises(SealedError, match="damaged"):
        vault.rekey()
    assert (home / "butler.key").read_text() == key


def test_keys_in_the_environment_are_rotated_by_putting_the_new_one_first(home):
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    vault_in(home, given=old).put(NAME, SESSION)
    vault_in(home, given=f"{new},{old}").rekey()
    assert vault_in(home, given=new).get(NAME) == SESSION


def test_the_log_is_told_of_every_value_that_is_read_or_sealed(home):
    heard: list[str] = []
    vault = Vault({"SET": "in the environment"}, home / "data" / "vault", vault_in(home).keys, heard.append)
    vault.put(NAME, SESSION)
    vault.get("SET")
    vault.get("NOTHING")
    assert heard == [SESSION, "in the environment"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "a b", "", "X" * 200, "A.B"])
def test_a_name_that_is_none_of_a_variable_reaches_no_file(home, name):
    with pytest.raises(SealedError, match="no name of a variable"):
        vault_in(home).get(name)


def test_a_backup_holds_neither_what_is_sealed_nor_its_key(home):
    vault_in(home).put(NAME, SESSION)
    store = open_store("sqlite:///butler.db", data_dir=home / "data")
    store.engine.dispose()
    written = backup("sqlite:///butler.db", home / "data", home)
    names = [name for name, _content in members(written)]
    assert "manifest.json" in names
    assert not [name for name in names if "sealed" in name or "vault" in name or "key" in name]
