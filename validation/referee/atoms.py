"""Releases of finitely many outcomes: for each loss its probability under either data set, in balls.

Losses are kept as sums of numbers that stand for them, so that T repetitions of k outcomes take as many terms as there
are multisets of them, and fewer where losses are multiples of one.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from flint import arb, arb_poly, fmpq

from balls import ONE, ZERO, any_of, either, is_none
from work import TooMuch, take

Key = int
"""Of a loss: the sum of the numbers of which it is the sum, each as often as it is in it; 0 tells nothing."""

MOST_ATOMS = 3000
"""Beyond so many a product is not multiplied out."""

MOST_COUNTED = 8
FEWEST_COUNTED = 32
MOST_REPETITIONS = 1 << 15
"""Of so few different outcomes, so often repeated, counts are taken rather than products."""

MOST_OF_NOISE = 1 << 17

_new_numbers = random.Random(1)
_number_of_fraction: dict[tuple[int, int], int] = {}


def _new_number() -> int:
    """Large at random, so that different losses are different sums. If two ever were not, what is kept is a ball that
    holds both."""
    return _new_numbers.getrandbits(192)


def _number_of(loss: fmpq) -> int:
    """The number of a loss that is a fraction."""
    return _number_of_fraction.setdefault((int(loss.p), int(loss.q)), _new_number())


class TooMany(Exception):
    """A product of more outcomes than MOST_ATOMS."""


@dataclass
class Step:
    """A loss of which all are multiples, and its number."""

    number: int
    loss: arb


@dataclass
class Atoms:
    """Outcomes: (loss, probability under P, under Q) by key. `top` is P's where Q has none, `bottom` Q's where P has
    none. `cut_p` and `cut_q` bound what was left out. `step`, where all losses are known to be multiples of one."""

    table: dict[Key, tuple[arb, arb, arb]]
    top: arb = ZERO
    bottom: arb = ZERO
    cut_p: arb = ZERO
    cut_q: arb = ZERO
    symmetric: bool = False
    step: Step | None = None
    _too_many: set[tuple] = field(default_factory=set, compare=False, repr=False)
    """Powers that were tried, as both sides of a claim and all of its ends try them."""

    @staticmethod
    def of_multiples(step: fmpq, outcomes: list[tuple[int, arb]], **more) -> Atoms:
        """Outcomes whose losses are multiples of a step, with their probabilities under P."""
        number = _number_of(step)
        table = {}
        for count, p in outcomes:
            loss = arb(step * count)
            table[number * count] = (loss, p, p * (-loss).exp())
        return Atoms(table, step=Step(number, arb(step)), **more)

    @staticmethod
    def of_vectors(vectors: list[tuple[arb, arb]], **more) -> Atoms:
        """Outcomes of any positive probabilities (under P, under Q)."""
        return Atoms({_new_number(): ((p / q).log(), p, q) for p, q in vectors}, **more)

    @property
    def tells_nothing(self) -> bool:
        # What was cut many times over may be much.
        apart = (self.top, self.bottom, self.cut_p, self.cut_q)
        return len(self.table) == 1 and 0 in self.table and all(mass == 0 for mass in apart)

    def sampled(self, rate: arb) -> Atoms:
        """(1 - rate) Q + rate P against Q."""
        vectors = [(rate * p + (1 - rate) * q, q) for _, p, q in self.table.values()]
        if not is_none(self.bottom):
            vectors.append(((1 - rate) * self.bottom, self.bottom))
        return Atoms.of_vectors(
            vectors, top=rate * self.top, cut_p=rate * self.cut_p + (1 - rate) * self.cut_q, cut_q=self.cut_q
        )

    def participating(self, rate: arb) -> Atoms:
        """With probability `rate`; else an outcome that tells nothing."""
        table = {key: (loss, rate * p, rate * q) for key, (loss, p, q) in self.table.items()}
        _, p, q = table.get(0, (ZERO, ZERO, ZERO))
        table[0] = (ZERO, p + 1 - rate, q + 1 - rate)
        masses = (rate * mass for mass in (self.top, self.bottom, self.cut_p, self.cut_q))
        return Atoms(table, *masses, symmetric=self.symmetric, step=self.step)

    def symmetrised(self) -> Atoms:
        """From above: the outcomes of positive loss, their mirror images, and what is left of either mass as one that
        tells nothing."""
        likelier = [(loss, p, q) for loss, p, q in self.table.values() if loss > 0]
        rest = 1 - self.top - sum((p + q for _, p, q in likelier), ZERO)
        table: dict[Key, tuple[arb, arb, arb]] = {0: (ZERO, rest, rest)}
        for loss, p, q in likelier:
            number = _new_number()
            table[number] = (loss, p, q)
            table[-number] = (-loss, q, p)
        # Of those about 0 as much as may be told goes with what was cut.
        told = [abs(p - q) for loss, p, q in self.table.values() if not (loss > 0 or loss <= 0)]
        cut = sum(told, self.cut_p + self.cut_q)
        return Atoms(table, self.top, self.top, cut, cut, symmetric=True)

    def times(self, other: Atoms, least: arb, most: int = MOST_ATOMS) -> Atoms:
        """The product; outcomes less probable than `least` under both are cut. @throws TooMany"""
        table, step = self._product(other, least, most)
        rare = [key for key, (_, p, q) in table.items() if p < least and q < least]
        cut_p = self.cut_p + other.cut_p
        cut_q = self.cut_q + other.cut_q
        for key in rare:
            _, p, q = table.pop(key)
            cut_p, cut_q = cut_p + p, cut_q + q
        if len(table) > most:
            raise TooMany
        top, bottom = either(self.top, other.top), either(self.bottom, other.bottom)
        return Atoms(table, top, bottom, cut_p, cut_q, self.symmetric and other.symmetric, step)

    def _product(self, other: Atoms, least: arb, most: int) -> tuple[dict[Key, tuple[arb, arb, arb]], Step | None]:
        for one, scaled in ((self, other), (other, self)):
            if one.table.keys() == {0}:
                _, p, q = one.table[0]
                return {key: (loss, p * x, q * y) for key, (loss, x, y) in scaled.table.items()}, scaled.step
        step = self.step
        if step is None or other.step is None or step.number != other.step.number:
            return self._table_of_sums(other, least, most), None
        return self._table_of_multiples(other, step), step

    def _table_of_multiples(self, other: Atoms, step: Step) -> dict[Key, tuple[arb, arb, arb]]:
        """A product of polynomials."""

        def polynomial(atoms: Atoms) -> tuple[int, arb_poly]:
            masses = {key // step.number: p for key, (_, p, _) in atoms.table.items()}
            first = min(masses)
            return first, arb_poly([masses.get(count, ZERO) for count in range(first, max(masses) + 1)])

        (first, x), (other_first, y) = polynomial(self), polynomial(other)
        take(6 * (len(x) + len(y)), "a product of outcomes")
        table = {}
        for count, p in enumerate((x * y).coeffs(), first + other_first):
            if p == 0:
                continue
            loss = step.loss * count
            table[step.number * count] = (loss, p, p * (-loss).exp())
        return table

    def _table_of_sums(self, other: Atoms, least: arb, most: int) -> dict[Key, tuple[arb, arb, arb]]:
        if len(self.table) * len(other.table) > 60 * most:
            raise TooMany
        take(len(self.table) * len(other.table), "a product of outcomes")
        table: dict[Key, tuple[arb, arb, arb]] = {}
        counted = most
        for key, (loss, p, q) in self.table.items():
            if len(table) > counted:
                # What is likely enough to be kept stays so.
                if sum(not (p < least and q < least) for _, p, q in table.values()) > most:
                    raise TooMany
                counted = 2 * len(table)
            for other_key, (other_loss, other_p, other_q) in other.table.items():
                both, one = key + other_key, (loss + other_loss, p * other_p, q * other_q)
                before = table.get(both)
                if before is not None:
                    one = (before[0].union(one[0]), before[1] + one[1], before[2] + one[2])
                table[both] = one
        return table

    def power(self, count: int, least: arb, most: int = MOST_ATOMS) -> Atoms:
        """So many of them. @throws TooMany"""
        tried = count, least.str(20), most
        if tried in self._too_many:
            raise TooMany
        result, square = nothing(), self
        try:
            if self._is_counted(count):
                return self._power_by_counts(count, least, most)
            while count:
                if count & 1:
                    result = result.times(square, least, most)
                count >>= 1
                if count:
                    square = square.times(square, least, most)
        except TooMany:
            self._too_many.add(tried)
            raise
        return result

    def _is_counted(self, count: int) -> bool:
        """Whether to count outcomes rather than to multiply: few different ones, of losses that have no step."""
        few = 1 < len(self.table) <= MOST_COUNTED and self.step is None
        return few and FEWEST_COUNTED <= count <= MOST_REPETITIONS

    def _power_by_counts(self, count: int, least: arb, most: int) -> Atoms:
        """By how often each outcome is seen. Counts of some that are less probable than `least` under both, however the
        others are seen, are cut together."""
        outcomes = [(key, *atom) for key, atom in self.table.items()]
        outcomes.sort(key=lambda outcome: float(max(outcome[2].mid(), outcome[3].mid())))
        take(8 * len(outcomes) * count, "a power of outcomes")
        last = len(outcomes) - 1

        def shares(mass: arb) -> list[arb]:
            """mass^k / k!, for all k."""
            found = [ONE]
            for k in range(1, count + 1):
                found.append(found[-1] * mass / k)
            return found

        masses = [[outcome[under] for outcome in outcomes] for under in (2, 3)]
        of_one = [[shares(mass) for mass in under] for under in masses]
        of_rest = [[shares(sum(under[i:], ZERO)) for i in range(len(under))] for under in masses]
        table: dict[Key, tuple[arb, arb, arb]] = {}
        cuts = [ZERO, ZERO]

        def add(i: int, left: int, key: Key, loss: arb, together: list[arb]) -> None:
            number, one_loss, *_ = outcomes[i]
            if i == last:
                p, q = (x * of_one[under][i][left] for under, x in enumerate(together))
                both, one = key + left * number, (loss + left * one_loss, p, q)
                before = table.get(both)
                table[both] = one if before is None else (before[0].union(one[0]), before[1] + p, before[2] + q)
                if len(table) > most:
                    raise TooMany
                return
            modes = [(left + 1) * under[i] / sum(under[i:], ZERO) for under in masses]
            likely = min([left, *(int(float(mode.lower())) for mode in modes)])
            beyond = max(int(float(mode.upper())) for mode in modes) + 1

            def look_at(k: int, rest: int, is_beyond: bool) -> bool:
                """@return whether that is all: beyond the likeliest counts under both each of `rest` is less probable
                than the one before"""
                take(6, "a power of outcomes")
                here = [x * of_one[under][i][k] for under, x in enumerate(together)]
                all_of_it = [x * of_rest[under][i + 1][left - k] for under, x in enumerate(here)]
                if not all(x < least for x in all_of_it):
                    add(i + 1, left - k, key + k * number, loss + k * one_loss, here)
                    return False
                for under, x in enumerate(all_of_it):
                    cuts[under] += x * (rest if is_beyond else 1)
                return is_beyond

            for k in range(likely - 2, -1, -1):
                if look_at(k, k + 1, True):
                    break
            for k in range(max(0, likely - 1), left + 1):
                if look_at(k, left - k + 1, k > beyond):
                    break

        factorial = arb(count).gamma() * count if count > 0 else ONE
        add(0, count, 0, ZERO, [factorial, factorial])
        told = [any_of(mass, count) for mass in (self.top, self.bottom)]
        cut = [count * mass + under for mass, under in zip((self.cut_p, self.cut_q), cuts)]
        return Atoms(table, *told, *cut, self.symmetric)


def nothing() -> Atoms:
    """A release that tells nothing."""
    return Atoms({0: (ZERO, ONE, ONE)}, symmetric=True)


def randomised_response(epsilon: fmpq, categories: int = 2) -> Atoms:
    """The truth with odds e^epsilon against each other category."""
    growth = arb(epsilon).exp()
    whole = growth + categories - 1
    outcomes = [(1, growth / whole), (-1, 1 / whole)]
    if categories > 2:
        outcomes.append((0, (categories - 2) / whole))
    return Atoms.of_multiples(epsilon, outcomes, symmetric=True)


def approximate(epsilon: fmpq, delta: arb) -> Atoms:
    """What (epsilon, delta)-DP allows: all is told with probability delta, else randomised response."""
    whole = 1 + arb(epsilon).exp()
    told = 1 - delta
    outcomes = [(1, told * arb(epsilon).exp() / whole), (-1, told / whole)]
    return Atoms.of_multiples(epsilon, outcomes, top=delta, bottom=delta, symmetric=True)


def discrete_gaussian(noise: fmpq, least: arb, shift: int = 1) -> Atoms:
    """Integer noise around `shift` against around 0, P(z) proportional to exp(-z^2 / (2 s^2)); the loss of k is
    shift (2 k - shift) / (2 s^2). Outcomes are cut where what lies beyond is less than `least`."""
    step = 1 / (2 * noise * noise)

    def weight(z: int) -> arb:
        return (-arb(z * z) * arb(step)).exp()

    def beyond(z: int) -> arb:
        # Of z and all above: the weights fall faster than the powers of their ratio at z.
        return weight(z) / (1 - (-arb((2 * z + 1) * step)).exp())

    last = 2
    while not beyond(max(1, last - shift)) < least / 8:
        last += 1 + last // 8
    if 2 * last - shift > MOST_OF_NOISE:
        raise TooMuch(f"discrete Gaussian noise takes more than {MOST_OF_NOISE} outcomes")
    half = sum((weight(z) for z in range(1, last)), ZERO)
    whole = 1 + 2 * (half + ZERO.union(beyond(last)))
    outcomes = [(shift * (2 * k - shift), weight(k - shift) / whole) for k in range(1 + shift - last, last)]
    cut = 3 * beyond(last - shift) / whole
    return Atoms.of_multiples(step, outcomes, cut_p=cut, cut_q=cut, symmetric=True)
