"""Files of samples, and the samples that they hold."""

import numpy as np
from scipy.io import savemat

from unbraid.cases._network import network_samples

SAMPLES = network_samples(30, random_state=0)
P, F, J = SAMPLES.points, SAMPLES.values, SAMPLES.jacobians


def check(samples):
    np.testing.assert_array_equal(samples.points, P)
    np.testing.assert_array_equal(samples.values, F)
    np.testing.assert_array_equal(samples.jacobians, J)
    assert samples.source == "given"


def save(path, **arrays):
    (savemat(path, arrays) if path.suffix == ".mat" else np.savez(path, **arrays))
    return path


def write_csv(path, names, table, separator=","):
    rows = [separator.join(names), *(separator.join(map(repr, row)) for row in table.tolist())]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path
