"""Ctrl-C ends an answer under way, whatever it is."""

import signal
import subprocess
import sys
import time

import pytest

# Each would take minutes.
RISK = 'dpbudget.risk(LONG.format(1, 2), accountant="loss_distribution", tolerance=1e-9)'
LONG = {
    "risk": RISK,
    # What is asked of the program is asked inside this process then.
    "risk inside": 'dpbudget.add_algorithm(type("Own", (dpbudget.Algorithm,), {"name": "own"})()), ' + RISK,
    "solve": 'dpbudget.solve(LONG.format(1, "?"), 3, 1e-6, tolerance=1e-9)',
    "compare": "dpbudget.compare(LONG.format(1, 2), delta=1e-6, tolerance=1e-9)",
    "random allocation": 'dpbudget.epsilon("random_allocation(51, 49 x laplace(15.6))", 1e-5)',
    "epsilon": 'dpbudget.epsilon(LONG.format(1, 2), 1e-6, accountant="loss_distribution", tolerance=1e-9)',
}

SCRIPT = """
import dpbudget
LONG = "3 x gaussian({1}) + " + " + ".join(
    "participates(0.{2}, wor(%d of 5000, laplace({0}.%d)))" % (i, i) for i in range(11, 90)).replace("{2}", "3")
dpbudget.epsilon("gaussian(1)", 1e-5)
print("begins", flush=True)
try:
    QUESTION
except KeyboardInterrupt:
    print(dpbudget.epsilon("gaussian(1)", 1e-5).upper < 5)
"""


@pytest.mark.parametrize("question", LONG)
def test_an_answer_under_way_ends(question):
    script = SCRIPT.replace("QUESTION", LONG[question])
    run = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert run.stdout is not None and run.stdout.readline() == "begins\n"
        time.sleep(1)
        assert run.poll() is None, "it was not long enough"
        run.send_signal(signal.SIGINT)
        printed, said = run.communicate(timeout=60)
    finally:
        run.kill()
    assert printed == "True\n", said


# In this process, where algorithms are that Python added: the next run must not take it for its own interrupt.
AFTER = """
import os, signal, threading
import dpbudget
dpbudget.add_algorithm(type("Own", (dpbudget.Algorithm,), {"name": "own"})())
run = dict(algorithm="dp-fedavg", users=6, user_rate=0.5, records=200, record_rate=0.25, noise=2, clip=1, ledger=LEDGER)
threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    dpbudget.simulate(rounds=1000000, **run)
except KeyboardInterrupt:
    print(dpbudget.simulate(rounds=3, **run)[0]["verdict"].startswith("PASS"))
"""


def test_a_run_after_one_that_was_interrupted_is_another(tmp_path):
    script = AFTER.replace("LEDGER", repr(str(tmp_path / "ledger.jsonl")))
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert (run.returncode, run.stdout) == (0, "True\n"), run.stderr
