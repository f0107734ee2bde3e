"""`butler demo` where its package is not installed."""

import sys

from typer.testing import CliRunner

from butler.cli.main import app


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "butler_demo", None)
    monkeypatch.delitem(sys.modules, "butler_demo.daemon", raising=False)
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 1
    assert "pip install '.[demo]'" in result.output
    assert "Traceback" not in result.output
