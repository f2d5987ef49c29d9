"""The inputs of renyi_vectors.jsonl: function -> (names, note, rows).

They are chosen where a naive evaluation breaks: orders next to 1 and far out, tiny and almost certain sampling, noise
that leaves almost nothing or almost everything, and inputs just outside every domain.
"""

INF = "inf"

INPUTS = {
    "renyi.gaussian": (
        ("order", "noise_multiplier"),
        "closed form",
        [(1, 1.0), (1.0000001, 0.05), (1.5, 0.7), (17.3, 1e4), (1e4, 0.05), (255.5, 60.0),
         (0.999, 1.0), (2, 0.0), (2, -1.0)],
    ),
    "renyi.laplace": (
        ("order", "scale"),
        "closed form; cancels for orders near 1 and for large scales",
        [(1, 1e-3), (1, 1e6), (1.0000001, 1e-3), (1.0000001, 1.0), (1.0000001, 1e4), (1.0000001, 1e6), (1.001, 300.0),
         (1.5, 1e6), (2, 1e-3), (2.0000001, 0.3), (17.3, 20.0), (255.5, 2.0), (1000, 1e6), (1e4, 1e-3), (1e4, 1e4),
         (INF, 1e-3), (INF, 1e6), (0.999, 1.0), (2, 0.0), (2, -1.0)],
    ),
    "renyi.randomized_response": (
        ("order", "truth_probability"),
        "closed form; cancels for truth near 1/2 and orders near 1",
        [(1, 0.5), (2, 0.5), (1, 0.500000000001), (1.0000001, 0.500000000001), (17.3, 0.500000000001), (1.0000001, 0.6),
         (2.0000001, 0.6), (255.5, 0.6), (INF, 0.6), (1, 0.999999999999999), (1.0000001, 0.999999999999999),
         (2, 0.999999999999999), (1e4, 0.999999999999999), (INF, 0.999999999999999), (0.999, 0.6), (2, 1.5), (2, -0.1)],
    ),
    "renyi.pure": (
        ("order", "epsilon"),
        "closed form; cancels for small epsilon, overflows for order * epsilon > 710",
        [(2, 0.0), (1, 1e-12), (1.0000001, 1e-12), (1.5, 1e-12), (1, 1.0), (1.0000001, 1.0), (1.001, 8.0),
         (2.0000001, 0.01), (17.3, 100.0), (255.5, 0.001), (1e4, 1e-6), (1000, 700.0), (INF, 3.0), (0.999, 1.0),
         (2, -0.1)],
    ),
    "renyi.poisson_gaussian": (
        ("sampling_rate", "noise_multiplier", "order"),
        "finite sum at integer orders, else trapezoid quadrature settled to 40 digits",
        [(0.0, 1.0, 2.5), (1.0, 0.3, 17.3), (1e-9, 1.0, 1.0000001), (1e-9, 1e4, 2), (1e-9, 1e4, 1.5), (1e-9, 0.05, 3),
         (1e-6, 0.3, 17.3), (1e-6, 60.0, 1000), (1e-3, 0.05, 1.0000001), (1e-3, 0.7, 255.5), (0.01, 1.0, 1.0000001),
         (0.01, 10.0, 1e4), (0.2, 0.05, 1.5), (0.2, 2.0, 1.001), (0.2, 60.0, 64), (0.5, 0.3, 2.0000001),
         (0.5, 1e3, 17.3), (0.9, 0.7, 64), (0.9, 1e4, 1.0000001), (0.999999, 1.0, 1.001), (0.999999, 0.05, 1000),
         (0.01, 1.0, 1000), (0.01, 1.0, 0.5), (1.5, 1.0, 2), (-0.1, 1.0, 2), (0.01, 0.0, 2), (0.01, -1.0, 2)],
    ),
    "renyi.poisson_gaussian_reverse": (
        ("sampling_rate", "noise_multiplier", "order"),
        "D(N0 || mixture), trapezoid quadrature settled to 40 digits",
        [(0.0, 1.0, 2.5), (1.0, 0.7, 17.3), (1e-9, 1e4, 2), (1e-6, 0.3, 17.3), (1e-3, 1.0, 1.0000001), (0.01, 10.0, 64),
         (0.2, 0.7, 1.001), (0.2, 60.0, 255.5), (0.5, 1.0, 1.5), (0.5, 0.3, 2.0000001), (0.9, 2.0, 17.3),
         (0.999999, 1.0, 1.001), (0.01, 1.0, 0.5), (1.5, 1.0, 2), (0.01, 0.0, 2)],
    ),
    "renyi.poisson_laplace": (
        ("sampling_rate", "scale", "order", "odd_moment_factor"),
        "Zhu, Wang 2019: factor 3 is Theorem 5, factor 1 Theorems 6 and 8",
        [(0.0, 1.0, 8, 3), (1e-9, 1e4, 2, 1), (1e-9, 1e-3, 3, 3), (1e-6, 1.0, 64, 1), (1e-6, 1.0, 64, 3),
         (0.01, 0.05, 17, 3), (0.01, 20.0, 255, 1), (0.2, 1e6, 1000, 1), (0.2, 1.0, 64, 3), (0.5, 2.0, 3, 1),
         (0.9, 0.3, 100, 3), (0.999999, 1.0, 16, 1), (0.01, 1.0, 2.5, 3), (0.01, 1.0, 1, 3), (1.5, 1.0, 2, 3),
         (0.01, 0.0, 2, 3)],
    ),
    "renyi.without_replacement_gaussian.uncapped": (
        ("sampling_rate", "noise_multiplier", "order"),
        "Wang, Balle, Kasiviswanathan 2020, Theorem 9, without the cap by the unsampled curve",
        [(0.0, 1.0, 8), (1e-9, 1e4, 2), (1e-9, 0.05, 3), (1e-6, 0.3, 17), (1e-3, 1.0, 64), (1e-3, 60.0, 1000),
         (0.01, 0.7, 2), (0.01, 10.0, 255), (0.2, 0.05, 1000), (0.2, 2.0, 3), (0.2, 1e4, 100), (0.5, 1.0, 10000),
         (0.9, 60.0, 17), (0.999999, 1.0, 4), (0.01, 1.0, 2.5), (0.01, 1.0, 1), (1.5, 1.0, 2), (0.01, 0.0, 2)],
    ),
    "renyi.without_replacement_gaussian.ternary_uncapped": (
        ("sampling_rate", "noise_multiplier", "order"),
        "Wang, Balle, Kasiviswanathan 2020, Theorem 27 and the simple terms, the smaller term by term; no cap",
        [(0.0, 1.0, 8), (1e-9, 1e4, 3), (1e-6, 60.0, 17), (1e-3, 1.0, 64), (0.01, 0.7, 4), (0.01, 10.0, 255),
         (0.2, 1e3, 100), (0.2, 2.0, 5), (0.5, 5.0, 32), (0.9, 60.0, 17), (0.999999, 10.0, 64), (0.01, 1.0, 2.5),
         (1.5, 1.0, 2), (0.01, -1.0, 2)],
    ),
    "renyi.without_replacement_gaussian.interpolated_uncapped": (
        ("sampling_rate", "noise_multiplier", "order"),
        "Noble, Bellet, Dieuleveut 2022, equation 8, over Theorem 9 without the cap",
        [(0.01, 1.0, 1.0000001), (0.01, 1.0, 1.001), (0.2, 10.0, 2.0), (0.2, 10.0, 2.0000001), (0.2, 60.0, 17.3),
         (1e-6, 1e3, 1.5), (1e-3, 0.7, 255.5), (0.5, 2.0, 64.0), (0.01, 1.0, 0.5), (1.5, 1.0, 2.5), (0.01, 0.0, 2.5)],
    ),
    "renyi.without_replacement_laplace.uncapped": (
        ("sampling_rate", "scale", "order"),
        "Wang, Balle, Kasiviswanathan 2020, Theorem 9 with epsilon(inf) = 1 / scale, without the cap",
        [(0.0, 1.0, 8), (1e-9, 1e4, 2), (1e-9, 1e-3, 3), (1e-6, 1.0, 64), (0.01, 0.05, 17), (0.01, 20.0, 255),
         (0.2, 1e6, 1000), (0.2, 1.0, 2), (0.5, 1.5, 3), (0.9, 0.3, 100), (0.999999, 10.0, 16), (0.01, 1.0, 2.5),
         (1.5, 1.0, 2), (0.01, 0.0, 2)],
    ),
    "renyi.to_epsilon.mironov": (
        ("order", "rdp", "delta"),
        "Mironov 2017, Proposition 3",
        [(1.0000001, 0.0, 1e-300), (1.001, 1e-18, 0.5), (1.5, 0.3, 1e-6), (64, 1e4, 1e-12), (1e4, 1e-9, 1e-300),
         (1.0, 0.1, 1e-5), (0.5, 0.1, 1e-5), (2, 0.1, 0.0), (2, 0.1, 1.0), (2, -0.1, 1e-5)],
    ),
    "renyi.to_epsilon.canonne": (
        ("order", "rdp", "delta"),
        "Canonne, Kamath, Steinke 2020, Proposition 12, not below 0",
        [(1.0000001, 0.0, 1e-300), (1.001, 1e-18, 0.5), (1.5, 1e-6, 0.5), (1.5, 0.3, 1e-6), (64, 1e4, 1e-12),
         (1e4, 1e-9, 1e-300), (17.3, 0.2, 0.01), (1.0, 0.1, 1e-5), (0.5, 0.1, 1e-5), (2, 0.1, 0.0), (2, 0.1, 1.0),
         (2, -0.1, 1e-5)],
    ),
    "renyi.to_delta.mironov": (
        ("order", "rdp", "epsilon"),
        "Mironov 2017, Proposition 3, not above 1",
        [(1.0000001, 0.0, 1e4), (1.001, 1e-18, 1e-12), (1.5, 0.3, 17.0), (255.5, 0.5, 3.0), (1e4, 0.001, 0.06),
         (2, 3.0, 3.0), (1.0, 0.1, 1.0), (0.5, 0.1, 1.0), (2, -0.1, 1.0)],
    ),
    "renyi.to_delta.canonne": (
        ("order", "rdp", "epsilon"),
        "Canonne, Kamath, Steinke 2020, Proposition 12, not above 1",
        [(1.0000001, 0.0, 1e4), (1.001, 1e-18, 1e-12), (1.5, 0.3, 17.0), (255.5, 0.5, 3.0), (1e4, 0.001, 0.06),
         (2, 3.0, 3.0), (1.0, 0.1, 1.0), (0.5, 0.1, 1.0), (2, -0.1, 1.0)],
    ),
    "algorithm.noble_third_party_epsilon_as_published": (
        ("rounds", "local_steps", "users", "user_rate", "record_rate", "noise_multiplier", "delta", "max_order"),
        "Noble, Bellet, Dieuleveut 2022: Table 1 at the printed number of rounds and one more, and its limits",
        [(542, 1, 100, 0.05, 0.2, 10.0, 2.5e-6, 100), (543, 1, 100, 0.05, 0.2, 10.0, 2.5e-6, 100),
         (428, 10, 100, 0.05, 0.2, 10.0, 2.5e-6, 100), (72, 40, 100, 0.05, 0.2, 10.0, 2.5e-6, 100),
         (73, 40, 100, 0.05, 0.2, 10.0, 2.5e-6, 100), (459, 10, 100, 0.05, 0.2, 160.0, 2.5e-6, 100),
         (87, 40, 100, 0.05, 0.2, 1e6, 2.5e-6, 100), (1, 1, 1, 1.0, 1.0, 1.0, 1e-6, 64),
         (100000, 5, 1000, 1e-3, 0.01, 1.0, 1e-9, 30), (400, 50, 100, 1.5, 0.2, 60.0, 2.5e-6, 100),
         (400, 50, 100, 0.05, 0.2, 0.0, 2.5e-6, 100), (400, 50, 100, 0.05, 0.2, 60.0, 0.0, 100)],
    ),
}
