"""What is trained: the same for every tool. Imports nothing that has to be installed."""

import random
from dataclasses import dataclass

CLASSES = 10
CLIP = 0.5
NOISE = 1.0  # standard deviation over the sensitivity: of a mean of gradients 2 CLIP / batch
STEP = 0.1
SEED = 1


@dataclass(frozen=True)
class Workload:
    name: str
    clients: int
    records: int  # of each client, those that train
    participants: int  # of a round
    steps: int  # K
    batch: int
    features: int = 60
    hidden: int = 0  # units between features and classes; 0: softmax regression
    scaffold: bool = False  # DP-SCAFFOLD; else DP-FedAvg
    central: bool = False  # updates of clients are clipped and their mean made noisy, instead of each local step

    @property
    def parameters(self):
        """Of the model, each layer with a bias."""
        if self.hidden:
            return (self.features + 1) * self.hidden + (self.hidden + 1) * CLASSES
        return (self.features + 1) * CLASSES

    @property
    def gradients(self):
        """Of a record each, in a round."""
        return self.participants * self.steps * self.batch

    def __str__(self):
        layers = f"{self.features}-{self.hidden}-{CLASSES}"
        model = f"MLP {layers}" if self.hidden else f"softmax {self.features} x {CLASSES}"
        algorithm = "central DP-FedAvg" if self.central else "DP-SCAFFOLD" if self.scaffold else "DP-FedAvg"
        return (
            f"{algorithm}, {model}, {self.clients:,} clients x {self.records:,} records, "
            f"{self.participants:,} a round, K {self.steps}, batch {self.batch}"
        )


WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload("T1", clients=100, records=4000, participants=20, steps=10, batch=800, scaffold=True),
        Workload("T2", clients=10, records=800, participants=10, steps=10, batch=160, features=784, hidden=200),
        Workload("T3", clients=10_000, records=100, participants=100, steps=5, batch=20, scaffold=True),
        Workload("T4", clients=100_000, records=20, participants=1000, steps=5, batch=10),
        Workload("T5", clients=1000, records=100, participants=100, steps=5, batch=20, central=True),
    )
}


def raw_features(workload, records):
    """@return a byte for each feature of so many records, random: what a record holds makes no difference in time"""
    return random.Random(SEED).randbytes(records * workload.features)


def raw_labels(records):
    return random.Random(SEED + 1).randbytes(records).translate(bytes(i % CLASSES for i in range(256)))
