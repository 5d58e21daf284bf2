"""The appendix of Briscoe2025, and the limits, for every n at once."""

from typing import Any

import pytest

sympy = pytest.importorskip("sympy", reason="sympy proves the formulas for every n")

# Releases of sympy up to 1.12 do not cap mpmath, and use an old name of its 1.4.
pytestmark = pytest.mark.filterwarnings("ignore:bitcount function is deprecated")

n, x, k, m, b, t = sympy.symbols("n x k m b t", integer=True, nonnegative=True)


def same(first: Any, second: Any) -> bool:
    """Return whether two expressions are equal for every n."""
    return bool(sympy.simplify(sympy.expand(first - second)) == 0)


def tables(d: Any, size: Any) -> Any:
    """Return the number of matrices with FP - FN = d >= 0: FN is k, TP and TN share the rest."""
    return sympy.summation(size - d - 2 * k + 1, (k, 0, (size - d) / 2))


def test_number_of_tables() -> None:
    """N(n) is the sum over one cell of C(x; n)."""
    cell = (n - x + 1) * (n - x + 2) / 2
    assert same(sympy.summation(cell, (x, 0, n)), (n + 1) * (n + 2) * (n + 3) / 6)


@pytest.mark.parametrize("odd", [0, 1])
def test_counts_by_difference(odd: int) -> None:
    """With n - d = 2 m or 2 m + 1, floor((n - d + 2)^2 / 4) matrices have FP - FN = d."""
    rest = 2 * m + odd
    counted = sympy.summation(rest - 2 * k + 1, (k, 0, m))
    assert same(counted, ((rest + 2) ** 2 - odd) / 4)


@pytest.mark.parametrize("odd", [0, 1])
def test_variance_has_an_n_below_that_the_appendix_lacks(odd: int) -> None:
    """The variance is (n + 4) / (10 n); (n + 4) / 10, as printed, is that of sqrt(n) B."""
    size = 2 * m + odd
    even = tables(2 * x + odd, size) * (2 * x + odd) ** 2
    # FP - FN of the other parity: n - d is odd, and one more lies between the halves.
    rest = 2 * (m - x) + 1
    other = (((rest + 2) ** 2 - 1) / 4) * (2 * x - 1 + odd) ** 2
    second = 2 * sympy.summation(even, (x, 0, m)) + 2 * sympy.summation(other, (x, 1 - odd, m))
    total = (size + 1) * (size + 2) * (size + 3) / 6
    variance = second / total / size**2
    assert same(variance, (size + 4) / (10 * size))
    assert not same(variance, (size + 4) / 10)


def test_limit_of_the_marginal_benefit() -> None:
    """3 (1 - |b|)^2 / 2 is a density of variance 1/10."""
    density = sympy.Rational(3, 2) * (1 - b) ** 2
    assert 2 * sympy.integrate(density, (b, 0, 1)) == 1
    assert 2 * sympy.integrate(density * b**2, (b, 0, 1)) == sympy.Rational(1, 10)


def test_limit_of_the_index() -> None:
    """The cdf used for large groups is that of the difference of two such benefits."""
    f = lambda value: sympy.Rational(3, 2) * (1 - value) ** 2  # noqa: E731
    inner = (
        sympy.integrate(f(-t) * f(b - t), (t, b - 1, 0))
        + sympy.integrate(f(t) * f(b - t), (t, 0, b))
        + sympy.integrate(f(t) * f(t - b), (t, b, 1))
    )
    outer = sympy.integrate(f(t) * f(b - t), (t, b - 1, 1))
    cdf = sympy.Rational(1, 2) + sympy.integrate(sympy.expand(inner), b)
    polynomial = (
        sympy.Rational(1, 2)
        + sympy.Rational(9, 10) * b
        - b**3
        + sympy.Rational(3, 4) * b**4
        - sympy.Rational(3, 20) * b**5
        - b**6 / 80
    )
    assert same(cdf, polynomial)
    assert same(outer, sympy.diff(1 - (2 - b) ** 6 / 80, b))
