import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from skfair_ofi.audit import Audit, ReadOptions, rowwise
from skfair_ofi.audit._count import Plan, count_rows
from skfair_ofi.audit._files import open_data
from skfair_ofi.audit.predicates import expressions, parse
from skfair_ofi.audit.predicates._grammar import MAX_COMPARISONS, MAX_LENGTH

PEOPLE = pd.DataFrame(
    {
        "age": [20.0, None, 40.0, 50.0],
        "income": [0.0, 10.0, 20.0, 100.0],
        "race": ["a", "b", None, "it's"],
        "hired": pd.array([True, False, None, True], dtype="boolean"),
        "big": [1e308, 1.0, -1e308, None],
        "any name": [1, 2, 3, 4],
    }
)
YES, NO, MISSING = 1, 0, 2

MEANINGS: dict[str, list[int]] = {
    "age == 20": [YES, MISSING, NO, NO],
    "age != 20": [NO, MISSING, YES, YES],
    "not age == 20": [NO, MISSING, YES, YES],
    "20 < age <= 40": [NO, MISSING, YES, NO],
    "age in [20, 50]": [YES, MISSING, NO, YES],
    "age not in (20, 50)": [NO, MISSING, YES, NO],
    "race == 'a'": [YES, NO, MISSING, NO],
    'race == "it\'s"': [NO, NO, MISSING, YES],
    "race in ['a', 'b']": [YES, YES, MISSING, NO],
    "hired": [YES, NO, MISSING, YES],
    "hired == False": [NO, YES, MISSING, NO],
    "is_missing(age)": [NO, YES, NO, NO],
    "not is_missing(age / income)": [NO, NO, YES, YES],
    "age / income < 1": [MISSING, MISSING, NO, YES],
    "age + income * 2 - 1 > 58": [NO, MISSING, YES, YES],
    "-age < -20": [NO, MISSING, YES, YES],
    "col('any name') >= 3": [NO, NO, YES, YES],
    "age < 30 or race == 'b'": [YES, YES, MISSING, NO],
    "age < 30 and race == 'b'": [NO, MISSING, NO, NO],
    "1 / age == 1 / 20": [YES, MISSING, NO, NO],
    "1 / (1 / income) == 10": [MISSING, YES, NO, NO],
    "1 / (1 / (income - 10)) < 0": [YES, MISSING, NO, NO],
    "big * 10 - big * 10 > 0": [MISSING, NO, MISSING, MISSING],
    "not (big * 10 - big * 10 == 0)": [MISSING, NO, MISSING, MISSING],
    "is_missing(big * 10 * 0)": [YES, NO, YES, YES],
    "big * 10 > 0": [YES, YES, NO, MISSING],
    "0 <= age / income < 1": [MISSING, MISSING, NO, YES],
    "1 / 0 > 1": [MISSING, MISSING, MISSING, MISSING],
    "\n age >\r\n\t30 \n": [NO, MISSING, YES, YES],
    "race == 'a#b' or race == 'it\\'s'": [NO, NO, MISSING, YES],
}


def states(predicates: dict[str, Any], data: Any) -> dict[str, list[int]]:
    """Return the state of each person by predicate, as one pass of an audit finds it."""
    audit = Audit(
        positive="age > 0", groups="any name", legitimate=predicates, criteria=["disparate_impact"]
    )
    source = open_data(data, audit.spec.data)
    with source.stack:
        rows = count_rows(source, audit.spec)
    codes, groups = rows.groups[0]
    assert groups == (1, 2, 3, 4)
    order = np.argsort(codes)
    found = {name: states for (_, name), states in rows.conditions.items()}
    return {name: found[name][order].tolist() for name in predicates}


def test_meaning_in_every_engine(form: Callable[[pd.DataFrame], Any]) -> None:
    """A predicate means the same, missing values included, in every file and frame."""
    assert states({text: text for text in MEANINGS}, form(PEOPLE)) == MEANINGS


def test_text_that_looks_like_a_number_is_what_it_is_compared_with(tmp_path: Path) -> None:
    """A cell of CSV is a number beside a number, and text beside text."""
    path = tmp_path / "people.csv"
    path.write_text("any name,age,code\n1,1,01\n2,1,1\n3,1,1.0\n4,1,\n")
    found = states({"number": "code == 1", "text": "code == '01'"}, path)
    assert found == {"number": [YES, YES, YES, MISSING], "text": [YES, NO, NO, MISSING]}


