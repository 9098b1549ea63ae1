import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyState, formatState, parseState, type ViewState } from "./state.js";

test("what is written is read again", () => {
  const states: Partial<ViewState>[] = [
    {},
    { url: "https://h.example/a.zarr?x=1&y=%20#", node: "/g/ä b+c%" },
    {
      url: "./sample/climate.zarr",
      node: "/t2m",
      indices: [3, 0, 12],
      axes: { x: 0, y: 2 },
      colormap: "magma",
      flip: true,
      field: "a.b",
    },
    { indices: [0], flip: false, colormap: "gray" },
  ];
  for (const part of states) {
    const state = { ...emptyState(), ...part };
    const text = formatState(state);
    for (const [search, hash] of [
      [`?${text}`, ""],
      ["", `#${text}`],
    ] as const) {
      const got = parseState(search, hash);
      assert.deepEqual(got.state, state, text);
      assert.deepEqual(got.problems, []);
    }
  }
});

test("the hash wins, and says where to write", () => {
  const got = parseState("?url=a&node=/q", "#url=b");
  assert.equal(got.state.url, "b");
  assert.equal(got.state.node, "/q");
  assert.equal(got.place, "hash");
  assert.equal(parseState("?url=a", "#section").place, "query");
});

test("percent-encoded addresses and plus signs", () => {
  assert.equal(parseState("?url=https%3A%2F%2Fh.example%2Fa%3Fx%3D1%26y", "").state.url, "https://h.example/a?x=1&y");
  assert.equal(parseState("?url=a+b", "").state.url, "a b");
});

test("malformed state is told, not thrown", () => {
  const cases: [string, RegExp][] = [
    ["?url=%zz", /percent/],
    ["?i=1,x", /indices/],
    ["?i=-1", /indices/],
    ["?i=1e9", /indices/],
    [`?i=${"1,".repeat(100)}1`, /indices/],
    ["?axes=1", /axes/],
    ["?axes=1,1", /axes/],
    ["?cmap=rainbow", /rainbow/],
    ["?cmap=__proto__", /__proto__/],
    ["?flip=maybe", /maybe/],
  ];
  for (const [search, said] of cases) {
    const { problems } = parseState(search, "");
    assert.equal(problems.length, 1, search);
    assert.match(problems[0] ?? "", said);
  }
  assert.deepEqual(parseState("?&&=&x", "#").problems, []);
});

test("a lone surrogate in a name still gives a link", () => {
  assert.match(formatState({ ...emptyState(), node: "/\ud800" }), /^node=\/%EF%BF%BD$/);
});
