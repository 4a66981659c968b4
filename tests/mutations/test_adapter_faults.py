"""The six faults are caught, and the check itself fails loudly when it is out of order."""

from __future__ import annotations

import pytest

from . import adapter_faults
from .adapter_faults import FAULTS, BrokenCheckError, Fault, Verdict, main, mutate, run_check, table


def test_every_fault_is_killed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    printed = capsys.readouterr().out
    assert all(fault.name in printed for fault in FAULTS)
    assert "SURVIVED" not in printed
    assert len(printed.splitlines()) == len(FAULTS) + 1


def test_there_are_six_faults_with_different_names() -> None:
    assert len({fault.name for fault in FAULTS}) == 6


def test_a_harmless_change_survives_and_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    harmless = Fault(name="harmless", before="from __future__", after="# harmless\nfrom __future__")
    assert run_check([harmless]) == [Verdict(fault="harmless", killed_by=None)]
    monkeypatch.setattr(adapter_faults, "run_check", lambda: [Verdict(fault="harmless", killed_by=None)])
    assert main() == 1
    assert "harmless  SURVIVED" in table([Verdict(fault="harmless", killed_by=None)])


@pytest.mark.parametrize("text", ["no such text in the adapter", "document"])
def test_a_text_that_does_not_match_exactly_once_is_an_error(text: str) -> None:
    fault = Fault(name="stale", before=text, after="")
    with pytest.raises(BrokenCheckError, match="stale: the text to replace occurs"):
        mutate("document, document", fault)


def test_a_copy_that_does_not_even_import_is_no_kill() -> None:
    fault = Fault(name="syntax error", before="from __future__", after="from from __future__")
    with pytest.raises(BrokenCheckError, match="pytest ended with"):
        run_check([fault])


def test_a_broken_check_ends_with_2(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(adapter_faults, "ADAPTER", adapter_faults.TESTS)
    assert main() == 2
    assert "wanted 1" in capsys.readouterr().err
