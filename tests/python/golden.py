"""Plans that many tests ask about."""

import json
from pathlib import Path

# A handful of every kind; where the reference that is kept beside the repository is there, some of its plans as well.
_HANDFUL = [
    ("100 x gaussian(10)", "1e-5", "add_or_remove_one"),
    ("10000 x poisson(0.01, gaussian(1))", "1e-5", "add_or_remove_one"),
    ("9 x pure(0.175893)", "2.38195e-09", "add_or_remove_one"),
    ("9 x wor(22 of 50, gaussian(0.874735))", "2.4868e-07", "replace_one"),
    ("400 x participates(5 of 100, 10 x wor(800 of 4000, gaussian(10)))", "2.5e-6", "replace_one"),
    ("27 x poisson(0.0028915, discrete_laplace(1.26402)) + 74 x gaussian(1.52335)", "1.0444e-10", "add_or_remove_one"),
    (
        "43 x rr(0.0326372) + 6 x participates(0.237309, poisson(0.00495614, 12 x rr(0.224013)))",
        "4.739e-08",
        "zero_out_one",
    ),
    ("10 x shuffle(1000, rr(1)) + laplace(4)", "1e-6", "replace_one"),
    ("20 x approximate(0.1, 1e-9) + discrete_gaussian(5)", "1e-6", "add_or_remove_one"),
    ("nothing", "1e-5", "add_or_remove_one"),
]

_REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "golden.jsonl"
_SAMPLE = 60


def golden_plans() -> list[tuple[str, str, str]]:
    """Plan, delta as text, and adjacency."""
    if not _REFERENCE.exists():
        return _HANDFUL
    lines = [json.loads(line) for line in _REFERENCE.read_text().splitlines()]
    answered = [line for line in lines if line["rc"] == 0]
    sample = answered[:: max(1, len(answered) // _SAMPLE)][:_SAMPLE]
    return _HANDFUL + [(line["plan"], line["delta"], line["adjacency"]) for line in sample]
