"""Files of GRIB, written by ecCodes, with the values and the places that it reads. Prints a line of
JSON for each array; numbers that are not there are null."""
import itertools
import json
import os
import struct
import sys
import zlib

import eccodes as ec
import numpy as np

os.chdir(sys.argv[1])
rng = np.random.default_rng(1)
TOP = float(np.degrees(np.arcsin(np.polynomial.legendre.leggauss(16)[0][-1])))  # of a Gaussian grid

GRIDS = {
    "ll": dict(gridType="regular_ll", Ni=17, Nj=11, latitudeOfFirstGridPointInDegrees=50, longitudeOfFirstGridPointInDegrees=350,
               latitudeOfLastGridPointInDegrees=40, longitudeOfLastGridPointInDegrees=6, iDirectionIncrementInDegrees=1, jDirectionIncrementInDegrees=1),
    "gg": dict(gridType="regular_gg", N=8, Ni=32, Nj=16, latitudeOfFirstGridPointInDegrees=TOP, longitudeOfFirstGridPointInDegrees=0,
               latitudeOfLastGridPointInDegrees=-TOP, longitudeOfLastGridPointInDegrees=348.75, iDirectionIncrementInDegrees=11.25),
    "rotated": dict(gridType="rotated_ll", Ni=17, Nj=11, latitudeOfFirstGridPointInDegrees=5, longitudeOfFirstGridPointInDegrees=-8,
                    latitudeOfLastGridPointInDegrees=-5, longitudeOfLastGridPointInDegrees=8, iDirectionIncrementInDegrees=1,
                    jDirectionIncrementInDegrees=1, latitudeOfSouthernPoleInDegrees=-39.25, longitudeOfSouthernPoleInDegrees=18, angleOfRotationInDegrees=0),
    "lambert": dict(gridType="lambert", Nx=17, Ny=11, latitudeOfFirstGridPointInDegrees=21.138, longitudeOfFirstGridPointInDegrees=237.28,
                    LaDInDegrees=38.5, LoVInDegrees=262.5, DxInMetres=30000, DyInMetres=30000, Latin1InDegrees=38.5, Latin2InDegrees=38.5, jScansPositively=1),
    "lambert2": dict(gridType="lambert", Nx=17, Ny=11, latitudeOfFirstGridPointInDegrees=41, longitudeOfFirstGridPointInDegrees=352,
                     LaDInDegrees=46.5, LoVInDegrees=3, DxInMetres=20000, DyInMetres=25000, Latin1InDegrees=42, Latin2InDegrees=49, jScansPositively=1),
    "polar": dict(gridType="polar_stereographic", Nx=17, Ny=11, latitudeOfFirstGridPointInDegrees=20, longitudeOfFirstGridPointInDegrees=235,
                  LaDInDegrees=60, orientationOfTheGridInDegrees=255, DxInMetres=90000, DyInMetres=90000, projectionCentreFlag=0, jScansPositively=1),
    "mercator": dict(gridType="mercator", Ni=17, Nj=11, latitudeOfFirstGridPointInDegrees=-10, longitudeOfFirstGridPointInDegrees=100,
                     LaDInDegrees=20, latitudeOfLastGridPointInDegrees=20, longitudeOfLastGridPointInDegrees=130, DiInMetres=100000, DjInMetres=100000, jScansPositively=1),
}
AXES = {"ll": ["latitude", "longitude"], "gg": ["latitude", "longitude"], "rotated": ["rlat", "rlon"]}
SIMPLE, COMPLEX, FIRST, SECOND = dict(packingType="grid_simple"), dict(packingType="grid_complex"), dict(orderOfSpatialDifferencing=1), dict(orderOfSpatialDifferencing=2)
PACKINGS = {
    "simple": SIMPLE,
    "complex": COMPLEX,
    "first": dict(packingType="grid_complex_spatial_differencing", **FIRST),
    "second": dict(packingType="grid_complex_spatial_differencing", **SECOND),
    "ieee": dict(packingType="grid_ieee"),
    "png": SIMPLE,  # ecCodes reads PNG, and cannot write small ones
    "ccsds": dict(packingType="grid_ccsds"),
}


