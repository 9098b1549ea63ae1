// The Zarr object model: expected.json's cases and tables, the ZEP's examples, and random
// hierarchies.
import { arrayV2, arrayV3, json } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";

/** The ZEP's examples, copied as printed; filters of v2 are those that Zarr v2 allows. */
export const examples = {
  v2: {
    zarr_format: 2,
    attributes: { foo: 42, bar: false },
    members: {
      foo: {
        zarr_format: 2,
        shape: [1000, 1000],
        chunks: [100, 100],
        dtype: "|u1",
        compressor: null,
        fill_value: 0,
        order: "C",
        dimension_separator: "/",
        filters: null,
        attributes: { baz: true },
      },
    },
  },
  v3: {
    zarr_format: 3,
    node_type: "group",
    attributes: { foo: 42, bar: false },
    members: {
      array: {
        zarr_format: 3,
        node_type: "array",
        attributes: { baz: [1, 2, 3] },
        shape: [1000, 1000],
        data_type: "uint8",
        chunk_grid: { name: "regular", configuration: { chunk_shape: [1000, 100] } },
        chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
        fill_value: 0,
        codecs: [{ name: "bytes" }, { name: "gzip", configuration: { level: 1 } }],
        storage_transformers: [],
        dimension_names: ["rows", "columns"],
      },
    },
  },
};

const sorted = (value) =>
  Array.isArray(value)
    ? value.map(sorted)
    : value && typeof value === "object"
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, sorted(value[key])]),
        )
      : value;

/** Fails unless two JSON values are equal. The comparison is independent of the package. */
function same(got, wanted, what) {
  const [a, b] = [JSON.stringify(sorted(got)), JSON.stringify(sorted(wanted))];
  let at = 0;
  while (a && at < a.length && a[at] === b?.[at]) at++;
  const near = (text) => text?.slice(Math.max(at - 100, 0), at + 100);
  if (a !== b) throw new Error(`${what}, at ${at}: ${near(a)} and not ${near(b)}`);
}

function is(got, wanted, what) {
  if (!Object.is(got, wanted)) throw new Error(`${what}: ${String(got)} and not ${String(wanted)}`);
}

async function fails(name, run, what = "it") {
  try {
    await run();
  } catch (error) {
    if (error.name === name) return error;
    throw new Error(`${what}: ${error.name} and not ${name}: ${error.stack}`);
  }
  throw new Error(`${what} did not fail`);
}

/** A store with a flat model's documents, with or without consolidated metadata. */
function storeOf(flat, consolidated) {
  const store = new Map();
  const put = (key, value) => store.set(`/${key}`, json(value));
  const all = [];
  for (const [path, node] of Object.entries(flat)) {
    const at = path ? `${path}/` : "";
    const { attributes, ...others } = node;
    if (node.zarr_format === 3) all.push([path, node, `${at}zarr.json`]);
    else {
      const name = `${at}${"shape" in node ? ".zarray" : ".zgroup"}`;
      all.push([name, others, name], [`${at}.zattrs`, attributes, `${at}.zattrs`]);
    }
  }
  for (const [, document, key] of all) put(key, document);
  const metadata = Object.fromEntries(all.filter(([name]) => name !== ""));
  if (!consolidated) return store;
  if (flat[""].zarr_format === 2) put(".zmetadata", { zarr_consolidated_format: 1, metadata });
  else {
    put("zarr.json", { ...flat[""], consolidated_metadata: { kind: "inline", must_understand: false, metadata } });
  }
  return store;
}

/** A store of a hierarchy's documents at an address, which lists folders. */
function listed(base, flat) {
  const paths = Object.keys(flat);
  const below = (path) => paths.filter((one) => one !== path && one.startsWith(path ? `${path}/` : ""));
  return {
    async get(key) {
      const answer = await fetch(base + key.split("/").map(encodeURIComponent).join("/"));
      if (answer.status === 404) return undefined;
      if (!answer.ok) throw new Error(`${answer.status}`);
      return new Uint8Array(await answer.arrayBuffer());
    },
    listFolder: (path) => [
      ...new Set(below(path).map((one) => `${one.slice(path ? path.length + 1 : 0).split("/")[0]}/`)),
    ],
  };
}

