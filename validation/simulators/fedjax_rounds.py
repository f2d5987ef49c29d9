"""fedjax: its for_each_client runs local steps; it has no privacy, so that clipping each record's gradient, which
jax.vmap forms, and noise are written here. `plain` is what it does by itself: neither."""

import fedjax
import jax
import jax.numpy as jnp
import numpy as np

from simulators.federation import Federation, Records, start_of
from simulators.jax_model import join, loss_of, split
from simulators.workloads import CLIP, NOISE, SEED, STEP

PACKAGES = ("fedjax", "jax")


class Trainer:
    def __init__(self, workload, records, noise, private=True):
        self.records, self.key = records, jax.random.key(SEED)
        loss, deviation = loss_of(workload), 0.0 if workload.central else noise * 2 * CLIP / workload.batch
        optimizer = fedjax.optimizers.sgd(STEP)

        def clipped(model, x, y):
            gradient = jax.grad(loss)(model, x[None], y[None])
            scale = jnp.minimum(1, CLIP / fedjax.tree_util.tree_l2_norm(gradient))
            return jax.tree.map(lambda part: scale * part, gradient)

        def mean(model, batch, key):
            if workload.central or not private:
                return jax.grad(loss)(model, batch["x"], batch["y"])
            gradients = jax.vmap(clipped, (None, 0, 0))(model, batch["x"], batch["y"])
            return [
                part.mean(axis=0) + deviation * jax.random.normal(now, part.shape[1:])
                for part, now in zip(gradients, jax.random.split(key, len(gradients)))
            ]

        def begin(start, given):
            model = split(workload, start)
            drift = {"drift": split(workload, given["drift"])} if "drift" in given else {}
            return {"model": model, "optimizer": optimizer.init(model), "key": given["key"], **drift}

        def step(state, batch):
            key, now = jax.random.split(state["key"])
            gradient = mean(state["model"], batch, now)
            if "drift" in state:
                gradient = jax.tree.map(jnp.add, gradient, state["drift"])
            rest, model = optimizer.apply(gradient, state["optimizer"], state["model"])
            return {**state, "model": model, "optimizer": rest, "key": key}

        def end(start, state):
            return start - join(workload, state["model"])

        self.each = fedjax.for_each_client(begin, step, end)

    def __call__(self, start, chosen, rows, drift):
        self.key, *keys = jax.random.split(self.key, len(chosen) + 1)

        def clients():
            for i, batches in enumerate(rows):
                given = {"key": keys[i]} if drift is None else {"key": keys[i], "drift": drift[i]}
                yield i, ({"x": self.records.features[rows], "y": self.records.labels[rows]} for rows in batches), given

        return np.stack([np.asarray(update) for _, update in self.each(jnp.asarray(start), clients())])


def prepare(workload, variant):
    private = variant != "plain"
    if workload.central and not private:
        return None
    records = Records(workload, np.float32)
    records.labels = records.labels.astype(np.int32)

    def run():
        trainer = Trainer(workload, records, NOISE, private)
        return Federation(workload, trainer, start_of(workload), np.float32).run

    return [("float32", run, Trainer if private else None, np.float32)]
