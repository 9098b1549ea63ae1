"""Files of TIFF. tifffile writes them, partly from tiles that are encoded here. The expected values
are those before encoding; where tifffile can decode, it must read the same."""
import zlib

import numcodecs
import tifffile

# Compressions that tifffile cannot encode alone, by their numbers.
LZW, DEFLATE, PACKBITS, LZMA, ZSTD = 5, 8, 32773, 34925, 50000


def lzw(b):
    """TIFF 6.0, section 13."""
    out, held, bits, width = bytearray(), 0, 0, 9

    def put(code):
        nonlocal held, bits
        held, bits = held << width | code, bits + width
        while bits >= 8:
            bits -= 8
            out.append(held >> bits & 255)
        held &= (1 << bits) - 1

    put(256)
    table, omega = {bytes([i]): i for i in range(256)}, b""
    following = 258
    for c in b:
        s = omega + bytes([c])
        if s in table:
            omega = s
            continue
        put(table[omega])
        table[s] = following
        if following in (511, 1023, 2047):
            width += 1
        following += 1
        if following > 4094:
            put(256)
            width, following = 9, 258
            table = {bytes([i]): i for i in range(256)}
        omega = bytes([c])
    if omega:
        put(table[omega])
        if following in (511, 1023, 2047):
            width += 1
    put(257)
    if bits:
        out.append(held << (8 - bits) & 255)
    return bytes(out)


def packbits(b):
    out, i = bytearray(), 0
    while i < len(b):
        n = 1
        while n < 128 and i + n < len(b) and b[i + n] == b[i]:
            n += 1
        if n > 1:
            out += bytes([257 - n, b[i]])
        else:
            while n < 128 and i + n < len(b) and not (i + n + 1 < len(b) and b[i + n] == b[i + n + 1]):
                n += 1
            out += bytes([n - 1]) + b[i:i + n]
        i += n
    return bytes(out)


def lzma_of(b):
    import lzma
    return lzma.compress(b)


ENCODERS = {1: bytes, LZW: lzw, DEFLATE: zlib.compress, PACKBITS: packbits, LZMA: lzma_of, ZSTD: lambda b: bytes(numcodecs.Zstd(3).encode(b))}

for number in [LZW, PACKBITS, ZSTD]:  # tifffile gets encoded bytes: it need not encode
    tifffile.TIFF.COMPRESSORS._codecs.setdefault(number, bytes)
for number in [2, 3]:
    tifffile.TIFF.PREDICTORS._codecs.setdefault(number, bytes)


def predicted(v, predictor):
    """The bytes of rows, columns and samples with a predictor."""
    if predictor == 2:
        u = v.view(v.dtype.str.replace("f", "u").replace("i", "u"))
        d = u.copy()
        d[:, 1:] -= u[:, :-1]
        return d.tobytes()
    if predictor == 3:
        rows, columns, samples = v.shape
        n = v.dtype.itemsize
        big = np.ascontiguousarray(v.astype(v.dtype.newbyteorder(">"))).view("u1").reshape(rows, columns * samples, n)
        planes = np.ascontiguousarray(big.transpose(0, 2, 1)).reshape(rows, n * columns, samples)
        d = planes.copy()
        d[:, 1:] -= planes[:, :-1]
        return d.tobytes()
    return v.tobytes()


def segments(v, shape, tiled, planar, compression, predictor):
    rows, columns = shape
    for plane in v if planar else [v]:
        plane = plane.reshape(plane.shape[0], plane.shape[1], -1)
        for y in range(0, plane.shape[0], rows):
            for x in range(0, plane.shape[1], columns):
                part = plane[y:y + rows, x:x + columns]
                if tiled:
                    part = np.pad(part, ((0, rows - part.shape[0]), (0, columns - part.shape[1]), (0, 0)), "edge")
                yield ENCODERS[compression](predicted(np.ascontiguousarray(part), predictor))


def add(w, v, tile=None, rows=None, planar=False, compression=1, predictor=1, **more):
    """Writes a page of tiles or strips that are encoded here."""
    height, width = v.shape[-2:] if planar or v.ndim == 2 else v.shape[:2]
    shape = tile or (rows or height, width)
    if v.ndim == 3:
        more["planarconfig"] = "separate" if planar else "contig"
        more.setdefault("extrasamples", ["unspecified"] * ((v.shape[0] if planar else v.shape[2]) - 1))
    more.setdefault("photometric", "minisblack")
    if more["photometric"] == "rgb":
        more.pop("extrasamples", None)
    kind = v.dtype
    if predictor == 2 and kind.kind == "f":  # GDAL writes it, tifffile refuses it
        kind = kind.str.replace("f", "i")
    w.write(segments(v, shape, tile is not None, planar, compression, predictor), shape=v.shape, dtype=kind, tile=tile,
            rowsperstrip=None if tile else shape[0], compression=compression, predictor=predictor, metadata=None, **more)


