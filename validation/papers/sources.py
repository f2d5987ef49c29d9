"""What the program itself says of a paper's setting on the page that it writes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from program import Program


@dataclass(frozen=True)
class Paper:
    title: str
    about: str
    """What is common to its numbers."""
    command: str
    """Its setting; the page of the answer names what the answer rests on."""


PAPERS = {
    "noble": Paper(
        "Noble, Bellet, Dieuleveut 2022",
        "A record of a user, against a third party who sees the models. The formula is that of the authors' "
        "program: it takes the sampling of users to amplify and the noise of all users to hide each local step, "
        "neither of which is proven for K > 1, so that what it gives is an estimate. What is proven counts a "
        "user's own noise alone, lets everybody know who takes part, and allows more nevertheless: sampling is "
        "accounted for tightly and composition exactly.",
        "plan dp-scaffold --users 100 --records 4000 --user-rate 0.05 --record-rate 0.2 --local-steps 10 --noise 10"
        " --rounds 428 --epsilon 3 --delta 2.5e-6 --adversary third_party",
    ),
    "zheng": Paper(
        "Zheng, Chen, Long, Su 2021",
        "A record of a client, against another client. mu is the limit of many steps, by a central limit theorem, "
        "and no bound at any number of them; sampling of clients (p) does not enter it. It is held, at delta "
        "1e-5, against what is proven of a client that takes part in every round. No data sets attain the upper "
        "end, which is that of the function C_p(G_mu) composed.",
        "plan dp-prifedsync --users 100 --records 600 --user-rate 1 --client-sampling poisson --batch-size 16"
        " --local-steps 38 --rounds 93 --noise 1 --epsilon 14 --delta 1e-5 --adversary one_client",
    ),
    "chen": Paper(
        "Chen et al. 2024",
        "A record of a client, against the server, in the rounds in which the client takes part. The paper prints "
        "a budget for all its experiments, and none of the numbers that would spend it.",
        "plan dpnfl --users 100 --records 600 --user-rate 0.1 --batch-size 10 --local-steps 300 --rounds 10"
        " --noise 11 --epsilon 0.3 --delta 0.01 --adversary server",
    ),
    "chang": Paper(
        "Chang, Seif, Tandon 2022",
        "A record of a user, against the server. The formula is Theorem 1 or 2 with Mironov's conversion. What is "
        "proven measures the noise against 2 L / B and lets the server see who takes part; it is a fraction of "
        "what is printed.",
        "schedule chang1:beta=0.998,hold=200 --noise 707.10678 --user-rate 0.2 --record-rate 0.2 --local-steps 50"
        " --rounds 497 --delta 1e-5 --accountant contour",
    ),
    "lowy": Paper(
        "Lowy, Razaviyayn 2023",
        "A record of a silo, against the server, who sees all that the silo sends. Our copy of the text has lost "
        "its numbers: 25 silos of 1000 records, 25 rounds of 424 records or steps, delta 1e-6 and these epsilons "
        "are from our notes on the paper. The noise is sigma^2 = 8 L^2 R log(1 / delta) / (n^2 epsilon^2), R the "
        "number of steps.",
        "plan dp-mb-sgd --users 25 --records 1000 --user-rate 1 --batch-size 424 --batches with-replacement"
        " --rounds 25 --noise 14.86 --epsilon 0.75 --delta 1e-6 --adversary server",
    ),
}


@dataclass
class Source:
    assumptions: list[tuple[str, str]]
    theorems: list[str]
    notes: list[str]
    references: list[tuple[str, str]]
    """Each with its link."""


def source_of(program: Program, paper: Paper) -> Source:
    parts = sections(program.page(paper.command))
    return Source(
        [(first, second) for first, second in map(_cells, parts.get("What is assumed", [])[2:])],
        [_plain(line[2:]) for line in parts.get("By which theorems", [])],
        [_plain(line[2:]) for line in parts.get("Notes", [])],
        [_reference(line) for line in parts.get("References", [])],
    )


def sections(page: str) -> dict[str, list[str]]:
    """The lines under each second heading."""
    found: dict[str, list[str]] = {}
    for part in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        heading, *lines = part.splitlines()
        found[heading] = [line for line in lines if line.strip()]
    return found


def _plain(text: str) -> str:
    return re.sub(r"\\([\\`*_\[\]<>|])", r"\1", text.strip())


def _cells(row: str) -> tuple[str, str]:
    first, second = re.split(r"(?<!\\)\|", row.strip().strip("|"))
    return _plain(first), _plain(second)


def _reference(line: str) -> tuple[str, str]:
    text, _, link = line[2:].rpartition(" <")
    return _plain(text), link.rstrip(">")
