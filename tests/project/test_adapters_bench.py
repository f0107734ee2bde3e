"""`make bench NAME=adapters` runs, and ends with the keys that other programs rely on."""

import json

import pytest

from bench import adapters


async def test_the_bench_measures_both_ways_and_reports(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(adapters, "setup", lambda _redactor: None)
    monkeypatch.setattr("sys.argv", ["adapters", "--calls", "40", "--real", "20"])
    await adapters.main()
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (last["bench"], set(last)) == ("adapters", {"bench", "machine", "ratios", "figures"})
    assert {"overhead_ms", "loopback_overhead_ms"} <= set(last["figures"])
    assert last["figures"]["overhead_ms"] > 0
