"""The audit: a specification that is run on files, frames or a model's predictions."""

import hashlib
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, Self

from ._count import count_rows
from ._criteria import Criterion
from ._csv_files import ReadOptions
from ._distinct import Rows
from ._evaluate import GroupingAudit
from ._faults import SpecError
from ._files import Progress, open_data
from ._result import AuditResult, Provenance
from ._spec import MOST_BYTES, AboveMedian, Spec, read_toml, resolve
from .predicates import Predicate

# The package itself is not imported here, since it stands above the audit.
_LIBRARIES = ("skfair_ofi", "numpy", "scipy", "narwhals", "duckdb")


def _versions() -> tuple[tuple[str, str], ...]:
    """What computed the result; read off loaded modules, which is quicker than metadata."""
    loaded = {name.replace("_", "-"): sys.modules.get(name) for name in _LIBRARIES}
    found = {name: str(module.__version__) for name, module in loaded.items() if module is not None}
    return (*found.items(), ("python", platform.python_version()))


def _words(predicate: Any) -> str | None:
    if isinstance(predicate, Predicate | AboveMedian):
        return predicate.text
    return None if predicate is None else "a Python function"


@dataclass(frozen=True, kw_only=True)
class Audit:
    """A specification of an audit, checked as a whole; ``run`` applies it to data.

    A predicate is text such as ``"score >= 5 and race in ['a', 'b']"``, a
    function of the frame that returns booleans, or ``rowwise(function)``.
    A row that lacks what a measure needs is left out of it, and counted.

    Parameters
    ----------
    positive : predicate, default=None
        Whether a prediction is favorable. With the preset ``nyc-ll144`` and a
        score, None is a score above the median of all people.
    truth : predicate, default=None
        Whether the true label is favorable.
    corrected : predicate, default=None
        Whether a corrected prediction is, for the measures of flips.
    groups : str, Grouping, dict, or list of these, default=None
        A column, or several definitions; a list inside the list crosses columns.
    privileged : predicate, default=None
        Who is privileged, in the place of or beside ``groups``.
    score, weight : str, default=None
        Columns of scores, and of the number of people a row stands for.
    legitimate : predicate or dict of str to predicate, default=None
        Conditions for conditional statistical parity.
    calibration : list of float, list of these, or "each", default=None
        Ranges of the score, both ends included, or each of its values.
    criteria : list of str, Criterion or dict, default=None
        What is computed and judged. A name alone takes the measure's own
        bounds. None, and no preset, is the thirteen measures of Yuan2024 as
        far as the other fields allow.
    preset : {"yuan2024", "fai", "ofi", "four-fifths", "nyc-ll144"}, default=None
        Criteria that belong together; those in ``criteria`` are added.
    epsilon : float, default=0.2
        The bound of the criteria of Yuan2024.
    minimum_group_size : int, default=30
        Smaller groups are marked.
    missing_groups : {"error", "drop", "group"}, default=None
        What becomes of rows whose group is missing. None is "error", or what
        the preset asks for.
    exclude_below : float, default=None
        Groups of a smaller share of all people are listed and not compared.
    features : list of str, default=None
        Columns that a model gets; None asks the model.
    title : str, default=None
        What the report is called.
    data : ReadOptions or dict, default=None
        How CSV files are read.

    Attributes
    ----------
    spec : Spec
        The checked specification.
    spec_sha256 : str or None
        Hash of the file it was read from.

    Raises
    ------
    SpecError
        If anything is wrong with it; the message names all faults.

    Examples
    --------
    >>> from skfair_ofi.datasets import load_compas
    >>> audit = Audit(
    ...     truth="two_year_recid == 1",
    ...     positive="score_text in ['Medium', 'High']",
    ...     privileged="race != 'African-American'",
    ...     criteria=["disparate_impact"],
    ... )
    >>> result = audit.run(load_compas().frame)
    >>> result.findings[0].sentence, result.exit_code
    ('1.810 is above 1.25', 1)
    """

    positive: Any = None
    truth: Any = None
    corrected: Any = None
    groups: Any = None
    privileged: Any = None
    score: str | None = None
    weight: str | None = None
    legitimate: Any = None
    calibration: Any = None
    criteria: Sequence[str | Criterion | Mapping[str, Any]] | None = None
    preset: str | None = None
    epsilon: float = 0.2
    minimum_group_size: int = 30
    missing_groups: str | None = None
    exclude_below: float | None = None
    features: Sequence[str] | None = None
    title: str | None = None
    data: ReadOptions | Mapping[str, Any] | None = None
    spec: Spec = field(init=False, repr=False, compare=False)
    spec_sha256: str | None = field(init=False, default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check everything, and keep what was read."""
        given = {name: getattr(self, name) for name in self._known()}
        object.__setattr__(self, "spec", resolve(given, self._known()))

    @classmethod
    def _known(cls) -> list[str]:
        return [known.name for known in fields(cls) if known.init]

    @classmethod
    def from_toml(cls, content: str | bytes, *, name: str = "spec") -> Self:
        """Return the audit that TOML text describes; its keys are the fields of the class.

        Parameters
        ----------
        content : str or bytes
            The text.
        name : str, default="spec"
            What messages call it.

        Returns
        -------
        Audit
            The audit.

        Raises
        ------
        SpecError
            If it is no TOML, or anything in it is wrong.

        Examples
        --------
        >>> Audit.from_toml('''
        ... positive = "hired == 'yes'"
        ... groups = ["sex", ["race", "sex"]]
        ... preset = "four-fifths"
        ... ''').spec.groupings[1].title
        'race x sex'
        """
        raw = content.encode() if isinstance(content, str) else content
        given = read_toml(raw, name)
        known = cls._known()
        if set(given) - set(known):
            # Reports unknown keys together with all other faults.
            resolve(given, known)
        audit = cls(**given)
        object.__setattr__(audit, "spec_sha256", hashlib.sha256(raw).hexdigest())
        return audit

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Self:
        """Return the audit that a TOML file describes.

        Parameters
        ----------
        path : path-like
            The file.

        Returns
        -------
        Audit
            The audit.

        Raises
        ------
        SpecError
            If it cannot be read, is no TOML, or anything in it is wrong.
        """
        file = Path(path)
        try:
            with file.open("rb") as handle:
                content = handle.read(MOST_BYTES + 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise SpecError([f"{file.name or str(path)!r} cannot be read: {reason}."]) from None
        return cls.from_toml(content, name=repr(file.name))

    def run(
        self,
        data: Any,
        model: Any = None,
        *,
        no_time: bool = False,
        command: str | None = None,
        model_sha256: str | None = None,
        progress: Progress | None = None,
        memory_limit: str | None = None,
    ) -> AuditResult:
        """Return what the audit finds in data.

        Parameters
        ----------
        data : path-like, sequence of these, or frame
            CSV or Parquet files, folders of Parquet files, "-" for the standard
            input, or an eager or lazy frame of any library.
        model : object, default=None
            Something with ``predict``; its predictions are the column
            ``prediction``, and the probability of its second class is
            ``probability``.
        no_time : bool, default=False
            Whether to leave out the time, so that equal input gives equal output.
        command : str, default=None
            How the audit was started.
        model_sha256 : str, default=None
            Hash of the file that the model is from.
        progress : callable, default=None
            Takes what is being done and the share that is done.
        memory_limit : str, default=None
            The most memory that reading files takes, such as "1GB"; None is
            most of what there is.

        Returns
        -------
        AuditResult
            The findings.

        Raises
        ------
        ValueError
            If the data cannot be read, or do not fit the specification.
        """
        source = open_data(data, self.spec.data, progress, memory_limit)
        with source.stack:
            rows = count_rows(source, self.spec, model, progress)
        name = None if model is None else type(model).__name__
        provenance = Provenance(
            files=source.files,
            spec_sha256=self.spec_sha256,
            rows=int(rows.n.sum()),
            model=name,
            versions=_versions(),
            command=command,
            model_sha256=model_sha256,
            created=None if no_time else datetime.now(UTC).isoformat(timespec="seconds"),
        )
        return _result(self.spec, rows, provenance)


def _notes(spec: Spec, audits: Sequence[GroupingAudit]) -> list[str]:
    notes = list(spec.preset.notes if spec.preset else ())
    for audit in audits:
        excluded = sum(facts.excluded for facts in audit.facts.groups)
        if excluded:
            notes.append(
                f"By {audit.facts.name}, {excluded} of {len(audit.facts.groups)} groups are not "
                f"compared, since they are below {100 * (spec.exclude_below or 0):.3g} % of all."
            )
    return notes


def _result(spec: Spec, rows: Rows, provenance: Provenance) -> AuditResult:
    audits = [GroupingAudit(spec, rows, place) for place in range(len(spec.groupings))]
    found = [tuple(audit.findings()) for audit in audits]
    roles = [
        role
        for role, name in (
            ("y_true", "truth"),
            ("y_pred", "positive"),
            ("y_corrected", "corrected"),
        )
        if name in rows.states
    ]
    return AuditResult(
        title=spec.title,
        positive=_words(spec.predicates.get("positive")),
        truth=_words(spec.predicates.get("truth")),
        findings=tuple(chain(*found)),
        groupings=tuple(audit.facts for audit in audits),
        readings=tuple(
            reading
            for audit, findings in zip(audits, found, strict=True)
            for reading in audit.readings(findings)
        ),
        left_out=tuple(rows.left_out.items()),
        skipped=spec.skipped,
        notes=tuple(_notes(spec, audits)),
        preset=spec.preset,
        provenance=provenance,
        tables={audit.facts.name: audit.tables.get(roles) for audit in audits},
    )
