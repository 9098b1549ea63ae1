"""HDF5 and NetCDF-4 files, of h5py and netCDF4."""
import numcodecs


def attributes(o):
    out = {}
    for name in o.attrs:
        if name not in HIDDEN and not name.startswith("no_"):
            out[name] = plain(o.attrs[name])
    return out


def tell(file):
    """Prints what h5py reads of all datasets of a file."""
    with h5py.File(file, "r") as f:
        say(file, "", None, attributes(f))

        def visit(path, o):
            if isinstance(o, h5py.Dataset) and not path.split("/")[-1].startswith("no_"):
                t = o.dtype
                text = h5py.check_string_dtype(t)
                values = np.asarray(o[()], object if text and text.length is None else None)
                if h5py.check_ref_dtype(t):
                    return
                if h5py.check_string_dtype(t) and h5py.check_string_dtype(t).length is not None:
                    values = values.astype(f"S{t.itemsize}")
                say(file, path, values, attributes(o))
            elif isinstance(o, h5py.Group):
                say(file, path, None, attributes(o))

        f.visititems(visit)


cases = {}


def case(fn):
    cases[fn.__name__] = fn
    return fn


TYPES = ["i1", "u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", ">u4", "<i8", ">i8", "<u8", ">u8", "<f2", ">f2",
         "<f4", ">f4", "<f8", ">f8", "<c8", ">c8", "<c16", ">c16", "?"]


@case
def contiguous_types(f):
    for t in TYPES:
        f["t_" + np.dtype(t).str.strip("|").replace("<", "l").replace(">", "b")] = numbers(t, 5, 7)


@case
def chunked_types(f):
    for i, t in enumerate(TYPES):
        f.create_dataset(f"t{i}", data=numbers(t, 9, 11), chunks=(4, 5), compression="gzip", shuffle=i % 2 == 0)


@case
def fill_values(f):
    for i, t in enumerate(TYPES):
        fill = numbers(t, 1)[0]
        d = f.create_dataset(f"t{i}", shape=(6, 6), dtype=t, chunks=(3, 3), fillvalue=fill)
        if i % 2:
            d[:3, :3] = numbers(t, 3, 3)
        f.create_dataset(f"late{i}", shape=(4,), dtype=t, fillvalue=fill)
        f.create_dataset(f"zero{i}", shape=(4,), dtype=t)
    f.create_dataset("nan", shape=(6,), dtype="f8", chunks=(3,), fillvalue=np.nan)
    f.create_dataset("inf", shape=(6,), dtype=">f4", chunks=(3,), fillvalue=-np.inf)
    f.create_dataset("big", shape=(6,), dtype="u8", chunks=(3,), fillvalue=2**64 - 1)
    f.create_dataset("text", shape=(6,), dtype="S4", chunks=(3,), fillvalue=b"ab")


@case
def fill_undefined(f):
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_chunk((3,))
    p.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    h5py.h5d.create(f.id, b"never", h5py.h5t.NATIVE_INT32, h5py.h5s.create_simple((6,)), p)
    f["never"][:] = range(6)


@case
def compounds(f):
    packed = np.dtype([("a", "<i2"), ("b", ">f8"), ("s", "S3")])
    padded = np.dtype([("a", "u1"), ("b", "<f8"), ("c", "<i2")], align=True)
    nested = np.dtype([("p", packed), ("v", "<f4", (2, 3)), ("z", "<c8")])
    for name, t in [("packed", packed), ("padded", padded), ("nested", nested)]:
        v = np.zeros(10, t)
        raw = v.view("u1").reshape(10, t.itemsize)
        if name != "padded":
            raw[:] = rng.integers(1, 50, raw.shape)
        else:
            v["a"], v["b"], v["c"] = 7, numbers("f8", 10), 3
        f.create_dataset(name, data=v)
        f.create_dataset(name + "_chunks", data=v, chunks=(4,), compression="gzip", shuffle=True)


