import assert from "node:assert/strict";
import { test } from "node:test";
import { locate } from "../api/address.js";
import { ZarrError } from "../errors.js";

const id = "1CECHNKREP0F1RSTCMT0";

/** What addresses mean: the store, the path and the version in it. */
const addresses: Record<string, unknown[]> = {
  "https://h/a.zarr": ["https://h/a.zarr", ""],
  "https://h/a.zip": [{ zip: "https://h/a.zip" }, ""],
  "https://h/a.ozx?sig=a%2Fb": [{ zip: "https://h/a.ozx?sig=a%2Fb" }, ""],
  "a.ZIP": [{ zip: "a.ZIP" }, ""],
  "/data/a b.zip": [{ zip: "/data/a b.zip" }, ""],
  "https://h/refs.json#x": [{ reference: "https://h/refs.json#x" }, ""],
  "https://h/refs.parq?x=1": [{ reference: "https://h/refs.parq?x=1" }, ""],
  "https://h/x/zarr.json": ["https://h/x/zarr.json", ""],
  "https://h/x.n5/attributes.json": ["https://h/x.n5/attributes.json", ""],
  "https://host.zip": ["https://host.zip", ""],
  "https://host.zip/a.zarr": ["https://host.zip/a.zarr", ""],
  "s3://bucket/a%20b.zarr?x=1": ["s3://bucket/a%20b.zarr?x=1", ""],
  "hf://datasets/o/n/a.zip": [{ zip: "hf://datasets/o/n/a.zip" }, ""],
  "https://h/a.zip|zip:": [{ zip: "https://h/a.zip" }, ""],
  "https://h/a.zip|zip:inner/|zarr3:": [{ zip: "https://h/a.zip" }, "inner", 3],
  "https://h/a.zip|zip:in%20ner/x|zarr2:y/z": [{ zip: "https://h/a.zip" }, "in ner/x/y/z", 2],
  "https://h/a.zip|zarr3:x": [{ zip: "https://h/a.zip" }, "x", 3],
  "https://h/a|zip:b.zip|zip:c/|zarr:": [{ zip: { zip: "https://h/a" }, key: "b.zip" }, "c"],
  "https://h/a.zip?sig=1|zip:r/refs.json|reference:x": [
    { reference: { zip: "https://h/a.zip?sig=1" }, key: "r/refs.json" },
    "x",
  ],
  "https://h/a.zip|zip:r.parq|kerchunk:": [{ reference: { prefix: { zip: "https://h/a.zip" }, path: "r.parq" } }, ""],
  "s3://b/r/|icechunk:": [{ icechunk: "s3://b/r/" }, ""],
  "s3://b/r/|icechunk:g/a|zarr3:": [{ icechunk: "s3://b/r/" }, "g/a", 3],
  "https://h/r|icechunk:@branch.main/g/a": [{ icechunk: "https://h/r", branch: "main" }, "g/a"],
  "https://h/r|icechunk:@branch.a b.c": [{ icechunk: "https://h/r", branch: "a b.c" }, ""],
  "https://h/r|icechunk:@tag.v1/|zarr3:g": [{ icechunk: "https://h/r", tag: "v1" }, "g", 3],
  [`https://h/r|icechunk:@${id}/g`]: [{ icechunk: "https://h/r", snapshot: id }, "g"],
  "https://h/a.zip|zip:r|icechunk:": [{ icechunk: { prefix: { zip: "https://h/a.zip" }, path: "r" } }, ""],
  "https://h/x.n5|n5:s0": [{ n5: "https://h/x.n5" }, "s0"],
  "https://h/x.zarr|zarr3:a": ["https://h/x.zarr", "a", 3],
  "zip::https://h/a": [{ zip: "https://h/a" }, ""],
  "zip://inner/x.zarr::https://h/a.zip": [{ zip: "https://h/a.zip" }, "inner/x.zarr"],
  "simplecache::zip://x::s3://b/a.zip": [{ zip: "s3://b/a.zip" }, "x"],
  "reference::https://h/refs.json": [{ reference: "https://h/refs.json" }, ""],
  "reference://::https://h/refs": [{ reference: "https://h/refs" }, ""],
  "zip://c::zip://b.zip::https://h/a.zip": [{ zip: { zip: "https://h/a.zip" }, key: "b.zip" }, "c"],
  "zip::http://[::1]:8080/a": [{ zip: "http://[::1]:8080/a" }, ""],
  "http://[::1]:8080/a.zarr": ["http://[::1]:8080/a.zarr", ""],
  "zarr3://https://h/x.zarr": ["https://h/x.zarr", "", 3],
  "zarr://s3://b/x.zip": [{ zip: "s3://b/x.zip" }, ""],
  "n5://https://h/x": [{ n5: "https://h/x" }, ""],
};

