"""What tools share that are not federated by themselves: records, draws, control variates and the server's step."""

import numpy as np

from simulators.workloads import CLIP, NOISE, SEED, STEP, raw_features, raw_labels


class Records:
    """All clients' records, one after the other, scaled to norm 1 as dpbudget's are. Where there is no hidden layer
    `inputs` have one more number, the bias's 1; `features` are all but that."""

    def __init__(self, workload, dtype):
        total, width = workload.clients * workload.records, workload.features
        raw = np.frombuffer(raw_features(workload, total), np.uint8).reshape(total, width)
        self.inputs = np.ones((total, width if workload.hidden else width + 1), dtype)
        self.features = self.inputs[:, :width]
        np.subtract(raw, 127.5, out=self.features, dtype=dtype)
        self.features /= np.sqrt(np.einsum("ij,ij->i", self.features, self.features))[:, None]
        self.labels = np.frombuffer(raw_labels(total), np.uint8).astype(np.int64)


def batches(workload, random, chosen):
    """Rows of each client's batches (client, step, record), each batch drawn anew and without replacement."""
    count = len(chosen) * workload.steps
    if workload.records < 1000:  # many small batches: the least of random keys, all at once
        keys = random.random((count, workload.records), dtype=np.float32)
        drawn = np.argpartition(keys, workload.batch - 1, axis=1)[:, : workload.batch]
    else:
        drawn = np.stack(
            [random.choice(workload.records, workload.batch, replace=False, shuffle=False) for _ in range(count)]
        )
    return drawn.reshape(len(chosen), workload.steps, workload.batch) + (chosen * workload.records)[:, None, None]


class Federation:
    """@param train  of a model, client numbers, the rows of their batches (client, step, record) and drifts (a row a
    client, or None): the model less each client's, one row a client"""

    def __init__(self, workload, train, start, dtype):
        self.workload, self.train = workload, train
        self.random = np.random.Generator(np.random.SFC64(SEED))
        self.model = start.astype(dtype)
        if workload.scaffold:
            self.control = np.zeros(workload.parameters, dtype)
            self.controls = np.zeros((workload.clients, workload.parameters), dtype)

    def round(self):
        w = self.workload
        chosen = self.random.choice(w.clients, w.participants, replace=False, shuffle=False)
        drift = self.control - self.controls[chosen] if w.scaffold else None
        updates = self.train(self.model, chosen, batches(w, self.random, chosen), drift)
        if w.central:
            norms = np.sqrt(np.einsum("ij,ij->i", updates, updates))
            updates = updates * (CLIP / np.maximum(norms, CLIP))[:, None]
        if w.scaffold:
            change = updates / (w.steps * STEP) - self.control
            before = self.controls[chosen]
            self.controls[chosen] += change
            self.control += (self.controls[chosen] - before).sum(axis=0) / w.clients
        self.model -= updates.mean(axis=0)
        if w.central:
            noise = self.random.standard_normal(w.parameters, dtype=self.model.dtype)
            self.model += noise * (2 * CLIP * NOISE / w.participants)

    def run(self, rounds):
        for _ in range(rounds):
            self.round()


def start_of(workload):
    """Weights are drawn where there is a hidden layer, which would else stay at zero."""
    scale = 0.05 if workload.hidden else 0.0
    return scale * np.random.default_rng(SEED).standard_normal(workload.parameters)
