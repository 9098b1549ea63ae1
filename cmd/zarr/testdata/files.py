"""Begins the programs that write files of a format into a directory. They print a line of JSON for
each dataset: the file, the path, and the values that the format's library reads. "sha256" is of the
elements packed in C order and little-endian; "values" is a list for strings. Further arguments name
the cases of HDF5, or the compressions of GDAL, to write alone."""
import hashlib
import json
import os
import sys

import h5py
import netCDF4
import numpy as np

os.chdir(sys.argv[1])
ALONE = sys.argv[2:]
rng = np.random.default_rng(1)
HIDDEN = {"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "DIMENSION_LABELS", "_NCProperties", "_Netcdf4Dimid",
          "_Netcdf4Coordinates", "_nc3_strict"}


def little(t):
    if t.subdtype:
        return np.dtype((little(t.subdtype[0]), t.subdtype[1]))
    if t.fields is None:
        return t.newbyteorder("<")
    names = t.names
    return np.dtype({"names": names, "formats": [little(t.fields[n][0]) for n in names],
                     "offsets": [t.fields[n][1] for n in names], "itemsize": t.itemsize})


def plain(v):
    """A value of an attribute as JSON has it."""
    if isinstance(v, h5py.Empty):
        return ""
    if isinstance(v, bytes):
        return v.decode("latin-1")
    if isinstance(v, np.bytes_):
        return bytes(v).decode()
    if isinstance(v, np.ndarray):
        if v.size == 1:
            return plain(v.reshape(-1)[0])
        return [plain(i) for i in v] if v.ndim else plain(v[()])
    if isinstance(v, np.void):
        return {n: plain(v[n]) for n in v.dtype.names}
    if isinstance(v, (np.complexfloating, complex)):
        return [float(v.real), float(v.imag)]
    if isinstance(v, np.float32):
        v = float(str(v))  # the shortest number that rounds to it
    if isinstance(v, np.generic):
        v = v.item()
    if isinstance(v, float) and not np.isfinite(v):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[repr(v)]
    return v


def say(file, path, values, attributes=None, dims=None):
    line = {"file": file, "path": path}
    if values is not None:
        line["shape"] = list(values.shape)
        if values.dtype.hasobject:
            line["values"] = [i.decode() if isinstance(i, bytes) else i for i in values.reshape(-1).tolist()]
        else:
            line["sha256"] = hashlib.sha256(np.ascontiguousarray(values.astype(little(values.dtype), copy=False)).tobytes()).hexdigest()
    if attributes is not None:
        line["attributes"] = attributes
    if dims is not None:
        line["dims"] = list(dims)
    print(json.dumps(line))


def numbers(t, *shape):
    n = int(np.prod(shape))
    t = np.dtype(t)
    if t.kind == "b":
        return rng.integers(0, 2, n).astype(t).reshape(shape)
    if t.kind in "iu":
        return rng.integers(-100 if t.kind == "i" else 0, 100, n).astype(t).reshape(shape)
    if t.kind == "c":
        return (rng.normal(size=n) + 1j * rng.normal(size=n)).astype(t).reshape(shape)
    return rng.normal(size=n).astype(t).reshape(shape)


def netcdf(file, format="NETCDF4"):
    with netCDF4.Dataset(file, "w", format=format) as f:
        f.title, f.number, f.reals = "a title", np.int32(4), np.array([1.5, 2.5], "f4")
        f.createDimension("time", None)
        f.createDimension("y", 6)
        f.createDimension("x", 8)
        f.createDimension("unused", 3)
        t = f.createVariable("time", "f8", ("time",))
        t.units = "days since 2000-01-01"
        t[:] = np.arange(5)
        f.createVariable("y", "f4", ("y",))[:] = np.arange(6)
        v = f.createVariable("v", "i2", ("time", "y", "x"), fill_value=-9, zlib=True, chunksizes=(2, 3, 8))
        v.scale_factor, v.add_offset = 0.5, 10.0
        v.set_auto_maskandscale(False)
        v[:] = rng.integers(-5, 5, (5, 6, 8))
        v[1, 2, 3] = -9
        f.createVariable("partial", "f4", ("time", "x"))[2] = np.arange(8)
        f.createVariable("alone", "f8", ("unused",))[:] = [1, 2, 3]
        f.createVariable("chars", "S1", ("y", "x"))[:] = np.full((6, 8), b"c")
        f.createVariable("scalar", "i4", ())[...] = 4
        f.createVariable("x", "f8", ("y", "x"))[:] = np.arange(48).reshape(6, 8)
        if format == "NETCDF4":
            g = f.createGroup("group")
            g.comment = "inner"
            g.createDimension("z", 2)
            g.createVariable("w", "u8", ("time", "z"), fletcher32=True, shuffle=True, zlib=True)[:] = np.arange(10).reshape(5, 2)
            s = g.createVariable("words", str, ("z",))
            s[0], s[1] = "one", "zwei ü"
    told_netcdf(file)


def told_netcdf(file, name=None):
    """Prints what netCDF4 reads of a file, by the name of another one with the same values."""
    name = name or file
    with netCDF4.Dataset(file) as f:
        f.set_auto_maskandscale(False)
        f.set_auto_chartostring(False)

        def walk(g, prefix):
            say(name, prefix.rstrip("/"), None, {n: plain(g.getncattr(n)) for n in g.ncattrs()})
            for path, v in g.variables.items():
                say(name, prefix + path, np.asarray(v[...]), {n: plain(v.getncattr(n)) for n in v.ncattrs()}, v.dimensions)
            for path, c in g.groups.items():
                walk(c, prefix + path + "/")

        walk(f, "")