test("addresses, pipelines and prefixes", () => {
  for (const [text, [store, path, format]] of Object.entries(addresses)) {
    const { guessed, ...found } = locate(text);
    assert.deepEqual(found, format ? { store, path, format } : { store, path }, text);
  }
  assert.equal(locate("https://h/a.zip").guessed, true);
  assert.equal(locate("https://h/a.zip|zip:").guessed, false);
});

test("what is known to be at an address", () => {
  for (const [text, known, store, path] of [
    ["https://h/a", "zip", { zip: "https://h/a" }, ""],
    ["https://h/a.zip/in%20ner/x?sig=1", "zip", { zip: "https://h/a.zip?sig=1" }, "in ner/x"],
    ["https://h/a.zip/", "zip", { zip: "https://h/a.zip" }, ""],
    ["https://h/r.zip/", "icechunk", { icechunk: "https://h/r.zip/" }, ""],
    ["https://h/r?x=1", "parquet", { reference: "https://h/r/?x=1" }, ""],
    ["https://h/r.parq/", "reference", { reference: "https://h/r.parq" }, ""],
    ["https://h.zip/r", "n5", { n5: "https://h.zip/r" }, ""],
  ] as const) {
    const found = locate(text, {}, known);
    assert.deepEqual([found.store, found.path], [store, path], text);
  }
});

test("the beginning of an address that a table translates", () => {
  const table = { "s3://b": "x", "s3://b/": "https://m/b/", "https://h/": "http://l/" };
  assert.equal(locate("s3://b/a.zarr", table).store, "https://m/b/a.zarr");
  assert.deepEqual(locate("zip::https://h/a", table).store, { zip: "http://l/a" });
  assert.equal(locate("s3://c/a", table).store, "s3://c/a");
});

test("words that mean nothing are refused, and nothing else goes wrong", () => {
  for (const text of [
    "https://h/a|ocdbt:",
    "tar::https://h/a",
    "https://h/a|zip:x|nothing:y",
    "blosc://x::https://h",
  ]) {
    assert.throws(
      () => locate(text),
      (error: unknown) => error instanceof ZarrError && error.name === "StoreError",
      text,
    );
  }
  const pieces = [
    "zip",
    "zarr3",
    "icechunk",
    "reference",
    "::",
    "|",
    ":",
    "//",
    "/",
    "a",
    ".zip",
    ".json",
    "@",
    "branch.",
    "?x",
    "#",
    "%",
    "%zz",
    " ",
    "https://h",
    "[",
    "\n",
    "é",
    "n5",
  ];
  let seed = 7;
  const next = (n: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed % n;
  };
  for (let i = 0; i < 20_000; i++) {
    const text = Array.from({ length: next(12) }, () => pieces[next(pieces.length)]).join("");
    for (const known of ["", "zip", "parquet", "n5"]) {
      try {
        const { path } = locate(text, {}, known);
        assert.ok(!path.startsWith("/"), text);
      } catch (error) {
        assert.ok(error instanceof ZarrError && error.name === "StoreError", `${text}: ${error}`);
      }
    }
  }
  const long = "a.zip/".repeat(20_000);
  for (const text of [long, `zip::${long}`, "zip::".repeat(5000), "|zip:".repeat(5000), `https://${long}|zip:`]) {
    const start = performance.now();
    try {
      locate(text);
    } catch {}
    assert.ok(performance.now() - start < 20_000, `${text.slice(0, 20)}… took ${performance.now() - start} ms`);
  }
});
