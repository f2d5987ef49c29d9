"""What a plan (in its JSON form) is from above and from below, by the numbered statements of README.md."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field

from flint import arb, fmpq

import shuffles
from allocation import allocated_atoms
from atoms import Atoms, TooMany, approximate, discrete_gaussian, nothing, randomised_response
from balls import exact, fraction_of
from draws import Drawn, not_exceeded, times_drawn
from laws import (
    Gaussian,
    Laplace,
    Law,
    OneOf,
    Participates,
    PoissonSampled,
    PoissonSampledReplaced,
    Symmetrised,
)
from products import Allocated, Mixed, Product, single
from selection import MOST_RANKED, rankings
from shifts import Mirrored, Shifted, binomial_shifts, grouped_response
from truncated import filled_by_others

EVENTS = {
    "gaussian",
    "gaussian_dp",
    "laplace",
    "discrete_laplace",
    "discrete_gaussian",
    "randomized_response",
    "pure_dp",
    "approximate_dp",
    "concentrated_dp",
    "truncated_concentrated_dp",
    "bounded_range",
    "subset_selection",
    "rappor",
    "optimized_unary_encoding",
    "hadamard_response",
    "mixture_of_gaussians",
    "composed",
    "repeated",
    "poisson_sampled",
    "sampled_without_replacement",
    "sampled_with_replacement",
    "truncated_poisson_sampled",
    "participates",
    "randomly_allocated",
    "selected",
    "grouped",
    "shuffled",
}
"""Those that a method of Reader is about."""

ORACLES = ("subset_selection", "rappor", "optimized_unary_encoding", "hadamard_response")
MOST_REPORTS = 60
MOST_DRAWS = 12
MOST_GROUPED = 12
MOST_RECORDS = 200


class NotJudged(Exception):
    """A plan that no statement here is about; the message is its kind."""


class Unshown(Exception):
    """A witness with a number by which the referee's statements do not show what is claimed; the message says which."""


@dataclass
class Sides:
    """`upper` is a product that no data sets exceed, where one is known; each of `lower` is attained. Where the event
    is all of the plan, no data sets exceed the largest of `alone`, if there are any."""

    upper: Product | None
    lower: list[Product]
    alone: list[Product] = field(default_factory=list)


def _both(release) -> Sides:
    return Sides([(release, 1)], [[(release, 1)]])


def rate_of(rate) -> fmpq:
    return fmpq(rate["drawn"], rate["population"]) if isinstance(rate, dict) else fraction_of(rate)


def _is_of_queries(event: dict) -> bool:
    """Whether it is Gaussian noise on sums of what records contribute, in samples or not: there either value of a
    record moves a sum by half a unit from where it is without the record. Of what is only as hard to tell apart as
    Gaussians are, that may be a whole unit."""
    ((name, fields),) = event.items()
    if name in ("repeated", "poisson_sampled"):
        return _is_of_queries(fields["inner"])
    return all(map(_is_of_queries, fields["parts"])) if name == "composed" else name == "gaussian"


