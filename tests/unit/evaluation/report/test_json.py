"""JSON: every figure, whole, and nothing that JSON lacks."""

import json

from plait.evaluation.comparison import Comparison
from plait.evaluation.report.json import comparison_dict


def test_it_is_json_and_whole(compared: Comparison, evil: str) -> None:
    values = json.loads(json.dumps(comparison_dict(compared), allow_nan=False))
    assert values["systems"] == list(compared.systems)
    assert (values["baseline"], values["seed"]) == ("base", 0)
    assert values["measures"] == ["nDCG@10", "R@100"]
    assert values["values"]["R@100"]["better"] == list(compared.values["R@100"]["better"])
    mean = compared.means["nDCG@10"]["better"]
    assert values["means"]["nDCG@10"]["better"] == {
        "mean": mean.mean, "low": mean.low, "high": mean.high, "n": 8,
    }  # fmt: skip
    entry = values["differences"][0]
    assert (entry["system"], entry["measure"], entry["wins"]) == ("better", "nDCG@10", 8)
    gain = compared.differences[0].estimate
    assert entry["estimate"] == {"mean": gain.mean, "low": gain.low, "high": gain.high, "n": 8}
    assert (entry["p"], entry["p_adjusted"]) == (2 / 2**8, 4 * 2 / 2**8)
    contrast = values["contrasts"]["better"][0]
    assert contrast["topic"] == "t7"
    assert contrast["difference"] == contrast["value"] - contrast["baseline_value"]
    assert contrast["text"] == f"what is {evil} & | *7*?"  # as it is: JSON is no markup
    assert contrast["returned"][0] == {"id": f"t7-{evil}", "rank": 1, "score": 2.0, "grade": 1}
    assert contrast["baseline_returned"][1]["grade"] is None