REFUSED = {
    "__import__('os').system('x')": "Only col() and is_missing() can be called, got a call of",
    "exec('x')": "Only col() and is_missing() can be called, got exec()",
    "().__class__ == 1": "got an attribute (a dot)",
    "age.real == 1": "got an attribute (a dot)",
    "age[0] == 1": "got an index (square brackets)",
    "(lambda: 1) == 1": "got lambda",
    "f'{age}' == 'x'": "got an f-string",
    "(x := 1) == 1": "got an assignment (:=)",
    "[x for x in age] == 1": "got a comprehension",
    "age ** 9 > 1": "got **",
    "age // 9 > 1": "got //",
    "age % 9 > 1": "got %",
    "age & 9 > 1": "got &; write and",
    "~hired": "got ~; write not",
    "age is None": "got is; write == or is_missing(column)",
    "age == None": "None must be written as is_missing(column)",
    "1 if hired else 0": "got if and else",
    "age == 1j": "A literal number, text, True or False must stand",
    "age == b'1'": "A literal number, text, True or False must stand",
    "age == 1e999": "Numbers must be finite and below 2**53",
    "age == 9007199254740992": "Numbers must be finite and below 2**53",
    "age": "A condition or a column of booleans must stand, got number",
    "1": "A condition such as 'age > 30' must stand at character 1",
    "age + 1": "A condition such as 'age > 30' must stand",
    "age in race": "in must be followed by a list of values",
    "age in []": "in must be followed by a list of values",
    "age in [1, 'a']": "A list must hold values of one kind, got number and text",
    "1 < age in [3]": "in must stand by itself",
    "col(age) == 1": "col() must have a column's name in quotes",
    "col('a', 'b') == 1": "col() must have one argument",
    "col == 1": "col must be called",
    "is_missing(age) == 1": "is_missing() is a condition",
    "class == 1": "predicate must be an expression",
    "age == ": "predicate must be an expression",
    "": "predicate must be an expression",
    "age == 1; hired": "predicate must be an expression",
    "import os": "predicate must be an expression",
    "age == '\\d'": "invalid escape sequence",
    "\0": "predicate must be",
    "\ud800 == 1": "predicate must be plain text",
    "age == 1 and ages > 2": (
        "Unknown column 'ages' at character 14 of 'age == 1 and ages > 2'. Did you mean 'age'?"
    ),
    "'é' == race and ages > 2": "Unknown column 'ages' at character 17",
    "age == 1 # or age == 2": "A comment must be left out, found one at character 10 of",
    "'é' == race # x": "A comment must be left out, found one at character 13 of",
    "race == 'a\nb'": r"Text in quotes must have \n for the end of a line, found one at ch",
    "race in ['a', 'b\r']": r"Text in quotes must have \n for the end of a line",
    "race == '\\ud800'": "Text must be whole characters, got a lone surrogate at character 9",
    "race in ['a', '\\udfff']": "Text must be whole characters, got a lone surrogate",
    "ﬁ == 1": "A name that Python reads as 'fi' must be written col('ﬁ'), found at character 1",
    "age == 1 and ²": "predicate must be an expression",
    "age == 1 and ª": "A name that Python reads as 'a' must be written col('ª'), found",
    "race > 1": "text is written in quotes, got text > number",
    "age == '1'": "text is written in quotes, got number == text",
    "race < 'a'": "Only numbers can be compared by <, got text",
    "race + 1 > 2": "Arithmetic must be of numbers, got text",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=map(ascii, REFUSED))
def test_everything_else_is_refused(text: str, message: str) -> None:
    """What is no comparison of columns is refused, with the reason and the place."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is checked below
        parse(text).compile(expressions.column_kinds(PEOPLE))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a" * (MAX_LENGTH + 1), "predicate must have at most 10000 characters, got 10001."),
        ("not " * 100 + "hired", "predicate must be nested at most 40 levels deep"),
        ("not " * 2400 + "hired", "predicate must be"),
        ("(" * 3000 + "hired" + ")" * 3000, "predicate must be"),
        ("age == " + "-" * 3000 + "1", "predicate must be"),
        ("age == 0" + " + 1" * 200, "predicate must be nested at most 40 levels deep"),
        ("age == " + "9" * 5000, "predicate must be"),
        *(
            (text, "predicate must have at most 100 comparisons, got 101")
            for text in (
                " or ".join(["age == 1"] * (MAX_COMPARISONS + 1)),
                "age" + " == 1" * (MAX_COMPARISONS + 1),
                " and ".join(["hired"] * (MAX_COMPARISONS + 1)),
                " or ".join(["not is_missing(age)"] * (MAX_COMPARISONS + 1)),
            )
        ),
    ],
    ids=[
        "long",
        "deep",
        "deeper",
        "parentheses",
        "minus signs",
        "sums",
        "digits",
        "repetition",
        "chain",
        "columns",
        "missing",
    ],
)
def test_limits(text: str, message: str) -> None:
    """Length, depth, size of numbers and repetition are limited, and errors stay short."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is checked below
        parse(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.slow
def test_the_most_comparisons_run(form: Callable[[pd.DataFrame], Any]) -> None:
    """A predicate at the limit of repetition runs in every engine."""
    many = {
        " or ".join(["age == 20"] * MAX_COMPARISONS): [YES, MISSING, NO, NO],
        "20" + " == age" * MAX_COMPARISONS: [YES, MISSING, NO, NO],
        " and ".join(["hired"] * MAX_COMPARISONS): [YES, NO, MISSING, YES],
    }
    assert states({text: text for text in many}, form(PEOPLE)) == many


def _nested(depth: int, number: str) -> str:
    return f"{'1 / (' * depth}{number}{')' * depth} > 0"


@pytest.mark.slow
def test_nested_divisions_grow_by_steps(form: Callable[[pd.DataFrame], Any]) -> None:
    """A division in a division in a division takes a step more, not three times as many."""
    found = states({"deep": _nested(30, "income")}, form(PEOPLE))
    assert found == {"deep": [MISSING, YES, YES, YES]}


def _sum(numbers: int) -> str:
    return "age" if numbers == 1 else f"({_sum(numbers // 2)} + {_sum(numbers // 2)})"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (_nested(28, _sum(128)), 155),
        (" or ".join([_nested(10, "income")] * MAX_COMPARISONS), 1000),
        ("-" * 30 + "age + " + "-" * 30 + "age == 0", 61),
    ],
    ids=["one", "many", "signs"],
)
def test_operations_are_limited(text: str, count: int) -> None:
    """A predicate that would take an engine minutes to plan is refused at once."""
    message = rf"must have at most 50 arithmetic operations, got {count}: '.*'\.$"
    with pytest.raises(match=message):
        parse(text)


