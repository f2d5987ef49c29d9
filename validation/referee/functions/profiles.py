"""delta as a function of epsilon for single Gaussian releases, and its inverses."""

from __future__ import annotations

from .basics import Undecided, acb, allow, arb, around_zero, ctx, density, integral, less, reach, root, tail


def gaussian_delta(epsilon, noise_multiplier) -> arb:
    """Balle, Wang 2018, Theorem 8."""
    e, s = arb(epsilon), arb(noise_multiplier)
    return tail(e * s - 1 / (2 * s)) - e.exp() * tail(e * s + 1 / (2 * s))


def gaussian_epsilon(noise_multiplier, delta):
    target = arb(delta)
    if not less(target, gaussian_delta(0, noise_multiplier)):
        return arb(0)
    high = arb(1)
    while less(target, gaussian_delta(high, noise_multiplier)):
        high = high * 2
    low = high / 2
    while less(gaussian_delta(low, noise_multiplier), target):
        low = low / 2
    goal = target.log()
    return root(lambda e: gaussian_delta(e, noise_multiplier).log() - goal, low, high)


def gaussian_noise_multiplier(epsilon, delta):
    target = arb(delta)
    low = high = arb(1)
    while less(gaussian_delta(epsilon, low), target):
        low = low / 2
    while less(target, gaussian_delta(epsilon, high)):
        high = high * 2
    goal = target.log()
    return root(lambda s: gaussian_delta(epsilon, s).log() - goal, low, high)


def discrete_gaussian_delta(epsilon, sigma, sensitivity):
    """Canonne, Kamath, Steinke 2020, Theorem 7: P(Z > e s^2 / D - D/2) - e^e P(Z > e s^2 / D + D/2)."""
    e, s, d = arb(epsilon), arb(sigma), int(sensitivity)
    allow(sigma <= 300 and abs(epsilon) * sigma**2 / d <= 3000 and d <= 3000)
    threshold = e * s * s / d

    def weight(z):
        return (-z * z / (2 * s * s)).exp()

    def above(x: arb) -> arb:
        """The sum of the weights of the integers above x."""
        below = x.floor().unique_fmpz()
        if below is None:
            raise Undecided
        return _sum_from(int(below) + 1, weight, s)

    whole = 1 + 2 * _sum_from(1, weight, s)
    return (above(threshold - arb(d) / 2) - e.exp() * above(threshold + arb(d) / 2)) / whole


def _sum_from(first: int, weight, s: arb) -> arb:
    if first < 0:  # all of them, less those below
        return 1 + 2 * _sum_from(1, weight, s) - _sum_from(1 - first, weight, s)
    if first == 0:
        return 1 + _sum_from(1, weight, s)
    total, z = arb(0), first
    while True:
        now = weight(arb(z))
        total += now
        # ratios fall: what follows is at most geometric
        ratio = (-(2 * arb(z) + 1) / (2 * s * s)).exp()
        rest = now * ratio / (1 - ratio)
        if rest < total * arb(2) ** -ctx.prec:
            return total + arb(0).union(rest.upper())
        z += 1


def _is_remove(direction) -> bool:
    return direction == "remove"


def poisson_gaussian_delta(rate, noise_multiplier, epsilon, direction) -> arb:
    """Balle, Barthe, Gaboardi 2018, Theorem 8: both outcomes of one threshold."""
    q, s, e = arb(rate), arb(noise_multiplier), arb(epsilon)
    if rate == 0:
        return arb(0).max(-e.expm1())
    if _is_remove(direction):
        above = e.expm1() + q
        if not less(0, above):
            return -e.expm1()
        t = s * s * (above / q).log() + arb(0.5)
        return q * tail((t - 1) / s) + (1 - q - e.exp()) * tail(t / s)
    below = (-e).expm1() + q
    if not less(0, below):
        return arb(0)
    t = s * s * (below / q).log() + arb(0.5)
    return (1 - e.exp() * (1 - q)) * tail(-t / s) - e.exp() * q * tail((1 - t) / s)


def poisson_gaussian_composed_delta(rate, noise_multiplier, epsilon, steps, direction):
    """Of two steps: what the first shows leaves a threshold for the second."""
    if steps == 1:
        return poisson_gaussian_delta(rate, noise_multiplier, epsilon, direction)
    if rate == 0:
        return arb(0).max(-arb(epsilon).expm1())
    if rate == 1:
        return gaussian_delta(epsilon, arb(noise_multiplier) / arb(steps).sqrt())
    allow(steps == 2 and 0.25 <= noise_multiplier <= 30)
    q, s, e = arb(rate), arb(noise_multiplier), arb(epsilon)
    width = reach()
    low, high = -width * s, 1 + width * s

    def ratio(x):
        return (1 - q) + q * ((2 * x - 1) / (2 * s * s)).exp()

    def place(value, analytic=False):
        """x with this ratio"""
        return s * s * acb((value - (1 - q)) / q).log(analytic=analytic) + arb(0.5)

    goal = e.exp()
    sign = 1 if _is_remove(direction) else -1
    # Outcomes with ratio(x) ratio(y) > e^e (remove) or < e^-e (add).
    level = goal if sign > 0 else 1 / goal

    def mixture(x):
        return (q * density((x - 1) / s) + (1 - q) * density(x / s)) / s

    def alone(x):
        return density(x / s) / s

    def beyond(y, is_mixture):
        """The probability of the side of y that counts."""
        if sign > 0:
            inside, outside = ((y - 1) / s), y / s
        else:
            inside, outside = ((1 - y) / s), -y / s
        inside, outside = ((acb(x) / arb(2).sqrt()).erfc() / 2 for x in (inside, outside))
        return q * inside + (1 - q) * outside if is_mixture else outside

    # x where y would be at `low`, and at `high`
    def partner(y):
        value = level / ratio(y)
        return None if not less(1 - q, value) else place(value).real

    at_low, at_high = partner(low), partner(high)
    if at_low is None:  # even the lowest y is above the curve for every x
        total = arb(1) if sign > 0 else arb(0)
        cut = around_zero(8 * goal * tail(width))
        return total * (1 - goal) + cut
    right = at_low.min(high).mid()
    left = low.mid() if at_high is None else at_high.max(low).mid()
    cut = around_zero(8 * (1 + goal) * tail(width))
    if not left < right:
        left = right = right.max(low).mid() if sign > 0 else left
    mass = {}
    for is_mixture in (True, False):
        weight = mixture if is_mixture else alone

        def integrand(x, analytic, weight=weight, is_mixture=is_mixture):
            value = level / ratio(x)
            return weight(x) * beyond(place(value, analytic), is_mixture)

        marks = [left, *(m for m in (arb(0), arb(1)) if left < m < right), right]
        inner = integral(integrand, marks) if left < right else arb(0)
        # right of it every y counts (remove), left of it (add) likewise
        mass[is_mixture] = inner + beyond(right if sign > 0 else left, is_mixture).real
    first, second = (mass[True], mass[False]) if sign > 0 else (mass[False], mass[True])
    return first - goal * second + cut


FUNCTIONS = {
    "gaussian.delta": gaussian_delta,
    "gaussian.epsilon": gaussian_epsilon,
    "gaussian.noise_multiplier": gaussian_noise_multiplier,
    "discrete_gaussian.delta": discrete_gaussian_delta,
    "poisson_gaussian.delta": poisson_gaussian_delta,
    "poisson_gaussian.composed_delta": poisson_gaussian_composed_delta,
}
