"""Files that are no certificates: one line that says which field is not as it must be, and status 2."""

from __future__ import annotations

import copy
import json

import pytest

from certificate import DEEPEST, BadCertificate, validated
from conversions import KEEPING_ORDER
from plan_rules import SCHEMA
from plans import EVENTS, Reader
from referee import examine_certificate
from test_soundness import CONTOUR, GAUSSIAN, RESPONSE, poisson

END = {"accountant": "exact", "theorems": [], "witness": None}
GOOD = {
    "format": "dpbudget certificate",
    "version": 1,
    "program": "dpbudget",
    "plan": {"version": 1, "adjacency": "add_or_remove_one", "event": GAUSSIAN},
    "epsilon": {"lower": 0, "upper": "inf"},
    "delta": 1e-5,
    "lower": dict(END),
    "upper": dict(END),
}


@pytest.fixture
def examined(tmp_path, capsys):
    """Of a text the status, and what was printed."""

    def examine(text):
        file = tmp_path / "certificate.json"
        file.write_text(text, encoding="utf-8", errors="surrogatepass")
        status = examine_certificate(file)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return examine


@pytest.fixture
def refused(examined):
    """What is said of a text that is no certificate."""

    def examine(text):
        status, out, error = examined(text)
        assert status == 2 and not out
        assert error.startswith("referee: ") and error.count("\n") == 1
        return error

    return examine


def changed(path, value):
    found = copy.deepcopy(GOOD)
    *folders, last = path.split(".")
    inside = found
    for folder in folders:
        inside = inside[folder]
    inside[last] = value
    return found


def test_a_good_one_is_read(examined):
    assert validated(copy.deepcopy(GOOD)) == GOOD
    assert examined(json.dumps(GOOD))[0] == 0


def fields(name, **values):
    return {name: values}


MIXTURE = {"noise_multiplier": 1, "shifts": [{"probability": 0.5, "offset": 1}]}