def message(values, grid="ll", packing="simple", bits=12, decimals=None, missing=None, **keys):
    """A message with values in the order of its points, and the message's handle."""
    h = ec.codes_grib_new_from_samples("regular_ll_pl_grib2")
    for name, v in GRIDS[grid].items():
        ec.codes_set(h, name, v)
    if missing is not None:
        ec.codes_set(h, "bitmapPresent", 1)
        ec.codes_set(h, "missingValue", 9999)
        values = np.where(missing, 9999, values)
    ec.codes_set(h, "bitsPerValue", bits)
    late = {name: v for name, v in keys.items() if name == "precision" or name.startswith("ccsds")}  # of a packing
    for name, v in keys.items():
        if name not in late:
            ec.codes_set(h, name, v)
    ec.codes_set_values(h, smooth(len(values)))  # a change of the packing converts values
    how = PACKINGS[packing]
    ec.codes_set(h, "packingType", how["packingType"])
    for name, v in {**how, **late}.items():
        if name != "packingType":
            ec.codes_set(h, name, v)
    if decimals is not None:
        ec.codes_set(h, "decimalScaleFactor", decimals)
    ec.codes_set_values(h, values)
    return as_png(h, bits) if packing == "png" else h


def sections(h):
    """The bytes of sections 1 to 7 of a message."""
    b, parts, at = ec.codes_get_message(h), {}, 16
    while at < len(b) - 4:
        n, number = struct.unpack(">IB", b[at:at + 5])
        parts[number] = b[at:at + n]
        at += n
    return parts


def joined(h, parts):
    """A message with the head of another one, and sections."""
    body = b"".join(parts) + b"7777"
    return ec.codes_get_message(h)[:8] + struct.pack(">Q", 16 + len(body)) + body


