"""What the report says, whichever way it is rendered."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from judge import Judged, Safety, Verdict, rounded
from sources import PAPERS, Source

TITLE = "The privacy numbers of five papers, asked again"

HOW = [
    ("reproduces", "the formula that the paper gives for the number yields what is printed, to the last printed digit"),
    ("differs", "it yields another number"),
    ("unsafe", "less is claimed than neighbouring data sets are proven to spend: the number is false"),
    ("not comparable", "the paper leaves something out that the number depends on, which is named"),
]

WHAT_IS_PROVEN = (
    "The formula's number is what the paper claims, right or wrong. Beside it stands what the same run is proven to "
    "spend, as a bracket: no two neighbouring data sets give more than its upper end, and some give its lower end. "
    "Both ends are rounded outwards. A claim is safe where it is not below the upper end, unsafe where it is below the "
    "lower one, and open between them. A printed number is taken to claim all that rounds to it."
)


@dataclass
class Row:
    judged: Judged
    place: str
    printed: str
    gives: str
    verdict: str
    spends: list[str]
    why: list[str]


@dataclass
class PaperPart:
    title: str
    about: str
    source: Source
    rows: list[Row]


@dataclass
class Report:
    version: str
    counts: list[list[str]]
    """Paper by verdict, heading first, the sum last."""
    papers: list[PaperPart]
    judged: list[Judged]

    def unsafe(self) -> list[Row]:
        return [row for part in self.papers for row in part.rows if row.judged.verdict is Verdict.UNSAFE]


def report(version: str, judged: list[Judged], sources: dict[str, Source]) -> Report:
    parts = [
        PaperPart(paper.title, paper.about, sources[key], [_row(one) for one in judged if one.claim.paper == key])
        for key, paper in PAPERS.items()
    ]
    return Report(version, counts(judged), parts, judged)


def counts(judged: list[Judged]) -> list[list[str]]:
    table = [["paper", *(verdict.value for verdict in Verdict), "numbers"]]
    for key, paper in PAPERS.items():
        table.append([paper.title, *_counted([one for one in judged if one.claim.paper == key])])
    return [*table, ["together", *_counted(judged)]]


def _counted(judged: list[Judged]) -> list[str]:
    found = Counter(one.verdict for one in judged)
    return [*(str(found[verdict]) for verdict in Verdict), str(len(judged))]


def _row(one: Judged) -> Row:
    claim = one.claim
    gives = "nothing" if one.computed is None else rounded(one.computed)
    why = [claim.lacks] if claim.lacks else []
    if one.refusal:
        why.append(f"the program refuses: {one.refusal}")
    why += [f"{name}: {rounded(value)}{', as printed' if printed else ''}" for name, value, printed in one.readings]
    if claim.why:
        why.append(claim.why)
    return Row(
        one,
        f"{claim.place}: {claim.quantity}",
        _with_unit(claim.printed, claim.unit) if claim.printed else "(nothing)",
        gives,
        one.verdict.value,
        _spends(one),
        why,
    )


def _with_unit(printed: str, unit: str) -> str:
    if unit in ("epsilon", "mu"):
        return f"{unit} {printed}"
    return printed if unit == "ratio" else f"{printed} {unit}"


def _spends(one: Judged) -> list[str]:
    if one.bracket is None:
        return []
    texts = [f"epsilon at most {rounded(one.bracket.upper, up=True)}"]
    if one.bracket.lower > 0:
        texts[0] += f", at least {rounded(one.bracket.lower, up=False)}"
    if one.claimed is not None and one.safety is not None:
        texts.append(f"{rounded(one.claimed)} is claimed: {one.safety.value}")
        if one.safety is Safety.UNSAFE:
            texts[-1] += f" by a factor of {rounded(one.bracket.lower / one.claimed, up=False, digits=4)} or more"
    if one.allowed is not None:
        texts.append(f"{rounded(one.allowed)} rounds are proven to fit")
    return texts


def summary(counted: list[list[str]]) -> str:
    words = dict(zip(counted[0], counted[-1], strict=True))
    return (
        f"{words['numbers']} published numbers: {words['reproduces']} reproduce from the paper's formula, "
        f"{words['differs']} differ, {words['unsafe']} are unsafe, {words['not comparable']} are not comparable."
    )
