"""What a plan must be, in one place: accounting/plan/plan.schema.json, and what it says is beyond it."""

from __future__ import annotations

import math

from schema import Invalid, Schema, places, shown

SCHEMA = Schema("accounting/plan/plan.schema.json")

ROUNDING_OF_PROBABILITIES = 1e-12


def check_plan(plan) -> None:
    """@throws Invalid"""
    SCHEMA.check(plan, "plan")
    for path, value in places(plan, "plan"):
        if value == "?":
            raise Invalid(path, "is unknown, but must be a number where a plan is judged")
        if isinstance(value, dict):
            _check_fraction(path, value)
    _check_event("plan.event", plan["event"], math.inf)


def _check_fraction(path: str, value: dict) -> None:
    if path.endswith(".rate") and value["drawn"] > value["population"]:
        raise Invalid(path + ".drawn", f"is {value['drawn']}, more than the population, {value['population']}")


def _check_event(path: str, event: dict, drawn: float) -> None:
    """@param drawn  the records that samples around it leave at most"""
    ((name, fields),) = event.items()
    path = f"{path}.{name}"
    if name in RULES:
        RULES[name](path, fields)
    if name == "shuffled" and fields["reports"] * fields.get("records", 1) > drawn:
        raise Invalid(path + ".reports", f"is {fields['reports']}, more than there are of {drawn} records drawn")
    if name == "sampled_without_replacement" and isinstance(fields["rate"], dict):
        drawn = min(drawn, fields["rate"]["drawn"])
    if name == "sampled_with_replacement":
        drawn = min(drawn, fields["draws"]["drawn"])
    if "inner" in fields:
        _check_event(path + ".inner", fields["inner"], drawn)
    for number, part in enumerate(fields.get("parts", [])):
        _check_event(f"{path}.parts.{number}", part, drawn)


def _check_mixture(path: str, fields: dict) -> None:
    whole = sum(shift["probability"] for shift in fields["shifts"])
    if whole > 1 + ROUNDING_OF_PROBABILITIES:
        raise Invalid(path + ".shifts", f"has probabilities that add up to {whole}, more than 1")


def _check_subset(path: str, fields: dict) -> None:
    if fields.get("subset", 0) >= fields["categories"]:
        raise Invalid(path + ".subset", f"is {fields['subset']}, but must be less than all categories")


def _check_clipped(path: str, fields: dict) -> None:
    if fields.get("clipped") and "gaussian" not in fields["inner"]:
        raise Invalid(path + ".clipped", "is said of other than one gaussian")


def _check_times(path: str, fields: dict) -> None:
    if fields.get("times", 1) > fields["steps"]:
        raise Invalid(path + ".times", f"is {fields['times']}, more than there are steps")


def _check_parts(path: str, fields: dict) -> None:
    if len(fields["parts"]) == 1:
        raise Invalid(path + ".parts", "is one part, but must be none, or two or more")


def _increasing(rows: str, column: str):
    def check(path: str, fields: dict) -> None:
        numbers = [row[column] for row in fields[rows]]
        for number, (before, after) in enumerate(zip(numbers, numbers[1:]), 1):
            if not before < after:
                raise Invalid(f"{path}.{rows}.{number}.{column}", f"is {shown(after)}, not above {shown(before)}")

    return check


RULES = {
    "composed": _check_parts,
    "mixture_of_gaussians": _check_mixture,
    "privacy_profile": _increasing("points", "epsilon"),
    "randomly_allocated": _check_times,
    "renyi_dp": _increasing("divergences", "order"),
    "sampled_without_replacement": _check_clipped,
    "subset_selection": _check_subset,
}
