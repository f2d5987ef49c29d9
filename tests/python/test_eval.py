"""The reference functions."""

import math

import pytest

import dpbudget


def test_values():
    assert dpbudget.eval("renyi.gaussian", order=2, noise_multiplier=3) == pytest.approx(1 / 9, rel=1e-15)
    assert "renyi.gaussian" in dpbudget.functions()


def test_what_is_wrong_is_named():
    with pytest.raises(
        dpbudget.InvalidArgument, match="function `renyi.gausian` is unknown; the nearest is `renyi.gaussian`"
    ):
        dpbudget.eval("renyi.gausian")
    with pytest.raises(dpbudget.InvalidArgument, match="order is missing"):
        dpbudget.eval("renyi.gaussian", noise_multiplier=3)
    with pytest.raises(dpbudget.InvalidArgument, match="x is not an input of this function; the nearest is order"):
        dpbudget.eval("renyi.gaussian", order=2, noise_multiplier=3, x=1)
    with pytest.raises(dpbudget.InvalidArgument, match="has no logarithms"):
        dpbudget.eval("renyi.gaussian", ln=True, order=2, noise_multiplier=3)
    with pytest.raises(dpbudget.InvalidArgument, match="order is inf|must be"):
        dpbudget.eval("renyi.gaussian", order=-math.inf, noise_multiplier=3)
