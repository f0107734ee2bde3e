"""`make bench NAME=approvals` runs, and ends with the keys that other programs rely on."""
# ruff: noqa: ASYNC240 - a test may look into a small folder

import json
from pathlib import Path

import pytest

from bench import approvals


async def test_the_bench_decides_acts_and_reports(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(approvals, "WARM", 1)
    monkeypatch.setattr(approvals, "SINGLES", 2)
    monkeypatch.setattr(approvals, "GROUP", 3)
    monkeypatch.setattr("sys.argv", ["approvals", "--folder", str(tmp_path), "--rounds", "1", "--taps", "2"])
    await approvals.main()
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (last["bench"], set(last)) == ("approvals", {"bench", "machine", "ratios", "figures"})
    assert set(last["ratios"]) >= {"single_vs_fdatasync", "group64_vs_fdatasync"}
    assert set(last["figures"]) >= {"tap_to_effect_p50_ms", "tap_to_effect_p99_ms"}
    assert all(value > 0 for value in {**last["ratios"], **last["figures"]}.values())
    assert not list(tmp_path.iterdir())
