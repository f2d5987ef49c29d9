"""Bound: what it compares, and what it shows."""

import copy
import dataclasses
import math
import operator
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import dpbudget
from dpbudget import Bound

BRACKET = Bound(1.0, 2.0, "proven", ("a theorem",), ("a note",), "best")
ESTIMATE = Bound(0.0, 2.0, "estimate")


def test_only_what_is_proven_is_true():
    assert BRACKET <= 2 and not BRACKET < 2 and BRACKET < 2.5
    assert BRACKET >= 1 and not BRACKET > 1 and BRACKET > 0.5
    assert not BRACKET <= 1.5 and not BRACKET >= 1.5  # inside the bracket nothing is known
    assert 2 >= BRACKET and not 1.5 >= BRACKET


def test_an_estimate_proves_nothing_from_above():
    with pytest.raises(TypeError, match="an estimate proves nothing"):
        ESTIMATE <= 3
    with pytest.raises(TypeError, match="an estimate proves nothing"):
        ESTIMATE < 3
    assert ESTIMATE >= 0


def test_a_bound_is_no_number():
    with pytest.raises(TypeError, match="a bound is no number"):
        float(BRACKET)
    with pytest.raises(TypeError, match="a bound is no number"):
        BRACKET == 2.0
    for number in (2, Fraction(2), Decimal(2), np.float32(2), np.int64(2), np.array(2.0), 2j):
        with pytest.raises(TypeError, match="a bound is no number"):
            number == BRACKET
    with pytest.raises(TypeError):
        BRACKET < BRACKET


# The double 0.1 is above one tenth, and the double 0.3 below three.
TENTH = Bound(0.1, 0.1, "proven")
THREE_TENTHS = Bound(0.3, 0.3, "proven")


@pytest.mark.parametrize("kind", [Fraction, Decimal], ids=lambda kind: kind.__name__)
def test_exact_numbers_are_not_rounded(kind):
    tenth, three_tenths = kind("0.1"), kind("0.3")
    assert not TENTH <= tenth and TENTH > tenth and tenth < TENTH and not tenth >= TENTH
    assert THREE_TENTHS < three_tenths and not THREE_TENTHS >= three_tenths and three_tenths > THREE_TENTHS
    assert TENTH <= kind(0.1) and TENTH >= kind(0.1) and not TENTH < kind(0.1) and not TENTH > kind(0.1)
    assert TENTH < kind(10) ** 4000 and TENTH > -(kind(10) ** 4000)


def test_integers_are_not_rounded():
    large = Bound(2.0**53, 2.0**53, "proven")
    assert large < 2**53 + 1 and not large >= 2**53 + 1 and large > 2**53 - 1
    assert large < np.int64(2**53 + 1) and np.int64(2**53 + 1) > large
    assert large < 10**5000 and large > -(10**5000)


def test_infinities_and_what_is_no_number():
    for kind in (float, Decimal, np.float32, np.longdouble):
        assert BRACKET < kind("inf") and not BRACKET >= kind("inf") and BRACKET > kind("-inf")
        nan = kind("nan")
        assert not (BRACKET <= nan or BRACKET < nan or BRACKET >= nan or BRACKET > nan)
    boundless = Bound(0, math.inf, "proven")
    assert not boundless <= Decimal(10) and not boundless <= Fraction(10) and boundless <= Decimal("inf")
    for other in ("2", 2j, np.complex128(2), None, [2], BRACKET):
        with pytest.raises(TypeError):
            BRACKET <= other


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble], ids=lambda kind: kind.__name__)
def test_numbers_of_numpy_are_not_rounded(kind):
    assert BRACKET <= kind(2) and kind(2) >= BRACKET and not BRACKET < kind(2) and not kind(2) > BRACKET
    assert BRACKET >= kind(1) and kind(1) <= BRACKET and isinstance(BRACKET <= kind(2), bool)
    assert BRACKET <= np.array(2, dtype=kind) and np.array(2, dtype=kind) >= BRACKET
    # Just below 2, by a digit that a double may not have.
    below = np.nextafter(kind(2), kind(0))
    assert not BRACKET <= below and not below >= BRACKET
    # Next to the number of fewer digits.
    above = Bound(0, math.nextafter(float(kind(1.5)), 2), "proven")
    assert not above <= kind(1.5) and not kind(1.5) >= above


def test_arrays_are_refused():
    for array in (np.array([1.0, 3.0]), np.array([3.0]), np.array([[3]], dtype=object)):
        for compare in (operator.le, operator.lt, operator.ge, operator.gt):
            with pytest.raises(TypeError, match="one number at a time"):
                compare(BRACKET, array)
            with pytest.raises(TypeError, match="one number at a time"):
                compare(array, BRACKET)
        for compare in (operator.eq, operator.ne):
            with pytest.raises(TypeError, match="one bound at a time"):
                compare(BRACKET, array)
            with pytest.raises(TypeError, match="one bound at a time"):
                compare(array, BRACKET)


def test_bounds_are_values():
    assert BRACKET == copy.copy(BRACKET) == pickle.loads(pickle.dumps(BRACKET))
    assert BRACKET != ESTIMATE and BRACKET != "text"
    assert len({BRACKET, copy.copy(BRACKET)}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        BRACKET.upper = 0


def test_it_reads_as_the_program_prints():
    assert str(BRACKET) == "at most 2, at least 1 (both proven)"
    assert repr(BRACKET) == "<Bound at most 2, at least 1 (both proven) by best>"
    assert str(ESTIMATE) == "about 2 (estimate)"
    html = Bound(0, 1, "proven", ("x < y",), ("a & b",), "best")._repr_html_()
    assert "x &lt; y" in html and "a &amp; b" in html and "at most 1 (proven)" in html


def test_a_delta_beyond_doubles_has_its_logarithms():
    found = dpbudget.delta("gaussian(0.05)", epsilon=10000)
    assert isinstance(found, dpbudget.DeltaBound)
    assert found.upper == 5e-324 and found.lower == 0  # not 0, which would be a false upper end
    assert -1e6 < found.ln_lower <= found.ln_upper < -700
    assert "e-" in str(found)
