"""Certificates that the program wrote (certificates.jsonl), and what became of them in other hands."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path

import pytest
from flint import arb, fmpq

from atoms import approximate
from balls import ZERO, exact
from certificate import claims_of
from contour import Contour, Line, values
from decay import Layers, fading
from laws import Gaussian, Laplace, Participates, PoissonSampled, Symmetrised
from moments import moment
from products import curve
from sampled_normal import SampledNormal
from verdicts import Checker, check

HERE = Path(__file__).parent
CERTIFICATES = [json.loads(line) for line in (HERE / "certificates.jsonl").read_text().splitlines()]


def name_of(certificate):
    return certificate["upper"]["accountant"] + "-" + str((certificate["upper"]["witness"] or {}).get("kind"))


def words(certificate):
    return {verdict.end: verdict.word for verdict in check(certificate)}


def word_of(certificate, end):
    """Of that end alone: the other one may take long."""
    checker = Checker(certificate)
    return next(checker.verdict(claim).word for claim in checker.claims if claim.name == end)


def changed(certificate, **values):
    """With other values at the ends of paths, as upper__witness__order."""
    found = copy.deepcopy(certificate)
    for path, value in values.items():
        *folders, last = path.split("__")
        inside = found
        for folder in folders:
            inside = inside[folder]
        inside[last] = value(inside[last]) if callable(value) else value
    return found


def of_kind(kind, wanted="epsilon"):
    return next(
        one
        for one in CERTIFICATES
        if (one["upper"]["witness"] or {}).get("kind") == kind and isinstance(one[wanted], dict)
    )


@pytest.mark.parametrize("certificate", CERTIFICATES, ids=name_of)
def test_what_the_program_wrote_is_certified(certificate):
    assert words(certificate) == {"lower": "certified", "upper": "certified"}, check(certificate)


@pytest.mark.parametrize("certificate", CERTIFICATES, ids=name_of)
def test_no_end_is_certified_that_says_more(certificate):
    """By a thousandth of epsilon, or of delta."""
    said = "epsilon" if isinstance(certificate["epsilon"], dict) else "delta"
    for end, factor in (("lower", 1.002), ("upper", 0.998)):
        value = certificate[said][end]
        if value in (0, "inf"):
            continue
        more = {f"{said}__{end}": value * factor}
        if said == "delta":
            more[f"delta__ln_{end}"] = lambda log, by=factor: log + (by - 1)
        assert word_of(changed(certificate, **more), end) != "certified"


@pytest.mark.parametrize("certificate", CERTIFICATES, ids=name_of)
def test_no_other_plan_is_certified(certificate):
    event = {"composed": {"parts": [certificate["plan"]["event"], {"gaussian": {"noise_multiplier": 3.0}}]}}
    if isinstance(certificate["epsilon"], dict) and certificate["epsilon"]["upper"] == "inf":
        return
    assert word_of(changed(certificate, plan__event=event), "upper") != "certified"


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("normal_root", {"root": lambda root: root + 0.3}),
        ("normal_root", {"mu": lambda mu: mu * 0.9}),
        ("renyi", {"order": lambda order: order * 1.5}),
        ("renyi", {"divergence": lambda divergence: divergence * 0.9}),
        ("renyi", {"divergence": lambda divergence: divergence * 1.1}),
        ("renyi", {"order": 1}),
        ("concentrated", {"rho": lambda rho: rho * 0.9}),
        ("concentrated", {"order_minus_1": lambda excess: excess * 1.5}),
        ("concentrated", {"omega": 2}),
        ("contour", {"abscissa": lambda c: c * 3}),
        ("contour", {"step": lambda step: step * 3}),
        ("contour", {"terms": 2}),
        ("contour", {"smoothing": 1e-3}),
        ("mesh", {"mesh": lambda mesh: mesh * 256}),
        ("largest_loss", {"loss": lambda loss: loss * 0.999}),
        ("contour", {"truncated_at": 1}),
        ("concentrated", {"omega": "inf"}),
        ("mesh", {"tail": 1e-3}),
    ],
)
def test_another_witness_is_refused(kind, more):
    certificate = of_kind(kind)
    other = {f"upper__witness__{name}": value for name, value in more.items()}
    assert word_of(changed(certificate, **other), "upper") != "certified"


def test_orders_of_aliases_are_of_the_lower_end():
    certificate = of_kind("contour")
    for orders in ([0, 1e-3], [0, 0], [3, 1]):
        assert word_of(changed(certificate, lower__witness__alias_orders=orders), "lower") != "certified"


def test_a_largest_loss_that_is_epsilon_itself_is_certified():
    certificate = of_kind("largest_loss")
    nothing = {"mixture_of_gaussians": {"noise_multiplier": 1.9, "shifts": [{"probability": 1.0, "offset": 0}]}}
    sampled = {"poisson_sampled": {"rate": {"drawn": 1, "population": 3}, "inner": nothing}}
    for event, epsilon, delta, word in (
        ({"randomized_response": {"epsilon": 0.1, "categories": 2}}, 0.1, 0, "certified"),
        ({"randomized_response": {"epsilon": 0.1, "categories": 2}}, 0.0999, 0, "contradicted"),
        ({"laplace": {"scale": 3.0}}, 1 / 3, 0, "contradicted"),  # which a double rounds down
        (sampled, 0, 0.01, "certified"),
    ):
        claim = changed(certificate, plan__event=event, epsilon__upper=epsilon, delta=delta)
        assert word_of(claim, "upper") == word


def test_no_witness_and_no_statement_are_not_checked():
    certificate = of_kind("renyi")
    assert words(changed(certificate, upper__witness=None))["upper"] == "not checked"
    event = {"renyi_dp": {"divergences": [{"order": 2, "epsilon": 0.1}]}}
    assert words(changed(certificate, plan__event=event))["upper"] == "not checked"


def test_a_delta_is_claimed_twice():
    certificate = of_kind("normal_root", "delta")
    for end, more in (("upper", {"delta__ln_upper": -1e6}), ("lower", {"delta__ln_lower": -1e-3})):
        assert words(changed(certificate, **more))[end] == "contradicted"
    assert all(claim.delta > 0 for claim in claims_of(certificate))


def test_the_exit_status_says_whether_both_ends_are_certified(tmp_path):
    file = tmp_path / "certificate.json"
    referee = [sys.executable, HERE / "referee.py", "--certificate", file]
    for certificate, status in ((of_kind("renyi"), 0), (changed(of_kind("renyi"), epsilon__upper=0.1), 1)):
        file.write_text(json.dumps(certificate))
        done = subprocess.run(referee, capture_output=True, text=True)
        assert done.returncode == status, done
        assert done.stdout.startswith("lower: certified: it says nothing\nupper: ")
    assert subprocess.run([*referee, "gaussian(1)"], capture_output=True).returncode == 2


# Moments and their decay


SAMPLED = PoissonSampled(arb(0.1), Gaussian(arb(1)))
RELEASES = [
    Gaussian(arb(0.5)),
    SAMPLED,
    PoissonSampled(arb(0.01), Gaussian(arb(4))),
    Participates(arb(0.3), SAMPLED),
    Symmetrised(SAMPLED),
    Laplace(arb(2)),
]


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: type(release).__name__)
@pytest.mark.parametrize("swapped", [False, True])
def test_moments_lie_on_the_line(release, swapped):
    line = Line(arb(2.5), arb(0.25), 40, ZERO)
    points = values(release, line, swapped)
    middle = moment(release, line.abscissa, swapped)
    assert abs(points[0] - middle) < 1e-30
    bound = fading(release, line.abscissa, swapped)(line.end)
    assert bound <= 1
    for value in points:
        assert abs(value) < middle * (1 + arb(2) ** -90)
    # The last is where the bound begins to hold.
    assert abs(points[-1]) < middle * bound * (1 + arb(2) ** -90)


def test_integer_moments_are_binomial_sums():
    """Mironov, Talwar, Zhang 2019, section 3.3."""
    rate, square, order = 0.1, 1.0, 5
    total = ZERO
    for k in range(order + 1):
        choose = arb(order).bin(k) if hasattr(arb, "bin") else arb.bin_uiui(order, k)
        total += choose * (1 - exact(rate)) ** (order - k) * exact(rate) ** k * arb(square * k * (k - 1) / 2).exp()
    found = SampledNormal(exact(rate), exact(square), arb(order), ZERO).nodes().real()
    assert abs(found - total) < 1e-35


def test_the_first_moment_is_a_chi_squared_divergence():
    """M(1) - 1 is the chi-squared divergence, of which sampling leaves q^2."""
    assert abs(moment(SAMPLED, arb(1), False) - (1 + exact(0.1) ** 2 * (arb(1).exp() - 1))) < 1e-35


def test_layers_are_of_a_uniform_density_and_below_it():
    layers = Layers()
    layers.add([(1.0, 0.5), (1.0, 0.5)])
    for s in (0.1, 1.0, 2.0):
        assert abs((arb(s)).sin() / s) <= layers.bound(arb(s)) + 1e-8
        assert layers.bound(arb(s)) < 1


def test_a_line_counts_what_tells_everything_on_either_side():
    """At an epsilon that the rest hardly reaches, that one of 200 tells everything is most of delta."""
    product = [(approximate(fmpq(1, 100), exact(1e-7)), 200), (Gaussian(exact(0.15)), 1)]
    contour = Contour(product, Line(exact(8.0), exact(0.25), 400, ZERO), False, exact(1e-30))
    at = exact(3.0)
    told = 1 - (1 - exact(1e-7)) ** 200
    lower = contour.below(at, exact(2.0), exact(16.0))
    assert told * 0.999 < lower < contour.above(at)
    rest = Contour(product[1:], Line(exact(8.0), exact(0.25), 400, ZERO), False, exact(1e-30)).below(
        at, exact(2.0), exact(16.0)
    )
    assert lower > rest


def test_a_line_of_any_place_shows_a_true_bound():
    """However bad the line is."""
    event = {"poisson_sampled": {"rate": 0.1, "inner": {"gaussian": {"noise_multiplier": 1.0}}}}
    certificate = changed(of_kind("contour"), plan__event={"repeated": {"count": 60, "inner": event}})
    product = [(SAMPLED, 60)]
    attained = float(curve(product, False, 4096, exact(1e-3)).delta(exact(2.0)).lower())
    for abscissa, step, terms in ((1.0, 0.2, 100), (3.0, 0.4, 60), (0.3, 1.0, 30), (6.0, 0.1, 40)):
        witness = {**certificate["upper"]["witness"], "abscissa": abscissa, "step": step, "terms": terms}
        claim = changed(certificate, epsilon__upper=2.0, delta=attained * (1 - 1e-6), upper__witness=witness)
        assert word_of(claim, "upper") != "certified"
