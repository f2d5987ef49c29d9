"""The functions of `dpbudget eval`, each from the statement that its `--help` cites, in ball arithmetic.

Nothing is rearranged to keep digits: `stated.py` computes with more bits until enough are certain.
"""
