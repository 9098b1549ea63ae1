// The cases of expected.json for geo, and the properties of any georeference.
//
// Two debatable expectations hold. Bounds of node registration extend half a cell beyond
// spatial:bbox (geo.array_node). A level without spatial:transform takes that of its source, scaled
// (geo.multiscale_relative).

/** Throws unless two values are equal, with slack for numbers. */
export function same(is, expected, slack = 0, at = "") {
  if (typeof expected === "number" && typeof is === "number") {
    if (!(Math.abs(is - expected) <= slack)) throw new Error(`${at}: ${is}, not ${expected}`);
  } else if (Array.isArray(expected) && Array.isArray(is)) {
    if (is.length !== expected.length) throw new Error(`${at}: ${is.length} items, not ${expected.length}`);
    expected.forEach((one, i) => {
      same(is[i], one, slack, `${at}/${i}`);
    });
  } else if (expected && is && typeof expected === "object" && typeof is === "object") {
    same(Object.keys(is).sort().join(), Object.keys(expected).sort().join(), 0, `${at}: members`);
    for (const key of Object.keys(expected)) same(is[key], expected[key], slack, `${at}/${key}`);
  } else if (is !== expected) throw new Error(`${at}: ${JSON.stringify(is)}, not ${JSON.stringify(expected)}`);
}

/** The written parts of a system, which determine its code and name. */
function written(crs) {
  const { epsg: _, name: __, ...rest } = crs ?? {};
  return crs ? rest : null;
}

/** The array at a path of a store, and the store's group. */
async function opened(t, store, path) {
  const group = await t.open(store, "", { kind: "group" });
  return { group, array: await group.open(path, { kind: "array" }) };
}

function checkGeoreference(found, { grid_mapping_name, parameters, epsg, name, crs, ...rest }) {
  for (const [fact, value] of Object.entries(rest)) same(found[fact], value, 0, fact);
  if (crs !== undefined) same(written(found.crs), crs, 0, "crs");
  if (epsg !== undefined) same(found.crs?.epsg ?? null, epsg, 0, "epsg");
  if (name !== undefined) same(found.crs?.name, name, 0, "name");
  if (grid_mapping_name !== undefined) same(found.gridMapping?.name, grid_mapping_name, 0, "grid_mapping_name");
  if (parameters !== undefined) same(found.gridMapping?.parameters, parameters, 0, "parameters");
  same(found.problems, [], 0, "problems");
  for (const fact of ["transform", "crs", "dimensions"]) {
    if (found[fact] && !found.stated[fact]?.path.startsWith("/")) throw new Error(`nobody stated ${fact}`);
  }
}

function checkLevel(level, expected, i) {
  for (const [fact, value] of Object.entries(expected)) {
    const at = `levels/${i}/${fact}`;
    if (fact === "asset") same(level.path, value, 0, at);
    else if (fact === "derived_from") same(level.derivedFrom ?? null, value, 0, at);
    else if (fact === "scale_to_base") same(level.scaleToRoot, [value, value], 0, at);
    else if (fact === "scale_to_root") same(level.scaleToRoot, value, 1e-12, at);
    else if (fact === "pixel_size") same(level.pixelSize, [value, value], 1e-9 * value, at);
    else if (fact === "pixels_per_tile") same(level.tileShape, [value, value], 0, at);
    else if (fact === "crs") same(level.crs?.code, value, 0, at);
    else same(level[fact] ?? null, value, fact === "transform" ? 1e-12 : 0, at);
  }
}