@pytest.mark.parametrize(
    ("event", "field"),
    [
        ("gaussian(1)", "plan.event is"),
        (None, "plan.event is"),
        ({}, "plan.event is {}"),
        (GAUSSIAN | RESPONSE, "plan.event is .* must have maxProperties 1"),
        (fields("something_new"), "something_new"),
        (fields("grouped_sample", records=2, rate=0.5, inner=GAUSSIAN), "grouped_sample"),
        (fields("_init__"), "_init__"),
        (fields("gaussian"), "gaussian is .*noise_multiplier"),
        (fields("gaussian", noise_multiplier=0), "gaussian.noise_multiplier"),
        (fields("gaussian", noise_multiplier="1"), "gaussian.noise_multiplier"),
        (fields("gaussian", noise_multiplier=True), "gaussian.noise_multiplier"),
        (fields("gaussian", noise_multiplier="?"), "gaussian.noise_multiplier is unknown"),
        (fields("gaussian", noise_multiplier=1, scale=1), "scale"),
        (fields("gaussian_dp", mu=-1), "gaussian_dp.mu"),
        (fields("laplace", scale=-1), "laplace.scale"),
        (fields("approximate_dp", epsilon=1, delta=-0.5), "approximate_dp.delta"),
        (fields("randomized_response", epsilon=1, categories=1), "randomized_response.categories"),
        (fields("randomized_response", epsilon=1, categories=2.5), "randomized_response.categories"),
        (fields("repeated", count=-3, inner=GAUSSIAN), "repeated.count"),
        (fields("repeated", count=0.5, inner=GAUSSIAN), "repeated.count"),
        (fields("repeated", count="3", inner=GAUSSIAN), "repeated.count"),
        (fields("composed", parts=[GAUSSIAN]), "composed.parts"),
        (fields("composed", parts=[GAUSSIAN, fields("laplace", scale=0)]), "composed.parts.1.laplace.scale"),
        (poisson(1.5, GAUSSIAN), "poisson_sampled.rate"),
        (poisson({"drawn": 3, "population": 2}, GAUSSIAN), "poisson_sampled.rate.drawn"),
        (poisson({"drawn": 3, "population": 0}, GAUSSIAN), "poisson_sampled.rate.population"),
        (fields("grouped", records=0, inner=GAUSSIAN), "grouped.records"),
        (fields("grouped", records=-1, inner=GAUSSIAN), "grouped.records"),
        (fields("participates", rate=-0.5, inner=GAUSSIAN), "participates.rate"),
        (fields("shuffled", reports=0, inner=RESPONSE), "shuffled.reports"),
        (fields("mixture_of_gaussians", **MIXTURE | {"shifts": 3 * MIXTURE["shifts"]}), "shifts"),
        (fields("mixture_of_gaussians", noise_multiplier=1, shifts=[{"probability": -1, "offset": 1}]), "probability"),
        (fields("subset_selection", epsilon=1, categories=3, subset=3), "subset_selection.subset"),
        (fields("randomly_allocated", steps=2, times=3, inner=GAUSSIAN), "randomly_allocated.times"),
        (fields("sampled_without_replacement", rate=0.5, inner=RESPONSE, clipped=True), "clipped"),
        (
            fields(
                "sampled_without_replacement",
                rate={"drawn": 3, "population": 9},
                inner=fields("shuffled", reports=4, inner=RESPONSE),
            ),
            "shuffled.reports",
        ),
        (
            fields("renyi_dp", divergences=[{"order": 3, "epsilon": 1}, {"order": 2, "epsilon": 1}]),
            "divergences.1.order",
        ),
        (
            fields("privacy_profile", points=[{"epsilon": 1, "delta": 0}, {"epsilon": 1, "delta": 0}]),
            "points.1.epsilon",
        ),
    ],
)
def test_a_plan_is_held_against_its_rules(event, field):
    with pytest.raises(BadCertificate, match=field):
        validated(changed("plan.event", event))


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("format", "a letter", "no certificate"),
        ("version", 2, "version 2"),
        ("plan", {}, "plan is not"),
        ("plan.version", 77, "plan.version"),
        ("plan.adjacency", "add_or_remove_two", "plan.adjacency"),
        ("plan.adjacency", None, "plan.adjacency"),
        ("plan.extra", 1, "extra"),
        ("extra", 1, "extra"),
        ("program", 7, "program"),
        ("epsilon", "inf", "epsilon"),
        ("epsilon", 1, "epsilon"),
        ("epsilon", [1, 2], "epsilon"),
        ("epsilon", {"lower": -1, "upper": 2}, "below 0"),
        ("epsilon.upper", "much", "epsilon.upper"),
        ("epsilon.lower", None, "epsilon.lower"),
        ("delta", None, "delta"),
        ("delta", 1, "delta"),
        ("lower", {}, "lower is not"),
        ("lower.theorems", [1], "lower.theorems.0"),
        ("upper.witness", {}, "witness is"),
        ("upper.witness", {"kind": "faith"}, "none of the choices"),
        ("upper.witness", {"kind": []}, "none of the choices"),
        ("upper.witness", {"kind": "renyi"}, "'order' is a required"),
        ("upper.witness", {"kind": "largest_loss"}, "'loss' is a required"),
        ("upper.witness", {"kind": "outcomes", "number": -7}, "witness.number"),
        ("upper.witness", CONTOUR | {"terms": 2.5}, "witness.terms"),
        ("upper.witness", CONTOUR | {"direction": "up"}, "witness.direction"),
        ("upper.witness", CONTOUR | {"smoothing": -1}, "witness.smoothing"),
        ("upper.witness", CONTOUR | {"step": 0}, "witness.step"),
        ("upper.witness", {"kind": "mesh", "mesh": 0, "tail": 1e-9}, "witness.mesh"),
    ],
)
def test_a_certificate_is_held_against_its_schema(path, value, field, refused):
    assert field in refused(json.dumps(changed(path, value)))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "cannot be read"),
        ("[]", "no certificate"),
        ("[" * 100000, "brackets"),
        ('{"delta": 1, "delta": 2}', '"delta" stands there twice'),
        ('{"delta": NaN}', "NaN"),
        ('{"delta": Infinity}', "Infinity"),
        ('{"delta": 1e999}', "beyond all doubles"),
        ('{"delta": 1' + "0" * 400 + "}", "beyond all doubles"),
        ('{"delta": 1' + "0" * 5000 + "}", "cannot be read"),
        ("\ud800", "cannot be read"),
    ],
)
def test_what_is_no_json_is_bad_input(text, why, refused):
    assert why in refused(text)


def test_as_many_brackets_as_are_allowed_are_judged(examined):
    event = GAUSSIAN
    while json.dumps(changed("plan.event", event)).count("{") < DEEPEST - 4:
        event = fields("repeated", count=1, inner=event)
    assert examined(json.dumps(changed("plan.event", event)))[0] == 0


def test_names_are_printed_on_one_line(refused):
    for name in ("x\nlower: certified", "\ud800", "\x1b[2J\u2028é"):
        said = refused(json.dumps(changed("plan.event", {name: {}})))
        assert said[:-1].isprintable()


def test_every_statement_has_its_event():
    kinds = SCHEMA.whole["$defs"]["event"]["properties"].keys()
    assert kinds >= EVENTS and KEEPING_ORDER <= EVENTS
    assert all(hasattr(Reader, "_" + name) for name in EVENTS)
