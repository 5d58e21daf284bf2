"""``skfair-ofi measures`` lists the registry."""

import csv
import io
import json

import pytest

from skfair_ofi.cli import main
from skfair_ofi.metrics import METRICS
from skfair_ofi.report.document import decode_float, encode


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run the sub-command and return what it prints."""
    assert main(["measures", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_table_has_every_measure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each measure is one line with its symbol, ideal, bands and source."""
    monkeypatch.delenv("COLUMNS", raising=False)
    lines = output(capsys).splitlines()
    named = [line.split()[0] for line in lines if line.split()[:1] and line.split()[0] in METRICS]
    assert sorted(named) == sorted(METRICS)
    line = next(line for line in lines if line.startswith("disparate_impact"))
    assert " ".join(line.split()) == (
        "disparate_impact DI comparison 1 0.8 to 1.25 – " + METRICS["disparate_impact"].source
    )


@pytest.mark.parametrize("kind", ["rate", "comparison"])
@pytest.mark.parametrize("family", ["label", "flip", "score"])
def test_filters(capsys: pytest.CaptureFixture[str], kind: str, family: str) -> None:
    """Filters keep the measures of their kind and family, in the registry's order."""
    found = json.loads(output(capsys, "--kind", kind, "--family", family, "--format", "json"))
    wanted = [m.name for m in METRICS.values() if (m.kind, m.family) == (kind, family)]
    assert [record["name"] for record in found] == wanted
    assert wanted


def test_measures_by_name_and_symbol(capsys: pytest.CaptureFixture[str]) -> None:
    """Those that are named are listed, in the order given, each once."""
    found = json.loads(output(capsys, "DI", "flip_rate", "disparate_impact", "--format", "json"))
    assert [record["name"] for record in found] == ["disparate_impact", "flip_rate"]


def test_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown name gives the three nearest."""
    assert main(["measures", "flip_rat"]) == 2
    message = "skfair-ofi: NAME must name a measure, got 'flip_rat'. Did you mean 'flip_rate', "
    error = capsys.readouterr().err
    assert error.startswith(message)
    assert error.count("'") == 2 * 4


def test_json_is_the_registry(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has every field, strictly valid, with words for what is not bounded."""
    records = json.loads(output(capsys, "--format", "json"), parse_constant=pytest.fail)
    for record, metric in zip(records, METRICS.values(), strict=True):
        assert (record["symbol"], record["summary"]) == (metric.symbol, metric.summary)
        assert record["roles"] == list(metric.roles)
        assert tuple(map(decode_float, record["bounds"])) == metric.bounds
        bands = metric.bands
        assert record["acceptable"] == (bands and encode(bands.acceptable))
        assert record["moderate"] == (bands and bands.moderate and encode(bands.moderate))


def test_csv_has_numbers_in_columns(capsys: pytest.CaptureFixture[str]) -> None:
    """CSV has one row a measure and each limit as a number of its own."""
    rows = list(csv.DictReader(io.StringIO(output(capsys, "--format", "csv"))))
    assert [row["name"] for row in rows] == list(METRICS)
    ofi = next(row for row in rows if row["symbol"] == "OFI")
    assert (ofi["acceptable_from"], ofi["acceptable_to"], ofi["moderate_to"]) == ("-0.3", "0.3", "")


def test_markdown_escapes_bars(capsys: pytest.CaptureFixture[str]) -> None:
    """A bar in a symbol does not end its cell."""
    text = output(capsys, "--format", "markdown").splitlines()
    lines = [line for line in text if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in lines} == {lines[0].count("|")}
    assert any(r"E\[V\|1\]" in line for line in lines)
