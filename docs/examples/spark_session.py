"""Count people on Spark; give a master's address for a cluster that exists.

python spark_session.py [spark://master:7077]
"""

import sys

from pyspark.sql import SparkSession

from skfair_ofi import OutcomeCounts


def main() -> None:
    """Count on the master named on the command line, or on two threads of this machine."""
    master = sys.argv[1] if len(sys.argv) > 1 else "local[2]"
    session = SparkSession.builder.master(master).appName("skfair_ofi").getOrCreate()
    # On real data: session.read.parquet("s3a://bucket/decisions/") or session.table("decisions")
    frame = session.createDataFrame([("f", 0), ("m", 1), ("m", 1)] * 400, ["sex", "hired"])
    table = OutcomeCounts.from_frame(frame, sensitive_features="sex", y_pred="hired")
    session.stop()
    print(table)


if __name__ == "__main__":
    main()
