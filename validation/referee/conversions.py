"""What Rényi divergences of one order say of delta, and what no outcome tells more than."""

from __future__ import annotations

import math

from flint import arb

from atoms import Atoms
from balls import ZERO, exact
from laws import Laplace, Law, Participates, PoissonSampled
from moments import is_symmetric, log_moment, spoken
from plans import NotJudged, Reader, Sides
from products import Product


class RenyiReader(Reader):
    """Of what is known by its Rényi divergences alone, a Gaussian that has as large ones (README.md, statement 18); up
    to `order` where they are."""

    def __init__(self, adjacency: str, least: arb, order: arb):
        super().__init__(adjacency, least)
        self.order = order

    def _discrete_gaussian(self, noise_multiplier) -> Sides:
        return self._gaussian(noise_multiplier)

    def _concentrated_dp(self, rho) -> Sides:
        (product,) = super()._concentrated_dp(rho).lower
        return Sides(product, [])

    def _truncated_concentrated_dp(self, rho, omega) -> Sides:
        if math.isfinite(float(omega)) and not self.order < exact(float(omega)):
            raise NotJudged("an order that is not below omega")
        return self._concentrated_dp(rho)


def divergence(product: Product, order: arb, least: arb) -> arb:
    """The larger of both directions', order > 1."""
    found = log_moment(product, order - 1, False, least)
    if not is_symmetric(product):
        found = found.max(log_moment(product, order - 1, True, least))
    return found / (order - 1)


def converted(order_less_1: arb, divergence: arb, epsilon: arb) -> arb:
    """Delta, by Canonne, Kamath, Steinke 2020, Proposition 12, or Bretagnolle, Huber 1979: the smaller."""
    order = order_less_1 + 1
    log_delta = order_less_1 * (divergence - epsilon + (order_less_1 / order).log()) - order.log()
    return log_delta.exp().min((1 - (-divergence).exp()).sqrt())


def largest_loss(product: Product) -> arb:
    """Of both directions. @throws NotJudged where there is none"""
    return sum((_largest(release) * count for release, count in product if count), ZERO)


def _largest(release) -> arb:
    if isinstance(release, Laplace):
        return 1 / release.scale
    if isinstance(release, Participates):
        return _largest(release.inner)
    if isinstance(release, Atoms) and not (release.top > 0 or release.bottom > 0 or release.cut_p > 0):
        largest = ZERO
        for loss, _, _ in release.table.values():
            largest = largest.max(abs(loss))
        return largest
    if isinstance(release, PoissonSampled) and isinstance(release.inner, Law):
        inner, rate = _largest(release.inner), release.rate
        # 1 - rate + rate / e^inner is the least ratio
        return (1 + rate * inner.expm1()).log().max(-(1 + rate * (-inner).expm1()).log())
    raise NotJudged(f"the largest loss of {spoken(release)}")
