"""Rényi divergences of one order, and what they say of delta."""

from __future__ import annotations

import math

from flint import arb

from balls import exact
from moments import is_symmetric, log_moment
from plans import NotJudged, Reader, Sides
from products import Product

KEEPING_ORDER = {
    "composed",
    "repeated",
    "participates",
    "discrete_gaussian",
    "concentrated_dp",
    "truncated_concentrated_dp",
}
"""Of which the divergences of one order follow from those of what is inside, and grow with them."""


class RenyiReader(Reader):
    """Of what is known by its Rényi divergences alone, a Gaussian that has as large ones (README.md, statement 18); up
    to `order` where they are. Inside samples and batches it stands for nothing: other mechanisms with the same
    divergences may tell more there, so that those are read as they are."""

    def __init__(self, adjacency: str, least: arb, order: arb):
        super().__init__(adjacency, least)
        self.order = order
        self.omega = math.inf
        """The divergences are as said at all orders below."""

    def sides(self, event: dict) -> Sides:
        ((name, _),) = event.items()
        return super().sides(event) if name in KEEPING_ORDER else Reader(self.adjacency, self.least).sides(event)

    def _discrete_gaussian(self, noise_multiplier) -> Sides:
        return self._gaussian(noise_multiplier)

    def _concentrated_dp(self, rho) -> Sides:
        (product,) = super()._concentrated_dp(rho).lower
        return Sides(product, [])

    def _truncated_concentrated_dp(self, rho, omega) -> Sides:
        self.omega = min(self.omega, float(omega))
        if not self.order < exact(float(omega)):
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
