"""Random questions: plans of every kind that the referee judges, in the JSON form, and some that it does not."""

from __future__ import annotations

import json
import random

from ask import Question

ACCOUNTANTS = {"contour": 3, "loss_distribution": 3, "renyi": 2, "approximate": 2, "exact": 1, "concentrated": 1}
"""Those that are asked by name, and how often."""


class Draw:
    def __init__(self, random_numbers: random.Random):
        self.random = random_numbers

    def _between(self, low: float, high: float) -> float:
        """Log-uniform; half of them with few digits, as people write them."""
        number = low * (high / low) ** self.random.random()
        return float(f"{number:.2g}") if self.random.random() < 0.5 else number

    def _rate(self, low: float = 0.002):
        if self.random.random() < 0.3:
            population = self.random.choice([3, 10, 60, 1000])
            return {"drawn": self.random.randint(1, max(1, population // 2)), "population": population}
        return self.random.choice([0.5, 1.0, 0.0]) if self.random.random() < 0.06 else min(self._between(low, 1), 1.0)

    def _pick(self, choices: dict):
        return self.random.choices(list(choices), list(choices.values()))[0]()

    def _gaussian(self) -> dict:
        return {"gaussian": {"noise_multiplier": self._between(0.4, 20)}}

    def _leaf(self) -> dict:
        return self._pick(
            {
                self._gaussian: 5,
                lambda: {"gaussian_dp": {"mu": self._between(0.05, 3)}}: 1,
                lambda: {"laplace": {"scale": self._between(0.3, 20)}}: 3,
                lambda: {"discrete_gaussian": {"noise_multiplier": self._between(0.3, 8)}}: 2,
                lambda: {"discrete_laplace": {"scale": self._between(0.3, 20)}}: 1,
                self._response: 2,
                self._oracle: 1,
                lambda: {"pure_dp": {"epsilon": self._between(0.02, 3)}}: 1,
                lambda: {"approximate_dp": {"epsilon": self._between(0.02, 2), "delta": self._between(1e-9, 1e-3)}}: 1,
                lambda: {"concentrated_dp": {"rho": self._between(0.001, 2)}}: 0.5,
                lambda: {"bounded_range": {"epsilon": self._between(0.05, 3)}}: 0.5,
                lambda: self._group(self._leaf()): 0.7,
            }
        )

    def _response(self) -> dict:
        return {
            "randomized_response": {
                "epsilon": self._between(0.05, 4),
                "categories": self.random.choice([2, 2, 3, 4, 10]),
            }
        }

    def _oracle(self) -> dict:
        name = self.random.choice(["subset_selection", "rappor", "optimized_unary_encoding", "hadamard_response"])
        fields = {"epsilon": self._between(0.05, 4), "categories": self.random.choice([2, 3, 4, 16])}
        if name == "subset_selection" and self.random.random() < 0.5:
            fields["subset"] = self.random.randint(1, fields["categories"] - 1)
        return {name: fields}

    def _group(self, inner: dict) -> dict:
        return {"grouped": {"records": self.random.choice([1, 2, 2, 3, 5, 8, 20]), "inner": inner}}

    def _mixture(self) -> dict:
        shifts, rest = [], 1.0
        for _ in range(self.random.randint(1, 5)):
            probability = rest * self.random.choice([0.5, 1, self.random.random(), self._between(1e-4, 0.1)])
            shifts.append({"probability": probability, "offset": self.random.choice([0, self._between(0.05, 4)])})
            rest = max(0.0, rest - probability)
        return {"mixture_of_gaussians": {"noise_multiplier": self._between(0.4, 20), "shifts": shifts}}

    def _repeated(self, inner: dict, most: float) -> dict:
        count = int(self._between(1, most))
        return inner if count == 1 else {"repeated": {"count": count, "inner": inner}}

    def _few(self) -> dict:
        """What is sampled: mostly one release."""
        parts = [self._repeated(self._leaf(), 4) if self.random.random() < 0.3 else self._leaf()]
        if self.random.random() < 0.15:
            parts.append(self._leaf())
        return parts[0] if len(parts) == 1 else {"composed": {"parts": parts}}

    def _poisson(self, inner=None) -> dict:
        return {"poisson_sampled": {"rate": self._rate(), "inner": inner or self._few()}}

    def _replaced_sample(self) -> dict:
        return self._pick(
            {
                lambda: {"sampled_without_replacement": {"rate": self._rate(), "inner": self._few()}}: 4,
                lambda: self._poisson(self._gaussian()): 2,
                lambda: self._group(self._poisson(self._gaussian())): 1,
                self._shuffle: 1,
                self._select: 0.5,
                self._drawn: 1,
            }
        )

    def _drawn(self) -> dict:
        draws = {"drawn": self.random.choice([2, 3, 5, 8, 20]), "population": self.random.choice([4, 30, 200])}
        return {"sampled_with_replacement": {"draws": draws, "inner": self._gaussian()}}

    def _truncated(self) -> dict:
        records = self.random.randint(2, 60)
        batch = {"drawn": self.random.randint(1, records), "population": records}
        inner = self._gaussian() if self.random.random() < 0.7 else self._few()
        return {"truncated_poisson_sampled": {"rate": self._rate(), "batch": batch, "inner": inner}}

    def _select(self) -> dict:
        gamma = round(self.random.uniform(0.05, 0.9), 3)
        trials = self._pick(
            {
                lambda: {"poisson": {"mean": round(10 ** self.random.uniform(-1, 1.3), 3)}}: 2,
                lambda: {"geometric": {"gamma": gamma}}: 2,
                lambda: {"negative_binomial": {"eta": self.random.choice([-0.5, 0, 2]), "gamma": gamma}}: 1,
            }
        )
        return {"selected": {"trials": trials, "inner": self._response()}}

    def _shuffle(self) -> dict:
        pure = lambda: {"pure_dp": {"epsilon": self._between(0.1, 2)}}  # noqa: E731
        inner = self._pick({self._response: 6, pure: 3, self._oracle: 2})
        return {"shuffled": {"reports": self.random.randint(2, 30), "inner": inner}}

    def _added_sample(self) -> dict:
        return self._pick(
            {
                lambda: self._poisson(self._gaussian()): 5,
                self._poisson: 4,
                lambda: self._poisson(self._poisson(self._leaf())): 1,
                lambda: self._group(self._poisson(self._gaussian())): 1,
                lambda: self._group(self._poisson()): 0.7,
                self._mixture: 1,
                self._truncated: 1,
                self._select: 0.5,
                lambda: self._poisson(self._mixture()): 0.3,
                lambda: {"randomly_allocated": {"steps": self.random.randint(2, 6), "inner": self._leaf()}}: 0.5,
            }
        )

    def _part(self, sample) -> dict:
        inner = self._pick({self._leaf: 3, sample: 5})
        if self.random.random() < 0.15:
            inner = {"participates": {"rate": self._rate(0.02), "inner": self._repeated(inner, 5)}}
        return self._repeated(inner, self.random.choices([1, 4, 40, 400, 20000], [8, 4, 4, 4, 1])[0])

    def question(self) -> Question:
        adjacency = self.random.choices(["add_or_remove_one", "replace_one", "zero_out_one"], [6, 4, 1])[0]
        sample = self._replaced_sample if adjacency == "replace_one" else self._added_sample
        parts = [self._part(sample) for _ in range(self.random.choices([1, 2, 3], [6, 3, 1])[0])]
        event = parts[0] if len(parts) == 1 else {"composed": {"parts": parts}}
        plan = json.dumps({"version": 1, "adjacency": adjacency, "event": event})
        named = self.random.choices(list(ACCOUNTANTS), list(ACCOUNTANTS.values()))[0]
        accountant = named if self.random.random() < 0.3 else "best"
        if self.random.random() < 0.75:
            return Question(plan, adjacency, "delta", float(f"{10 ** -self.random.uniform(1.5, 10):.2g}"), accountant)
        return Question(plan, adjacency, "epsilon", self._between(0.05, 6), accountant)
