"""The house is in order: what is written twice, at length or in the wrong room shows here.

Every module of the package is read as a syntax tree, so that new ones are covered unasked.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import isclass
from pathlib import Path
from pkgutil import walk_packages

import pytest

import skfair_ofi
from skfair_ofi.metrics import METRICS

ROOT = Path(skfair_ofi.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
Function = ast.FunctionDef | ast.AsyncFunctionDef
SECTION = re.compile(r"^ *(Parameters|Returns|Raises|Yields|Warns|Attributes)\n *-{3,}$", re.M)

PUBLIC_STEMS = ("init", "main", "beyond_binary")
# Where measures are written, laws ask for some of them, and reports and series choose theirs.
LISTING_MEASURES = ("metrics/", "audit/_presets.py", "report/_terms.py", "monitoring/_points.py")
# Five floors are enough; these have more, and may lose some.
FLOORS = {"audit": 6, "metrics": 6, "report": 9}

# What functions of this package do. A function that does something else adds its word.
VERBS = """
accept accepts adapt add adjust align append apply are as ask assert attach average begin bind
bootstrap build calibrate call can cap cast check choose chunk clean clear clip close code
collapse collect color combine compare compile complete compute contains convert copy correct
count cover create cross cut debias decide decode decorate derive describe detect dispatch display
divide do drain draw drop dump embed encode end ends ensure escape estimate evaluate exclude
execute expand explain export extract factorize fail fetch fill filter find fit flag flatten flip
fold format from gather get give group guard guess has have hash hide identify import include
index infer inspect interpolate interpret invert is join judge label lay limit link list load
locate lock log look lower make map mark mask match may measure merge move must name need needs
nest normalize note number order pack pad pair parse pass pick place plan plot pool predict
prepare print probe publish put quantize quote raise rank reach read rebuild recode record reduce
refer refit refuse register reindex release remove rename render reorder repair repeat replace
report require resample reset reshape resolve respond restrict return reverse rewrite root round
route run sample save say says scale scan scatter score search select send separate serve set
settle shape share shorten should show shuffle simplify simulate skip slice solve sort span split
standardize start starts state step stop store stream stretch strip style subtract suggest sum
summarize supports swap tabulate take tell test tie title to translate trim truncate try turn
unify unpack unwrap update use uses validate vary view visit wait walk warn was watch weigh weight
widen will wrap write yield
"""
# Past participles that do not end in "ed", and words that end so and are none.
PARTICIPLES = """
born bound built chosen drawn found given held hidden kept known left made meant met said seen sent
shown spent taken told written
"""
NO_PARTICIPLES = "embed need seed speed"
# Words of a dialect, refused in names of functions, classes, arguments and variables.
BANNED = "calm doubt doubts kept lows opened placed said stranger strangers"


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def place(path: Path) -> str:
    """Where a file lies in the package."""
    return path.relative_to(ROOT).as_posix()


def find_public() -> set[tuple[str, str]]:
    """Module and name of what some `__all__` offers, and of the bases of such classes."""
    found = set()
    names = ["skfair_ofi", *(info.name for info in walk_packages([str(ROOT)], "skfair_ofi."))]
    for name in (name for name in names if "._" not in name):
        module = import_module(name)
        for offered in module.__all__:
            thing = getattr(module, offered)
            found.add((getattr(thing, "__module__", ""), offered))
            for base in thing.__mro__ if isclass(thing) else ():
                found.add((base.__module__, base.__qualname__))
    return found


def find_internal(path: Path, public: set[tuple[str, str]]) -> Iterator[Function | ast.ClassDef]:
    """Yield the definitions of a file that no user can import, nor reach from what users can."""
    module = ".".join(("skfair_ofi", *path.relative_to(ROOT).with_suffix("").parts))

    def visit(node: ast.AST, *, inside: bool, top: bool) -> Iterator[Function | ast.ClassDef]:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, Function | ast.ClassDef):
                yield from visit(child, inside=inside, top=top)
                continue
            named = (module, child.name) in public if top else not child.name.startswith("_")
            reached = inside and named
            if not reached:
                yield child
            inside_it = reached and isinstance(child, ast.ClassDef)
            yield from visit(child, inside=inside_it, top=False)

    return visit(tree_of(path), inside=True, top=True)


def find_functions() -> Iterator[tuple[str, Function]]:
    """Yield every function that has a name of its own choosing, with its file."""
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, Function) and not node.name.startswith("__"):
                yield place(path), node


def is_property(function: Function) -> bool:
    """Whether a function is read like an attribute."""
    names = {getattr(node, "attr", getattr(node, "id", "")) for node in function.decorator_list}
    return bool(names & {"property", "cached_property", "setter"})


def first_word(name: str) -> str:
    """The first word of a name."""
    return name.strip("_").partition("_")[0]


def is_participle(word: str) -> bool:
    """Whether a word says what was done, where a function should say what it does."""
    ends_so = word.endswith("ed") and word not in NO_PARTICIPLES.split()
    return ends_so or word in PARTICIPLES.split()


def test_internal_docstrings_are_short() -> None:
    """Numpydoc sections are for what users can import; inside, a sentence or two must do."""
    public = find_public()
    long = [
        f"{place(path)}: {node.name}"
        for path in FILES
        for node in find_internal(path, public)
        if SECTION.search(ast.get_docstring(node) or "")
    ]
    assert long == []


def test_names_of_classes_differ() -> None:
    """A class's name says which one it is."""
    nodes = [node for path in FILES for node in ast.walk(tree_of(path))]
    names = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert [name for name, times in names.items() if times > 1] == []


