"""Bound: what it compares, and what it shows."""

import copy
import dataclasses
import pickle

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
    with pytest.raises(TypeError):
        BRACKET < BRACKET


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
    assert found.upper == 0 or found.upper < 1e-300
    assert -1e6 < found.ln_lower <= found.ln_upper < -700
    assert "e-" in str(found)