def filtered(row, before, kind, step):
    """A row with a filter of PNG."""
    pad = np.zeros(step, "i4")
    left, corner = np.concatenate([pad, row])[:len(row)], np.concatenate([pad, before])[:len(row)]
    guess = left + before - corner
    near = [abs(guess - left), abs(guess - before), abs(guess - corner)]
    paeth = np.where((near[0] <= near[1]) & (near[0] <= near[2]), left, np.where(near[1] <= near[2], before, corner))
    return bytes([kind]) + ((row - [0 * row, left, before, (left + before) // 2, paeth][kind]) % 256).astype("u1").tobytes()


def as_png(h, bits):
    """The message with the codes of its values as the pixels of a PNG, with each filter in turn."""
    parts = sections(h)
    bits = parts[5][19]
    count = struct.unpack(">I", parts[5][5:9])[0]
    if not bits:
        bits, codes = 8, np.zeros(count, "u8")
        parts[5] = parts[5][:19] + bytes([8]) + parts[5][20:]
    else:
        all_bits = np.unpackbits(np.frombuffer(parts[7][5:], "u1"))[:count * bits].reshape(count, bits)
        codes = all_bits.astype("u8") @ (1 << np.arange(bits - 1, -1, -1, dtype="u8"))
    depth = (bits + 7) // 8 * 8
    parts[5] = parts[5][:9] + struct.pack(">H", 41) + parts[5][11:19] + bytes([depth]) + parts[5][20:]
    width = max(n for n in range(1, 33) if count % n == 0)
    rows, before = b"", None
    for y, line in enumerate(codes.reshape(-1, width)):
        raw = np.packbits((line[:, None] >> np.arange(depth - 1, -1, -1, dtype="u8")).astype("u1") & 1).astype("i4")
        rows += filtered(raw, np.zeros_like(raw) if before is None else before, y % 5, max(depth // 8, 1))
        before = raw

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    color, sample = {24: (2, 8), 32: (6, 8)}.get(depth, (0, depth))
    packed = zlib.compress(rows)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, count // width, sample, color, 0, 0, 0))
    png += chunk(b"IDAT", packed[:20]) + chunk(b"IDAT", packed[20:]) + chunk(b"IEND", b"")
    parts[7] = struct.pack(">IB", len(png) + 5, 7) + png
    return ec.codes_new_from_message(joined(h, [parts[n] for n in sorted(parts)]))


def smooth(n):
    return 280 + 10 * np.sin(np.arange(n) / 17) + rng.normal(size=n)


def read(h):
    ec.codes_set(h, "missingValue", 1e36)
    v = ec.codes_get_values(h)
    return np.where(v == 1e36, np.nan, v)


def say(file, path, values, dims=None, tolerance=0.0, single=True):
    values = np.asarray(values, "f8")
    if single and not tolerance:
        values = values.astype("f4").astype("f8")
    flat = [None if np.isnan(v) else float(v) for v in values.reshape(-1)]
    print(json.dumps({"file": file, "path": path, "shape": list(values.shape), "dims": dims, "values": flat, "tolerance": tolerance}))


def write(file, *handles):
    with open(file, "wb") as f:
        for h in handles:
            ec.codes_write(h, f)


def places(file, h, grid, columns=False):
    """Prints the places of points. ecCodes gives them in the order of the values."""
    shape = (GRIDS[grid].get("Nj") or GRIDS[grid]["Ny"], GRIDS[grid].get("Ni") or GRIDS[grid]["Nx"])
    lat, lon = ec.codes_get_array(h, "latitudes"), ec.codes_get_array(h, "longitudes")
    if grid in ("ll", "gg"):
        order = "F" if columns else "C"
        # longitudes go on beyond 360 degrees, so that they are monotonic
        say(file, "latitude", lat.reshape(shape, order=order)[:, 0], ["latitude"], 1e-6)
        lon = lon.reshape(shape, order=order)[0]
        say(file, "longitude", np.unwrap(lon, period=360), ["longitude"], 2e-6)
    else:
        say(file, "latitude", lat.reshape(shape), AXES.get(grid, ["y", "x"]), 2e-6)
        say(file, "longitude", lon.reshape(shape), AXES.get(grid, ["y", "x"]), 2e-6)
    return shape


count = 0


def one(grid="ll", packing="simple", values=None, name="t", **how):
    global count
    count += 1
    file = f"{count:03}_{grid}_{packing}.grib2"
    n = np.prod([GRIDS[grid].get("Nj") or GRIDS[grid]["Ny"], GRIDS[grid].get("Ni") or GRIDS[grid]["Nx"]])
    h = message(smooth(n) if values is None else values(n), grid, packing, **how)
    write(file, h)
    columns = bool(how.get("jPointsAreConsecutive"))
    shape = places(file, h, grid, columns)
    v = read(h)
    if how.get("alternativeRowScanning"):
        v = v.reshape(shape)
        v[1::2] = v[1::2, ::-1]
    double = ec.codes_get(h, "bitsPerValue") > 24 if packing != "ieee" else ec.codes_get(h, "precision") == 2
    say(file, name, v.reshape(shape, order="F" if columns else "C"), AXES.get(grid, ["y", "x"]), single=not double)


for grid, packing in itertools.product(GRIDS, PACKINGS):
    one(grid, packing)
    one(grid, packing, missing=rng.random(187 if grid != "gg" else 512) < 0.3)
for packing, bits in itertools.product(["simple", "complex", "first", "second", "ccsds"], [1, 2, 3, 4, 7, 8, 9, 16, 17, 24, 25, 31]):
    one(packing=packing, bits=bits)
for bits in [1, 2, 4, 8, 16, 24, 32]:
    one(packing="png", bits=bits)
for packing in PACKINGS:
    for decimals in {"ieee": [], "ccsds": [0, 1, 3]}.get(packing, [-1, 0, 1, 3]):
        one(packing=packing, decimals=decimals)
    one(packing=packing, values=lambda n: np.full(n, 273.25))
    one(packing=packing, values=lambda n: np.where(np.arange(n) % 40 < 30, 0, rng.random(n) * 100))
    one(packing=packing, values=lambda n: rng.normal(size=n) * 1e-8)
    one(packing=packing, values=lambda n: -rng.random(n) * 1e8)
    for i, j, columns, alternate in itertools.product([0, 1], repeat=4):
        if columns and alternate:
            continue
        first, last = [50, 40], [350, 6]
        one(packing=packing, iScansNegatively=i, jScansPositively=j, jPointsAreConsecutive=columns, alternativeRowScanning=alternate,
            latitudeOfFirstGridPointInDegrees=first[j], latitudeOfLastGridPointInDegrees=first[1 - j],
            longitudeOfFirstGridPointInDegrees=last[i], longitudeOfLastGridPointInDegrees=last[1 - i])
one(packing="ieee", precision=2)
for flags, block, interval in itertools.product([4, 12, 14], [8, 16, 32, 64], [1, 2, 128]):
    one("gg", "ccsds", ccsdsFlags=flags, ccsdsBlockSize=block, ccsdsRsi=interval, values=lambda n: np.where(np.arange(n) % 300 < 200, 0, rng.random(n)))

# Hypercubes: members, times, steps and levels, with messages that are missing.
handles, cube = [], np.full((2, 2, 3, 11, 17), np.nan)
for i, (date, step, level) in enumerate(itertools.product([20200101, 20200102], [0, 6], [1000, 500, 850])):
    if i in (3, 7):
        continue
    h = message(smooth(187), dataDate=date, step=step, level=level)
    handles.append(h)
    cube[date - 20200101, step // 6, [1000, 850, 500].index(level)] = read(h).reshape(11, 17)
handles.append(message(smooth(187), dataDate=20200101, shortName="2t"))
two = read(handles[-1]).reshape(11, 17)
handles.append(message(smooth(187), dataDate=20200101, shortName="10u"))
write("cube.grib2", *[handles[i] for i in rng.permutation(len(handles))])
say("cube.grib2", "t", cube, ["time", "step", "isobaricInhPa", "latitude", "longitude"])
say("cube.grib2", "isobaricInhPa", [1000, 850, 500], ["isobaricInhPa"])
say("cube.grib2", "step", [0, 6], ["step"])
say("cube.grib2", "t2m", two, ["latitude", "longitude"])
say("cube.grib2", "u10", read(handles[-1]).reshape(11, 17), ["latitude", "longitude"])

# Codes that mean no value, in complex packing (code table 5.5). ecCodes reads them, and does not
# write them: the highest codes of each group lose their values.
for packing, management in itertools.product(["complex", "first", "second"], [1, 2]):
    h = message(rng.integers(0, 32, 187).astype("f8"), packing=packing, bits=5)
    parts = sections(h)
    parts[5] = parts[5][:22] + bytes([management]) + parts[5][23:]
    h = ec.codes_new_from_message(joined(h, [parts[n] for n in sorted(parts)]))
    file = f"missing_{packing}{management}.grib2"
    write(file, h)
    values = read(h)
    assert np.isnan(values).any()
    say(file, "t", values.reshape(11, 17))

# Constant fields as NCEP writes them, with a decimal scale that does not apply.
for packing in ["simple", "png", "ccsds"]:
    h = message(np.full(187, 42.5), packing="simple" if packing == "png" else packing)
    parts = sections(h)
    assert parts[5][19] == 0, packing
    parts[5] = parts[5][:17] + struct.pack(">H", 2) + parts[5][19:]
    if packing == "png":
        parts[5] = parts[5][:9] + struct.pack(">H", 41) + parts[5][11:]
    h = ec.codes_new_from_message(joined(h, [parts[n] for n in sorted(parts)]))
    file = f"constant_{packing}.grib2"
    write(file, h)
    assert (read(h) == 42.5).all(), packing
    say(file, "t", read(h).reshape(11, 17))

# A message of two fields, the second one with the bitmap of the first.
missing = rng.random(187) < 0.3
first, second = [message(smooth(187), missing=missing, shortName=name) for name in ("t", "r")]
a, b = sections(first), sections(second)
with open("two.grib2", "wb") as f:
    f.write(joined(first, [a[1], a[3], a[4], a[5], a[6], a[7], b[4], b[5], struct.pack(">IBB", 6, 6, 254), b[7]]))
say("two.grib2", "t", read(first).reshape(11, 17))
say("two.grib2", "r", read(second).reshape(11, 17))

# ecCodes' own messages on Gaussian grids, most of them with fewer points near the poles.
for sample in ["reduced_gg_pl_32", "reduced_gg_pl_48", "reduced_gg_pl_80", "reduced_gg_sfc", "gg_sfc", "reduced_gg_ml", "regular_gg_pl", "regular_gg_ml"]:
    h = ec.codes_grib_new_from_samples(sample + "_grib2")
    n = ec.codes_get_size(h, "values")
    ec.codes_set_values(h, smooth(n))
    file = sample + ".grib2"
    write(file, h)
    lat, lon = ec.codes_get_array(h, "latitudes"), ec.codes_get_array(h, "longitudes")
    if ec.codes_get(h, "gridType") == "regular_gg":
        shape = (ec.codes_get(h, "Nj"), ec.codes_get(h, "Ni"))
        say(file, "t", read(h).reshape(shape), ["latitude", "longitude"])
        say(file, "latitude", lat.reshape(shape)[:, 0], ["latitude"], 1e-6)
        say(file, "longitude", lon.reshape(shape)[0], ["longitude"], 2e-6)
    else:
        say(file, "t", read(h), ["values"])
        say(file, "latitude", lat, ["values"], 1e-6)
        say(file, "longitude", lon, ["values"], 2e-6)
