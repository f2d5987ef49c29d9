"""The accountant for Opacus, in Opacus."""

import pytest

opacus = pytest.importorskip("opacus")


def test_the_engine_accounts_by_it():
    import dpbudget.opacus  # noqa: F401

    engine = opacus.PrivacyEngine(accountant="dpbudget")
    theirs = opacus.accountants.RDPAccountant()
    for accountant in (engine.accountant, theirs):
        for noise in [1.1] * 500 + [0.9] * 3:
            accountant.step(noise_multiplier=noise, sample_rate=0.01)
    assert engine.accountant.history == theirs.history
    assert engine.get_epsilon(1e-5) == dpbudget.epsilon(dpbudget.from_opacus(theirs), 1e-5).upper
    assert engine.get_epsilon(1e-5) <= theirs.get_epsilon(1e-5)
    again = opacus.accountants.create_accountant("dpbudget")
    again.load_state_dict(engine.accountant.state_dict())
    assert again.get_epsilon(1e-5, accountant="renyi") >= engine.get_epsilon(1e-5)


def test_it_calibrates_noise():
    from opacus.accountants.utils import get_noise_multiplier

    import dpbudget.opacus  # noqa: F401

    noise = get_noise_multiplier(
        target_epsilon=3, target_delta=1e-5, sample_rate=256 / 60000, epochs=60, accountant="dpbudget"
    )
    ours = dpbudget.dpsgd(records=60000, batch=256, epochs=60, noise="?", epsilon=3, delta=1e-5).noise
    assert noise == pytest.approx(ours, rel=1e-2)


def test_a_training_loop_shows_proven_figures():
    import torch

    import dpbudget.opacus  # noqa: F401

    torch.manual_seed(1)
    inputs, targets = torch.randn(256, 4), torch.randint(0, 2, (256,))
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, targets), batch_size=32)
    model = torch.nn.Linear(4, 2)
    engine = opacus.PrivacyEngine(accountant="dpbudget")
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=loader,
        noise_multiplier=1.3,
        max_grad_norm=1.0,
    )
    for batch, labels in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(batch), labels).backward()
        optimizer.step()
    assert engine.accountant.history == [(1.3, 1 / 8, 8)]
    expected = dpbudget.epsilon("8 x poisson(0.125, gaussian(1.3))", 1e-5)
    assert engine.get_epsilon(1e-5) == expected.upper


def test_a_training_on_handwritten_digits_shows_proven_figures():
    import torch

    import dpbudget.opacus  # noqa: F401

    images, labels = pytest.importorskip("sklearn.datasets").load_digits(return_X_y=True)
    torch.manual_seed(1)
    inputs, targets = torch.tensor(images / 16, dtype=torch.float32), torch.tensor(labels)
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Tanh(), torch.nn.Linear(32, 10))
    engine = opacus.PrivacyEngine(accountant="dpbudget")
    model, optimizer, loader = engine.make_private_with_epsilon(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
        data_loader=torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, targets), batch_size=128),
        target_epsilon=4,
        target_delta=1e-4,
        epochs=8,
        max_grad_norm=1.0,
    )
    spent = [0.0]
    for _ in range(8):
        for batch, wanted in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(batch), wanted).backward()
            optimizer.step()
        spent.append(engine.get_epsilon(1e-4))
    assert spent == sorted(spent) and 3.9 < spent[-1] <= 4
    theirs = opacus.accountants.RDPAccountant()
    theirs.history = engine.accountant.history
    assert spent[-1] <= theirs.get_epsilon(1e-4)
    assert (model(inputs).argmax(1) == targets).float().mean() > 0.7
