"""Files of TIFF that GDAL writes, with the values that it reads of them."""
import base64
import warnings

import rasterio
from rasterio.enums import Resampling

warnings.filterwarnings("ignore")  # of images without a place in the world


def ramp(t, *shape):
    """Numbers that compress well, with a little noise."""
    v = np.add.outer(np.arange(shape[-2]) * 1.7, np.arange(shape[-1]) * 2.3) % 120 + np.zeros(shape)
    v += 9 * np.arange(shape[0])[:, None, None] + rng.integers(0, 3, shape)
    return v.astype(t)


count = 0
LAYOUTS = [{"tiled": True, "blockxsize": 32, "blockysize": 16}, {}, {"blockysize": 7}]
BANDS = [(1, "pixel"), (3, "pixel"), (3, "band")]


def near(how):
    """How much values may differ: components by one, and the colours made of them by up to three."""
    return 0 if how.get("compress") != "jpeg" else 3 if how.get("photometric", "ycbcr") == "ycbcr" else 1


def tell(file, path, v, attributes=None, interleave="pixel", near=0):
    """Prints the values of an image. Those of JPEG may differ a little, as the standard allows."""
    dims = ["band", "y", "x"]
    if v.shape[0] == 1:
        v, dims = v[0], ["y", "x"]
    elif interleave == "pixel":
        v, dims = v.transpose(1, 2, 0), ["y", "x", "band"]
    if near:
        line = {"file": file, "path": path, "shape": v.shape, "attributes": attributes or {}, "dims": dims,
                "within": near, "near": base64.b64encode(v.tobytes()).decode()}
        print(json.dumps(line))
    else:
        say(file, path, v, attributes, dims)


def one(v, attributes=None, sparse=False, **how):
    """Writes a file and prints what GDAL reads of it."""
    global count
    count += 1
    if ALONE and how.get("compress") not in ALONE:
        return ""
    file = f"gdal{count}.tif"
    bands, rows, columns = v.shape
    with rasterio.open(file, "w", driver="GTiff", width=columns, height=rows, count=bands, dtype=v.dtype, sparse_ok=sparse, **how) as d:
        if sparse:
            d.write(v[:, 16:32, 32:], window=rasterio.windows.Window(32, 16, columns - 32, 16))
        else:
            d.write(v)
    with rasterio.open(file) as d:
        tell(file, "0", d.read(), attributes, how.get("interleave", "pixel"), near(how))
    return file


def each(**how):
    """The layouts of one kind of file, in turn with both byte orders and sizes."""
    for layout in LAYOUTS:
        for bands, interleave in BANDS:
            yield bands, {**layout, **how, "interleave": interleave, "bigtiff": ["no", "yes"][count % 2], "endianness": ["little", "big"][count // 2 % 2]}


TYPES = ["u1", "u2", "i2", "u4", "i4", "f4", "f8", "c8", "c16"]
for compress in ["none", "lzw", "deflate", "packbits", "zstd", "lzma"]:
    for bands, how in each(compress=compress):
        if compress != "lzma" or how.get("tiled"):  # a short last strip of LZMA is left out
            one(ramp(TYPES[count % len(TYPES)], bands, 37, 53), **how)
for compress in ["lzw", "deflate", "zstd"]:
    for predictor, types in [(2, TYPES[:6]), (3, ["f4", "f8"])]:
        for bands, how in each(compress=compress, predictor=predictor):
            one(ramp(types[count % len(types)], bands, 37, 53), **how)
for compress in ["lerc", "lerc_deflate", "lerc_zstd"]:
    for bands, how in each(compress=compress):
        t = TYPES[count % 7]
        how["endianness"] = "little"  # GDAL cannot read its own big-endian files of LERC
        one(ramp(t, bands, 37, 53), max_z_error=[0, 0.01, 0.5][count % 3] if "f" in t else count % 3, **how)
for k, layout in enumerate(LAYOUTS):
    holes = ramp(["f4", "f8", "f4"][k], 1, 37, 53)
    holes[rng.random(holes.shape) < 0.3] = np.nan
    one(holes, compress="lerc", max_z_error=0.01, **layout)
    one(np.full((1, 37, 53), 7, "f4"), compress="lerc", **layout)
    for least in [2, 200]:
        one(rng.integers(0, least, (1, 37, 53)).astype("u1"), compress="lerc", **layout)
    one((np.cumsum(rng.integers(-1, 2, (1, 37, 53)), 2) + 90).astype("u1"), compress="lerc", **layout)
    clear = ramp("u1", 4, 37, 53)
    clear[3] = np.where(rng.random((37, 53)) < 0.3, 0, 255)
    one(clear, compress="lerc", photometric="rgb", alpha="yes", **layout)
    one(clear[[0, 3]], compress="lerc_zstd", alpha="yes", max_z_error=2, **layout)  # grey

# Colours of lower resolution, colours of full resolution, and samples that are no colours.
for layout in [{"tiled": True, "blockxsize": 48, "blockysize": 32}, {}, {"blockysize": 16}]:
    for sampling in ["", "420", "422", "444"]:
        with rasterio.Env(GDAL_TIFF_JPEG_SUBSAMPLING=sampling):
            one(ramp("u1", 3, 67, 93), compress="jpeg", photometric="ycbcr", jpeg_quality=[75, 90][len(layout) % 2], **layout)
    for bands, interleave in BANDS + [(4, "pixel"), (4, "band")]:
        one(ramp("u1", bands, 67, 93), compress="jpeg", photometric="rgb" if bands == 3 else "minisblack", interleave=interleave, **layout)

# Missing values, absent tiles, a mask, and levels.
one(ramp("i2", 1, 37, 53), {"_FillValue": -5}, nodata=-5, compress="deflate")
one(ramp("f4", 1, 37, 53), {"_FillValue": "NaN"}, nodata=np.nan, compress="zstd", predictor=3)
for compress in ["none", "deflate", "lerc", "jpeg"]:
    one(ramp("u1", 1, 37, 53), {"_FillValue": 3}, sparse=True, nodata=3, compress=compress, tiled=True, blockxsize=32, blockysize=16)
for compress in ["deflate", "jpeg", "lerc"]:
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True, COMPRESS_OVERVIEW=compress):
        file = one(ramp("u1", 1, 137, 153), compress=compress, tiled=True, blockxsize=32, blockysize=32)
        if not file:
            continue
        with rasterio.open(file, "r+") as d:
            d.write_mask(rng.random((137, 153)) < 0.5)
            d.build_overviews([2, 4], Resampling.average)
        for k in range(2):
            with rasterio.open(file, overview_level=k) as d:
                tell(file, str(k + 1), d.read(), near=near({"compress": compress}))
        with rasterio.open(f"cog_{compress}.tif", "w", driver="COG", width=600, height=550, count=3, dtype="uint8", compress=compress, blocksize=128,
                           overview_compress=compress) as d:
            d.write(ramp("u1", 3, 550, 600))
        for k in range(-1, 2):
            with rasterio.open(f"cog_{compress}.tif", **({} if k < 0 else {"overview_level": k})) as d:
                tell(f"cog_{compress}.tif", str(k + 1), d.read(), near=near({"compress": compress}))