def values(shape, t):
    """Values that compress, and numbers of all bits."""
    v = numbers(t, *shape)
    if np.dtype(t).kind in "iu":
        v = (np.arange(v.size).reshape(shape) * 3 % 251).astype(t) + v
    return v.astype(t)


def dims(v, planar):
    if v.ndim == 2:
        return ["y", "x"]
    return ["band", "y", "x"] if planar else ["y", "x", "band"]


DECODES = {1, DEFLATE, LZMA, PACKBITS}


def one(file, v, byteorder="<", bigtiff=False, attributes=None, **how):
    with tifffile.TiffWriter(file, bigtiff=bigtiff, byteorder=byteorder) as w:
        add(w, v.astype(v.dtype.newbyteorder(byteorder)), **how)
    if how.get("predictor") == 2 and v.dtype.kind == "f":
        with tifffile.TiffFile(file, mode="r+b") as f:
            f.pages[0].tags["SampleFormat"].overwrite([3] * f.pages[0].samplesperpixel)
    if how.get("compression", 1) in DECODES and how.get("predictor", 1) == 1:
        assert np.array_equal(tifffile.imread(file), v), file
    say(file, "", None, {})
    say(file, "0", v, attributes or {}, dims(v, how.get("planar")))


count = 0
for byteorder in "<>":
    for big in [False, True]:
        for t in ["u1", "i1", "u2", "i2", "u4", "i4", "f2", "f4", "f8", "u8", "i8", "c8", "c16"]:
            count += 1
            one(f"type{count}.tif", values((33, 47), t), byteorder, big, rows=[None, 5, 33][count % 3], compression=[1, DEFLATE][count % 2])
for compression in ENCODERS:
    for how in [{"tile": (16, 32)}, {"rows": 7}, {"rows": 11}, {"rows": 1}, {}]:
        for shape, planar in [((33, 47), False), ((33, 47, 3), False), ((3, 33, 47), True)]:
            if compression == LZMA and how == {"rows": 7}:
                continue  # a short last strip of LZMA is left out
            count += 1
            one(f"compression{count}.tif", values(shape, ["u1", "<i2", "<f4"][count % 3]), compression=compression, planar=planar, **how)
for predictor, types in [(2, ["u1", "i1", "u2", "i4", "u8", "f4"]), (3, ["f2", "f4", "f8"])]:
    for t in types:
        for how in [{"tile": (16, 32)}, {"rows": 10}]:
            for shape, planar in [((33, 47), False), ((33, 47, 3), False), ((3, 33, 47), True)]:
                count += 1
                byteorder = "<>"[count % 2 == 1]
                one(f"predictor{count}.tif", values(shape, t), byteorder, predictor=predictor, planar=planar, compression=[DEFLATE, LZW, ZSTD][count % 3], **how)

# Strips with gaps, of which the last is short: chunks are parts of strips.
v = values((26, 30), "u2")
one("gaps.tif", v, rows=6)
b = bytearray(open("gaps.tif", "rb").read())
with tifffile.TiffFile("gaps.tif") as f:
    page = f.pages[0]
    offsets, sizes = list(page.dataoffsets), list(page.databytecounts)
at = offsets[3]
b += b"gap" + b[at:at + sizes[3]]
open("gaps.tif", "wb").write(b)
with tifffile.TiffFile("gaps.tif", mode="r+b") as f:
    offsets[3] = len(b) - sizes[3]
    f.pages[0].tags["StripOffsets"].overwrite(offsets)

# Tiles that are absent are the value of GDAL's missing pixels.
v = values((33, 47), "i2")
with tifffile.TiffWriter("sparse.tif") as w:
    add(w, v, tile=(16, 16), compression=DEFLATE, extratags=[(42113, "s", 0, "-77", True)])
with tifffile.TiffFile("sparse.tif", mode="r+b") as f:
    tags = f.pages[0].tags
    for name in ["TileOffsets", "TileByteCounts"]:
        kept = list(tags[name].value)
        kept[2] = kept[4] = 0
        tags[name].overwrite(kept)
v[0:16, 32:48] = v[16:32, 16:32] = -77
say("sparse.tif", "", None, {})
say("sparse.tif", "0", v, {"_FillValue": -77}, ["y", "x"])

