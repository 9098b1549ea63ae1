import type { ZarrArray } from "../api/array.js";
import { guessed, stated } from "./fact.js";
import type { Axis, Field, Values } from "./field.js";

/** @internal What can be said of an array that follows no convention: its last two dimensions are drawn. */
export function plainField(array: ZarrArray): Field {
  const rank = array.shape.length;
  const axes = array.shape.map((length, d): Axis => {
    const name = array.dimensionNames?.[d] || `dim_${d}`;
    const role = rank - 1 === d ? "x" : rank - 2 === d ? "y" : "other";
    return { name, title: name, role: guessed(role, "its position"), length, units: "", coordinate: async () => null };
  });
  const plane = { x: rank > 0 ? rank - 1 : null, y: rank > 1 ? rank - 2 : null, up: false, left: false };
  const name = array.path.split("/").at(-1) || "/";
  return {
    path: array.path,
    name,
    title: stated(name, "the array's path"),
    units: "",
    values: valuesOf(array),
    axes,
    levels: [{ array, factor: array.shape.map(() => 1), start: array.shape.map(() => 0) }],
    plane: guessed(plane, "the last two dimensions"),
    indices: array.shape.map(() => 0),
    colourAxis: null,
    channels: null,
    packing: { scale: 1, offset: 0, missing: [], valid: null },
    categories: [],
    labels: false,
    range: null,
    scale: guessed("sequential", "nothing says otherwise"),
    place: null,
    members: array.type.kind === "struct" ? (array.type.fields ?? []).map(({ name }) => name) : [],
    text: String,
  };
}

function valuesOf({ type }: ZarrArray): Values {
  switch (type.kind) {
    case "bool":
      return "boolean";
    case "complex":
      return "complex";
    case "struct":
      return "struct";
    case "datetime":
      return "time";
    case "timedelta":
      return "duration";
    case "int":
    case "uint":
    case "float":
    case "minifloat":
      return "number";
    case "raw":
    case "bytes":
      return "bytes";
    default:
      return "text";
  }
}