def test_the_most_operations_run() -> None:
    """A predicate at the limit of operations, in the order that takes longest, is planned."""
    deep = _nested(20, _sum(31))
    assert states({"deep": deep}, PEOPLE) == {"deep": [YES, MISSING, YES, YES]}


def test_functions(form: Callable[[pd.DataFrame], Any]) -> None:
    """A function of the row means what the same text means."""
    young = rowwise(lambda row: None if row["age"] is None else row["age"] < 30)
    assert states({"young": young}, form(PEOPLE)) == {"young": [YES, MISSING, NO, NO]}


def test_function_of_a_frame() -> None:
    """A function of the frame gets the frame as it is."""
    found = states({"rich": lambda frame: frame["income"] > 10}, PEOPLE)
    assert found == {"rich": [NO, NO, YES, YES]}


def test_function_must_answer_with_booleans() -> None:
    """A function that returns anything else is refused."""
    with pytest.raises(ValueError, match=r"predicate must hold|must return True, False or None"):
        states({"sum": lambda frame: frame["income"] + 1}, PEOPLE)


def test_size_of_all_predicates_is_limited() -> None:
    """Many predicates, each of which could run, are refused where all of them take long."""
    predicates = {f"condition {i}": " or ".join([f"age == {i}"] * 100) for i in range(10)}
    message = r"predicates: must have at most 1000 comparisons and operations in all, got 1001\.$"
    with pytest.raises(ValueError, match=message):
        states(predicates, PEOPLE)


def test_stack_that_is_too_small() -> None:
    """A predicate that is too deep for the stack that is left is refused in words."""
    fields: dict[str, Any] = {"positive": _nested(30, "income"), "groups": "any name"}
    source = open_data(PEOPLE, ReadOptions())
    plan = Plan(Audit(**fields, criteria=["disparate_impact"]).spec, source.columns)

    def count_below(calls: int) -> Any:
        return count_below(calls - 1) if calls else plan.count(source)

    with pytest.raises(ValueError, match=r"^predicates must be simpler, got some too deep to run"):
        count_below(sys.getrecursionlimit() - len(inspect.stack(0)) - 30)


def test_dask() -> None:
    """A predicate means the same in dask."""
    dask = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    data = dask.from_pandas(PEOPLE.drop(columns="hired"), npartitions=2)
    meanings = {text: found for text, found in MEANINGS.items() if "hired" not in text}
    assert states({text: text for text in meanings}, data) == meanings


@pytest.mark.parametrize("text", ["a\tb", " a ", "a\x0bb", "é", "#", "a\xa0b"])
def test_text_in_quotes_is_kept(form: Callable[[pd.DataFrame], Any], text: str) -> None:
    """What stands in quotes is compared as it stands, tabs and spaces too."""
    people = PEOPLE.assign(race=[text, "a b", None, "x"])
    found = states({"same": f"race == '{text}'"}, form(people))
    assert found == {"same": [YES, NO, MISSING, NO]}


def test_names_that_python_changes() -> None:
    """Two columns that are one name to Python are told apart by col()."""
    people = PEOPLE.join(pd.DataFrame({"fi": [1] * 4, "ﬁ": 2}))
    found = states({"plain": "fi == 1", "other": "col('ﬁ') == 2"}, people)
    assert found == {"plain": [YES] * 4, "other": [YES] * 4}


def test_cells_that_are_no_number(tmp_path: Path) -> None:
    """A cell of CSV that says nan is missing as a number, to is_missing too, and text as text."""
    path = tmp_path / "people.csv"
    path.write_text("any name,age,t\n1,1,nan\n2,1, -NaN(1) \n3,1,\n4,1,2\n")
    meanings = {
        "t > 1": [MISSING, MISSING, MISSING, YES],
        "is_missing(t)": [YES, YES, YES, NO],
        "is_missing(t + 1)": [YES, YES, YES, NO],
        "t == 'nan'": [YES, NO, MISSING, NO],
    }
    for text, meaning in meanings.items():
        assert states({text: text}, path) == {text: meaning}
    assert states({text: text for text in meanings}, path) == meanings
