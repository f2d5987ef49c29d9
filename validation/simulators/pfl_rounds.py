"""pfl, central privacy: its backend, federated averaging and Gaussian mechanism, which clips each client's update. It
has no noise on local steps. A client's data set is the batches that it draws for the round."""

import logging

import numpy as np
import torch
from pfl.aggregate.simulate import SimulatedBackend
from pfl.algorithm.base import NNAlgorithmParams
from pfl.algorithm.federated_averaging import FederatedAveraging
from pfl.data.dataset import Dataset
from pfl.data.federated_dataset import FederatedDataset
from pfl.data.sampling import get_user_sampler
from pfl.hyperparam import NNTrainHyperParams
from pfl.metrics import Weighted
from pfl.model.pytorch import PyTorchModel
from pfl.privacy import CentrallyAppliedPrivacyMechanism, GaussianMechanism

from simulators.federation import Records, batches
from simulators.workloads import CLASSES, CLIP, NOISE, SEED, STEP

PACKAGES = ("pfl", "torch")


class Classifier(torch.nn.Module):
    def __init__(self, workload):
        super().__init__()
        linear = torch.nn.Linear
        self.module = (
            torch.nn.Sequential(
                linear(workload.features, workload.hidden), torch.nn.ReLU(), linear(workload.hidden, CLASSES)
            )
            if workload.hidden
            else linear(workload.features, CLASSES)
        )

    def forward(self, x):
        return self.module(x)

    def loss(self, x, y, **_):
        return torch.nn.functional.cross_entropy(self(x), y)

    @torch.no_grad()
    def metrics(self, x, y, **_):
        return {"loss": Weighted(self.loss(x, y).item() * len(x), len(x))}


def run_of(workload, records):
    torch.set_num_threads(1)
    logging.disable(logging.CRITICAL)
    features, labels = torch.from_numpy(records.features), torch.from_numpy(records.labels)

    random = np.random.default_rng(SEED)

    def client(number):
        rows = torch.from_numpy(batches(workload, random, np.array([number])).ravel())
        return Dataset((features[rows], labels[rows]), user_id=number)

    data = FederatedDataset(client, get_user_sampler("random", range(workload.clients)))
    mechanism = CentrallyAppliedPrivacyMechanism(GaussianMechanism(CLIP, 2 * NOISE))
    backend = SimulatedBackend(training_data=data, val_data=data, postprocessors=[mechanism])
    classifier = Classifier(workload)
    model = PyTorchModel(classifier, torch.optim.SGD, torch.optim.SGD(classifier.parameters(), lr=1.0))
    local = NNTrainHyperParams(
        local_num_epochs=1, local_num_steps=None, local_learning_rate=STEP, local_batch_size=workload.batch
    )  # K batches are an epoch
    algorithm, done = FederatedAveraging(), 0

    def run(rounds):
        nonlocal done  # of one algorithm, which evaluates in its first round alone
        done += rounds
        parameters = NNAlgorithmParams(
            central_num_iterations=done,
            evaluation_frequency=10**9,
            train_cohort_size=workload.participants,
            val_cohort_size=0,
        )
        algorithm.run(parameters, backend, model, local, send_metrics_to_platform=False)

    return run


def prepare(workload, _):
    records = Records(workload, np.float32)
    return [("float32", lambda: run_of(workload, records), None, np.float32)]
