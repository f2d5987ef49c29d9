"""The trapezoid rule for an analytic integrand with a Gaussian density: what it is off by."""

from __future__ import annotations

from flint import arb

from balls import normal_above

MOST_NODES = 1 << 16


def rule_error(bound: arb, line: arb, spacing: arb) -> arb:
    """@param bound  of the integrals of the integrand's modulus on all lines |Im u| < line
    @source Trefethen, Weideman 2014, Theorem 5.1"""
    return 2 * bound / ((2 * arb.pi() * line / spacing).exp() - 1)


def beyond(away: arb, spacing: arb) -> arb:
    """The rest of the rule's sum for the density alone, beyond a node that is `away` > 0 from its middle."""
    return spacing * (-away * away / 2).exp() / (2 * arb.pi()).sqrt() + normal_above(away)
