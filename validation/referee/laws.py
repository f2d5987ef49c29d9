"""Laws of one release's privacy loss, by the probabilities that it lies above a number, under both data sets.

Each law is of a pair (P, Q): P is the release with the record (or with one value of it), Q the release without it (or
with another value); the loss is L = log dP/dQ. `above(w)` gives (P(L > w), Q(L > w)), `at_least(w)` the same of L >= w.
"""

from __future__ import annotations

from flint import arb

from balls import ONE, ZERO, normal_above


class Undecided(Exception):
    """A comparison that the balls are too wide for."""


def at_most(x: arb, y: arb) -> bool:
    """Whether x <= y. @throws Undecided when the balls do not say."""
    if x <= y:
        return True
    if x > y:
        return False
    raise Undecided(f"the balls are too wide for {x.str(8)} <= {y.str(8)}")


class Law:
    """The law of a release's loss."""

    symmetric = False
    """Whether (Q, P) has the same law as (P, Q)."""
    cost = 40
    """Of `above`, in microseconds (work.py)."""

    def above(self, w: arb) -> tuple[arb, arb]:
        raise NotImplementedError

    def at_least(self, w: arb) -> tuple[arb, arb]:
        """As `above` where no loss has a probability of its own."""
        return self.above(w)

    def largest(self, reverse: bool = False) -> arb:
        """No outcome tells more; of (Q, P) where `reverse`."""
        return arb("inf")

    def hockey_stick(self, epsilon: arb) -> arb:
        """sup over events of P - e^epsilon Q."""
        p, q = self.above(epsilon)
        return p - epsilon.exp() * q

    def reversed_hockey_stick(self, epsilon: arb) -> arb:
        """sup over events of Q - e^epsilon P: those with L <= -epsilon."""
        p, q = self.above(-epsilon)
        return (1 - q) - epsilon.exp() * (1 - p)


class Gaussian(Law):
    """N(mu, 1) against N(0, 1), given mu^2: losses are N(mu^2/2, mu^2) under P and N(-mu^2/2, mu^2) under Q."""

    symmetric = True

    def __init__(self, square: arb):
        self.square = square
        self.mu = square.sqrt()

    def above(self, w: arb) -> tuple[arb, arb]:
        return normal_above((w - self.square / 2) / self.mu), normal_above((w + self.square / 2) / self.mu)


class Laplace(Law):
    """Laplace noise of scale b at 1 against at 0: the loss of x is (|x| - |x - 1|) / b."""

    symmetric = True

    def __init__(self, scale: arb):
        self.scale = scale

    def _tails(self, w: arb) -> tuple[arb, arb]:
        # The loss is (2 x - 1) / b for x in (0, 1), so that L > w where x > t = (1 + b w) / 2.
        t = (1 + self.scale * w) / 2
        q = (-t / self.scale).exp() / 2
        p = 1 - ((t - 1) / self.scale).exp() / 2
        return p, q

    def above(self, w: arb) -> tuple[arb, arb]:
        end = 1 / self.scale
        if at_most(end, w):
            return ZERO, ZERO
        return (ONE, ONE) if not at_most(-end, w) else self._tails(w)

    def largest(self, reverse: bool = False) -> arb:
        return 1 / self.scale

    def at_least(self, w: arb) -> tuple[arb, arb]:
        end = 1 / self.scale
        if at_most(w, -end):
            return ONE, ONE
        return (ZERO, ZERO) if not at_most(w, end) else self._tails(w)


class PoissonSampled(Law):
    """(1 - rate) Q + rate P against Q: the loss L of (P, Q) becomes log(1 - rate + rate e^L), which grows with it."""

    def __init__(self, rate: arb, inner: Law):
        self.rate, self.inner = rate, inner

    def _mixed(self, w: arb, tails) -> tuple[arb, arb]:
        ratio = (w.expm1() + self.rate) / self.rate
        if at_most(ratio, ZERO):
            return ONE, ONE
        p, q = tails(ratio.log())
        return self.rate * p + (1 - self.rate) * q, q

    def above(self, w: arb) -> tuple[arb, arb]:
        return self._mixed(w, self.inner.above)

    def at_least(self, w: arb) -> tuple[arb, arb]:
        return self._mixed(w, self.inner.at_least)

    def largest(self, reverse: bool = False) -> arb:
        inner = self.inner.largest(reverse)
        if reverse:  # 1 - rate + rate / e^loss is the least ratio
            return -(1 + self.rate * (-inner).expm1()).log()
        return (1 + self.rate * inner.expm1()).log() if inner.is_finite() else inner


