// Answers the questions of main.go by the JavaScript package. An answer has error with the name of
// the error's class, or value.

import * as geo from "../../../dist/geo.js";
import * as model from "../../../dist/model.js";
import * as zarr from "../../../dist/node.js";
import * as ome from "../../../dist/ome.js";
import * as xarray from "../../../dist/xarray.js";
import { typedArrays } from "../../lib/documents.mjs";

const bytesOf = (base64) => new Uint8Array(Buffer.from(base64, "base64"));

/** A function's result, or the name of its error. */
function orError(run) {
  try {
    return run();
  } catch (error) {
    return nameOf(error);
  }
}

/** The name of an error's class, or the whole text of an error from outside the package. */
function nameOf(error) {
  const known = error instanceof zarr.ZarrError || /^\w+: /.test(error?.message ?? "");
  return known && !/undefined|not a function|null \(/.test(error.message) ? error.name : String(error?.stack ?? error);
}

/** The root of a hierarchy of these documents and chunks. */
async function rootOf({ documents, chunks }) {
  const files = new Map();
  for (const [key, value] of Object.entries(documents)) files.set(`/${key}`, Buffer.from(model.stringify(value)));
  for (const [key, base64] of Object.entries(chunks ?? {})) files.set(`/${key}`, bytesOf(base64));
  return zarr.open(files, { kind: "group" });
}

/** The node at `path` in it. */
async function nodeOf(ask) {
  const root = await rootOf(ask);
  return ask.path ? root.open(ask.path) : root;
}

const questions = {
  "cf.date": ({ units: text, calendar, value }) => {
    const units = xarray.parseUnits(text, calendar);
    const said = { unit: units.unit, calendar: units.calendar, reference: units.reference };
    let date;
    try {
      date = units.date(value);
    } catch (error) {
      return { ...said, error: nameOf(error) };
    }
    const instant = BigInt.asIntN(64, date.instant) === date.instant ? date.instant : undefined;
    const integer = units.valueInt(date);
    return {
      ...said,
      date,
      dayOfYear: date.dayOfYear,
      instant,
      number: units.value(date),
      integer: integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : undefined,
    };
  },
  "cf.number": ({ units: text, calendar, parts }) => {
    const units = xarray.parseUnits(text, calendar);
    const [year, month, day, hour, minute, second, microsecond] = parts;
    return units.value(new xarray.CFDate({ year, month, day, hour, minute, second, microsecond }, units.calendar));
  },
  "cf.partial": ({ text, calendar }) => {
    const { first, last } = xarray.parsePartial(text, xarray.parseCalendar(calendar));
    return { first, last };
  },
  "cf.datetime64": ({ value, unit, scale }) => {
    const date = xarray.datetime64(BigInt(value), unit, scale);
    return date && { date, text: xarray.datetime64Text(BigInt(value), unit, scale) };
  },
  "cf.decode": ({ attributes, dtype, kind, size, fill, fillValue, format, options, raw }) => {
    const { noMaskAndScale, noDecodeTimes, noConcatCharacters, float32, ...others } = options;
    const source = { attrs: attributes, dtype, type: { kind, size }, fillValue: fill ? fillValue : null, format };
    const decoder = xarray.decoderOf(source, {
      ...others,
      maskAndScale: !noMaskAndScale,
      decodeTimes: !noDecodeTimes,
      concatCharacters: !noConcatCharacters,
      dtype: float32 ? "float32" : undefined,
    });
    const bytes = bytesOf(raw);
    const count = bytes.length / size;
    const data = kind === "char" ? bytes : new typedArrays[dtype](bytes.slice().buffer);
    const shape = [count];
    const decoded = xarray.decodeValues(decoder, { data, shape });
    const { applied, problems, masked, missing } = decoded;
    const said = { attributes: decoder.attributes, applied, problems };
    const values = valuesOf(decoded.data);
    if (kind === "char") return { ...said, dtype: decoded.dtype, values };
    const flags = decoder.flags && decoder.form !== "time" && decoder.form !== "timedelta";
    return {
      ...said,
      dtype: decoded.dtype,
      masked,
      missing,
      values,
      ...(flags && { flags: Array.from(decoded.data, (value) => decoder.flags.of(value)) }),
    };
  },
  "ome.validate": ({ attributes, version }) => ome.validate(attributes, { version: version || undefined }),
  "ome.image": async (ask) => {
    const { index, point, viewport, pixels, box, multiscale } = ask;
    const image = await ome.openImage(await nodeOf(ask), { multiscale });
    const levels = image.levels.map((level) => ({
      path: level.path,
      scale: level.scale,
      translation: level.translation,
      physical: orError(() => level.toPhysical(index)),
      index: orError(() => level.toIndex(point)),
      selection: orError(() => level.selection(box).map((one) => (one ? [one.start, one.stop] : [null, null]))),
    }));
    const { version, name, type, axes, channels, rdefs, intrinsic, problems, label } = image;
    const byText = (map) => map && Object.fromEntries([...map].map(([value, of]) => [String(value), of]));
    return {
      ...{ version, name, type, axes, levels, channels, rdefs, intrinsic, problems, text: String(image) },
      source: ome.sourceOf(image),
      colors: byText(label?.colors),
      properties: byText(label?.properties),
      levelFor: orError(() => image.levelFor({ viewport, pixels }).index),
    };
  },
  "ome.validateImage": async (ask) => ome.validateImage(await nodeOf(ask), { version: ask.version || undefined }),
  "ome.transform": async (ask) => {
    const node = await nodeOf(ask);
    const map = await (await (ask.scene ? ome.openScene(node) : ome.openImage(node))).transform(ask.from, ask.to);
    const there = orError(() => map.apply(ask.point));
    return { matrix: map.matrix, there, back: orError(() => map.inverse().apply(there)) };
  },
  "ome.series": async (ask) => {
    const { layout, images, problems } = await ome.openSeries(await nodeOf(ask));
    return { layout: Number.isInteger(layout) ? layout : 0, images, problems };
  },
  "ome.well": async (ask) => {
    const { images, problems } = await ome.openWell(await nodeOf(ask));
    return { images, problems };
  },
  "ome.plate": async (ask) => {
    const { name, fieldCount, rows, columns, acquisitions, wells, problems } = await ome.openPlate(await nodeOf(ask));
    return { name, fieldCount, rows, columns, acquisitions, wells, problems };
  },
  "ome.labels": async (ask) => {
    const { paths, problems } = await ome.openLabels(await nodeOf(ask));
    return { paths, problems };
  },
  "geo.layout": ({ attributes }) => geo.layoutOf(attributes, "/p"),
  "geo.validate": ({ attributes }) => geo.validate(attributes),
  "geo.affine": ({ affine, place, shape, registration, box }) => {
    const [a, b, c, d] = place;
    const grid = { transform: affine, registration, shape };
    return {
      place: geo.applyAffine(affine, a, b),
      invertible: geo.isInvertible(affine),
      size: geo.pixelSizeOf(affine),
      bounds: geo.affineBounds(affine, [0, 0, c, d]),
      gdal: orError(() => geo.affineToGdal(affine)),
      world: orError(() => geo.pixelToWorld(grid, c, d)),
      composed: geo.composeAffine(affine, geo.affineFromGdal(affine)),
      back: orError(() => geo.invertAffine(affine)),
      outer: geo.gridBounds(grid),
      pixel: orError(() => geo.worldToPixel(grid, a, b)),
      at: orError(() => geo.pixelAt(grid, a, b)),
      window: orError(() => geo.windowOf(grid, box)),
    };
  },
  "geo.georeference": async (ask) => {
    const group = await rootOf(ask);
    return ask.path ? geo.georeference(await group.open(ask.path), { group }) : geo.georeference(group);
  },
  "geo.pyramid": async (ask) => {
    const pyramid = await geo.openPyramid(await nodeOf(ask));
    const { path, kind, levels, crs, bbox, dimensions, resamplingMethod, conventions, problems } = pyramid;
    return {
      pyramid: { path, kind, levels, crs, bbox, dimensions, resamplingMethod, conventions, problems },
      level: orError(() => pyramid.levelFor(ask.units).path),
    };
  },
  "geo.geotransform": ({ value }) => geo.parseGeoTransform(value),
  "geo.gridmapping": ({ value }) => geo.parseGridMapping(value),
  "geo.mercator": ({ place: [a, b] }) => ({
    there: orError(() => geo.lonLatToWebMercator(a, b)),
    back: orError(() => geo.webMercatorToLonLat(a, b)),
    clamped: orError(() => geo.lonLatToWebMercator(a, b, { clamp: true })),
  }),
  "model.flatten": ({ model: of }) => model.flatten(of),
  "model.unflatten": ({ flat }) => model.unflatten(flat),
  "model.equal": ({ a, b }) => [
    model.equalStructure(a, b),
    model.equalStructure(a, b, { attributes: false }),
    model.equalLayout(a, b),
  ],
  "model.of": async (ask) => model.toModel(await nodeOf(ask)),
  "nczarr.hierarchy": async (ask) => {
    const found = await xarray.openNczarr(await nodeOf(ask), { anonymous: ask.anonymous });
    const variables = {};
    for (const [path, variable] of found.variables) {
      const { dims, names, shape, type, attributes, attributeTypes } = variable;
      const text = (list) => list.map((name) => name ?? "");
      variables[path] = { dims: text(dims), names: text(names), shape, type, attributes, attributeTypes };
    }
    const dimensions = {};
    for (const [path, { size, unlimited }] of found.dimensions) {
      dimensions[path] = { name: xarray.nameOf(path), size, unlimited };
    }
    return { groups: found.groups, dimensions, variables, problems: [...found.problems].sort() };
  },
  "xarray.dataset": async (ask) => {
    const ds = await xarray.openDataset(await nodeOf(ask), { decodeCoords: [true, false, "all"][ask.coords] });
    const names = (map) => [...map.keys()].sort();
    const variables = {};
    for (const [name, { dims, shape, attrs, encoding }] of ds.variables) {
      const { dtype: _, _FillValue, ...used } = encoding;
      variables[name] = { dims, shape, attributes: attrs, encoding: used };
    }
    return {
      ...{
        coords: names(ds.coords),
        vars: names(ds.dataVars),
        attributes: ds.attrs,
        problems: [...ds.problems].sort(),
      },
      variables,
      sizes: Object.entries(ds.sizes).map(([name, size]) => ({ name, size })),
    };
  },
  "xarray.select": async (ask) => {
    const ds = await xarray.openDataset(await nodeOf(ask));
    const answer = async ({ label, slice, method, tolerance, period }) => {
      const x = slice ? { start: slice[0], stop: slice[1], step: slice[2] } : label;
      const lookup = { method: method || undefined, tolerance, period: period ? { x: period } : undefined };
      try {
        const { shape, data } = await ds.var("at").sel({ x }, lookup).get();
        return { shape, at: valuesOf(data) };
      } catch (error) {
        return nameOf(error);
      }
    };
    return Promise.all(ask.selections.map(answer));
  },
};

/** Elements as JSON has them. */
function valuesOf(data) {
  if (data instanceof xarray.TimeArray) {
    return Array.from({ length: data.length }, (_, i) => orError(() => data.get(i)));
  }
  if (data instanceof xarray.TimedeltaArray) {
    return Array.from({ length: data.length }, (_, i) => {
      try {
        const micros = data.microseconds(i);
        return micros === null || BigInt.asIntN(64, micros) === micros ? micros : "none";
      } catch {
        return "none";
      }
    });
  }
  return Array.from(data, (value) => (typeof value === "boolean" ? Number(value) : value));
}

/** The answer to a question. */
export async function answer(ask) {
  try {
    return { value: await questions[ask.what](ask) };
  } catch (error) {
    return { error: nameOf(error), message: error?.message };
  }
}

export const terminate = async () => {
  xarray.terminate?.();
  await zarr.terminate?.();
};
