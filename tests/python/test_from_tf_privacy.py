"""from_tf_privacy, against what TF-Privacy computes by dp_accounting."""

import math
import re
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import dpbudget
from dpbudget import from_tf_privacy

RUN = dict(number_of_examples=60000, batch_size=256, num_epochs=60, noise_multiplier=1.1)
ORDERS = [1 + x / 10 for x in range(1, 100)] + list(range(11, 64)) + [128, 256, 512, 1024]


def statement(number_of_examples, batch_size, num_epochs, noise_multiplier, used_microbatching, delta):
    """As TF-Privacy 0.9's compute_dp_sgd_privacy_statement makes its figure."""
    dp = pytest.importorskip("dp_accounting")
    noise = noise_multiplier / 2 if used_microbatching else noise_multiplier
    step = dp.PoissonSampledDpEvent(batch_size / number_of_examples, dp.GaussianDpEvent(noise))
    steps = math.ceil(num_epochs / (batch_size / number_of_examples))
    accountant = dp.rdp.RdpAccountant(ORDERS)
    return accountant.compose(dp.SelfComposedDpEvent(step, steps)).get_epsilon(delta)


def installed_statement(**parameters):
    """What TF-Privacy itself says, without the TensorFlow that its other modules import."""
    package = find_spec("tensorflow_privacy")
    if package is None:
        pytest.skip("TF-Privacy is not installed")
    file = Path(package.origin).parent / "privacy" / "analysis" / "compute_dp_sgd_privacy_lib.py"
    spec = spec_from_file_location(file.stem, file)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    text = module.compute_dp_sgd_privacy_statement(**parameters)
    return float(re.search(r"Poisson\s+sampling\s+\(\*\):\s+([0-9.]+)", text)[1])


def test_it_is_the_plan_of_the_statement():
    text = "14063 x poisson(256 of 60000, gaussian(1.1)) under add_or_remove_one"
    assert str(from_tf_privacy(**RUN, used_microbatching=False)) == text
    assert str(from_tf_privacy(**RUN)) == text.replace("1.1", "0.55")
    assert dpbudget.dpsgd(records=60000, batch=256, epochs=60, noise=1.1).plan == from_tf_privacy(
        **RUN, used_microbatching=False
    )


@pytest.mark.parametrize("used_microbatching", [True, False])
def test_what_is_proven_is_below_the_statement(used_microbatching):
    plan = from_tf_privacy(**RUN, used_microbatching=used_microbatching)
    theirs = statement(**RUN, used_microbatching=used_microbatching, delta=1e-5)
    assert 0.8 * theirs < dpbudget.epsilon(plan, 1e-5).upper <= theirs
    assert dpbudget.epsilon(plan, 1e-5, accountant="renyi").upper == pytest.approx(theirs, rel=0.01)


@pytest.mark.parametrize("used_microbatching", [True, False])
def test_what_is_proven_is_below_their_own_statement(used_microbatching):
    parameters = dict(**RUN, used_microbatching=used_microbatching)
    theirs = installed_statement(**parameters, delta=1e-5)
    assert 0.8 * theirs < dpbudget.epsilon(from_tf_privacy(**parameters), 1e-5).upper <= theirs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_examples_per_user": 2}, "max_examples_per_user is 2"),
        ({"num_epochs": 0}, "num_epochs is 0"),
        ({"num_epochs": math.nan}, "num_epochs is nan"),
        ({"batch_size": 70000}, "batch_size is 70000"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"noise_multiplier": -1}, "noise_multiplier is -1"),
        ({"noise_multiplier": math.nan}, "noise_multiplier is nan"),
    ],
)
def test_what_is_wrong_is_named(change, message):
    with pytest.raises(dpbudget.InvalidArgument, match=message):
        from_tf_privacy(**{**RUN, **change})
    assert dpbudget.epsilon(from_tf_privacy(**{**RUN, "noise_multiplier": 0}), 1e-5).lower == math.inf
