"""Opacus with ghost clipping: its module, loss and optimizer do a local step; models come from and go to NumPy."""

import copy

import numpy as np
import torch
from opacus.grad_sample import GradSampleModuleFastGradientClipping
from opacus.optimizers import DPOptimizerFastGradientClipping
from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping

from simulators.check import layers
from simulators.federation import Federation, Records, start_of
from simulators.workloads import CLASSES, CLIP, NOISE, STEP

PACKAGES = ("opacus", "torch")


class Trainer:
    def __init__(self, workload, records, noise):
        torch.set_num_threads(1)
        self.workload = workload
        self.features, self.labels = torch.from_numpy(records.features), torch.from_numpy(records.labels)
        linear = torch.nn.Linear
        module = (
            torch.nn.Sequential(
                linear(workload.features, workload.hidden), torch.nn.ReLU(), linear(workload.hidden, CLASSES)
            )
            if workload.hidden
            else torch.nn.Sequential(linear(workload.features, CLASSES))
        )
        self.module = GradSampleModuleFastGradientClipping(module, max_grad_norm=CLIP, use_ghost_clipping=True)
        self.parameters = list(self.module.parameters())
        self.optimizer = DPOptimizerFastGradientClipping(
            torch.optim.SGD(self.parameters, lr=STEP),
            noise_multiplier=2 * noise,
            max_grad_norm=CLIP,
            expected_batch_size=workload.batch,
        )  # its unit is CLIP, of which the sensitivity is twice as much
        self.loss = DPLossFastGradientClipping(self.module, self.optimizer, torch.nn.CrossEntropyLoss())

    def tensors(self, flat):
        """Those of the module's form, in a flat vector of the form that check.py has."""
        if self.workload.hidden:
            first, bias, second, last = layers(self.workload, flat)
            return [torch.from_numpy(part) for part in (first.T, bias, second.T, last)]
        weights = torch.from_numpy(flat.reshape(CLASSES, -1))
        return [weights[:, :-1], weights[:, -1]]

    @torch.no_grad()
    def copy_parts(self, to, parts):
        for target, part in zip(to, parts, strict=True):
            target.copy_(part)

    def __call__(self, start, chosen, rows, drift):
        updates = np.empty((len(chosen), len(start)), start.dtype)
        begin = copy.deepcopy(self.tensors(start))
        for client, batches in enumerate(rows):
            self.copy_parts(self.parameters, begin)
            drifts = None if drift is None else self.tensors(drift[client])
            for batch in torch.from_numpy(batches):
                self.optimizer.zero_grad()
                self.loss(self.module(self.features[batch]), self.labels[batch]).backward()
                self.optimizer.step()
                if drifts is not None:
                    with torch.no_grad():
                        for parameter, part in zip(self.parameters, drifts, strict=True):
                            parameter -= STEP * part
            with torch.no_grad():
                self.copy_parts(
                    self.tensors(updates[client]),
                    [first - last for first, last in zip(begin, self.parameters, strict=True)],
                )
        return updates


def prepare(workload, _):
    if workload.central:
        return None
    records = Records(workload, np.float32)

    def run():
        return Federation(workload, Trainer(workload, records, NOISE), start_of(workload), np.float32).run

    return [("ghost clipping, float32", run, Trainer, np.float32)]
