import pytest

from butler.cli.doctor.table import show
from butler.contract.module import CheckResult

PATH = "/home/me/a/rather/long/folder/of/settings/and-more/secrets.env"
RESULTS = [
    CheckResult("secrets file", ok=False, detail=f"others can read {PATH}", todo=f"Run `chmod 600 {PATH}`."),
    CheckResult("Telegram bot", ok=True, detail="not set up", todo="[See] the quickstart.", in_use=False),
]


@pytest.mark.parametrize("columns", [30, 60, 80, 100, 140, 170, 200, 300])
def test_no_path_is_cut_however_narrow_the_terminal_is(columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    show(RESULTS)
    words = capsys.readouterr().out.split()
    assert words.count(PATH) == 1
    assert f"{PATH}`." in words
    assert {"Secrets", "not", "[See]", "-"} <= set(words)


def test_a_wide_terminal_shows_a_table(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "300")
    show(RESULTS)
    title, first, second = capsys.readouterr().out.splitlines()
    assert title.split() == ["check", "found", "what", "to", "do"]
    assert first.index("others") == second.index("not set up") == title.index("found")