class Reader:
    """Reads events under one adjacency. `least`: probabilities below are not worth an outcome of their own."""

    def __init__(self, adjacency: str, least: arb):
        self.adjacency, self.replaced = adjacency, adjacency == "replace_one"
        self.least = least

    def sides(self, event: dict) -> Sides:
        ((name, fields),) = event.items()
        if name not in EVENTS:
            raise NotJudged(name)
        return getattr(self, "_" + name)(**fields)

    # Leaves

    def _gaussian(self, noise_multiplier) -> Sides:
        noise = exact(float(noise_multiplier))
        return _both(Gaussian(1 / (noise * noise)))

    def _gaussian_dp(self, mu) -> Sides:
        mu = exact(float(mu))
        return _both(Gaussian(mu * mu) if mu > 0 else nothing())

    def _laplace(self, scale) -> Sides:
        return _both(Laplace(exact(float(scale))))

    def _discrete_laplace(self, scale) -> Sides:
        return _both(randomised_response(1 / fraction_of(scale)))

    def _discrete_gaussian(self, noise_multiplier) -> Sides:
        return _both(discrete_gaussian(fraction_of(noise_multiplier), self.least))

    def _randomized_response(self, epsilon, categories=2) -> Sides:
        return _both(randomised_response(fraction_of(epsilon), int(categories)))

    def _pure_dp(self, epsilon) -> Sides:
        return _both(randomised_response(fraction_of(epsilon)))

    def _approximate_dp(self, epsilon, delta) -> Sides:
        return _both(approximate(fraction_of(epsilon), exact(float(delta))))

    def _concentrated_dp(self, rho) -> Sides:
        rho = exact(float(rho))
        return Sides(None, [[(Gaussian(2 * rho) if rho > 0 else nothing(), 1)]])

    def _truncated_concentrated_dp(self, rho, omega) -> Sides:
        raise NotJudged("truncated_concentrated_dp")

    def _bounded_range(self, epsilon) -> Sides:
        epsilon = fraction_of(epsilon)
        return Sides([(randomised_response(epsilon), 1)], [[(randomised_response(epsilon / 2), 1)]])

    def _told(self, epsilon: float, told) -> Sides:
        """Frequency oracles: `told` is the probability of a report that tells, from e^-epsilon."""
        epsilon = fraction_of(epsilon)
        if epsilon == 0:
            return _both(nothing())
        return _both(randomised_response(epsilon).participating(told((-arb(epsilon)).exp())))

    def _subset_selection(self, epsilon, categories, subset=0) -> Sides:
        k = int(categories)
        size = int(subset) or max(1, round(k / (math.exp(epsilon) + 1)))
        holding = arb(size) / k  # of all sets, those that hold a value
        apart = holding * (k - size) / (k - 1)  # those that hold the one and not the other

        def told(odds):
            return apart * (1 + odds) / (holding + (1 - holding) * odds)

        return self._told(epsilon, told)

    def _rappor(self, epsilon, categories) -> Sides:
        return self._told(epsilon, lambda odds: (1 + odds) / (1 + odds.sqrt()) ** 2)

    def _optimized_unary_encoding(self, epsilon, categories) -> Sides:
        return self._told(epsilon, lambda odds: arb(0.5))

    def _hadamard_response(self, epsilon, categories) -> Sides:
        return self._told(epsilon, lambda odds: arb(0.5))

    def _mixture_of_gaussians(self, noise_multiplier, shifts) -> Sides:
        if self.replaced:
            raise NotJudged("mixture under replace_one")
        chances = [fraction_of(shift["probability"]) for shift in shifts]
        rest = 1 - sum(chances, fmpq(0))
        if abs(rest) <= fmpq(1, 10**12):  # shares of their sum
            chances, rest = [chance / (1 - rest) for chance in chances], fmpq(0)
        noise = exact(float(noise_multiplier))
        moved = []
        for chance, shift in zip(chances, shifts):
            if shift["offset"] == 0:
                rest += chance
            elif chance > 0:
                moved.append((arb(chance), exact(float(shift["offset"])) / noise))
        return _both(Shifted(moved, arb(rest)) if moved else nothing())

    # Nodes

    def _composed(self, parts) -> Sides:
        upper, lower, alone = [], [[]], []
        for sides in map(self.sides, parts):
            upper = None if upper is None or sides.upper is None else upper + sides.upper
            lower = [before + after for before in lower for after in sides.lower]
            if len(lower) > MOST_REPORTS:
                lower = lower[:: len(lower) // MOST_REPORTS]
            alone = sides.alone if len(parts) == 1 else []
        return Sides(upper, lower, alone)

    def _repeated(self, count, inner) -> Sides:
        sides = self.sides(inner)
        if count == 1:
            return sides

        def times(product: Product) -> Product:
            return [(release, count * before) for release, before in product]

        return Sides(None if sides.upper is None else times(sides.upper), [times(product) for product in sides.lower])

    def _sampled(self, product: Product, rate: arb) -> Product:
        release = single(product, self.least)
        if isinstance(release, PoissonSampled):  # a sample of a sample
            return [(PoissonSampled(rate * release.rate, release.inner), 1)]
        if isinstance(release, Law):
            return [(PoissonSampled(rate, release), 1)]
        if isinstance(release, Atoms):
            return [(release.sampled(rate), 1)]
        return [(Mixed(rate, product, hidden=True), 1)]

    def _poisson_sampled(self, rate, inner) -> Sides:
        rate, sides = rate_of(rate), self.sides(inner)
        if rate == 0:
            return _both(nothing())
        if self.replaced:
            return self._poisson_replaced(rate, sides, inner)
        if rate == 1:
            return sides
        rate = arb(rate)
        return Sides(
            None if sides.upper is None else self._sampled(sides.upper, rate),
            [self._sampled(product, rate) for product in sides.lower],
        )

    def _poisson_replaced(self, rate: fmpq, sides: Sides, inner: dict) -> Sides:
        release = single(sides.upper, self.least) if sides.upper is not None and _is_of_queries(inner) else None
        if isinstance(release, Gaussian):
            return _both(PoissonSampledReplaced(arb(rate), 1 / release.mu))
        if isinstance(release, PoissonSampledReplaced):
            return _both(PoissonSampledReplaced(arb(rate) * release.rate, release.noise))
        raise NotJudged("poisson under replace_one around other than a Gaussian")

    def _sampled_without_replacement(self, rate, inner, clipped=False) -> Sides:
        # Where contributions are clipped fewer data sets are possible, and those that attain are among them.
        del clipped
        rate, sides = rate_of(rate), self.sides(inner)
        if not self.replaced:
            raise NotJudged("wor under another adjacency than replace_one")
        if rate == 0:
            return _both(nothing())
        if rate == 1:
            return sides
        rate, upper = arb(rate), None
        release = single(sides.upper, self.least) if sides.upper is not None else None
        if isinstance(release, Law) and release.symmetric:
            upper = [(Symmetrised(PoissonSampled(rate, release)), 1)]
        elif isinstance(release, Atoms) and release.symmetric:
            upper = [(release.sampled(rate).symmetrised(), 1)]
        return Sides(upper, [self._sampled(product, rate) for product in sides.lower])

    def _sampled_with_replacement(self, draws, inner) -> Sides:
        sides = self.sides(inner)
        release = single(sides.upper, self.least) if sides.upper is not None else None
        if not (self.replaced and isinstance(release, Gaussian) and draws["drawn"] <= MOST_DRAWS):
            raise NotJudged("with_replacement of many draws, of other than Gaussians or not under replace_one")
        if draws["population"] == 1:
            raise NotJudged("with_replacement from one record")
        weights = times_drawn(draws["drawn"], draws["population"])
        return Sides([(not_exceeded(weights, release.mu), 1)], [[(Drawn(weights, release.mu), 1)]])

    def _truncated_poisson_sampled(self, rate, batch, inner) -> Sides:
        places, records, rate = batch["drawn"], batch["population"], rate_of(rate)
        if places >= records:
            return self._poisson_sampled(rate, inner)
        if self.replaced or records > MOST_RECORDS:
            raise NotJudged("truncated_poisson of many records or under replace_one")
        if rate == 0:
            return _both(nothing())
        sides = self.sides(inner)
        filled, in_filled = filled_by_others(places, records, rate)
        at_all = (1 - filled) * rate + in_filled
        release = single(sides.upper, self.least) if sides.upper is not None else None
        upper = None
        if isinstance(release, Gaussian) and filled > 0:
            replaced = PoissonSampled(arb(in_filled / filled), Gaussian(4 * release.square))
            unfilled = PoissonSampled(arb(rate), release) if rate < 1 else release
            upper = [(OneOf([(arb(1 - filled), unfilled), (arb(filled), replaced)]), 1)]
        return Sides(upper, [self._sampled(product, arb(at_all)) for product in sides.lower])

    def _participates(self, rate, inner) -> Sides:
        rate, sides = arb(rate_of(rate)), self.sides(inner)
        if rate == 0:
            return _both(nothing())
        if rate == 1:
            return sides

        def participating(product: Product) -> Product:
            release = single(product, self.least)
            if isinstance(release, Law):
                return [(Participates(rate, release), 1)]
            if isinstance(release, Atoms):
                return [(release.participating(rate), 1)]
            return [(Mixed(rate, product, hidden=False), 1)]

        return Sides(
            None if sides.upper is None else participating(sides.upper),
            [participating(product) for product in sides.lower],
        )

    def _randomly_allocated(self, steps, inner, times=1) -> Sides:
        if self.replaced or times != 1:
            raise NotJudged("random allocation into several steps, or under replace_one")
        sides = self.sides(inner)
        if steps == 1:
            return sides

        def allocated(product: Product) -> Product:
            release = single(product, self.least)
            if isinstance(release, Atoms) and release.tells_nothing:
                return product
            if isinstance(release, Atoms) and release.cut_p == 0:
                with suppress(TooMany):
                    return [(allocated_atoms(release, steps), 1)]
            return [(Allocated(steps, product), 1)]

        return Sides(
            None if sides.upper is None else allocated(sides.upper),
            [allocated(product) for product in sides.lower],
        )

    def _selected(self, trials, inner) -> Sides:
        sides = self.sides(inner)
        release = single(sides.lower[0], self.least) if sides.lower else None
        few = isinstance(release, Atoms) and len(release.table) <= MOST_RANKED
        if not (few and release.top == 0 and release.bottom == 0):
            raise NotJudged("select around other than a few outcomes")
        if trials.get("poisson", {}).get("mean") == 0 or release.tells_nothing:
            return _both(nothing())
        return Sides(None, [[(best, 1)] for best in rankings(release, trials)])

    def _grouped(self, records, inner) -> Sides:
        ((name, fields),) = inner.items()

        def group(event: dict) -> dict:
            return {"grouped": {"records": records, "inner": event}}

        if records == 1:
            return self.sides(inner)
        if name == "grouped":
            return self._grouped(records * fields["records"], fields["inner"])
        if name == "composed":
            return self._composed([group(part) for part in fields["parts"]])
        if name == "repeated":
            return self._repeated(fields["count"], group(fields["inner"]))
        if name == "poisson_sampled":
            return self._grouped_sample(records, rate_of(fields["rate"]), fields["inner"])
        if name in ("gaussian", "gaussian_dp"):
            ((release, _),) = self.sides(inner).upper
            return _both(Gaussian(records * records * release.square) if isinstance(release, Gaussian) else release)
        if name == "laplace":
            return _both(Laplace(exact(float(fields["scale"])) / records))
        # No data sets need tell more of a group than of one record.
        one = self.sides(inner).lower
        if name == "discrete_gaussian":
            return Sides(None, [[(discrete_gaussian(fraction_of(fields["noise_multiplier"]), self.least, records), 1)]])
        if records > MOST_REPORTS:
            return Sides(None, one)
        if name == "discrete_laplace":
            return _both(grouped_response(1 / fraction_of(fields["scale"]), records))
        if name in ("pure_dp", "randomized_response", "bounded_range", *ORACLES) and fields["epsilon"] > 0:
            shift = [(grouped_response(fraction_of(fields["epsilon"]), records), 1)]
            return Sides(shift, [shift] if name == "pure_dp" else one)
        return Sides(None, one)

    def _grouped_sample(self, records: int, rate: fmpq, inner: dict) -> Sides:
        ((name, fields),) = inner.items()
        if name == "poisson_sampled":
            return self._grouped_sample(records, rate * rate_of(fields["rate"]), fields["inner"])
        if rate == 1:
            return self._grouped(records, inner)
        sides = self.sides(inner)
        if rate == 0:
            return _both(nothing())
        release = single(sides.upper, self.least) if sides.upper is not None else None
        if isinstance(release, Gaussian) and records <= MOST_GROUPED:
            none = arb(1 - rate) ** records
            if self.replaced and _is_of_queries(inner):
                return _both(Mirrored(binomial_shifts(records, arb(rate), release.mu / 2), none))
            if not self.replaced:
                return _both(Shifted(binomial_shifts(records, arb(rate), release.mu), none))
        if self.replaced:
            raise NotJudged("groups in poisson under replace_one around other than a Gaussian")
        # A query may tell whether any of the group is in the sample.
        any_of_them = 1 - arb(1 - rate) ** records
        return Sides(None, [self._sampled(product, any_of_them) for product in sides.lower])

    def _shuffled(self, reports, inner, records=1) -> Sides:
        ((name, fields),) = inner.items()
        if records != 1 or not self.replaced or reports > MOST_REPORTS:
            raise NotJudged("shuffle of many reports, of silos, or under another adjacency than replace_one")
        epsilon = fraction_of(fields.get("epsilon", 0))
        if epsilon == 0:
            raise NotJudged("shuffle around " + name)
        if name == "randomized_response":
            upper = [(shuffles.clones(reports, epsilon, shuffles.fair_share(epsilon)), 1)]
            if fields.get("categories", 2) != 2:
                return Sides(upper, [])
            exactly = [[(atoms, 1)] for atoms in shuffles.ones_among_others(reports, epsilon)]
            return Sides(upper, exactly, exactly)
        if name in ORACLES:
            return Sides([(shuffles.clones(reports, epsilon, shuffles.least_share(epsilon)), 1)], [])
        if name == "pure_dp":
            upper = [(shuffles.clones(reports, epsilon, shuffles.least_share(epsilon)), 1)]
            exactly = [[(atoms, 1)] for atoms in shuffles.ones_among_others(reports, epsilon)]
            return Sides(upper, exactly)
        raise NotJudged("shuffle around " + name)
