"""What the interpreter needs of a long computation: its lock, and to hear of an interrupt."""

import os
import signal
import threading

import pytest

import dpbudget


def spend():
    """One call of tens of milliseconds."""
    return dpbudget.epsilon("1000 x poisson(0.01, laplace(1))", 1e-6, accountant="loss_distribution")


def test_others_run_meanwhile():
    began, ended = threading.Event(), threading.Event()

    def work():
        began.set()
        spend()
        ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    began.wait()
    turns = 0
    while not ended.is_set():
        turns += 1
    thread.join()
    assert turns > 1000  # with the lock held this would wait, not turn


def test_an_interrupt_is_not_swallowed():
    # What runs in the background of a shell ignores interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            spend()
