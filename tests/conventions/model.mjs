// The Zarr object model: expected.json's cases and tables, the ZEP's examples, and hierarchies made at random.

/** The ZEP's examples, by hand as printed; of v2's, filters are what Zarr v2 allows. */
const examples = {
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

/** Fails unless two JSON values are equal. They are compared without anything of the package. */
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

/** Numbers that are the same in every run. */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A store that has a flat model's documents, with consolidated metadata or without. */
function storeOf(flat, consolidated) {
  const store = new Map();
  const put = (key, value) => store.set(`/${key}`, new TextEncoder().encode(JSON.stringify(value)));
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

/** A hierarchy. */
function hierarchy(pick, format, depth = 0) {
  const attributes = pick(3) === 0 ? {} : { units: "m", nested: { list: [1, null, "x"] }, [names[pick(4)]]: pick(100) };
  const head = format === 3 ? { zarr_format: 3, node_type: "group" } : { zarr_format: 2 };
  if (depth > 0 && (depth > 4 || pick(2) === 0)) {
    const shape = Array.from({ length: pick(3) }, () => 1 + pick(9));
    return format === 3
      ? {
          zarr_format: 3,
          node_type: "array",
          shape,
          data_type: ["uint8", "float32"][pick(2)],
          chunk_grid: { name: "regular", configuration: { chunk_shape: shape } },
          chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
          fill_value: 0,
          codecs: [{ name: "bytes", configuration: { endian: "little" } }],
          ...(pick(2) ? { dimension_names: shape.map((_, i) => (pick(2) ? `d${i}` : null)) } : {}),
          attributes,
        }
      : {
          zarr_format: 2,
          shape,
          chunks: shape,
          dtype: ["|u1", "<f4"][pick(2)],
          compressor: pick(2) ? null : { id: "zlib", level: 1 },
          fill_value: 0,
          order: "CF"[pick(2)],
          filters: null,
          attributes,
        };
  }
  const own = names.filter(() => pick(3) === 0);
  const members = Object.fromEntries(own.map((name) => [name, hierarchy(pick, format, depth + 1)]));
  return { ...head, attributes, members };
}

export default function* (expected) {
  const cases = expected.cases.filter(({ kind }) => kind === "model");
  const { model_equal, model_valid } = expected.tables;
  const modelOf = (name) => cases.find(({ id }) => id === `model.${name}`).expect.model;

  for (const { id, store, expect } of cases) {
    yield {
      id,
      async run(t) {
        // A plain server does not list: without consolidated metadata no model is better than a part of one.
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
        const schema = expect.model.zarr_format === 2 ? t.model.schemaV2 : t.model.schemaV3;
        same(t.model.validate(model, schema), [], "its problems");
        // Each member's own model is the part of the whole.
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

  for (const { id, schema, model_of, model, valid } of model_valid) {
    yield {
      id,
      async run(t) {
        const value = model ?? modelOf(model_of);
        const problems = t.model.validate(value, JSON.parse(await t.text(schema)));
        is(problems.length === 0, valid, JSON.stringify(problems));
        const own = { "model/schema_v2.json": t.model.schemaV2, "model/schema_v3.json": t.model.schemaV3 }[schema];
        if (own) is(t.model.validate(value, own).length === 0, valid, "by the schema of the package");
      },
    };
  }

  yield {
    id: "model_schema_corrections",
    run(t) {
      // Each line of the table is about the schemas as the ZEP prints them, and tells what ours say instead.
      is(expected.tables.model_schema_corrections.length, 3, "corrections");
      const { validate, schemaV2, schemaV3 } = t.model;
      const wrong = (model, schema) => validate(model, schema).map(({ path, keyword }) => `${path} ${keyword}`);
      const edited = (model, edit) => {
        const copy = structuredClone(model);
        edit(Object.values(copy.members)[0], copy);
        return copy;
      };
      for (const name of ["zarr_format", "node_type"]) {
        const without = edited(examples.v3, (array) => delete array[name]);
        same(wrong(without, schemaV3), ["/members/array required"], `an array without ${name}`);
        const root = edited(examples.v3, (_, group) => delete group[name]);
        same(wrong(root, schemaV3), [" required"], `a group without ${name}`);
      }
      const allowed = [
        (array) => Object.assign(array, { dimension_names: [null, "x"] }),
        (array) => Object.assign(array, { data_type: { name: "r8" }, codecs: ["bytes"], chunk_grid: "regular" }),
      ];
      for (const edit of allowed) same(wrong(edited(examples.v3, edit), schemaV3), [], "v3");
      for (const [name, value] of [
        ["compressor", { id: "zlib" }],
        ["filters", [{ id: "delta" }]],
        ["dtype", [["a", "<i4"]]],
      ]) {
        same(
          wrong(
            edited(examples.v2, (array) => Object.assign(array, { [name]: value })),
            schemaV2,
          ),
          [],
          name,
        );
      }
      for (const name of ["fill_value", "zarr_format", "attributes"]) {
        same(
          wrong(
            edited(examples.v2, (array) => delete array[name]),
            schemaV2,
          ),
          ["/members/foo required"],
          name,
        );
      }
      for (const name of ["_members", "__members"]) {
        same(wrong({ ...examples.v3, [name]: { v: 1 } }, schemaV3), [], name);
      }
      same(wrong({ ...examples.v3, members_: 1 }, schemaV3), [" additionalProperties"], "members_");
    },
  };

  for (const [version, example] of Object.entries(examples)) {
    yield {
      id: `model.example_${version}`,
      async run(t) {
        const flat = t.model.flatten(example);
        same(Object.keys(flat), ["", Object.keys(example.members)[0]], "paths");
        same(t.model.unflatten(flat), example, "back");
        same(t.model.validate(example), [], "problems");
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
      // The printed examples are models like others, though no Zarr has such codecs or filters.
      const printed = structuredClone(examples);
      printed.v2.members.foo.filters = {};
      Object.assign(printed.v3.members.array, {
        data_type: "|u1",
        codecs: [{ name: "GZip", configuration: { level: 1 } }],
      });
      printed.v3.members.array.storage_transformers = null;
      for (const example of Object.values(printed)) same(t.model.unflatten(t.model.flatten(example)), example, "back");
      same(t.model.validate(printed.v3), [], "v3");
      const [problem, ...others] = t.model.validate(printed.v2);
      is(others.length, 0, "other problems");
      same([problem.path, problem.keyword], ["/members/foo/filters", "type"], "the problem");
    },
  };

  yield {
    id: "model.xarray",
    async run(t) {
      // The ZEP's check of a convention: a schema that is made of the package's.
      const schema = structuredClone(t.model.schemaV2);
      schema.$defs.Array.properties.attributes = {
        type: "object",
        required: ["_ARRAY_DIMENSIONS"],
        properties: { _ARRAY_DIMENSIONS: { type: "array", items: { type: "string" } } },
      };
      const hierarchyWith = (attributes) => ({
        zarr_format: 2,
        attributes: {},
        members: { array_0: { ...examples.v2.members.foo, shape: [10, 10], chunks: [10, 10], attributes } },
      });
      same(t.model.validate(hierarchyWith({ _ARRAY_DIMENSIONS: ["a", "b"] }), schema), [], "valid");
      const [problem, ...others] = t.model.validate(hierarchyWith({ foo: 10 }), schema);
      is(others.length, 0, "other problems");
      is(problem.path, "/members/array_0/attributes", "where");
      is(problem.message, "_ARRAY_DIMENSIONS is missing", "what");
      const theirs = JSON.parse(await t.text("model/schema_xarray_v2.json"));
      for (const attributes of [{ _ARRAY_DIMENSIONS: ["a", "b"] }, { _ARRAY_DIMENSIONS: "a" }, { foo: 10 }]) {
        const model = hierarchyWith(attributes);
        is(t.model.validate(model, schema).length === 0, t.model.validate(model, theirs).length === 0, "as theirs");
      }
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
          same(t.model.validate(model), [], "problems");
          is(t.model.equalStructure(model, wanted) && t.model.equalLayout(model, wanted), true, "equal");
        }
        is(new Set(models).size, 1, "texts of the same hierarchy");
      }
      if (nodes < 300) throw new Error(`only ${nodes} nodes`);
    },
  };

  yield {
    id: "model.schemas_agree",
    async run(t) {
      // Models that are spoiled at random are judged by the package's schemas as by those of the fixtures.
      const theirs = {
        2: JSON.parse(await t.text("model/schema_v2.json")),
        3: JSON.parse(await t.text("model/schema_v3.json")),
      };
      const ours = { 2: t.model.schemaV2, 3: t.model.schemaV3 };
      const pick = random(66);
      const values = [
        null,
        true,
        0,
        -1,
        1.5,
        3,
        "C",
        "group",
        "array",
        "x",
        [],
        [1],
        ["x"],
        [null],
        [{}],
        {},
        { name: "x" },
      ];
      values.push({ name: 1 }, { name: "x", configuration: [] }, { name: "x", must_understand: false }, { extra: 1 });
      const spoil = (node) => {
        const keys = Object.keys(node);
        const key = pick(4) === 0 ? ["extra", "__members", "node_type", "members"][pick(4)] : keys[pick(keys.length)];
        const inner = node[key];
        if (inner && typeof inner === "object" && Object.keys(inner).length > 0 && pick(2)) spoil(inner);
        else if (pick(4) === 0) delete node[key];
        else node[key] = structuredClone(values[pick(values.length)]);
      };
      let invalid = 0;
      for (let i = 0; i < 1500; i++) {
        const format = 2 + (i % 2);
        const model = hierarchy(pick, format);
        spoil(model);
        const [own, other] = [ours, theirs].map((schemas) => t.model.validate(model, schemas[format]).length === 0);
        is(own, other, JSON.stringify(model));
        if (!own) invalid++;
      }
      if (invalid < 300) throw new Error(`only ${invalid} were spoiled`);
    },
  };

  const array = { zarr_format: 2, shape: [1], chunks: [1], dtype: "|u1", compressor: null, fill_value: 0, order: "C" };
  Object.assign(array, { filters: null, attributes: {} });

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
      // Consolidated metadata that name a node, but not the groups above it.
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
      // A folder of something else is no node.
      const other = put({ "/.zgroup": '{"zarr_format":2}', "/notes/readme.txt": "x" });
      same(
        await t.model.toModel(await t.zarr.open(other)),
        { zarr_format: 2, attributes: {}, members: {} },
        "a folder",
      );
      // What cannot be opened is an error, not a model without it.
      const damaged = put({ "/.zgroup": '{"zarr_format":2}', "/a/.zarray": '{"zarr_format":2,"shape":"x"}' });
      await fails("InvalidMetadataError", async () => t.model.toModel(await t.zarr.open(damaged)));
      await fails("InvalidMetadataError", async () => t.model.toModel(await (await t.zarr.open(damaged)).tree()));
      // So are levels beyond the limit.
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
      // Nodes of another build of the package are as good.
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
        same((await t.model.toModel(missing)).members, {}, "a folder that is no node");
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
      const { flatten, unflatten, equalStructure, equalLayout, validate } = t.model;
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
      await fails("LimitError", () => validate(endless));
      await fails("LimitError", () => t.model.stringify(endless));
      await fails("LimitError", () => unflatten({ [Array(5000).fill("a").join("/")]: array }));
      for (const value of [undefined, null, 1, "x"]) {
        for (const run of [flatten, unflatten, (x) => equalStructure(x, group), (x) => equalLayout(group, x)]) {
          await fails("TypeError", () => run(value), String(value));
        }
      }
      // What is no model is judged, whatever it is.
      for (const value of [null, 1, "x", [], {}, Number.NaN, 10n]) is(validate(value).length > 0, true, String(value));
    },
  };

  const many = (n, one) => Array.from({ length: n }, (_, i) => one(i));
  /** What a schema says of values: valid ones, and others. */
  const keywords = {
    true: [true, [1], []],
    false: [false, [], [1, {}]],
    type: [{ type: ["integer", "null"] }, [1, 2.0, null, 10n, 1e300], [1.5, "1", true, [], {}, Number.NaN]],
    number: [{ type: "number" }, [1, 1.5, 10n, -0], ["1", null]],
    const: [{ const: { a: [1, 2] } }, [{ a: [1.0, 2] }], [{ a: [2, 1] }, { a: [1, 2], b: 1 }]],
    "const false": [{ const: false }, [false], [0, null, ""]],
    "const integer": [{ const: 9007199254740993n }, [9007199254740993n], [9007199254740992, 9007199254740992n]],
    enum: [{ enum: [1, "x", null, [0]] }, [1.0, "x", null, [0]], [true, "1", [false], undefined ?? {}]],
    allOf: [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, [1, 2, 3, "x"], [0, 4]],
    anyOf: [{ anyOf: [{ type: "string" }, { minimum: 3, type: "number" }] }, ["x", 3], [2, null]],
    oneOf: [{ oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3, 4], [6, 1]],
    not: [{ not: { type: "string" } }, [1], ["x"]],
    // biome-ignore lint/suspicious/noThenProperty: it is the keyword's name
    if: [{ if: { type: "string" }, then: { minLength: 2 }, else: { minimum: 2 } }, ["xx", 2], ["x", 1]],
    properties: [{ properties: { a: { type: "null" } } }, [{}, { a: null }, { b: 1 }, 1], [{ a: 1 }]],
    patternProperties: [{ patternProperties: { "^x": { type: "null" } } }, [{ x1: null, y: 1 }], [{ x1: 1 }]],
    additionalProperties: [
      { properties: { a: true }, patternProperties: { "^x": true }, additionalProperties: { type: "null" } },
      [{ a: 1, x1: 1, b: null }],
      [{ b: 1 }],
    ],
    propertyNames: [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }, {}], [{ abc: 1 }]],
    required: [{ required: ["a", "toString"] }, [{ a: undefined ?? 1, toString: 1 }, "x"], [{ a: 1 }, {}]],
    dependentRequired: [{ dependentRequired: { a: ["b"] } }, [{}, { b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
    dependentSchemas: [{ dependentSchemas: { a: { minProperties: 2 } } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
    "size of objects": [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }, { a: 1, b: 1 }], [{}, { a: 1, b: 1, c: 1 }]],
    items: [{ items: { type: "integer" } }, [[], [1, 2], "x"], [[1, "x"]]],
    prefixItems: [{ prefixItems: [{ const: 1 }, true], items: { const: 3 } }, [[], [1], [1, 9, 3]], [[2], [1, 9, 9]]],
    "size of lists": [{ minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], [1, 2, 3]]],
    uniqueItems: [
      { uniqueItems: true },
      [[], [1, "1", true], [{ a: 1 }, { a: 2 }]],
      [
        [1, 1.0],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    contains: [{ contains: { const: 1 } }, [[1], [2, 1]], [[], [2]]],
    "contains so many": [{ contains: { const: 1 }, minContains: 0, maxContains: 1 }, [[], [1]], [[1, 1]]],
    bounds: [{ exclusiveMinimum: 1, exclusiveMaximum: 2 }, [1.5], [1, 2, 1n, 3]],
    "bounds of large integers": [{ maximum: 9007199254740993n }, [9007199254740993n, 1e15], [9007199254740994n, 1e16]],
    multipleOf: [{ multipleOf: 0.01 }, [0.07, 19.99, 4, 1e300], [0.075, Number.NaN, Number.POSITIVE_INFINITY]],
    length: [{ minLength: 1, maxLength: 2 }, ["𝒳𝒳", "a"], ["", "abc"]],
    pattern: [{ pattern: "^_+members$" }, ["_members", "__members", 1], ["members", "_members_", ""]],
    ref: [
      { $ref: "#/$defs/a~1b%25", $defs: { "a/b%": { items: { $ref: "#" } } }, maxItems: 1 },
      [[], [[[]]]],
      [[1, 2], [[[1, 2]]]],
    ],
    annotations: [{ title: "x", format: "date", default: 3, "x-own": { type: "no" } }, ["no date", 1], []],
  };
  for (const [name, [schema, valid, invalid]] of Object.entries(keywords)) {
    yield {
      id: `model.schema ${name}`,
      run(t) {
        for (const [values, wanted] of [
          [valid, true],
          [invalid, false],
        ]) {
          for (const value of values) {
            is(t.model.validate(value, schema).length === 0, wanted, `${t.model.stringify(value)} ${typeof value}`);
          }
        }
      },
    };
  }

  const refused = {
    UnsupportedError: [
      { unevaluatedProperties: false },
      { $dynamicRef: "#x" },
      { $ref: "https://example.org/schema" },
      { $ref: "#anchor" },
      { $schema: "http://json-schema.org/draft-07/schema#" },
      { properties: { a: { anyOf: [{ dependencies: {} }] } } },
      { $defs: { unused: { minimun: 1 } } },
      { $defs: { a: { $id: "x" } } },
      { pattern: "(?=x)" },
      { pattern: "(a)\\1" },
      { pattern: "\\p{L}" },
      { patternProperties: { "(?<!x)": true } },
    ],
    InvalidMetadataError: [
      { type: "text" },
      { type: [] },
      { enum: 1 },
      { properties: [] },
      { properties: { a: 1 } },
      { items: [{}] },
      { allOf: [] },
      { anyOf: {} },
      { required: "a" },
      { required: [1] },
      { minLength: -1 },
      { maxItems: 1.5 },
      { minimum: "1" },
      { multipleOf: 0 },
      { uniqueItems: 1 },
      { dependentRequired: { a: "b" } },
      { $ref: "#/$defs/none" },
      { $ref: "#/%" },
      { $ref: "#" },
      { $ref: 1 },
      { anyOf: [{ type: "string" }, { $ref: "#/$defs/a" }], $defs: { a: { allOf: [{ $ref: "#/$defs/a" }] } } },
      ...[
        "(",
        ")",
        "[",
        "a{2,1}",
        "*",
        "a**",
        "\\",
        "\\y",
        "[b-a]",
        "{",
        "x{",
        "^*",
        "(?x)",
        "\\u{110000}",
        "[\\w-a]",
      ].map((pattern) => ({ pattern })),
    ],
    LimitError: [
      { pattern: "((a{100}){100}){100}" },
      { pattern: `${"(".repeat(5000)}${")".repeat(5000)}` },
      many(1200, () => 0).reduce((schema) => ({ not: schema }), {}),
      // Twice as many branches at each level.
      {
        $ref: "#/$defs/d0",
        $defs: Object.fromEntries(
          many(60, (i) => [
            `d${i}`,
            i === 59 ? { type: "null" } : { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
          ]),
        ),
      },
    ],
  };
  for (const [name, schemas] of Object.entries(refused)) {
    for (const [i, schema] of schemas.entries()) {
      yield {
        id: `model.schema ${name} ${i}`,
        async run(t) {
          await fails(
            name,
            () => t.model.validate(1, schema, { maxSteps: 200_000 }),
            JSON.stringify(schema).slice(0, 200),
          );
        },
      };
    }
  }

  yield {
    id: "model.patterns",
    run(t) {
      const matches = (pattern, text) => t.model.validate(text, { pattern }).length === 0;
      // The platform's own expressions are the measure, of all that both can.
      const pick = random(1);
      const pieces = [
        "a",
        "b",
        "-",
        "é",
        "𝒳",
        ".",
        "\\d",
        "\\w",
        "\\S",
        "[a-c]",
        "[^a]",
        "[\\d_-]",
        "\\b",
        "\\B",
        "^",
        "$",
      ];
      pieces.push(
        "\\.",
        "\\/",
        "\\x61",
        "\\u0062",
        "\\u{1d4b3}",
        "\\ud835\\udcb3",
        "[𝒳-𝒵]",
        "\\cJ",
        "\\0",
        "\\t",
        "[]",
        "[^]",
        "[\\b]",
      );
      const counts = ["", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,}", "{0,2}", "{1,2}?"];
      const expression = (depth) =>
        many(1 + pick(3), () => {
          if (depth > 0 && pick(3) === 0) {
            const inner = `${["(", "(?:", `(?<n${pick(1e9)}>`][pick(3)]}${expression(depth - 1)}|${expression(depth - 1)})`;
            return inner + counts[pick(counts.length)];
          }
          const piece = pieces[pick(pieces.length)];
          return /^(\^|\$|\\[bB])$/.test(piece) ? piece : piece + counts[pick(counts.length)];
        }).join("");
      const letters = ["a", "b", "c", "-", "é", "𝒳", "_", "7", " ", "\n", ".", "/", "\u2028", "\b", "\0"];
      let matched = 0;
      for (let i = 0; i < 3000; i++) {
        const source = expression(2);
        const own = new RegExp(source, "u");
        for (let k = 0; k < 4; k++) {
          const text = many(pick(6), () => letters[pick(letters.length)]).join("");
          const wanted = own.test(text);
          if (wanted) matched++;
          is(matches(source, text), wanted, `${JSON.stringify(source)} of ${JSON.stringify(text)}`);
        }
      }
      if (matched < 1000 || matched > 11_000) throw new Error(`${matched} matched`);
      // Expressions that take others forever.
      const start = performance.now();
      for (const source of ["(a+)+$", "^(a|a)*$", "^(a*)*b", "(.*a){20}x", "^((a?){50}a{50})$x"]) {
        is(matches(source, `${"a".repeat(2000)}!`), false, source);
      }
      if (performance.now() - start > 30_000) throw new Error(`${performance.now() - start} ms`);
    },
  };

  yield {
    id: "model.problems",
    run(t) {
      const { validate } = t.model;
      const model = structuredClone(examples.v3);
      model.members["a/b~"] = { ...model.members.array, shape: [1, -2, "x"], codecs: null };
      same(
        validate(model).map(({ path, keyword }) => [path, keyword]),
        [
          ["/members/a~1b~0/shape/1", "minimum"],
          ["/members/a~1b~0/shape/2", "type"],
          ["/members/a~1b~0/codecs", "type"],
        ],
        "problems",
      );
      const [first] = validate(model);
      is(first.schemaPath, "/$defs/Array/properties/shape/items/minimum", "where in the schema");
      is(first.message, "-2 is less than 0", "the message");
      is(validate(many(1000, String), { items: { type: "null" } }).length, 100, "as many as are reported");
    },
  };
}
