"""NumPy: clipping by norms that follow from factors, buffers that are kept, several clients side by side.

Layouts were chosen by time: residuals of softmax regression have a row a class, so that what is done for each record
runs along memory."""

import numpy as np

from simulators.check import layers
from simulators.federation import Federation, Records, start_of
from simulators.workloads import CLASSES, CLIP, NOISE, SEED, STEP

PACKAGES = ("numpy",)


class Softmax:
    def __init__(self, workload, records, together, dtype):
        shape = together, workload.batch, workload.features + 1
        self.workload = workload
        self.records, self.squares = records, np.einsum("ij,ij->i", records.inputs, records.inputs)
        self.inputs = np.empty(shape, dtype)
        self.residuals = np.empty((together, CLASSES, workload.batch), dtype)
        self.places = np.arange(together)[:, None] * CLASSES * workload.batch + np.arange(workload.batch)

    def gradient(self, models, rows, out):
        """Means of clipped gradients. A record's is an outer product: its norm is that of both factors."""
        w, inputs, residuals = self.workload, self.inputs, self.residuals
        np.take(self.records.inputs, rows, axis=0, out=inputs, mode="clip")  # other modes go through a buffer
        shape = len(models), CLASSES, w.features + 1
        np.matmul(models.reshape(shape), inputs.swapaxes(1, 2), out=residuals)
        residuals -= residuals.max(axis=1, keepdims=True)
        np.exp(residuals, out=residuals)
        residuals /= residuals.sum(axis=1, keepdims=True)
        residuals.reshape(-1)[self.places + self.records.labels[rows] * w.batch] -= 1
        if w.central:
            residuals *= 1 / w.batch
        else:
            norms = np.sqrt(np.einsum("gcb,gcb->gb", residuals, residuals) * self.squares[rows])
            residuals *= (CLIP / w.batch / np.maximum(norms, CLIP))[:, None, :]
        np.matmul(residuals, inputs, out=out.reshape(shape))


class Network:
    """One hidden layer; one client at a time, whose products are large enough."""

    def __init__(self, workload, records, _, dtype):
        self.workload, self.records = workload, records
        self.squares = np.einsum("ij,ij->i", records.features, records.features) + 1
        self.inputs = np.empty((workload.batch, workload.features), dtype)
        self.hidden, self.inner = (np.empty((workload.batch, workload.hidden), dtype) for _ in range(2))

    def gradient(self, models, rows, out):
        w, rows, hidden, inner = self.workload, rows[0], self.hidden, self.inner
        first, bias, second, last = layers(w, models[0])
        first_out, bias_out, second_out, last_out = layers(w, out[0])
        np.take(self.records.inputs, rows, axis=0, out=self.inputs, mode="clip")
        np.matmul(self.inputs, first, out=hidden)
        hidden += bias
        np.maximum(hidden, 0, out=hidden)
        outer = hidden @ second
        outer += last
        outer -= outer.max(axis=1, keepdims=True)
        np.exp(outer, out=outer)
        outer /= outer.sum(axis=1, keepdims=True)
        outer[np.arange(w.batch), self.records.labels[rows]] -= 1
        np.matmul(outer, second.T, out=inner)
        inner *= hidden > 0
        squares = self.squares[rows] * np.einsum("ij,ij->i", inner, inner)
        squares += (np.einsum("ij,ij->i", hidden, hidden) + 1) * np.einsum("ij,ij->i", outer, outer)
        scale = (CLIP / w.batch / np.maximum(np.sqrt(squares), CLIP))[:, None]
        inner *= scale
        outer *= scale
        np.matmul(self.inputs.T, inner, out=first_out)
        inner.sum(axis=0, out=bias_out)
        np.matmul(hidden.T, outer, out=second_out)
        outer.sum(axis=0, out=last_out)


class Trainer:
    """@param bits      the generator of the noise
    @param together  clients that are trained side by side; divides how many take part"""

    def __init__(self, workload, records, noise, *, bits, together, dtype):
        self.workload, self.together, self.random = workload, together, np.random.Generator(bits(SEED))
        self.model = (Network if workload.hidden else Softmax)(workload, records, together, dtype)
        self.deviation = 0.0 if workload.central else noise * 2 * CLIP / workload.batch
        self.gradients, self.noises = (np.empty((together, workload.parameters), dtype) for _ in range(2))

    def __call__(self, start, chosen, rows, drift):
        models = np.repeat(start[None], len(chosen), axis=0)
        for first in range(0, len(chosen), self.together):
            some = slice(first, first + self.together)
            for step in range(rows.shape[1]):
                self.model.gradient(models[some], rows[some, step], self.gradients)
                if self.deviation:
                    self.random.standard_normal(out=self.noises, dtype=self.noises.dtype)
                    self.noises *= self.deviation
                    self.gradients += self.noises
                if drift is not None:
                    self.gradients += drift[some]
                self.gradients *= STEP
                models[some] -= self.gradients
        return np.subtract(start, models, out=models)


def variants(workload):
    for bits in np.random.SFC64, np.random.Philox:
        for together in (1,) if workload.hidden else (1, 5, 20, 100, 250):
            if workload.participants % together == 0 and together * workload.batch <= 20_000:
                yield f"{bits.__name__}, {together} at a time", {"bits": bits, "together": together}


def prepare(workload, variant):
    dtype = np.dtype(variant)
    records = Records(workload, dtype)

    def run_of(options):
        return Federation(
            workload, Trainer(workload, records, NOISE, dtype=dtype, **options), start_of(workload), dtype
        ).run

    def check_of(options):
        small = {**options, "together": min(options["together"], 2)}
        return lambda *arguments: Trainer(*arguments, dtype=dtype, **small)

    return [
        (name, lambda options=options: run_of(options), check_of(options), dtype)
        for name, options in variants(workload)
    ]
