# The copy of an array to other chunks by zarr-python 2 with the plan of the Python package rechunker: two passes through a temporary
# array, in boxes of whole chunks that fit the memory of a thread. It is the peer of `zarr rechunk` (tests/bench/prepare.mjs).
#
#   peer.py FROM TO CHUNKS MEMORY THREADS
import itertools
import json
import math
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

import zarr


def grown(chunks, shape, item, memory):
    """Whole chunks, joined from the last dimension on while they fit the memory."""
    box = [min(c, n) for c, n in zip(chunks, shape)]
    for axis in reversed(range(len(shape))):
        room = memory // (item * math.prod(box))
        box[axis] = min(shape[axis], box[axis] * max(1, min(room, math.ceil(shape[axis] / box[axis]))))
        if box[axis] < shape[axis]:
            break
    return box


def copy(a, b, box, threads):
    starts = itertools.product(*(range(0, n, step) for n, step in zip(a.shape, box)))

    def one(start):
        at = tuple(slice(s, s + step) for s, step in zip(start, box))
        b[at] = a[at]

    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(one, starts):
            pass


source, target = sys.argv[1:3]
chunks, memory, threads = json.loads(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
a = zarr.open(source, mode="r")
# A box is held twice: decoded from the source, and encoded for the target.
reads = grown(a.chunks, a.shape, a.itemsize, memory // threads // 2)
writes = grown(chunks, a.shape, a.itemsize, memory // threads // 2)
between = [min(r, w) for r, w in zip(reads, writes)]
same = {"shape": a.shape, "dtype": a.dtype, "compressor": a.compressor, "fill_value": a.fill_value}
temporary = zarr.create(store=zarr.DirectoryStore(target + ".temporary"), chunks=between, **same)
out = zarr.create(store=zarr.DirectoryStore(target), chunks=chunks, **same)
copy(a, temporary, reads, threads)
copy(temporary, out, writes, threads)
shutil.rmtree(target + ".temporary")
