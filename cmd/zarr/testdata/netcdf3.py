"""Files of NetCDF-3 in its three versions, of netCDF4."""
CLASSIC = ["i1", "S1", "i2", "i4", "f4", "f8"]
FORMATS = {"NETCDF3_CLASSIC": CLASSIC, "NETCDF3_64BIT_OFFSET": CLASSIC, "NETCDF3_64BIT_DATA": CLASSIC + ["u1", "u2", "u4", "i8", "u8"]}


def some(t, *shape):
    if t == "S1":
        return rng.integers(97, 123, shape).astype("u1").view("S1")
    return numbers(t, *shape)


def write(file, format, fn):
    with netCDF4.Dataset(file, "w", format=format) as f:
        f.set_fill_on()
        fn(f)
    told_netcdf(file)


def types(f):
    """Fixed variables and records of odd sizes of each type: padding lies between them."""
    f.createDimension("t", None)
    f.createDimension("y", 3)
    f.createDimension("x", 7)
    for t in FORMATS[f.data_model]:
        fill = None if t == "S1" else numbers(t, 1)[0]
        f.createVariable("fixed_" + t, t, ("y", "x"), fill_value=fill)[:] = some(t, 3, 7)
        f.createVariable("scalar_" + t, t, ())[...] = some(t, 1)[0]
        f.createVariable("line_" + t, t, ("x",))[:] = some(t, 7)
        f.createVariable("records_" + t, t, ("t", "y", "x"), fill_value=fill)[:] = some(t, 5, 3, 7)
        f.createVariable("series_" + t, t, ("t",))[:] = some(t, 5)
        f.createVariable("unwritten_" + t, t, ("t", "x"), fill_value=fill)


def no_records(f):
    f.createDimension("t", None)
    f.createDimension("x", 7)
    for t in FORMATS[f.data_model]:
        f.createVariable("records_" + t, t, ("t", "x"))
        f.createVariable("fixed_" + t, t, ("x",))[:] = some(t, 7)
    f.createVariable("series", "f8", ("t",))


def attributes(f):
    f.title, f.empty, f.umlaut = "a title", "", "häuser 日本"
    f.createDimension("x", 2)
    v = f.createVariable("v", "f4", ("x",), fill_value=np.nan)
    v[:] = [1, np.nan]
    w = f.createVariable("w-1.x @+", "f8", ("x",), fill_value=-np.inf)
    w[:] = [1, -np.inf]
    for t in FORMATS[f.data_model]:
        if t != "S1":
            v.setncattr("one_" + t, numbers(t, 1)[0])
            v.setncattr("five_" + t, numbers(t, 5))
    v.units, v.scale_factor, v.missing_value = "K", 0.5, np.float32(-9)
    v.nan, v.inf = np.nan, np.array([np.inf, -np.inf])


def only(t, *rest):
    """One variable of records has no padding between them."""
    def fn(f):
        f.createDimension("t", None)
        for i, n in enumerate(rest):
            f.createDimension(f"d{i}", n)
        f.createVariable("v", t, ("t", *[f"d{i}" for i in range(len(rest))]))[:] = some(t, 9, *rest)
        f.createVariable("fixed", "i1", ("d0",) if rest else ())[...] = 3
    return fn


def large(f):
    """Variables and records above the size of a slab."""
    f.createDimension("t", None)
    f.createDimension("y", 3000)
    f.createDimension("x", 1500)
    f.createVariable("fixed", "f4", ("y", "x"))[:] = rng.random((3000, 1500), "f4")
    f.createVariable("records", "f4", ("t", "y", "x"))[:2] = rng.random((2, 3000, 1500), "f4")
    f.createVariable("time", "f8", ("t",))[:] = [0.5, 1.5]


def many(f):
    """More records than are inline: a series of many chunks."""
    f.createDimension("t", None)
    f.createDimension("x", 15000)
    f.createVariable("v", "i2", ("t", "x"))[:] = rng.integers(-99, 99, (600, 15000))
    f.createVariable("t", "f8", ("t",))[:] = np.arange(600) / 2


def chance(f):
    lengths = [int(n) for n in rng.integers(1, 9, 5)]
    f.createDimension("t", None)
    for i, n in enumerate(lengths):
        f.createDimension(f"d{i}", n)
    count = int(rng.integers(0, 6))
    for k in range(int(rng.integers(1, 9))):
        t = FORMATS[f.data_model][rng.integers(len(FORMATS[f.data_model]))]
        axes = [int(i) for i in rng.integers(0, 5, rng.integers(0, 4))]
        dims, shape = [f"d{i}" for i in axes], [lengths[i] for i in axes]
        if rng.integers(2):
            dims, shape = ["t"] + dims, [count] + shape
        v = f.createVariable(f"v{k}", t, dims)
        if 0 not in shape:
            v[...] = some(t, *shape) if shape else some(t, 1)[0]
        v.number = k


for format in FORMATS:
    netcdf(f"{format}.nc", format)
    for fn in [types, no_records, attributes]:
        write(f"{fn.__name__}_{format}.nc", format, fn)
    for i, t in enumerate(FORMATS[format]):
        write(f"only_{t}_{format}.nc", format, only(t, 3, 1) if i % 2 else only(t))
    for i in range(12):
        write(f"chance{i}_{format}.nc", format, chance)
    write(f"odd_{format}.nc", format, only("i2", 3))
    # A writer that streams leaves the number of records open: the size of the file has it.
    for name in ["types", "odd", "no_records"]:
        b = bytearray(open(f"{name}_{format}.nc", "rb").read())
        width = 8 if format == "NETCDF3_64BIT_DATA" else 4
        b[4:4 + width] = b"\xff" * width
        open(f"streamed_{name}_{format}.nc", "wb").write(b)
        told_netcdf(f"{name}_{format}.nc", f"streamed_{name}_{format}.nc")
write("large.nc", "NETCDF3_CLASSIC", large)
write("many.nc", "NETCDF3_64BIT_OFFSET", many)