const names = [
  "a",
  "b",
  "members",
  "_members",
  "x y",
  "é",
  "𝒳",
  "�z",
  "__proto__",
  "constructor",
  "0",
  "10",
  "2",
  "shape",
];

/** A random hierarchy. */
export function hierarchy(pick, format, depth = 0) {
  const attributes = pick(3) === 0 ? {} : { units: "m", nested: { list: [1, null, "x"] }, [names[pick(4)]]: pick(100) };
  const head = format === 3 ? { zarr_format: 3, node_type: "group" } : { zarr_format: 2 };
  if (depth > 0 && (depth > 4 || pick(2) === 0)) {
    const shape = Array.from({ length: pick(3) }, () => 1 + pick(9));
    return format === 3
      ? arrayV3(shape, ["uint8", "float32"][pick(2)], {
          ...(pick(2) ? { dimension_names: shape.map((_, i) => (pick(2) ? `d${i}` : null)) } : {}),
          attributes,
        })
      : arrayV2(shape, ["|u1", "<f4"][pick(2)], {
          compressor: pick(2) ? null : { id: "zlib", level: 1 },
          order: "CF"[pick(2)],
          attributes,
        });
  }
  const own = names.filter(() => pick(3) === 0);
  const members = Object.fromEntries(own.map((name) => [name, hierarchy(pick, format, depth + 1)]));
  return { ...head, attributes, members };
}

