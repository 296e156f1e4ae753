"""One peer on one file, as `compare.py` starts it in a process of its own. Without a file it only tells whether it could."""

import gzip
import json
import sys


def load(path):
    if path:
        with gzip.open(path) as file:
            json.load(file)


def hta(path):
    from hta.trace_analysis import TraceAnalysis

    if path:
        analysis = TraceAnalysis(trace_files={0: path})
        analysis.get_idle_time_breakdown(ranks=[0], visualize=False)


def tracelens(path):
    from TraceLens import TreePerfAnalyzer

    if path:
        TreePerfAnalyzer.from_file(profile_filepath=path).get_df_gpu_timeline()


PEERS = {"json": load, "hta": hta, "tracelens": tracelens}

if __name__ == "__main__":
    PEERS[sys.argv[1]](sys.argv[2])
