"""The JSON schema of plans says what the reader takes."""

import copy
import json
from importlib.resources import files
from random import Random

import pytest

import dpbudget
from golden import golden_plans

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads((files("dpbudget") / "plan.schema.json").read_text())
VALID = jsonschema.Draft202012Validator(SCHEMA)

# As little as the reader takes of each event.
LEAST = {
    "gaussian": {"noise_multiplier": 1},
    "laplace": {"scale": 1e-3},
    "discrete_gaussian": {"noise_multiplier": "?"},
    "discrete_laplace": {"scale": 2.5},
    "randomized_response": {"epsilon": 0, "categories": 2},
    "mixture_of_gaussians": {"noise_multiplier": 1, "shifts": [{"probability": 0.5, "offset": 2}]},
    "pure_dp": {"epsilon": 1},
    "approximate_dp": {"epsilon": 1, "delta": 1},
    "concentrated_dp": {"rho": 0},
    "truncated_concentrated_dp": {"rho": 0, "omega": 2},
    "renyi_dp": {"divergences": [{"order": 2, "epsilon": 0}]},
    "privacy_profile": {"points": [{"epsilon": 0, "delta": 1}]},
    "gaussian_dp": {"mu": 0},
    "bounded_range": {"epsilon": 0},
    "subset_selection": {"epsilon": 0, "categories": 2},
    "rappor": {"epsilon": 0, "categories": 2},
    "optimized_unary_encoding": {"epsilon": "?", "categories": 3},
    "hadamard_response": {"epsilon": 1, "categories": 2},
    "poisson_sampled": {"rate": 0.5, "inner": {"gaussian": {"noise_multiplier": 1}}},
    "sampled_without_replacement": {"rate": {"drawn": 1, "population": 2}, "inner": {"composed": {"parts": []}}},
    "sampled_with_replacement": {"draws": {"drawn": 3, "population": 2}, "inner": {"composed": {"parts": []}}},
    "truncated_poisson_sampled": {
        "rate": 0.5,
        "batch": {"drawn": 3, "population": 2},
        "inner": {"composed": {"parts": []}},
    },
    "participates": {"rate": "?", "inner": {"composed": {"parts": []}}},
    "repeated": {"count": 0, "inner": {"composed": {"parts": []}}},
    "composed": {"parts": []},
    "shuffled": {"reports": 1, "inner": {"pure_dp": {"epsilon": 1}}},
    "randomly_allocated": {"steps": 1, "inner": {"pure_dp": {"epsilon": 1}}},
    "selected": {"trials": {"poisson": {"mean": "?"}}, "inner": {"pure_dp": {"epsilon": 1}}},
    "shuffled_batches": {"steps": 1, "inner": {"pure_dp": {"epsilon": 1}}},
    "grouped": {"records": 1, "inner": {"pure_dp": {"epsilon": 1}}},
}


def plan_of(event):
    return {"version": 1, "adjacency": "replace_one", "event": event}


def is_read(plan):
    try:
        dpbudget.Plan(plan)
    except dpbudget.InvalidArgument:
        return False
    return True


def test_it_is_a_schema_of_every_event():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    known = SCHEMA["$defs"]["event"]["properties"]
    assert known.keys() == LEAST.keys()
    with pytest.raises(dpbudget.InvalidArgument, match="event `x` is unknown; the nearest is"):
        dpbudget.Plan(plan_of({"x": {}}))
    names = {next(iter(json.loads(dpbudget.Plan(text).json())["event"])) for text, _, _ in golden_plans(300)}
    assert names <= known.keys() and len(names) > 8


@pytest.mark.parametrize("name", LEAST)
def test_members_are_those_that_are_read(name):
    event = {name: LEAST[name]}
    assert VALID.is_valid(plan_of(event)) and is_read(plan_of(event))
    for member in LEAST[name]:
        without = {key: value for key, value in LEAST[name].items() if key != member}
        assert not VALID.is_valid(plan_of({name: without})) and not is_read(plan_of({name: without}))
    more = {name: {**LEAST[name], "more": 1}}
    assert not VALID.is_valid(plan_of(more)) and not is_read(plan_of(more))


@pytest.mark.parametrize(("text", "delta", "adjacency"), golden_plans(300))
def test_random_plans_are_valid(text, delta, adjacency):
    assert VALID.is_valid(json.loads(dpbudget.Plan(text, adjacency).json()))


def places(tree, path=()):
    """Where scalars stand."""
    if isinstance(tree, (dict, list)):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from places(value, (*path, key))
    else:
        yield path


def test_what_the_schema_takes_is_read_and_nothing_else():
    draw = Random(7)
    values = [-1, -0.0, 0, 0.5, 1, 1.0, 1.5, 2, 2.0, 2.0**53, 2**53 + 1, 2.0**54, 1e30, True, None, "?", "x", [], {}]
    outcomes = set()
    for text, _, adjacency in golden_plans(300):
        plan = json.loads(dpbudget.Plan(text, adjacency).json())
        *path, last = draw.choice(list(places(plan)))
        changed = copy.deepcopy(plan)
        inside = changed
        for key in path:
            inside = inside[key]
        inside[last] = draw.choice(values)
        # That no more are drawn than there are is beyond the schema.
        if last in ("drawn", "population"):
            continue
        assert VALID.is_valid(changed) == is_read(changed), changed
        outcomes.add(VALID.is_valid(changed))
    assert outcomes == {True, False}
