"""Whether a tool does the work that it is timed for: its rounds against a loop over records, on a small workload.

Without noise models must be those of a loop that forms every record's gradient, clips it and averages; with noise they
must differ from these by draws of the planned standard deviation, independent from client to client. Controls of
SCAFFOLD are checked by the drift that they add."""

from dataclasses import replace

import numpy as np

from simulators.federation import Records, start_of
from simulators.workloads import CLASSES, CLIP, NOISE, STEP


class Wrong(Exception):
    """The tool does not do the work; the message says where."""


def record_gradient(workload, model, x, label):
    """Of the cross-entropy of one record. Parameters: each layer's weights as the tools lay them out, see layers()."""

    def residual(logits):
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        shares[label] -= 1
        return shares

    if not workload.hidden:
        weights = model.reshape(CLASSES, workload.features + 1)
        return np.outer(residual(weights @ np.append(x, 1)), np.append(x, 1)).ravel()
    first, bias, second, last = layers(workload, model)
    hidden = np.maximum(x @ first + bias, 0)
    outer = residual(hidden @ second + last)
    inner = (second @ outer) * (hidden > 0)
    return np.concatenate([np.outer(x, inner).ravel(), inner, np.outer(hidden, outer).ravel(), outer])


def layers(workload, model):
    """Views of a network's parameters: features x hidden, its bias, hidden x classes, its bias."""
    f, h = workload.features, workload.hidden
    ends = [f * h, (f + 1) * h, (f + 1) * h + h * CLASSES]
    first, bias, second, last = (model[begin:end] for begin, end in zip([0, *ends], [*ends, None]))
    return first.reshape(f, h), bias, second.reshape(h, CLASSES), last


def by_records(workload, records, start, rows, drift):
    updates = []
    for client, batches in enumerate(rows):
        model = start.copy()
        for batch in batches:
            mean = np.zeros_like(model)
            for row in batch:
                gradient = record_gradient(workload, model, records.features[row], records.labels[row])
                if not workload.central:
                    gradient /= max(1, np.linalg.norm(gradient) / CLIP)
                mean += gradient / len(batch)
            if drift is not None:
                mean += drift[client]
            model -= STEP * mean
        updates.append(start - model)
    return np.array(updates)


def check(workload, trainer_of, dtype):
    """@param trainer_of  of a workload, records and noise: what Federation takes as train
    @throws Wrong"""
    small = replace(
        workload,
        clients=4,
        participants=4,
        records=6,
        batch=3,
        features=min(workload.features, 70),
        hidden=min(workload.hidden, 20),
    )
    records = Records(small, dtype)
    records.features *= np.linspace(0.1, 3, len(records.features), dtype=dtype)[:, None]  # some clipped, some not
    random = np.random.default_rng(2)
    chosen = np.arange(4)
    rows = np.stack([[random.permutation(6)[:3] + 6 * client for _ in range(small.steps)] for client in chosen])
    start = start_of(small) + 0.1 * random.standard_normal(small.parameters)
    drift = 0.1 * random.standard_normal((4, small.parameters)) if small.scaffold else None
    expected = by_records(small, records, start, rows, drift)
    own = None if drift is None else drift.astype(dtype)
    exact = trainer_of(small, records, 0.0)(start.astype(dtype), chosen, rows, own).astype(np.float64)
    error = np.abs(exact - expected).max() / np.abs(expected).max()
    if not error < 1e-4:
        raise Wrong(f"updates are off by {error:.2g} of the largest, beside a loop over records")
    if small.central:
        return
    once = replace(small, steps=1)  # of one step alone noise is what a normal law says; later gradients depend on it
    exact, noisy = (
        trainer_of(once, records, noise)(start.astype(dtype), chosen, rows[:, :1], own).astype(np.float64)
        for noise in (0.0, NOISE)
    )
    draws = (noisy - exact) / (STEP * 2 * CLIP * NOISE / small.batch)
    if abs(draws.std() - 1) > 6 / np.sqrt(2 * draws.size) or abs(draws.mean()) > 6 / np.sqrt(draws.size):
        raise Wrong(f"noise has mean {draws.mean():.3g} and deviation {draws.std():.3g} of those planned")
    if np.abs(np.corrcoef(draws) - np.eye(4)).max() > 6 / np.sqrt(small.parameters):
        raise Wrong("clients share their noise")