# A Cloud-Optimized GeoTIFF: overviews, and a place in the world.
for name, raster, origin in [("area", 1, 0), ("point", 2, 15)]:
    v = values((64, 96), "f4")
    geo = [(33550, "d", 3, (30.0, 30.0, 0.0), True), (33922, "d", 6, (0.0, 0.0, 0.0, 500000.0, 5200000.0, 0.0), True),
           (34735, "H", 16, (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, raster, 3072, 0, 1, 32633), True), (42113, "s", 0, "nan", True)]
    levels = [v, v[::2, ::2].copy(), v[::4, ::4].copy()]
    with tifffile.TiffWriter(f"cog_{name}.tif") as w:
        for k, level in enumerate(levels):
            add(w, level, tile=(16, 16), compression=DEFLATE, subfiletype=min(k, 1), extratags=geo if k == 0 else geo[3:])
    spatial, proj, multi = [
        {"uuid": u, "name": n, "description": d, "schema_url": f"https://raw.githubusercontent.com/zarr-conventions/{r}/refs/tags/v1/schema.json",
         "spec_url": f"https://github.com/zarr-conventions/{r}/blob/v1/README.md"}
        for u, n, r, d in [
            ("689b58e2-cf7b-45e0-9fff-9cfc0883d6b4", "spatial", "spatial", "Spatial coordinate information"),
            ("f17cb550-5864-4468-aeb7-f3180cfb622f", "proj", "geo-proj", "Coordinate reference system information for geospatial data"),
            ("d35379db-88df-4056-af3a-620245f8e347", "multiscales", "multiscales", "Multiscale layout of zarr datasets")]]
    layout = []
    for k, level in enumerate(levels):
        p = 30.0 * 2 ** k
        place = {"spatial:shape": list(level.shape), "spatial:transform": [p, 0, 500000 - origin, 0, -p, 5200000 + origin]}
        layout.append({"asset": str(k), **place})
        if k:
            layout[-1].update(derived_from=str(k - 1), transform={"scale": [2, 2], "translation": [0, 0]})
        say(f"cog_{name}.tif", str(k), level, {**place, "spatial:dimensions": ["y", "x"], "proj:code": "EPSG:32633",
                                               "zarr_conventions": [spatial, proj], "_FillValue": "NaN"}, ["y", "x"])
    say(f"cog_{name}.tif", "", None, {"multiscales": {"layout": layout}, "zarr_conventions": [multi, spatial, proj],
                                      "spatial:dimensions": ["y", "x"], "proj:code": "EPSG:32633"})

# A stack of pages, and pages of several formats.
v = values((5, 20, 30), "u2")
for name, how in [("stack", {}), ("stack_strips", {"rowsperstrip": 6}), ("stack_deflate", {"compression": DEFLATE, "tile": (16, 16)})]:
    tifffile.imwrite(f"{name}.tif", v, photometric="minisblack", metadata=None, **how)
    say(f"{name}.tif", "", None, {})
    say(f"{name}.tif", "0", v, {}, ["page", "y", "x"])
with tifffile.TiffWriter("formats.tif") as w:
    for v in [values((20, 30), "u1"), values((10, 30), "u1"), values((10, 30, 3), "u1")]:
        add(w, v, photometric="rgb" if v.ndim == 3 else "minisblack")
for i, v in enumerate(tifffile.TiffFile("formats.tif").pages):
    v = v.asarray()
    say("formats.tif", str(i), None, {})
    say("formats.tif", f"{i}/0", v, {}, dims(v, False))
say("formats.tif", "", None, {})

# OME-TIFF with levels in subdirectories.
for order in ["TZCYX", "TCZYX", "CTZYX", "ZTCYX"]:
    lengths = {"T": 2, "C": 3, "Z": 4, "Y": 40, "X": 50}
    v = values(tuple(lengths[a] for a in order), "u2")
    file = f"ome_{order}.ome.tif"
    with tifffile.TiffWriter(file, ome=True) as w:
        w.write(v, photometric="minisblack", tile=(16, 16), compression=DEFLATE, subifds=1,
                metadata={"axes": order, "Name": "cells", "PhysicalSizeX": 0.5, "PhysicalSizeXUnit": "µm", "PhysicalSizeY": 0.25, "PhysicalSizeZ": 2.0})
        w.write(v[..., ::2, ::2], photometric="minisblack", tile=(16, 16), compression=DEFLATE, subfiletype=1)
    place = [order.index(a) for a in "TCZYX"]
    for k, level in enumerate([v, v[..., ::2, ::2]]):
        say(file, str(k), level.transpose(place), {}, ["t", "c", "z", "y", "x"])
    axes = [{"name": "t", "type": "time"}, {"name": "c", "type": "channel"}] + [{"name": a, "type": "space", "unit": "micrometer"} for a in "zyx"]
    scales = [[1, 1, 2.0, 0.25, 0.5], [1, 1, 2.0, 0.5, 1.0]]
    say(file, "", None, {"multiscales": [{"version": "0.4", "name": "cells", "axes": axes, "datasets": [
        {"path": str(k), "coordinateTransformations": [{"type": "scale", "scale": s}]} for k, s in enumerate(scales)]}]})

