"""Proven privacy budgets.

    >>> import dpbudget
    >>> dpbudget.epsilon("10000 x poisson(0.01, gaussian(1))", delta=1e-5)
    <Bound at most 6.18772, at least 6.18771 (both proven) by contour>

Every answer is a Bound: a bracket around the truth, with the theorems it rests on. Noise is always its standard
deviation divided by the sensitivity under the plan's adjacency: for contributions clipped to C that is C under
add_or_remove_one and zero_out_one, and 2 C under replace_one.

The interpreter's lock is released while an answer is computed, and every object may be shared between threads. Ctrl-C
ends the answer under way; whatever was asked can be asked again.
"""

from ._accountant import Accountant
from ._algorithm import Algorithm, ClientState, Release, Round, ServerState, Update, add_algorithm
from ._bound import Bound, DeltaBound
from ._bounds import Bounds
from ._check import Finding, check
from ._core import (
    Error,
    Filter,
    InvalidArgument,
    Plan,
    PlanError,
    RunningAccount,
    Unsupported,
    accountant_names,
    compose,
    nothing,
)
from ._core import version as __version__
from ._core.events import *
from ._dpsgd import DpSgd, Sampling, dpsgd
from ._eval import eval, functions
from ._frequency import Oracle, frequency
from ._from_dp_accounting import from_dp_accounting
from ._from_jax_privacy import from_jax_privacy
from ._from_opacus import from_opacus
from ._from_tf_privacy import from_tf_privacy
from ._program import (
    AdversaryPlan,
    CannotWrite,
    Diverged,
    converge,
    heterogeneity,
    ledger,
    plan,
    schedule,
    simulate,
    tune,
    verify,
)
from ._questions import Compared, Comparison, Rounds, Solution, compare, delta, epsilon, rounds, solve
from ._risk import Risk, risk
from ._to_dp_accounting import to_dp_accounting

ACCOUNTANTS: tuple[str, ...] = tuple(accountant_names())
"""Who may answer: the narrowest that all prove together, or one of them alone."""

__all__ = [
    "ACCOUNTANTS",
    "Accountant",
    "Algorithm",
    "AdversaryPlan",
    "Bound",
    "Bounds",
    "CannotWrite",
    "ClientState",
    "Compared",
    "Comparison",
    "DeltaBound",
    "Diverged",
    "DpSgd",
    "Error",
    "Filter",
    "Finding",
    "InvalidArgument",
    "Oracle",
    "Plan",
    "PlanError",
    "Release",
    "Risk",
    "Round",
    "Rounds",
    "RunningAccount",
    "Sampling",
    "ServerState",
    "Solution",
    "Unsupported",
    "Update",
    "__version__",
    "add_algorithm",
    "approximate",
    "check",
    "compare",
    "compose",
    "converge",
    "delta",
    "discrete_gaussian",
    "discrete_laplace",
    "dpsgd",
    "epsilon",
    "eval",
    "exponential",
    "frequency",
    "from_dp_accounting",
    "from_jax_privacy",
    "from_opacus",
    "from_tf_privacy",
    "functions",
    "gaussian",
    "gdp",
    "group",
    "hadamard",
    "heterogeneity",
    "ledger",
    "laplace",
    "mixture",
    "nothing",
    "oue",
    "participates",
    "plan",
    "poisson",
    "profile",
    "pure",
    "random_allocation",
    "rappor",
    "renyi",
    "risk",
    "rounds",
    "rr",
    "schedule",
    "select",
    "shuffle",
    "shuffled_batches",
    "simulate",
    "solve",
    "subset_selection",
    "tcdp",
    "to_dp_accounting",
    "truncated_poisson",
    "tune",
    "verify",
    "with_replacement",
    "wor",
    "zcdp",
]
