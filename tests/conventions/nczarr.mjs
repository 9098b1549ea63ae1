// The cases of expected.json for NCZarr's hierarchies.
import { equal } from "./values.mjs";

/** The cases of expected.json for nczarr. */
export default function* ({ cases }) {
  for (const { id, kind, store, ask, expect } of cases) {
    if (kind === "nczarr") yield { id, run: (t) => check(t, store, ask, expect) };
  }
}

async function check(t, store, ask, expect) {
  const { openNczarr } = t.xarray;
  const root = await t.open(store, "", { kind: "group" });
  // The tests' server does not list, so plain Zarr nodes are opened by name.
  const listed = expect.groups ? root : withMembers(root, Object.keys(expect.variables));
  const found = await openNczarr(listed, { files: true, anonymous: ask.anonymous === "netcdf" });
  equal(found.problems, [], "problems");
  if (expect.groups) equal(found.groups, expect.groups, "groups");
  if (expect.dimensions) {
    const sizes = Object.fromEntries([...found.dimensions].map(([path, { size }]) => [path, size]));
    equal(sizes, expect.dimensions, "dimensions");
  }
  if (expect.unlimited) {
    const unlimited = [...found.dimensions].filter(([, { unlimited }]) => unlimited).map(([path]) => path);
    equal(unlimited, expect.unlimited, "unlimited");
  }
  equal([...found.variables.keys()].sort(), Object.keys(expect.variables).sort(), "variables");
  for (const [path, want] of Object.entries(expect.variables)) {
    const variable = found.variables.get(path);
    const about = (what) => `${path}: ${what}`;
    equal(variable.names, want.names, about("names"));
    for (const name of ["dims", "shape", "type"]) if (want[name]) equal(variable[name], want[name], about(name));
    const read = await variable.array.get(null);
    if (want.joined) equal(t.xarray.joinChars(read.data, read.shape), want.joined, about("joined"));
    if (want.values) equal([...read.data], want.values, about("values"));
    if (expect.values) {
      const values = typeof read === "number" ? [read] : [...read.data];
      equal(values, [expect.values[path]].flat(), about("values"));
    }
    if (expect.user_attributes) {
      equal(variable.attributes, expect.user_attributes[path] ?? {}, about("attributes"));
      equal(variable.attributeTypes, expect.attribute_types[path] ?? {}, about("types of attributes"));
    }
  }
}

/** A group with listed members, as a store that lists returns it. */
function withMembers(group, names) {
  const arrays = async () => new Map(await Promise.all(names.map(async (name) => [name, await group.open(name)])));
  const told = { arrays, groups: async () => new Map() };
  return new Proxy(group, {
    get: (of, name) => {
      const value = told[name] ?? Reflect.get(of, name, of);
      return typeof value === "function" ? value.bind(of) : value;
    },
  });
}
