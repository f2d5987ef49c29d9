"""Moments of samples, and losses that have a largest, against Arb's own integrals and against sums."""

from __future__ import annotations

import pytest
from flint import acb, arb, ctx, fmpq

from atoms import randomised_response
from balls import ONE, ZERO, exact, floor_mass
from contour import Contour, Line, fading_of, shortened, values
from decay import fading, layers_of
from grid import Context
from laws import Gaussian, Laplace, Participates, PoissonSampled, PoissonSampledReplaced, Symmetrised
from moments import moment
from own_line import least_of, own_line
from plans import NotJudged, Reader
from products import Curve, Mixed, curve, unit_of
from test_soundness import MESH, answered, repeated

EPSILON = 4.572999
"""Of 20 x laplace(3) at delta 1e-3: the program has 4.5729988 and 4.5729991."""
RATE, END, SQUARE = arb(0.1), arb(0.75), arb(0.5)
RESPONSE = randomised_response(fmpq(1))
OF_LAPLACE = PoissonSampled(RATE, Laplace(1 / END))
REPLACED = PoissonSampledReplaced(arb(0.2), arb(0.8))
MIRRORED = Symmetrised(OF_LAPLACE)


def mixed(noise, hidden=True):
    return Mixed(RATE, [(noise, 1), (RESPONSE, 2)], hidden=hidden)


SAMPLES = {
    "laplace": OF_LAPLACE,
    "laplace, loud": PoissonSampled(arb(0.9), Laplace(arb(0.25))),
    "laplace, mirrored": MIRRORED,
    "laplace and outcomes": mixed(Laplace(1 / END)),
    "gaussian and outcomes": mixed(Gaussian(SQUARE)),
    "replaced": REPLACED,
    "replaced, quiet": PoissonSampledReplaced(arb(0.02), arb(5)),
    "seen": mixed(Gaussian(SQUARE), hidden=False),
    "seen, a sample": Participates(arb(0.3), OF_LAPLACE),
}


def integral(f, low, high):
    ctx.prec += 64
    try:
        return acb.integral(f, acb(low), acb(high))
    finally:
        ctx.prec -= 64


def laplace_mean(f, start=-END):
    """E_Q of f(w) from some w on."""
    whole = integral(lambda w, analytic: (-(END + w) / 2).exp() / 4 * f(w, analytic), start, END)
    whole += (-END).exp() / 2 * f(acb(END), False)
    return whole + f(acb(-END), False) / 2 if start < 0 else whole


def normal_mean(f, shift=ZERO):
    def integrand(u, analytic):
        return (-u * u / 2).exp() / (2 * arb.pi()).sqrt() * f(u + shift, analytic)

    return integral(integrand, -26, 26)


def powered(rate, w, power, analytic):
    return (power * (1 + rate * w.expm1()).log(analytic=analytic)).exp()


def expected(name, z, swapped):
    """M(z) by integrals."""
    power = -z if swapped else z + 1
    losses = [(q, loss) for loss, _, q in RESPONSE.times(RESPONSE, ZERO, 100).table.values()]

    def of_noise(mean):
        return sum((q * mean(loss) for q, loss in losses), acb(0))

    if name == "laplace":
        return laplace_mean(lambda w, a: powered(RATE, w, power, a))
    if name == "laplace, mirrored":
        y = lambda p: laplace_mean(lambda w, a: powered(RATE, w, p, a), ZERO)  # noqa: E731
        return 1 + y(z + 1) + y(-z) - y(acb(1)) - y(acb(0))
    if name == "laplace and outcomes":
        return of_noise(lambda loss: laplace_mean(lambda w, a: powered(RATE, w + loss, power, a)))
    if name == "gaussian and outcomes":
        loss_of = lambda u: SQUARE.sqrt() * u - SQUARE / 2  # noqa: E731
        return of_noise(lambda loss: normal_mean(lambda u, a: powered(RATE, loss_of(u) + loss, power, a)))
    assert name == "replaced"
    h = 1 / (2 * REPLACED.noise)

    def ratio(u, a):
        up, down = h * u - h * h / 2, -h * u - h * h / 2
        return powered(REPLACED.rate, up, z + 1, a) * powered(REPLACED.rate, down, -z, a)

    return normal_mean(ratio)


@pytest.mark.parametrize(
    "name", ["laplace", "laplace, mirrored", "laplace and outcomes", "gaussian and outcomes", "replaced"]
)
@pytest.mark.parametrize("swapped", [False, True])
def test_moments_are_integrals(name, swapped):
    line = Line(arb(2.5), arb(3), 4, ZERO)
    found = values(SAMPLES[name], line, swapped)
    for k in (0, 1, 4):
        other = expected(name, acb(line.abscissa, line.step * k), swapped)
        assert abs(found[k] - other) < 1e-30
        assert found[k].real.overlaps(other.real) and found[k].imag.overlaps(other.imag)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("swapped", [False, True])
def test_moments_lie_on_the_line(name, swapped):
    release = SAMPLES[name]
    line = Line(arb(3), arb(0.5), 60, ZERO)
    points, middle, bound = (
        values(release, line, swapped),
        moment(release, arb(3), swapped),
        fading(release, line.abscissa, swapped)(line.end),
    )
    assert abs(points[0] - middle) < 1e-30 and bound <= 1
    for value in points:
        assert abs(value) < middle * (1 + arb(2) ** -90)
    assert abs(points[-1]) < middle * bound * (1 + arb(2) ** -90)


