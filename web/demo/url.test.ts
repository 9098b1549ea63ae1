import assert from "node:assert/strict";
import { test } from "node:test";
import { baseName, joinPath, parentPath, relativeTo, rewriteUrl, UrlError } from "./url.js";

const page = "https://viewer.example/tools/zarr/index.html";

test("addresses of stores", () => {
  const cases: [string, string, string, number][] = [
    // pasted, url, node, notes
    ["https://h.example/a.zarr", "https://h.example/a.zarr", "/", 0],
    ["  https://h.example/a.zarr/  ", "https://h.example/a.zarr", "/", 0],
    ["https://h.example/a.zarr/zarr.json", "https://h.example/a.zarr", "/", 1],
    ["https://h.example/a.zarr/.zmetadata", "https://h.example/a.zarr", "/", 1],
    ["https://h.example/d/.zarray", "https://h.example/d", "/", 1],
    ["https://h.example/d/.zattrs?sig=x%2Fy", "https://h.example/d?sig=x%2Fy", "/", 1],
    ["https://h.example/zarr.json", "https://h.example", "/", 1],
    ["https://h.example/a.zarr/t2m/.zarray", "https://h.example/a.zarr", "/t2m", 2],
    ["https://h.example/a.zarr/g/b%20c", "https://h.example/a.zarr", "/g/b c", 1],
    ["https://h.example/a.zarr/b%2Fc", "https://h.example/a.zarr/b%2Fc", "/", 0],
    ["https://h.example/x.zarr/y.zarr/0", "https://h.example/x.zarr/y.zarr", "/0", 1],
    ['"https://h.example/a.zarr"', "https://h.example/a.zarr", "/", 1],
    ["h.example/a.zarr", "https://h.example/a.zarr", "/", 1],
    ["s3://bucket/p/a.zarr", "https://bucket.s3.amazonaws.com/p/a.zarr", "/", 1],
    ["s3://bucket/p/a.zarr/zarr.json", "https://bucket.s3.amazonaws.com/p/a.zarr", "/", 2],
    ["s3://my.bucket/a", "https://s3.amazonaws.com/my.bucket/a", "/", 1],
    ["S3://bucket", "https://bucket.s3.amazonaws.com", "/", 1],
    ["gs://bucket/a.zarr/", "https://storage.googleapis.com/bucket/a.zarr", "/", 1],
    ["./sample/climate.zarr", "https://viewer.example/tools/zarr/sample/climate.zarr", "/", 0],
    ["sample/climate.zarr", "https://viewer.example/tools/zarr/sample/climate.zarr", "/", 0],
    ["climate.zarr/t2m", "https://viewer.example/tools/zarr/climate.zarr", "/t2m", 1],
    ["http://h.example/a", "http://h.example/a", "/", 1],
    ["http://localhost:8080/a", "http://localhost:8080/a", "/", 0],
    ["https://h.example/a.zip|zip:inner/|zarr3:t2m", "https://h.example/a.zip|zip:inner/|zarr3:t2m", "/", 0],
    ["zip://in::https://h.example/a.zip", "zip://in::https://h.example/a.zip", "/", 0],
    ["az://c@account/k", "az://c@account/k", "/", 0],
    ["s3://bucket/a.zip|zip:in", "https://bucket.s3.amazonaws.com/a.zip|zip:in", "/", 1],
    ["zarr3://https://h.example/a", "zarr3://https://h.example/a", "/", 0],
    ["sample/a.zip", "sample/a.zip", "/", 0],
    ["ftp://h/a", "ftp://h/a", "/", 0], // The package reports what is wrong with these.
    ["javascript:alert(1)", "javascript:alert(1)", "/", 0],
    ["data:,x", "data:,x", "/", 0],
    ["https://h.example/a.zip", "https://h.example/a.zip", "/", 0],
    ["https://h.example/a#frag", "https://h.example/a", "/", 1],
  ];
  for (const [pasted, url, node, notes] of cases) {
    const got = rewriteUrl(pasted, page);
    assert.deepEqual([got.url, got.node, got.notes.length], [url, node, notes], `${pasted}: ${got.notes.join(" ")}`);
  }
});

test("rewritten addresses are reported", () => {
  assert.match(
    rewriteUrl("s3://b/a", page).notes[0] ?? "",
    /^s3:\/\/ was rewritten to https:\/\/b\.s3\.amazonaws\.com\/a$/,
  );
  assert.match(rewriteUrl("https://h.example/a/.zgroup", page).notes[0] ?? "", /\.zgroup/);
});

test("addresses that cannot be used", () => {
  for (const bad of ["", "   ", "file:///a.zarr", "https://u:p@h.example/a", "https://"]) {
    assert.throws(() => rewriteUrl(bad, page), UrlError, bad);
  }
});

test("paths of nodes", () => {
  assert.equal(joinPath("/", "a/b/"), "/a/b");
  assert.equal(joinPath("/a", "../../b"), "/b");
  assert.equal(joinPath("/a", "/b"), "/b");
  assert.equal(parentPath("/"), null);
  assert.equal(parentPath("/a"), "/");
  assert.equal(parentPath("/a/b"), "/a");
  assert.equal(baseName("/a/b"), "b");
  assert.equal(baseName("/"), "/");
});

test("samples beside the page stay relative", () => {
  assert.equal(relativeTo("https://viewer.example/tools/zarr/sample/a.zarr", page), "./sample/a.zarr");
  assert.equal(relativeTo("https://other.example/a.zarr", page), "https://other.example/a.zarr");
});
