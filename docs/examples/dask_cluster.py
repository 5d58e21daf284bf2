"""Count people on a Dask cluster; give a scheduler's address for one that exists.

python dask_cluster.py [tcp://scheduler:8786]
"""

import sys

import pandas as pd
from dask import dataframe
from distributed import Client, LocalCluster

from skfair_ofi import OutcomeCounts


def main() -> None:
    """Count on the cluster named on the command line, or on two workers of this machine."""
    address = sys.argv[1] if len(sys.argv) > 1 else None
    cluster = address or LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    people = pd.DataFrame({"sex": ["f", "m", "m"] * 400, "hired": [0, 1, 1, 0] * 300})
    with Client(cluster):
        # On real data: dataframe.read_parquet("s3://bucket/decisions/")
        frame = dataframe.from_pandas(people, npartitions=4)
        table = OutcomeCounts.from_frame(frame, sensitive_features="sex", y_pred="hired")
    print(table)
    if address is None:
        cluster.close()


if __name__ == "__main__":
    main()