def test_names_of_modules_differ() -> None:
    """A file's name says which one it is; `beyond_binary` is a public module of two packages."""
    stems = Counter(path.stem for path in FILES if path.stem.strip("_") not in PUBLIC_STEMS)
    assert [name for name, times in stems.items() if times > 1] == []


def names_measures(node: ast.AST) -> bool:
    """Whether a collection holds the names of three measures: a table of its own."""
    parts = getattr(node, "keys" if isinstance(node, ast.Dict) else "elts", [])
    return sum(isinstance(part, ast.Constant) and part.value in METRICS for part in parts) > 2


def test_measures_are_listed_where_they_are_written() -> None:
    """What is known of measures stands in the registry, not in a table by name elsewhere."""
    found = [
        f"{place(path)}:{node.lineno}"
        for path in FILES
        if path.stem != "__init__" and not place(path).startswith(LISTING_MEASURES)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Dict | ast.Set | ast.Tuple | ast.List) and names_measures(node)
    ]
    assert found == []


def test_functions_begin_with_a_verb() -> None:
    """Three in five functions begin with a verb; properties and measures are named as nouns."""
    named = [
        (where, node.name)
        for where, node in find_functions()
        if not is_property(node) and node.name not in METRICS
    ]
    others = [f"{where}: {name}" for where, name in named if first_word(name) not in VERBS.split()]
    assert len(others) <= 0.4 * len(named), others


def test_few_functions_are_participles() -> None:
    """A function says what it does, not what was done."""
    named = [(where, node.name) for where, node in find_functions()]
    done = [f"{where}: {name}" for where, name in named if is_participle(first_word(name))]
    assert len(done) <= 0.03 * len(named), done


def names_in(path: Path) -> Iterator[str]:
    """Yield the names of functions, classes, arguments and variables of a file."""
    for node in ast.walk(tree_of(path)):
        for field in ("name", "arg", "id"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield name


def test_no_dialect() -> None:
    """Some words that nobody outside this project understood are gone from all names."""
    banned = set(BANNED.split())
    found = {
        f"{place(path)}: {name}"
        for path in FILES
        for name in names_in(path)
        if banned & {word.lower() for word in re.findall(r"[A-Z]?[a-z]+", name)}
    }
    assert sorted(found) == []


@pytest.mark.parametrize(
    ("text", "where"),
    [("difflib", "_validation.py"), ('".md"', "report/document/_report.py")],
    ids=["did you mean", "suffixes of files"],
)
def test_decided_in_one_place(text: str, where: str) -> None:
    """What is decided once stands in one file."""
    assert [place(path) for path in FILES if text in path.read_text(encoding="utf-8")] == [where]


PACKAGES = sorted(path.parent for path in ROOT.glob("*/__init__.py"))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_packages_have_few_floors(package: Path) -> None:
    """From the uppermost file of a package to its ground, a reader takes few steps."""
    most = FLOORS.get(package.name, 5)
    prefix = f"skfair_ofi.{package.name}"
    below: dict[str, set[str]] = {}
    for path in package.rglob("*.py"):
        # A folder inside is one room: what its files import, it imports.
        room = path.relative_to(package).parts[0].removesuffix(".py")
        inside = path.parent != package
        for node in tree_of(path).body:  # not what only type checkers import
            if not isinstance(node, ast.ImportFrom):
                continue
            name = node.module or ""
            if node.level == 1 + inside:
                below.setdefault(room, set()).add(name.partition(".")[0])
            elif name.startswith(f"{prefix}."):
                below.setdefault(room, set()).add(name.removeprefix(f"{prefix}.").partition(".")[0])

    @cache
    def count_floors(room: str) -> int:
        return 1 + max((count_floors(name) for name in below.get(room, set()) - {room}), default=0)

    below.pop("__init__", None)
    assert {room: floors for room in below if (floors := count_floors(room)) > most} == {}