@case
def enums(f):
    e = h5py.enum_dtype({"RED": 0, "GREEN": 1, "BLUE": 42}, basetype="i2")
    f.create_dataset("e", data=np.array([0, 1, 42], "i2"), dtype=e)
    f.create_dataset("b", data=np.array([True, False, True]))
    f["b"].attrs["flag"] = np.bool_(True)
    f["b"].attrs["flags"] = np.array([True, False])


@case
def opaque(f):
    f["v"] = np.frombuffer(bytes(range(50)), "V5")
    f["v"].attrs["x"] = 1


@case
def array_types(f):
    t = np.dtype(("<f4", (2, 3)))
    d = f.create_dataset("a", shape=(5,), dtype=t)
    d[...] = numbers("f4", 5, 2, 3)
    d = f.create_dataset("c", shape=(5,), dtype=t, chunks=(2,), compression="gzip")
    d[...] = numbers("f4", 5, 2, 3)


@case
def fixed_strings(f):
    f["s"] = np.array([b"ab", b"cdefg", b""], "S5")
    f.create_dataset("c", data=np.array([b"x%d" % i for i in range(30)], "S4"), chunks=(7,), compression="gzip")
    t = h5py.string_dtype("utf-8", 8)
    f.create_dataset("u", data=np.array(["é".encode(), b"z"], t), dtype=t)


@case
def variable_strings(f):
    words = ["", "a", "häuser", "日本語", "x" * 300]
    f["s"] = words
    f["scalar"] = "one"
    f.create_dataset("c", data=words * 20, chunks=(7,), compression="gzip", shuffle=True, dtype=h5py.string_dtype())
    f.create_dataset("n", data=np.array([words, words], object), chunks=(1, 2), dtype=h5py.string_dtype())
    f.create_dataset("empty", shape=(3,), dtype=h5py.string_dtype())
    f.create_dataset("ascii", data=[b"q", b"rs"], dtype=h5py.string_dtype("ascii"))


@case
def scalars(f):
    f["i"] = 5
    f["f"] = 1.5
    f["z"] = np.zeros((0, 4))
    f.create_dataset("zc", shape=(0, 4), maxshape=(None, 4), chunks=(2, 2))
    f["s"] = np.bytes_(b"text")


@case
def compact(f):
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_layout(h5py.h5d.COMPACT)
    for name, shape in [(b"c", (4, 5)), (b"s", ())]:
        space = h5py.h5s.create_simple(shape) if shape else h5py.h5s.create(h5py.h5s.SCALAR)
        h5py.h5d.create(f.id, name, h5py.h5t.IEEE_F32LE, space, p)
        f[name.decode()][...] = numbers("f4", *shape) if shape else 2.5


@case
def filters(f):
    v = numbers("<i4", 40, 30)
    f.create_dataset("none", data=v, chunks=(16, 8))
    f.create_dataset("gzip", data=v, chunks=(16, 8), compression="gzip", compression_opts=9)
    f.create_dataset("shuffle", data=v, chunks=(16, 8), shuffle=True)
    f.create_dataset("fletcher", data=v, chunks=(16, 8), fletcher32=True)
    f.create_dataset("all", data=v, chunks=(16, 8), fletcher32=True, shuffle=True, compression="gzip")


def stored(f, name, v, chunk, filters, kind=None, fill=None):
    """Writes a dataset with some filters, each with its options."""
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_chunk(chunk)
    if fill is not None:
        p.set_fill_value(np.array(fill))
    for filter, options in filters:
        p.set_filter(filter, h5py.h5z.FLAG_MANDATORY, options)
    kind = kind or h5py.h5t.py_create(v.dtype)
    h5py.h5d.create(f.id, name.encode(), kind, h5py.h5s.create_simple(v.shape), p).write(h5py.h5s.ALL, h5py.h5s.ALL, v)


LZF, LZ4, BITSHUFFLE = 32000, 32004, 32008


