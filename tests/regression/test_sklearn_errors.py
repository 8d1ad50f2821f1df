"""Translation of scikit-learn's errors."""

import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from unbraid import DegenerateBranchError
from unbraid.regression._sklearn_errors import translate_sklearn_errors


def test_does_not_translate_errors_of_unbraid():
    with pytest.raises(DegenerateBranchError), translate_sklearn_errors():
        raise DegenerateBranchError("unchanged")
