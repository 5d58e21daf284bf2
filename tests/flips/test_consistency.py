"""Flip consistency: lotteries, thresholds, and people who are alike."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from skfair_ofi.flips import describe_flips, flip_consistency


def make_people(n: int = 1200, seed: int = 0) -> dict[str, Any]:
    """People with two features, a prediction and a group."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return {
        "X": X,
        "y_pred": (X[:, 0] > 0).astype(int),
        "sensitive_features": rng.choice(["a", "b"], n),
    }


class TestConsistency:
    """From a lottery to a threshold."""

    def test_a_lottery_is_zero(self) -> None:
        """The mean over lotteries is 0, and the test rejects as often as it says."""
        people = make_people(400)
        found = [
            flip_consistency(
                **people, flips=np.random.default_rng(seed).random(400) < 0.2, n_permutations=60
            )
            for seed in range(30)
        ]
        values = [one.consistency for one in found]
        assert abs(np.mean(values)) < 4 * np.std(values) / np.sqrt(30)
        assert np.mean([one.p_value < 0.1 for one in found]) < 0.35

    def test_a_threshold_is_nearly_one(self) -> None:
        """But for people beside it, neighbors are treated alike."""
        people = make_people()
        flips = np.abs(people["X"][:, 0]) < 0.4
        found = flip_consistency(**people, flips=flips)
        assert found.consistency > 0.8
        assert found.p_value < 0.01
        assert found.people == 1200
        assert not found.sampled

    def test_everyone_has_the_same_chance(self) -> None:
        """A constant probability is a lottery, exactly."""
        found = flip_consistency(**make_people(), flips=np.full(1200, 0.3), n_permutations=5)
        assert found.consistency == pytest.approx(0, abs=1e-12)

    def test_a_rule_by_group_differs_across_groups(self) -> None:
        """Within groups everyone is treated alike, across groups nobody is."""
        people = make_people()
        flips = people["sensitive_features"] == "a"
        found = flip_consistency(**people, flips=flips)
        assert np.isnan(found.consistency)
        assert found.across == 1

    def test_features_tell_lotteries_apart(self) -> None:
        """What goes by a feature that is not looked at seems a lottery."""
        people = make_people()
        flips = people["X"][:, 1] > 1
        seen = flip_consistency(**people, flips=flips, n_permutations=5)
        people["X"] = people["X"][:, :1]
        unseen = flip_consistency(**people, flips=flips, n_permutations=5)
        assert seen.consistency > 0.7
        assert abs(unseen.consistency) < 0.1

    def test_many_people_are_sampled(self) -> None:
        """Above 20,000, which is said."""
        people = make_people(25_000)
        flips = np.abs(people["X"][:, 0]) < 0.4
        found = flip_consistency(**people, flips=flips, n_permutations=2)
        assert found.sampled
        assert found.people <= 20_000
        assert found.consistency > 0.9

    def test_wrong_flips_are_errors(self) -> None:
        """They are shares."""
        with pytest.raises(ValueError, match=r"^flips must be from 0 to 1, got 2\.0\.$"):
            flip_consistency(**make_people(), flips=np.full(1200, 2.0))
        with pytest.raises(ValueError, match=r"^Arrays must have the same number of rows, .*\.$"):
            flip_consistency(**make_people(), flips=[1, 0])


class TestDescription:
    """Who is flipped, in words."""

    def test_a_rule_is_found(self) -> None:
        """The leaf that is flipped most says who they are."""
        rng = np.random.default_rng(0)
        X = pd.DataFrame({"race": rng.choice(["a", "b"], 800), "age": rng.integers(18, 70, 800)})
        flips = (X["race"] == "a") & (X["age"] < 30)
        found = describe_flips(X, flips)
        assert found.rules["rule"].tolist()[0] == "age <= 29.5 and race is not b"
        assert found.rules["people"].sum() == 800
        assert found.rules["of_all_flips"].sum() == pytest.approx(1)
        assert (found.rules["low"] <= found.rules["share"]).all()
        assert found.auc > 0.99

    def test_a_lottery_has_no_rule(self) -> None:
        """Held out, the tree ranks people no better than chance."""
        rng = np.random.default_rng(1)
        X = pd.DataFrame({"age": rng.integers(18, 70, 2000)})
        found = describe_flips(X, rng.random(2000) < 0.2)
        assert abs(found.auc - 0.5) < 0.08

    @pytest.mark.parametrize("flips", [np.zeros(100), np.ones(100), np.arange(100) < 3])
    def test_too_few_flips_have_no_rule(self, flips: np.ndarray) -> None:
        """Nothing can be said of a handful."""
        found = describe_flips(pd.DataFrame({"age": np.arange(100)}), flips)
        assert len(found.rules) == 0
        assert np.isnan(found.auc)