export default function* (expected) {
  const cases = expected.cases.filter(({ kind }) => kind === "model");
  const { model_equal } = expected.tables;
  const modelOf = (name) => cases.find(({ id }) => id === `model.${name}`).expect.model;

  for (const { id, store, expect } of cases) {
    yield {
      id,
      async run(t) {
        // A plain server does not list: without consolidated metadata an error is better than an
        // incomplete model.
        const plain = await t.open(store);
        if (plain.consolidated) same(await t.model.toModel(plain), expect.model, "over HTTP");
        else await fails("UnsupportedError", () => t.model.toModel(plain), "the model of what nothing lists");
        const group = await t.zarr.open(listed(`${t.root}${store}`, expect.flat));
        const model = await t.model.toModel(group);
        same(model, expect.model, "the model");
        same(t.model.flatten(model), expect.flat, "its flattening");
        same(t.model.unflatten(expect.flat), expect.model, "what is put together of that");
        same(await t.model.toModel(await group.tree()), expect.model, "the model of the tree");
        same(JSON.parse(t.model.stringify(model)), expect.model, "its text");
        // Each member's own model is part of the whole.
        for (const member of await group.members()) {
          same(await t.model.toModel(await group.open(member.name)), expect.model.members[member.name], member.name);
        }
      },
    };
  }

  for (const { id, a, b, equal, equal_ignoring_attributes, equal_layout } of model_equal) {
    yield {
      id,
      run(t) {
        const [x, y] = [a, b].map((one) => (typeof one === "string" ? modelOf(one) : one));
        for (const [one, other] of [
          [x, y],
          [y, x],
        ]) {
          is(t.model.equalStructure(one, other), equal, "equal");
          is(t.model.equalStructure(one, other, { attributes: false }), equal_ignoring_attributes, "but attributes");
          is(t.model.equalLayout(one, other), equal_layout, "the layout");
        }
      },
    };
  }

  for (const [version, example] of Object.entries(examples)) {
    yield {
      id: `model.example_${version}`,
      async run(t) {
        const flat = t.model.flatten(example);
        same(Object.keys(flat), ["", Object.keys(example.members)[0]], "paths");
        same(t.model.unflatten(flat), example, "back");
        for (const consolidated of [true, false]) {
          const model = await t.model.toModel(await t.zarr.open(storeOf(flat, consolidated)));
          same(model, example, `read, consolidated: ${consolidated}`);
          is(t.model.equalStructure(model, example), true, "equal");
        }
      },
    };
  }

  yield {
    id: "model.example_as_printed",
    run(t) {
      // The printed examples are valid models, although no Zarr has such codecs or filters.
      const printed = structuredClone(examples);
      printed.v2.members.foo.filters = {};
      Object.assign(printed.v3.members.array, {
        data_type: "|u1",
        codecs: [{ name: "GZip", configuration: { level: 1 } }],
      });
      printed.v3.members.array.storage_transformers = null;
      for (const example of Object.values(printed)) same(t.model.unflatten(t.model.flatten(example)), example, "back");
    },
  };

  yield {
    id: "model.consolidated_is_its_flattening",
    async run(t) {
      const group = await t.open("model/xarray_v2.zarr");
      const { metadata } = JSON.parse(await t.text("model/xarray_v2.zarr/.zmetadata"));
      const documents = {};
      for (const [path, { attributes, ...node }] of Object.entries(t.model.flatten(await t.model.toModel(group)))) {
        const at = path ? `${path}/` : "";
        documents[`${at}${"shape" in node ? ".zarray" : ".zgroup"}`] = node;
        documents[`${at}.zattrs`] = attributes;
      }
      same(documents, metadata, "the documents");
    },
  };

  yield {
    id: "model.random_hierarchies",
    async run(t) {
      const pick = random(6);
      let nodes = 0;
      for (let i = 0; i < 60; i++) {
        const wanted = hierarchy(pick, 2 + (i % 2));
        const flat = t.model.flatten(wanted);
        nodes += Object.keys(flat).length;
        same(t.model.unflatten(flat), wanted, "flattened and back");
        is(t.model.stringify(t.model.unflatten(flat)), t.model.stringify(wanted), "flattened and back, in order");
        const backwards = Object.fromEntries(
          Object.entries(flat)
            .reverse()
            .map(([path, one]) => [`/${path}`, one]),
        );
        same(t.model.unflatten(backwards), wanted, "from another order, with slashes");
        const models = [];
        for (const consolidated of [true, false]) {
          const group = await t.zarr.open(storeOf(flat, consolidated));
          const model = await t.model.toModel(group);
          same(model, wanted, `read, consolidated: ${consolidated}`);
          models.push(t.model.stringify(model), t.model.stringify(await t.model.toModel(await group.tree())));
          is(t.model.equalStructure(model, wanted) && t.model.equalLayout(model, wanted), true, "equal");
        }
        is(new Set(models).size, 1, "texts of the same hierarchy");
      }
      if (nodes < 300) throw new Error(`only ${nodes} nodes`);
    },
  };

  const array = arrayV2([1], "|u1", { attributes: {} });

  yield {
    id: "model.hostile_documents",
    async run(t) {
      const put = (documents) => {
        const bytes = (text) => new TextEncoder().encode(text);
        return new Map(Object.entries(documents).map(([key, text]) => [key, bytes(text)]));
      };
      const model = await t.model.toModel(
        await t.zarr.open(
          put({
            "/zarr.json":
              '{"zarr_format":3,"node_type":"group","attributes":{"big":12345678901234567890,"nan":NaN,"__proto__":{"x":1},"z":-0},"members":{"must_understand":false,"a":1},"_members":{"must_understand":false},"__members":{"must_understand":false}}',
          }),
        ),
      );
      is(model.attributes.big, 12345678901234567890n, "an integer of 20 digits");
      is(
        t.model.stringify(model),
        '{"zarr_format":3,"node_type":"group","___members":{"must_understand":false,"a":1},"_members":{"must_understand":false},"__members":{"must_understand":false},"attributes":{"big":12345678901234567890,"nan":NaN,"__proto__":{"x":1},"z":-0},"members":{}}',
        "the text",
      );
      is(t.model.equalStructure(model, model), true, "equals itself");
      // Consolidated metadata may name a node, but not the groups above it.
      const implied = put({
        "/.zmetadata": JSON.stringify({
          zarr_consolidated_format: 1,
          metadata: { ".zgroup": { zarr_format: 2 }, "a/b/.zarray": array, "a/b/.zattrs": { k: 1 } },
        }),
        "/.zgroup": '{"zarr_format":2}',
      });
      same(
        await t.model.toModel(await t.zarr.open(implied)),
        t.model.unflatten({ "": { zarr_format: 2, attributes: {} }, "a/b": { ...array, attributes: { k: 1 } } }),
        "a group without a document",
      );
      // A folder of other files is not a node.
      const other = put({ "/.zgroup": '{"zarr_format":2}', "/notes/readme.txt": "x" });
      same(
        await t.model.toModel(await t.zarr.open(other)),
        { zarr_format: 2, attributes: {}, members: {} },
        "a folder",
      );
      // An unreadable member is an error, not a model without it.
      const damaged = put({ "/.zgroup": '{"zarr_format":2}', "/a/.zarray": '{"zarr_format":2,"shape":"x"}' });
      await fails("InvalidMetadataError", async () => t.model.toModel(await t.zarr.open(damaged)));
      await fails("InvalidMetadataError", async () => t.model.toModel(await (await t.zarr.open(damaged)).tree()));
      // Too many levels are an error.
      const deep = put({
        "/.zgroup": '{"zarr_format":2}',
        "/a/.zgroup": '{"zarr_format":2}',
        "/a/b/.zgroup": '{"zarr_format":2}',
      });
      const group = await t.zarr.open(deep);
      await fails("LimitError", () => t.model.toModel(group, { maxDepth: 1 }));
      await t.model.toModel(group, { maxDepth: 2 });
      const abort = new AbortController();
      abort.abort();
      await fails("AbortError", () => t.model.toModel(group, { signal: abort.signal }));
      for (const value of [null, 1, "x", {}, [], new Map()]) await fails("TypeError", () => t.model.toModel(value));
    },
  };

  yield {
    id: "model.unlisted",
    async run(t) {
      // Nothing lists this store's folders; its attributes lead to some nodes.
      const flat = t.model.flatten(structuredClone(examples.v3));
      flat[""].attributes.multiscales = [{ datasets: [{ path: "array" }] }];
      const map = storeOf(flat, false);
      const group = await t.zarr.open({ get: (key) => map.get(key) });
      await fails("UnsupportedError", () => t.model.toModel(group));
      const model = await t.model.toModel(group, { partial: true });
      same(Object.keys(model.members), ["array"], "members");
    },
  };

  yield {
    id: "model.inline",
    async run(t) {
      // Nodes of another build of the package work, too.
      const inline = await import("../../dist/inline.js");
      try {
        const group = await inline.open(storeOf(t.model.flatten(examples.v3), false));
        same(await t.model.toModel(group), examples.v3, "the model");
        same(await t.model.toModel(await group.tree()), examples.v3, "the model of the tree");
        const missing = await inline.open(
          new Map([
            ["/.zgroup", new TextEncoder().encode('{"zarr_format":2}')],
            ["/x/y", new Uint8Array(1)],
          ]),
        );
        same((await t.model.toModel(missing)).members, {}, "a folder that is not a node");
        is(t.print.toText(group).split("\n")[1], "Type         : Group", "the text");
        is(t.print.toHTML(await group.open("array")).includes("<svg"), true, "the drawing");
      } finally {
        await inline.terminate();
      }
    },
  };

  yield {
    id: "model.hostile_models",
    async run(t) {
      const { flatten, unflatten, equalStructure, equalLayout } = t.model;
      const group = { zarr_format: 2, attributes: {}, members: {} };
      for (const flat of [
        { a: array, "a/b": array },
        { "a/b": array, a: array },
        { "a//b": array },
        { "..": array },
        { "a/.": array },
        { a: array, "/a": array },
        { a: 1 },
        { a: { ...group, members: { b: array } } },
        { "": array, a: array },
      ]) {
        await fails("InvalidMetadataError", () => unflatten(flat), JSON.stringify(flat));
      }
      same(unflatten({}), { zarr_format: 3, node_type: "group", attributes: {}, members: {} }, "nothing");
      same(unflatten({ "": array }), array, "an array alone");
      for (const members of [1, [], { "": array }, { "a/b": array }, { ".": array }, { a: 1 }, { a: null }]) {
        await fails("InvalidMetadataError", () => flatten({ ...group, members }), JSON.stringify(members));
      }
      await fails(
        "InvalidMetadataError",
        () => flatten({ zarr_format: 3, shape: [0], members: { a: array } }),
        "an array with members",
      );
      const endless = { ...group, members: {} };
      endless.members.a = endless;
      await fails("LimitError", () => flatten(endless));
      await fails("LimitError", () => equalStructure(endless, endless));
      await fails("LimitError", () => equalLayout(endless, endless));
      await fails("LimitError", () => t.model.stringify(endless));
      await fails("LimitError", () => unflatten({ [Array(5000).fill("a").join("/")]: array }));
      for (const value of [undefined, null, 1, "x"]) {
        for (const run of [flatten, unflatten, (x) => equalStructure(x, group), (x) => equalLayout(group, x)]) {
          await fails("TypeError", () => run(value), String(value));
        }
      }
    },
  };
}
