# zarr-python's side in the benchmark of writing (tests/bench/write.mjs): it answers what is asked as the command beside it does.
import json
import sys
import time
import warnings

import numcodecs
import numpy as np
import zarr

warnings.simplefilter("ignore")
print(json.dumps({"zarr": zarr.__version__, "numcodecs": numcodecs.__version__, "python": sys.version.split()[0]}), flush=True)


def field(n):
    """The same field, with noise of the same distribution."""
    at = np.arange(n)
    noise = np.random.default_rng(1).integers(0, 256, n) / 256
    x = 280 + 20 * np.sin((at // 1024) / 160) + 5 * np.cos((at % 1024) / 90) + noise
    return np.round(x, 2).astype("<f4").reshape(-1, 1024)


def work(q):
    block = field(q["rows"] * 1024)
    # One chunk takes one thread on both sides. None lets Blosc choose.
    numcodecs.blosc.use_threads = False if q["kind"] == "encode" else None
    codec = q["codec"] and numcodecs.get_codec(dict(q["codec"]))
    if q["kind"] == "encode":
        if codec is None:
            return lambda: block.nbytes if block.tobytes() else 0
        return lambda: len(codec.encode(block))
    store = zarr.DirectoryStore(q["dir"]) if q["kind"] == "directory" else zarr.MemoryStore()
    a = zarr.create(block.shape, chunks=(q["chunk"], 1024), dtype="<f4", store=store, path="a", compressor=codec, fill_value=0, overwrite=True)

    def write():
        a[...] = block
        return 0

    return write


for line in sys.stdin:
    q = json.loads(line)
    once = work(q)
    stored = once()
    begin, n = time.perf_counter(), 0
    while n == 0 or time.perf_counter() - begin < q["least"]:
        once()
        n += 1
    print(json.dumps({"seconds": (time.perf_counter() - begin) / n, "stored": stored}), flush=True)
