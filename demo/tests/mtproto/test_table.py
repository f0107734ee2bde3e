"""What the data centre says of itself is so: its methods, its errors, its control surface."""

import re
from pathlib import Path

from telethon.errors import rpcerrorlist

from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.dispatch import method_name
from butler_demo.mtproto.methods.table import METHODS

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "demo/butler_demo/mtproto"
PAGE = (ROOT / "docs/explanation/the-mtproto-data-centre.md").read_text()

# In Telegram's documentation, not in Telethon's list.
ONLY_DOCUMENTED = {
    "400 REPLY_TO_INVALID",
    "400 TOPIC_ID_INVALID",
    "500 INTERNAL_SERVER_ERROR",
}
OTHER_CODE = {"CHANNEL_PRIVATE": 406}  # Telethon sorts it under 400, Telegram answers 406 by now


def answered_errors() -> set[tuple[int, str]]:
    sources = "\n".join(path.read_text() for path in SOURCES.rglob("*.py"))
    found = re.findall(r'RpcFault\(\s*(\d+),\s*f?"([^"]+)"', sources)
    return {(int(code), re.sub(r"\{[^}]+\}", "1", name)) for code, name in found}


def is_known(code: int, name: str) -> bool:
    known = rpcerrorlist.rpc_errors_dict.get(name)
    if known is None:
        known = next((error for pattern, error in rpcerrorlist.rpc_errors_re if re.fullmatch(pattern, name)), None)
    return known is not None and code == OTHER_CODE.get(name, known.code)


def test_every_error_that_it_answers_is_telegrams() -> None:
    errors = answered_errors()
    assert len(errors) > 50
    assert {f"{code} {name}" for code, name in errors if not is_known(code, name)} == ONLY_DOCUMENTED


def test_the_page_names_every_method_that_it_knows_and_no_other() -> None:
    section = PAGE.partition("The methods that it knows")[2].partition("Anything else")[0]
    assert sorted(re.findall(r"`([\w.]+)`", section)) == sorted(map(method_name, METHODS))


def test_the_page_names_every_method_of_the_control_surface() -> None:
    public = {name for name in dir(DataCentre) if not name.startswith("_")}
    attributes = {"dc_id", "host", "port", "public_key_pem"}
    assert {name for name in public - attributes if f"`{name}`" not in PAGE} == set()
