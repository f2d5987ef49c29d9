"""Mistakes that the package's types find: test_typing.py expects an error in every line marked so."""

import dpbudget

dpbudget.epsilon("gaussian(1)")  # error: delta is missing
dpbudget.epsilon(3, delta=1e-5)  # error: no plan
dpbudget.gaussian([1.0])  # error: no number
dpbudget.epsilon("gaussian(1)", 1e-5).upper = 3  # error: read-only
1.5 * dpbudget.gaussian(1)  # error: no count