def test_samples_that_are_replaced_fade_along_the_line():
    assert fading(REPLACED, arb(3), False)(arb(30)) < 0.9


def test_a_sample_of_a_sample_is_a_sample():
    inner = {"poisson_sampled": {"rate": 0.5, "inner": {"gaussian": {"noise_multiplier": 1.0}}}}
    ((release, count),) = (
        Reader("add_or_remove_one", ZERO).sides({"poisson_sampled": {"rate": 0.5, "inner": inner}}).upper
    )
    assert (release.rate, count) == (0.25, 1) and isinstance(release.inner, Gaussian)


# What has the largest loss has a mass of its own, which a grid must not move far.


@pytest.mark.parametrize(
    "law", [Laplace(arb(3.3)), PoissonSampled(arb(0.05), Laplace(arb(7))), Participates(arb(0.5), Laplace(arb(1.7)))]
)
def test_grids_keep_the_largest_loss(law):
    product, epsilon = [(law, 30), (Gaussian(law.largest() ** 2), 1)], law.largest() * 8
    line, below, above = own_line(product, epsilon, False)
    contour = Contour(product, line, False, exact(1e-30))
    truth, over = contour.below(epsilon, below, above).lower(), contour.above(epsilon).upper()
    assert truth < over < truth * 1.001
    low, high = (curve(product, upper, 2048, exact(1e-9)).delta(epsilon) for upper in (False, True))
    assert truth * (1 - 3e-3) < low < over and truth < high < over * (1 + 3e-3)


def test_largest_losses_are_where_the_probability_ends():
    for law in (Laplace(arb(3.3)), OF_LAPLACE, Participates(arb(0.5), OF_LAPLACE), MIRRORED):
        end, start = law.largest(), -law.largest(reverse=True)
        assert law.above(end * (1 - exact(1e-9)))[0] > 0 and law.above(end * (1 + exact(1e-9)))[0] == 0
        assert law.above(start * (1 - exact(1e-9)))[1] < 1 and law.above(start * (1 + exact(1e-9)))[1] == 1
    assert not PoissonSampled(RATE, Gaussian(ONE)).largest().is_finite()


def test_grids_of_their_own_unit_bracket():
    product = [(Laplace(arb(2.7)), 12), (OF_LAPLACE, 5)]
    for epsilon in (0.5, 1.5, 3.0):
        one = [
            Curve(product, Context(upper, 512, floor_mass(exact(1e-15)), unit=unit_of(product)))
            for upper in (False, True)
        ]
        low, high = (each.delta(exact(epsilon)) for each in one)
        fine = [curve(product, upper, 8192, exact(1e-9)).delta(exact(epsilon)) for upper in (False, True)]
        assert low < fine[1] and fine[0] < high and low < high


# Lines


def test_a_line_is_cut_where_little_is_left():
    line = Line(arb(9), arb(0.75), 40000, exact(1e-9))
    releases = [(PoissonSampled(RATE, Gaussian(ONE)), 300)]
    short = shortened(line, fading_of(releases, line.abscissa, False))
    assert short.terms < 1000 and short.smoothing == 0
    assert shortened(line, fading_of([(Laplace(arb(3)), 300)], line.abscissa, False)) is line


def test_orders_for_aliases_may_be_too_far_away():
    """Where a moment of the order that is named is larger than all else, one closer to the line shows enough."""
    product, line = [(PoissonSampledReplaced(arb(0.01), ONE), 1000)], Line(arb(15), arb(2.0), 400, ZERO)
    contour = Contour(product, line, False, exact(1e-30))
    assert contour.aliases(exact(1.37), ZERO, arb(37)) < 1e-15


def test_meshes_of_laplace_noise_are_certified():
    """A grid from below loses a little more than the program's: a line shows the rest."""
    event, mesh = repeated(20, {"laplace": {"scale": 3.0}}), MESH | {"mesh": 2e-3, "tail": 1e-20}
    assert answered(event, "lower", EPSILON * (1 - 1e-6), 1e-3, mesh) == "certified"
    assert answered(event, "lower", EPSILON * (1 + 1e-5), 1e-3, mesh) != "certified"
    assert answered(event, "upper", EPSILON * (1 + 1e-4), 1e-3, mesh) == "certified"


def test_layers_of_widths_that_differ_much_are_below_the_density():
    """Of a hardly ever taken sample: the density's mass is 1."""
    for h in (4.0512, 4.054):
        release = PoissonSampledReplaced(exact(1e-12), 1 / (2 * exact(h)))
        layers = layers_of(release, ONE, False)
        assert sum(mass for mass, _ in layers.layers) <= 1
        assert layers.bound(exact(1e17)) > 0


def test_the_least_of_a_function_is_found_wherever_it_is():
    for place in (1e-9, 0.3, 1.0, 7.0, 5e8):
        assert abs(least_of(lambda c, at=place: (c / at - 1) ** 2) / place - 1) < 0.05
    with pytest.raises(NotJudged):
        least_of(lambda c: -c)