def ramp(t, *shape):
    """Numbers that compress, which the filter LZF needs."""
    return (np.arange(np.prod(shape)).reshape(shape) // 3 % 100).astype(t)


@case
def filters_of_plugins(f):
    for i, t in enumerate(TYPES):
        v = ramp(t, 41, 30)
        f.create_dataset(f"lzf{i}", data=v, chunks=(16, 9), compression="lzf", shuffle=i % 2 == 0, fletcher32=i % 3 == 0)
        # Chunks of noise, which LZF does not shorten, beside others.
        f.create_dataset(f"noise{i}", data=np.vstack([v[:16], numbers(t, 16, 30)]), chunks=(8, 30), compression="lzf", shuffle=i % 2 == 0)
        for k, options in enumerate([(), (0,), (64,), (1 << 20,)]):
            stored(f, f"lz4_{i}_{k}", numbers(t, 41, 30) if k % 2 else v, (16, 9), [(LZ4, options)])
        for k, options in enumerate([(), (0, 2), (8, 2), (16, 0), (0, 0)]):
            stored(f, f"bits_{i}_{k}", numbers(t, 41, 30) if k % 2 else v, (17, 9 + k), [(BITSHUFFLE, options)])
    stored(f, "large", ramp("<u2", 300, 700), (150, 333), [(BITSHUFFLE, (0, 2))])
    stored(f, "both", ramp("<u2", 30, 70), (15, 33), [(BITSHUFFLE, (0, 0)), (LZF, ())])
    record = np.zeros(50, [("a", "<i2"), ("b", "<f8"), ("s", "S9")])
    record["a"], record["b"] = range(50), numbers("f8", 50)
    stored(f, "record", record, (12,), [(BITSHUFFLE, (0, 2))])


@case
def scale_offset(f):
    for i, t in enumerate(["i1", "u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", ">u4", "<i8", ">i8", "<u8", ">u8"]):
        v = (ramp(t, 41, 30).astype("i8") - (0 if "u" in t else 60)).astype(t)
        f.create_dataset(f"bits{i}", data=v, chunks=(16, 9), scaleoffset=0, fillvalue=-7 if "i" in t else 9)
        stored(f, f"fixed{i}", v, (16, 9), [(h5py.h5z.FILTER_SCALEOFFSET, (2, 7))])
        stored(f, f"all{i}", numbers(t, 41, 30), (16, 9), [(h5py.h5z.FILTER_SCALEOFFSET, (2, 0)), (1, (3,))])
        stored(f, f"same{i}", numbers(t, 41, 30), (16, 9), [(h5py.h5z.FILTER_SCALEOFFSET, (2, 8 * v.dtype.itemsize))])
        stored(f, f"one{i}", np.full((41, 30), 33, t), (16, 9), [(h5py.h5z.FILTER_SCALEOFFSET, (2, 0))])
        stored(f, f"filled{i}", np.full((41, 30), 33, t), (16, 9), [(h5py.h5z.FILTER_SCALEOFFSET, (2, 0))], None, np.array(33, t))
    for i, t in enumerate(["<f4", ">f4", "<f8", ">f8"]):
        v = rng.normal(100, 30, (41, 30)).astype(t)
        v[3, 4] = -0.125
        for decimals in [0, 1, 3, 6]:
            f.create_dataset(f"f{i}_{decimals}", data=v, chunks=(16, 9), scaleoffset=decimals, fillvalue=-0.125)
        f.create_dataset(f"wide{i}", data=v * 1e20, chunks=(16, 9), scaleoffset=4)


@case
def szip(f):
    for i, t in enumerate(TYPES[:-5]):
        v = ramp(t, 41, 30)
        for k, options in enumerate([("nn", 8), ("ec", 16), ("nn", 32), ("ec", 2)]):
            chunk = [(16, 9), (41, 30), (17, 3), (8, 16)][(i + k) % 4]
            if np.prod(chunk) >= options[1]:
                f.create_dataset(f"szip{i}_{k}", data=v, chunks=chunk, compression="szip", compression_opts=options, shuffle=i % 5 == 0)
    f.create_dataset("large", data=ramp("<u2", 300, 700), chunks=(150, 333), compression="szip")


@case
def n_bit(f):
    for i, (base, precision, offset) in enumerate([
            ("I8LE", 3, 2), ("U8LE", 7, 0), ("I16LE", 12, 0), ("I16BE", 12, 3), ("U16LE", 9, 7), ("U16BE", 10, 0), ("I32LE", 17, 5), ("I32BE", 31, 1),
            ("U32LE", 1, 31), ("U32BE", 24, 8), ("I64LE", 40, 3), ("I64BE", 63, 0), ("U64LE", 33, 0), ("U64BE", 8, 8), ("I32LE", 32, 0)]):
        t = getattr(h5py.h5t, "STD_" + base).copy()
        t.set_precision(precision)
        t.set_offset(offset)
        signed = base[0] == "I"
        low = -(1 << (precision - 1)) if signed else 0
        v = rng.integers(low, low + (1 << precision), (41, 30)).astype(np.dtype(f"{base[0].lower()}{t.get_size()}"))
        stored(f, f"n{i}", v, (16, 9), [(h5py.h5z.FILTER_NBIT, ())], t)
        stored(f, f"z{i}", v, (16, 9), [(h5py.h5z.FILTER_NBIT, ()), (1, (1,))], t, np.array(low, v.dtype))
    stored(f, "float", numbers("<f4", 20, 20), (16, 9), [(h5py.h5z.FILTER_NBIT, ())])


@case
def unsupported(f):
    v = numbers("<i4", 40, 30)
    f["fine"] = v
    t = h5py.h5t.STD_I32LE.copy()
    t.set_precision(12)
    h5py.h5d.create(f.id, b"no_bits", t, h5py.h5s.create_simple((40, 30)))
    f.create_dataset("no_vlen", shape=(3,), dtype=h5py.vlen_dtype("i4"))
    layout = h5py.VirtualLayout(shape=(4,), dtype="i4")
    layout[:] = h5py.VirtualSource("other.h5", "x", shape=(4,))
    f.create_virtual_dataset("no_virtual", layout) if f.libver[0] != "earliest" else None
    f["no_soft"] = h5py.SoftLink("/fine")
    f["no_external"] = h5py.ExternalLink("other.h5", "/x")
    f["no_ref"] = np.array([f["fine"].ref], h5py.ref_dtype)
    f["fine"].attrs["no_ref"] = f["fine"].ref


def direct(f, name, v, chunk, filter, options, encode, skips=0):
    """Writes chunks that a filter encodes which this HDF5 does not have."""
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_chunk(chunk)
    p.set_filter(filter, h5py.h5z.FLAG_OPTIONAL, options)
    d = h5py.h5d.create(f.id, name.encode(), h5py.h5t.py_create(v.dtype), h5py.h5s.create_simple(v.shape), p)
    for i in range(0, v.shape[0], chunk[0]):
        for j in range(0, v.shape[1], chunk[1]):
            c = np.zeros(chunk, v.dtype)
            part = v[i:i + chunk[0], j:j + chunk[1]]
            c[:part.shape[0], :part.shape[1]] = part
            d.write_direct_chunk((i, j), encode(c.tobytes()), skips)


def bitshuffle_zstd(b, size, block):
    """The blocks of the filter bitshuffle with Zstandard, of whole numbers of eight elements."""
    elements = np.frombuffer(b, "u1").reshape(-1, size)
    block = block or 8192 // size
    out = len(b).to_bytes(8, "big") + (block * size).to_bytes(4, "big")
    for i in range(0, len(elements), block):
        bits = np.unpackbits(elements[i:i + block], axis=1, bitorder="little")
        z = bytes(numcodecs.Zstd(3).encode(np.packbits(bits.T, bitorder="little").tobytes()))
        out += len(z).to_bytes(4, "big") + z
    return out


def plugins(file, libver):
    v = numbers("<i4", 40, 30)
    names = []
    with h5py.File(file, "w", libver=libver) as f:
        for i, (cname, s) in enumerate([("blosclz", 1), ("lz4", 0), ("lz4", 2), ("lz4hc", 1), ("zlib", 1), ("zstd", 2)]):
            codec = numcodecs.Blosc(cname, shuffle=s)
            direct(f, f"blosc{i}", v, (16, 8), 32001, (2, 2, 4, 512, 5, s, i), lambda b: codec.encode(np.frombuffer(b, "<i4")))
            names.append(f"blosc{i}")
        direct(f, "zstd", v, (16, 8), 32015, (3,), numcodecs.Zstd(3).encode)
        direct(f, "skips", v, (16, 8), 1, (9,), bytes, 1)
        names.append("skips")
        direct(f, "bz2", v, (16, 8), 307, (9,), numcodecs.BZ2(9).encode)
        # The versions of the filter in Debian 12 do not have Zstandard.
        for i, block in enumerate([0, 8, 64, 4096]):
            direct(f, f"bits{i}", v, (16, 8), BITSHUFFLE, (0, 3, 4, block, 3), lambda b: bitshuffle_zstd(b, 4, block))
            names.append(f"bits{i}")
    for name in names + ["zstd", "bz2"]:
        say(file, name, v)


@case
def indexes(f):
    v = numbers("<i4", 40, 30)
    for z in [None, "gzip"]:
        s = z or "raw"
        f.create_dataset("single_" + s, data=v, chunks=(40, 30), compression=z)
        f.create_dataset("fixed_" + s, data=v, chunks=(7, 8), compression=z)
        f.create_dataset("fixedmax_" + s, data=v, chunks=(7, 8), maxshape=(50, 90), compression=z)
        f.create_dataset("extensible_" + s, data=v, chunks=(7, 8), maxshape=(None, 30), compression=z)
        f.create_dataset("swizzled_" + s, data=v, chunks=(7, 8), maxshape=(45, None), compression=z)
        f.create_dataset("tree_" + s, data=v, chunks=(7, 8), maxshape=(None, None), compression=z)
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_chunk((7, 8))
    p.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    h5py.h5d.create(f.id, b"implicit", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((40, 30), (45, 40)), p)
    f["implicit"][...] = v


@case
def long_indexes(f):
    v = numbers("<i2", 9000)
    for z in [None, "gzip"]:
        s = z or "raw"
        f.create_dataset("fixed_" + s, data=v, chunks=(3,), compression=z)
        f.create_dataset("extensible_" + s, data=v, chunks=(1,), maxshape=(None,), compression=z)
        f.create_dataset("tree_" + s, data=v.reshape(90, 100), chunks=(2, 3), maxshape=(None, None), compression=z)
    d = f.create_dataset("sparse", shape=(60000,), dtype="i2", chunks=(4,), maxshape=(None,), fillvalue=7)
    for i in rng.integers(0, 60000, 40):
        d[i] = 1
    d = f.create_dataset("sparse_fixed", shape=(60000,), dtype="i2", chunks=(4,), fillvalue=7)
    for i in rng.integers(0, 60000, 40):
        d[i] = 1


@case
def paged_extensible(f):
    f.create_dataset("x", data=numbers("i1", 70000), chunks=(1,), maxshape=(None,))


@case
def three_dimensions(f):
    v = numbers("<f4", 11, 13, 17)
    f.create_dataset("raw", data=v)
    f.create_dataset("chunks", data=v, chunks=(3, 4, 5), compression="gzip")
    f.create_dataset("middle", data=v, chunks=(3, 4, 5), maxshape=(11, None, 20))
    f.create_dataset("tree", data=v, chunks=(3, 4, 5), maxshape=(None, None, 17))


@case
def resized(f):
    d = f.create_dataset("x", data=numbers("i4", 40, 30), chunks=(7, 8), maxshape=(None, None))
    d.resize((20, 25))
    d = f.create_dataset("y", data=numbers("i4", 40, 30), chunks=(7, 8), maxshape=(100, 30))
    d.resize((20, 30))
    d = f.create_dataset("z", data=numbers("i4", 40), chunks=(7,), maxshape=(None,))
    d.resize((400,))
    d[300:] = 3


@case
def many_members(f):
    for i in range(400):
        f[f"g/d{i}"] = i
        f.create_group(f"h/{i % 20}/{i}")


@case
def many_attributes(f):
    d = f.create_dataset("x", data=numbers("i4", 4))
    for i in range(300):
        d.attrs[f"a{i}"] = i
    f.attrs["title"] = "x" * 2000
    g = f.create_group("ordered", track_order=True)
    for name in "zyxwvutsrqponm":
        g[name] = 1
        g.attrs[name] = name


@case
def attribute_values(f):
    a = f.attrs
    a["i"] = np.int16(-3)
    a["u8"] = np.uint64(2**63 + 9)
    a["f"] = np.float32(0.1)
    a["list"] = np.arange(5, dtype=">i2")
    a["one"] = np.array([7])
    a["grid"] = np.arange(6.0).reshape(2, 3)
    a["text"] = "text, häuser"
    a["bytes"] = np.bytes_(b"fixed")
    a["words"] = ["a", "bc", ""]
    a["fixed_words"] = np.array([b"a", b"bcd"])
    a["none"] = h5py.Empty("f4")
    a["half"] = np.float16(1.5)
    a["z"] = np.complex128(1 + 2j)
    a["struct"] = np.array((1, 2.5), [("p", "i4"), ("q", "f8")])
    a["bools"] = np.array([True, False, True])
    a["empty"] = np.zeros((0,))


@case
def scales(f):
    f["lat"], f["lon"], f["t"] = np.arange(4.0), np.arange(5.0), np.arange(3)
    for n in ["lat", "lon", "t"]:
        f[n].make_scale(n)
    d = f.create_dataset("g/v", data=numbers("f4", 3, 4, 5), chunks=(1, 4, 5), compression="gzip")
    for i, n in enumerate(["t", "lat", "lon"]):
        d.dims[i].attach_scale(f[n])


@case
def links(f):
    f["a"] = np.arange(5)
    f["g/b"] = f["a"]
    f["g/loop"] = f["g"]
    f["type"] = np.dtype("f8")
    f.create_dataset("of_type", data=np.arange(4.0), dtype=f["type"])


@case
def names(f):
    for n in ["a b", "é", "日本", "x.y", "#?%", "with-dash", "{{f0}}", 'q"t']:
        f["g/" + n] = np.arange(3)


def user_block(file, libver):
    with h5py.File(file, "w", libver=libver, userblock_size=1024) as f:
        f["x"] = np.arange(9)
        f.create_dataset("c", data=numbers("f4", 20), chunks=(3,), compression="gzip")
        f.attrs["t"] = "x"
    tell(file)


def huge_attribute(file, libver):
    with h5py.File(file, "w", libver="latest") as f:
        f.attrs["big"] = np.arange(20000)
        for i in range(10):
            f.attrs[f"big{i}"] = np.arange(10000 + i)
    tell(file)


for libver in ["earliest", "latest"]:
    for name, fn in cases.items():
        if ALONE and name not in ALONE:
            continue
        file = f"{name}_{libver}.h5"
        with h5py.File(file, "w", libver=libver) as f:
            fn(f)
        tell(file)
    if ALONE:
        continue
    plugins(f"plugins_{libver}.h5", libver)
    user_block(f"user_block_{libver}.h5", libver)
if ALONE:
    sys.exit()
huge_attribute("huge_attribute.h5", "latest")
with h5py.File("v108.h5", "w", libver=("earliest", "v108")) as f:
    indexes(f)
tell("v108.h5")
with h5py.File("track.h5", "w", track_order=True) as f:
    for n in "zyx":
        f[n], f.attrs[n] = 1, n
tell("track.h5")
netcdf("four.nc")
netcdf("four_classic.nc", "NETCDF4_CLASSIC")
for i in range(12):
    t = TYPES[2 * i + 1]
    with h5py.File(f"random{i}.h5", "w", libver=["earliest", "latest", "v110"][i % 3], fs_strategy="page" if i % 4 == 3 else None) as f:
        for k in range(6):
            rank = int(rng.integers(1, 5))
            shape = tuple(int(n) for n in rng.integers(1, 14, rank))
            chunks = tuple(int(rng.integers(1, n + 1)) for n in shape)
            most = tuple(None if rng.integers(3) == 0 else n + int(rng.integers(0, 9)) for n in shape)
            f.create_dataset(f"d{k}", data=numbers(t, *shape), chunks=chunks, maxshape=most, shuffle=bool(rng.integers(2)),
                             compression=[None, "gzip"][rng.integers(2)], fletcher32=bool(rng.integers(2)))
    tell(f"random{i}.h5")
