"""jax-privacy: its clipped_grad and its Gaussian privatizer do a local step, a client's steps are compiled as one."""

import jax
import jax.numpy as jnp
import numpy as np
from jax_privacy.clipping import clipped_grad
from jax_privacy.noise_addition import gaussian_privatizer

from simulators.federation import Federation, Records, start_of
from simulators.jax_model import join, loss_of, split
from simulators.workloads import CLIP, NOISE, SEED, STEP

PACKAGES = ("jax-privacy", "jax")


class Trainer:
    """@param microbatch  records whose gradients are formed at once; None: a batch
    @param together    whether all clients of a round are trained in one compiled call, side by side"""

    def __init__(self, workload, records, noise, *, microbatch=None, together=False):
        self.records, self.key, self.together = records, jax.random.key(SEED), together
        gradient_of = clipped_grad(
            loss_of(workload),
            l2_clip_norm=CLIP,
            batch_argnums=(1, 2),
            normalize_by=workload.batch,
            microbatch_size=microbatch,
        )
        deviation = noise * 2 * CLIP / workload.batch

        def client(start, x, y, drift, key):
            privatizer = gaussian_privatizer(stddev=deviation, prng_key=key)
            model, drift = split(workload, start), split(workload, drift) if workload.scaffold else None

            def step(state, batch):
                model, rest = state
                noisy, rest = privatizer.update(gradient_of(model, *batch), rest)
                if drift is not None:
                    noisy = jax.tree.map(jnp.add, noisy, drift)
                return (jax.tree.map(lambda part, change: part - STEP * change, model, noisy), rest), None

            (model, _), _ = jax.lax.scan(step, (model, privatizer.init(model)), (x, y))
            return start - join(workload, model)

        self.client = jax.jit(jax.vmap(client, (None, 0, 0, 0, 0)) if together else client)

    def __call__(self, start, chosen, rows, drift):
        self.key, *keys = jax.random.split(self.key, len(chosen) + 1)
        drifts = np.zeros((len(chosen), 1), start.dtype) if drift is None else drift
        features, labels = self.records.features, self.records.labels
        if self.together:
            return np.asarray(self.client(start, features[rows], labels[rows], drifts, jnp.stack(keys)))
        return np.stack(
            [
                self.client(start, features[batches], labels[batches], drifts[i], keys[i])
                for i, batches in enumerate(rows)
            ]
        )


def prepare(workload, _):
    if workload.central:
        return None
    records = Records(workload, np.float32)
    records.labels = records.labels.astype(np.int32)

    def run_of(options):
        return Federation(workload, Trainer(workload, records, NOISE, **options), start_of(workload), np.float32).run

    def check_of(options):
        small = {**options, "microbatch": options["microbatch"] and 1}
        return lambda *arguments: Trainer(*arguments, **small)

    few = 20 if workload.batch > 20 else 5
    choices = {
        "one client a call": {"microbatch": None, "together": False},
        f"one client a call, microbatches of {few}": {"microbatch": few, "together": False},
    }
    if not workload.hidden:  # whose gradients would take gigabytes
        choices["all clients in a call"] = {"microbatch": None, "together": True}
    return [
        (name, lambda options=options: run_of(options), check_of(options), np.float32)
        for name, options in choices.items()
    ]
