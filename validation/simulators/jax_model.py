"""The models in JAX: parameters are a list of arrays, each layer's weights and bias."""

import jax
import jax.numpy as jnp

from simulators.check import layers
from simulators.workloads import CLASSES


def split(workload, flat):
    """Of one vector of all parameters, as check.py lays them out."""
    if workload.hidden:
        return list(layers(workload, flat))
    weights = flat.reshape(CLASSES, workload.features + 1)
    return [weights[:, :-1], weights[:, -1]]


def join(workload, parts):
    if not workload.hidden:
        parts = [jnp.concatenate([parts[0], parts[1][:, None]], axis=1)]
    return jnp.concatenate([part.ravel() for part in parts])


def loss_of(workload):
    """@return the mean cross-entropy of parameters and records, any number"""

    def loss(model, x, y):
        if workload.hidden:
            first, bias, second, last = model
            logits = jax.nn.relu(x @ first + bias) @ second + last
        else:
            logits = x @ model[0].T + model[1]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[..., None], axis=-1))

    return loss
