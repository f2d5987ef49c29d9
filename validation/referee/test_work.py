"""Certificates that are small and would take long, or have numbers beyond the arithmetic: not checked, and soon."""

from __future__ import annotations

import time

import pytest

import work
from test_soundness import CONTOUR, GAUSSIAN, MESH, SUM, answered, poisson, renyi, repeated, root


def composed(parts):
    return {"composed": {"parts": parts}}


def shuffled(epsilon):
    return {"shuffled": {"reports": 60, "inner": {"randomized_response": {"epsilon": epsilon, "categories": 2}}}}


LONG = CONTOUR | {"step": 1e-3, "terms": 1000000, "truncated_at": 1000.0}
NOTHING = {"gaussian_dp": {"mu": 0.0}}
LAPLACES = composed([{"laplace": {"scale": 1.0 + k}} for k in range(200)])
SAMPLES = composed([poisson(0.001 * k, GAUSSIAN) for k in range(1, 50)])
REPORTS = composed([shuffled(epsilon) for epsilon in (1, 2, 3, 4, 5)])
FINE = MESH | {"mesh": 1e-2, "tail": 1e-300}


@pytest.mark.parametrize(
    ("event", "witness", "word", "adjacency"),
    [
        ({"randomly_allocated": {"steps": 10**15, "inner": NOTHING}}, SUM, "certified", "add_or_remove_one"),
        ({"randomly_allocated": {"steps": 10**15, "inner": {"pure_dp": {"epsilon": 1}}}}, SUM, "not checked", None),
        ({"discrete_gaussian": {"noise_multiplier": 1e5}}, SUM, "not checked", None),
        ({"discrete_gaussian": {"noise_multiplier": 1e9}}, MESH, "not checked", None),
        (
            {"grouped": {"records": 10**9, "inner": {"discrete_gaussian": {"noise_multiplier": 1.0}}}},
            SUM,
            "not checked",
            None,
        ),
        (LAPLACES, LONG, "not checked", None),
        (SAMPLES, LONG, "not checked", None),
        (REPORTS, SUM, "not checked", "replace_one"),
        (repeated(10**6, poisson(0.01, GAUSSIAN)), FINE, "not checked", None),
        (repeated(2**53, repeated(2**53, {"pure_dp": {"epsilon": 1e-9}})), FINE, "not checked", None),
    ],
)
def test_small_files_do_not_keep_the_referee_busy(event, witness, word, adjacency):
    began = time.process_time()
    assert answered(event, "upper", 0.5, 1e-5, witness, adjacency or "add_or_remove_one") == word
    assert time.process_time() - began < 60


@pytest.mark.parametrize("noise", [1e-300, 1e-160, 1e160, 1e300])
@pytest.mark.parametrize(
    "witness", [SUM, root(1, 1), CONTOUR, MESH, renyi(1e300, 1)], ids=lambda witness: witness["kind"]
)
def test_numbers_beyond_the_arithmetic_are_no_tracebacks(noise, witness):
    for event in ({"gaussian": {"noise_multiplier": noise}}, {"laplace": {"scale": noise}}):
        for plan in (event, poisson(0.5, event)):
            assert answered(plan, "upper", 1, 1e-5, witness) in ("certified", "contradicted", "not checked")


def test_losses_of_any_size_are_answered():
    """Grids of such meshes have masses of billions of digits."""
    response = {"randomized_response": {"epsilon": 1.0, "categories": 2}}
    event = poisson(0.9, composed([{"gaussian": {"noise_multiplier": 1e-30}}, response]))
    line = CONTOUR | {"abscissa": 1e-30, "step": 30.0, "terms": 3000, "truncated_at": 90000.0, "smoothing": 1e-8}
    assert answered(event, "lower", 1e-9, 1e-5, line | {"alias_orders": [0.0, 2e-30]}) != "contradicted"


def test_lines_beyond_the_arithmetic_are_no_tracebacks():
    for more in ({"abscissa": 1e300}, {"abscissa": 1e-300}, {"step": 1e-320, "truncated_at": 4e-319}):
        assert answered(poisson(0.5, GAUSSIAN), "upper", 1, 1e-5, CONTOUR | more) != "certified"
    for mesh in (1e300, 1e-320):
        assert answered(poisson(0.5, GAUSSIAN), "upper", 1, 1e-5, MESH | {"mesh": mesh}) != "certified"


def test_work_is_counted_within_its_limit_alone():
    work.take(1e30, "what is not limited")
    with work.limited(10):
        work.take(6, "a part")
        with pytest.raises(work.TooMuch, match="the rest takes more"):
            work.take(6, "the rest")
        work.take(4, "what is left")
    work.take(1e30, "what is not limited")
