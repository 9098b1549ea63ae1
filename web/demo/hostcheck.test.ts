import assert from "node:assert/strict";
import { test } from "node:test";
import { configurations, kindOfHost } from "./hostconfig.js";
import { judge, summary, type Verdict } from "./hostjudge.js";
import type { Answer, Probe } from "./hostprobe.js";

const url = "https://data.example/a.zarr";
const answer = (more: Partial<Answer>): Answer => ({
  url: `${url}/zarr.json`,
  status: 200,
  headers: { "content-type": "application/json", etag: '"1"', "content-length": "300" },
  bytes: 300,
  begins: "{",
  from: more.url ?? `${url}/zarr.json`,
  error: "",
  ...more,
});
const good: Probe = {
  url,
  object: false,
  page: "https://viewer.example/hostcheck.html",
  documents: [answer({}), answer({ url: `${url}/.zgroup`, status: 404 })],
  found: answer({}),
  alive: true,
  missing: answer({ url: `${url}/none`, status: 404 }),
  range: answer({ status: 206, bytes: 10, headers: { "content-range": "bytes 0-9/300", etag: '"1"' } }),
  suffix: answer({ status: 206, bytes: 10 }),
  listing: { listed: true, why: "" },
  way: { encoded: 300, decoded: 300, protocol: "h2" },
};
const verdictOf = (probe: Probe, title: RegExp): Verdict | undefined =>
  judge(probe).find((finding) => title.test(finding.title))?.verdict;

test("a host that does all is good in all", () => {
  const findings = judge(good);
  assert.deepEqual([...new Set(findings.map(({ verdict }) => verdict))], ["good"], JSON.stringify(findings, null, 1));
  assert.ok(findings.length >= 10);
  assert.equal(summary(findings).verdict, "good");
});

test("each wrong answer is judged, with a remedy", () => {
  const none = answer({ status: 0, headers: {}, bytes: 0, error: "Failed to fetch" });
  const cases: [string, Partial<Probe>, RegExp, Verdict][] = [
    ["no CORS at all", { found: null, documents: [none], missing: none, range: null, suffix: null }, /CORS/, "bad"],
    ["no host", { found: null, documents: [none], missing: none, alive: false }, /Answer/, "bad"],
    ["no CORS on 404", { missing: none }, /missing/, "bad"],
    ["403 for what is missing", { missing: answer({ status: 403 }) }, /missing/, "bad"],
    ["a page for what is missing", { missing: answer({ status: 200, begins: "<!doctype html>" }) }, /missing/, "bad"],
    ["forbidden", { found: null, documents: [answer({ status: 403 })] }, /Access/, "bad"],
    ["nothing there", { found: null, documents: [answer({ status: 404 })] }, /Zarr/, "unknown"],
    ["ranges ignored", { range: answer({ status: 200 }) }, /ranges/i, "bad"],
    ["ranges of compressed bytes", { range: answer({ status: 206, bytes: 23 }) }, /ranges/i, "bad"],
    ["hidden headers", { range: answer({ status: 206, bytes: 10, headers: {} }) }, /Headers/, "advice"],
    ["no OPTIONS", { suffix: none }, /OPTIONS/, "advice"],
    ["no lists", { listing: { listed: false, why: "404" } }, /Listing/, "advice"],
    ["a wrong type", { found: answer({ headers: { "content-type": "text/html" } }) }, /Types/, "bad"],
    [
      "large and as it is",
      { found: answer({ bytes: 90_000 }), way: { encoded: 90_000, decoded: 90_000, protocol: "h2" } },
      /Compression/,
      "advice",
    ],
    ["no version", { found: answer({ headers: { "content-type": "application/json" } }) }, /Changes/, "advice"],
    ["HTTP/1.1", { way: { encoded: 1, decoded: 1, protocol: "http/1.1" } }, /requests/, "advice"],
    ["http from https", { url: "http://data.example/a.zarr" }, /Scheme/, "bad"],
  ];
  for (const [name, more, title, verdict] of cases) {
    const probe = { ...good, ...more };
    assert.equal(verdictOf(probe, title), verdict, name);
    const finding = judge(probe).find((one) => title.test(one.title));
    assert.ok(verdict === "unknown" || finding?.cure !== "", `${name}: no cure`);
    assert.ok(!/undefined|NaN|null/.test(JSON.stringify(judge(probe).map(({ text }) => text))), name);
  }
});

test("each configuration allows the origin, and names what pages may read", () => {
  for (const origin of ["*", "https://viewer.example"]) {
    for (const { id, parts } of configurations(origin)) {
      const text = parts.map(({ lines }) => lines).join("\n");
      if (id === "pages") continue; // Pages hosts send the headers by default.
      assert.ok(text.includes(`"${origin}"`), `${id}: ${origin}`);
      for (const name of ["Content-Range", "ETag"]) assert.ok(text.includes(name), `${id}: ${name}`);
      if (["s3", "gcs", "r2"].includes(id)) JSON.parse(parts[0]?.lines ?? "");
    }
  }
});

test("the kind of host is recognised by its name", () => {
  const of = (host: string): string => kindOfHost(`https://${host}/a.zarr`);
  assert.deepEqual(
    [
      "b.s3.amazonaws.com",
      "s3.eu-west-1.amazonaws.com",
      "storage.googleapis.com",
      "pub-1.r2.dev",
      "me.github.io",
      "x.example",
    ].map(of),
    ["s3", "s3", "gcs", "r2", "pages", "nginx"],
  );
});