class PoissonSampledReplaced(Law):
    """(1 - q) N(0, s^2) + q N(1/2, s^2) against (1 - q) N(0, s^2) + q N(-1/2, s^2)."""

    symmetric = True

    def __init__(self, rate: arb, noise: arb):
        self.rate, self.noise = rate, noise
        self.weight = rate * (-1 / (8 * noise * noise)).exp()

    def above(self, w: arb) -> tuple[arb, arb]:
        # With y = e^(x / (2 s^2)) the ratio is (1 - q + a y) / (1 - q + a / y), which grows with y; it is g where
        # a y^2 - (1 - q)(g - 1) y - g a = 0.
        g, a = w.exp(), self.weight
        half = (1 - self.rate) * w.expm1() / 2
        root = (half * half + g * a * a).sqrt()
        # Of the two forms of the root the one without a difference.
        y = (half + root) / a if w >= 0 else g * a / (root - half)
        x = 2 * self.noise * self.noise * y.log()
        nothing = (1 - self.rate) * normal_above(x / self.noise)
        half_unit = arb(0.5)
        p = nothing + self.rate * normal_above((x - half_unit) / self.noise)
        q = nothing + self.rate * normal_above((x + half_unit) / self.noise)
        return p, q


class OneOf(Law):
    """With the probability that stands before it one of several laws, for all to see which."""

    def __init__(self, parts: list[tuple[arb, Law]]):
        self.parts = parts
        self.symmetric = all(law.symmetric for _, law in parts)

    def above(self, w: arb) -> tuple[arb, arb]:
        return self._mean([(weight, law.above(w)) for weight, law in self.parts])

    def at_least(self, w: arb) -> tuple[arb, arb]:
        return self._mean([(weight, law.at_least(w)) for weight, law in self.parts])

    @staticmethod
    def _mean(tails) -> tuple[arb, arb]:
        return sum((weight * p for weight, (p, _) in tails), ZERO), sum((weight * q for weight, (_, q) in tails), ZERO)


class Symmetrised(Law):
    """For w >= 0 the losses of another law, below 0 their mirror image, and what is left of either mass at 0."""

    symmetric = True

    def __init__(self, inner: Law):
        self.inner = inner

    def above(self, w: arb) -> tuple[arb, arb]:
        if at_most(ZERO, w):
            return self.inner.above(w)
        p, q = self.inner.at_least(-w)
        return 1 - q, 1 - p

    def at_least(self, w: arb) -> tuple[arb, arb]:
        if not at_most(w, ZERO):
            return self.inner.at_least(w)
        p, q = self.inner.above(-w)
        return 1 - q, 1 - p

    def largest(self, reverse: bool = False) -> arb:
        return self.inner.largest().max(ZERO)


class Participates(Law):
    """`inner` with probability `rate`, and otherwise, for all to see, a loss of 0."""

    def __init__(self, rate: arb, inner: Law):
        self.rate, self.inner = rate, inner
        self.symmetric = inner.symmetric

    def _mixed(self, tails: tuple[arb, arb], zero_counts: bool) -> tuple[arb, arb]:
        rest = (1 - self.rate) if zero_counts else ZERO
        return self.rate * tails[0] + rest, self.rate * tails[1] + rest

    def above(self, w: arb) -> tuple[arb, arb]:
        return self._mixed(self.inner.above(w), not at_most(ZERO, w))

    def at_least(self, w: arb) -> tuple[arb, arb]:
        return self._mixed(self.inner.at_least(w), at_most(w, ZERO))

    def largest(self, reverse: bool = False) -> arb:
        return self.inner.largest(reverse).max(ZERO)
