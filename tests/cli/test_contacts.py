"""`butler contacts`: whom Butler knows, names that are given and taken back at the machine."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from butler.cli.contacts import forget_name, list_contacts, name_address
from butler.contract.errors import Refuse
from butler.store.open import open_store
from butler.store.queries import audit, contacts, people
from butler.store.queries.people import Sighting

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
async def config(tmp_path: Path) -> Path:
    path = tmp_path / "butler.toml"
    path.write_text('[butler]\ndata_dir = "data"\n\n[owner]\nemails = ["me@home.example"]\n')
    (tmp_path / "data").mkdir()
    store = open_store("sqlite:///butler.db", data_dir=tmp_path / "data")
    rows = [Sighting("mail:greta@x.example", "Greta\nHolm", NOW), Sighting("mail:greta@x.example", "", NOW, sent=True)]
    await store.write(lambda c: people.note(c, "email:main", rows))
    await store.write(
        lambda c: contacts.learn(c, "Anna", ["telegram:@anna"], source="settings", owner_says_so=True, now=NOW)
    )
    await store.close()
    return path


def test_people_are_listed_with_what_they_call_themselves_on_one_line(config: Path):
    told = list_contacts(config, as_json=False)
    assert told.startswith("Anna: telegram:@anna\n")
    assert "mail:greta@x.example  calls themselves Greta[U+000A]Holm; 1 from them, 1 by you; email:main" in told
    found = json.loads(list_contacts(config, as_json=True))
    assert found["contacts"][0]["aliases"] == ["anna"]
    assert found["without_a_name"][0]["sent"] == 1


def test_a_name_is_given_and_taken_back(config: Path):
    assert name_address(config, "greta@x.example", "Greta") == "Greta is greta@x.example from now on."
    assert json.loads(list_contacts(config, as_json=True))["without_a_name"] == []
    assert forget_name(config, "GRETA").startswith("1 contact forgotten.")
    assert list_contacts(config, as_json=False).count("Greta") == 1


def test_a_second_name_is_one_more_and_goes_alone(config: Path):
    name_address(config, "greta@x.example", "Greta")
    name_address(config, "greta@x.example", "Gretchen")
    assert "Greta (also gretchen): mail:greta@x.example" in list_contacts(config, as_json=False)
    forget_name(config, "Gretchen")
    assert "\nGreta: mail:greta@x.example" in list_contacts(config, as_json=False)


@pytest.mark.parametrize(("address", "name"), [("greta", "Greta"), ("greta@x.example", " ")])
def test_what_is_no_address_or_no_name_is_refused(config: Path, address: str, name: str):
    with pytest.raises(Refuse):
        name_address(config, address, name)


def test_nobody_can_be_forgotten_who_is_not_known(config: Path):
    with pytest.raises(Refuse, match="nobody is called Bob"):
        forget_name(config, "Bob")


async def test_each_change_stands_in_the_audit_log(config: Path):
    name_address(config, "greta@x.example", "Greta")
    forget_name(config, "Greta")
    store = open_store("sqlite:///butler.db", data_dir=config.parent / "data")
    kinds = await store.read(lambda c: [(e.kind, e.actor) for e in audit.entries(c)])
    await store.close()
    assert kinds == [("contact.named", "command line"), ("contact.forgotten", "command line")]