function* cases({ cases }) {
  for (const { id, kind, store, variable, group: path, expect } of cases) {
    if (kind !== "geo") continue;
    yield {
      id,
      run: async (t) => {
        if (variable !== undefined) {
          const { group, array } = await opened(t, store, variable);
          checkGeoreference(await t.geo.georeference(array, { group }), expect);
          same(t.geo.validate(array.attrs, array), [], 0, "violations");
          return;
        }
        const { kind = "multiscales", levels, crs, bbox } = expect;
        const group = await t.open(store, path, { kind: "group" });
        same(t.geo.validate(group.attrs, group), [], 0, "violations");
        const pyramid = await t.geo.openPyramid(group);
        same(pyramid.kind, kind, 0, "kind");
        same(pyramid.levels.length, levels.length, 0, "levels");
        levels.forEach((expected, i) => {
          checkLevel(pyramid.levels[i], expected, i);
        });
        if (crs !== undefined) same(written(pyramid.crs), crs, 0, "crs");
        if (bbox !== undefined) same(pyramid.bbox, bbox, 0, "bbox");
        same(pyramid.problems, [], 0, "problems");
      },
    };
  }
}

function* pixels({ tables }) {
  for (const { id, store, group: path, level, row, col, x, y } of tables.geo_pixels) {
    yield {
      id,
      run: async (t) => {
        const { geo } = t;
        const grids = [];
        const group = await t.open(store, "", { kind: "group" });
        if (level !== undefined) {
          const pyramid = await geo.openPyramid(group);
          grids.push(pyramid.levels.find((one) => one.path === String(level)));
        }
        // A level and its array agree.
        const at = store.includes("/multiscale.zarr") ? `${path}/b04` : path;
        grids.push(await geo.georeference(await group.open(at, { kind: "array" }), { group }));
        for (const grid of grids) {
          const slack = 1e-9 * Math.max(...geo.pixelSizeOf(grid.transform));
          same(geo.pixelToWorld(grid, row, col), [x, y], slack, "x, y");
          same(geo.worldToPixel(grid, x, y), [row, col], 1e-9, "row, col");
          same(geo.pixelAt(grid, x, y), [row, col], 0, "pixelAt");
        }
      },
    };
  }
}

function* levels({ tables }) {
  for (const { id, store, units_per_screen_pixel: units, level } of tables.geo_levels) {
    yield {
      id,
      run: async (t) => {
        const pyramid = await t.geo.openPyramid(await t.open(store, "", { kind: "group" }));
        same(pyramid.levelFor(units).path, level, 0, "level");
      },
    };
  }
}

function* examples({ tables }) {
  for (const { id, file, ...expect } of tables.geo_examples) {
    yield {
      id,
      run: async (t) => {
        const { attributes, node_type: kind, dimension_names: dimensionNames } = JSON.parse(await t.text(file));
        same(t.geo.validate(attributes, { kind, dimensionNames }), [], 0, "violations");
        const names = t.geo.conventionsOf(attributes).map(({ name }) => name);
        same(names.sort(), expect.conventions, 0, "conventions");
        const known = t.geo.conventionsOf(attributes).map(({ known }) => known);
        same(known.sort(), expect.conventions.map((name) => name.replace(":", "")).sort(), 0, "known");
        const layout = t.geo.layoutOf(attributes);
        same(layout?.levels.length ?? 0, expect.levels.length, 0, "levels");
        expect.levels.forEach((level, i) => {
          checkLevel(layout.levels[i], level, i);
        });
        same(layout?.problems ?? [], [], 0, "problems");
        // The group's own statements, as a node of the package.
        const node = { kind: "group", path: "/", attrs: attributes, members: async () => [] };
        const found = await t.geo.georeference(node);
        same(found.crs?.code ?? null, expect.crs_code, 0, "crs");
        for (const fact of ["transform", "bbox", "dimensions"]) same(found[fact] ?? null, expect[fact], 0, fact);
      },
    };
  }
}

function* webMercator({ tables }) {
  for (const [i, { lon, lat, x, y }] of tables.web_mercator.entries()) {
    yield {
      id: `web_mercator.${String(i).padStart(4, "0")}`,
      run: async ({ geo }) => {
        same(geo.lonLatToWebMercator(lon, lat), [x, y], 1e-6, "x, y");
        same(geo.webMercatorToLonLat(x, y), [lon, lat], 1e-11, "lon, lat");
      },
    };
  }
}

/** The cases of expected.json for geo. */
export default function* (expected) {
  yield* cases(expected);
  yield* pixels(expected);
  yield* levels(expected);
  yield* examples(expected);
  yield* webMercator(expected);
}
