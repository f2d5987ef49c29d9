"""Rényi divergences of one order, and what they say of delta."""

from __future__ import annotations

import math
from contextlib import suppress

from flint import arb

from amplified import Known, at_real_order, batch_moment, poisson_moment
from balls import ZERO, exact
from losses import losses_of
from moments import is_symmetric, log_moment
from plans import NotJudged, Reader, Sides, rate_of
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
SAMPLES = {"poisson_sampled", "sampled_without_replacement"}
"""Of which they follow from those of all integer orders up to it."""


class RenyiReader(Reader):
    """Of what is known by its Rényi divergences alone, a Gaussian that has as large ones (README.md, statement 18); up
    to `order` where they are. Samples are read as they are where all is known of them, for other mechanisms with the
    same divergences may tell more there, and else by their theorems (21 and 22)."""

    def __init__(self, adjacency: str, least: arb, order: arb):
        super().__init__(adjacency, least)
        self.order = order
        self.omega = math.inf
        """The divergences are as said at all orders below."""

    def sides(self, event: dict) -> Sides:
        ((name, _),) = event.items()
        own = name in KEEPING_ORDER | SAMPLES
        return super().sides(event) if own else self._plain().sides(event)

    def _plain(self) -> Reader:
        return Reader(self.adjacency, self.least)

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

    def _poisson_sampled(self, rate, inner) -> Sides:
        if self.replaced:
            return self._plain().sides({"poisson_sampled": {"rate": rate, "inner": inner}})
        return self._sample("poisson_sampled", rate, inner)

    def _sampled_without_replacement(self, rate, inner, clipped=False) -> Sides:
        del clipped
        if not self.replaced:
            raise NotJudged("wor under another adjacency than replace_one")
        return self._sample("sampled_without_replacement", rate, inner)

    def _sample(self, name: str, rate, inner: dict) -> Sides:
        if rate_of(rate) == 1:
            return self.sides(inner)
        with suppress(NotJudged):
            upper = self._plain().sides({name: {"rate": rate, "inner": inner}}).upper
            if upper is not None:
                return self._known((self._order_less_1 * divergence(upper, self.order, self.least)).exp())
        share = rate_of(rate)
        while name in inner:  # a sample of a sample is one
            share *= rate_of(inner[name]["rate"])
            inner = inner[name]["inner"]
        return self._known(self._amplified(name, arb(share), inner))

    @property
    def _order_less_1(self) -> arb:
        return self.order - 1

    def _known(self, moment: arb) -> Sides:
        return Sides([(Known(self._order_less_1, moment), 1)], [])

    def _amplified(self, name: str, rate: arb, inner: dict) -> arb:
        divergences: dict[int, arb] = {}

        def inside(order: arb) -> arb:
            product = RenyiReader(self.adjacency, self.least, order).sides(inner).upper
            if product is None:
                raise NotJudged("a sample of what has no divergences here")
            return divergence(product, order, self.least)

        def at(order: int) -> arb:
            if order not in divergences:
                divergences[order] = inside(arb(order))
            return divergences[order]

        largest = self._largest_loss(inner) if name != "poisson_sampled" else ZERO

        def moment(order: int) -> arb:
            if name == "poisson_sampled":
                return poisson_moment(rate, order, at)
            return batch_moment(rate, order, at, largest)

        return at_real_order(self.order, moment).min((self._order_less_1 * inside(self.order)).exp())

    def _largest_loss(self, inner: dict) -> arb:
        with suppress(NotJudged):
            product = self._plain().sides(inner).upper
            if product is not None:
                forward, backward = losses_of(product)
                if forward.told == 0 and backward.told == 0:
                    return forward.largest.max(backward.largest)
        return arb("inf")


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
