// `zarr-wasm view` of the npm package and `zarr serve` of the Go command answer a table of requests
// alike.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { random } from "../lib/random.mjs";
import { top } from "../lib/serve.mjs";
import { started } from "./command.mjs";

const table = JSON.parse(readFileSync(join(top, "tests/servers/requests.json"), "utf8"));
const contents = new Map(Object.entries(table.files).map(([name, [text, times]]) => [name, text.repeat(times)]));

/**
 * The addresses of the servers, with CORS and without: `{ open: { node, go }, closed: { node, go }
 * }`.
 */
const servers = {};
const ends = [];
const dir = mkdtempSync(join(tmpdir(), "zarr-servers-"));
for (const [name, text] of contents) {
  mkdirSync(join(dir, name, ".."), { recursive: true });
  writeFileSync(join(dir, name), text);
}
for (const [name, to] of Object.entries(table.links)) symlinkSync(to, join(dir, name));
const data = join(dir, "my data.zarr");
for (const [mode, ...flags] of [["open"], ["closed", "--no-cors"]]) {
  servers[mode] = {};
  for (const [name, ...command] of [
    ["node", process.execPath, join(top, "bin/zarr-wasm.mjs"), "view", data, "--no-open", "--port", "0", ...flags],
    [
      "go",
      join(top, "build/zarr"),
      "serve",
      "--addr",
      "127.0.0.1:0",
      "--viewer",
      join(top, "build/demo"),
      ...flags,
      data,
    ],
  ]) {
    const { address, end } = await started(...command);
    servers[mode][name] = address;
    ends.push(end);
  }
}
after(async () => {
  for (const end of ends) assert.equal(await end("SIGTERM"), 0);
  rmSync(dir, { recursive: true });
});

/** Sends a request without changing it: fetch would normalise the path, and sets Host. */
function ask(address, path, method, headers = {}) {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}

const target = (path) => (/^(\/|http:)/.test(path) ? path : table.base + path);

/** Headers that both servers share, for success and failure. */
const shared = [
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
  "access-control-expose-headers",
  "access-control-max-age",
  "allow",
  "content-range",
  "content-security-policy",
  "cross-origin-resource-policy",
  "location",
  "timing-allow-origin",
  "x-content-type-options",
];
/** Headers of bodies. */
const ofBodies = ["accept-ranges", "cache-control", "content-encoding", "content-type", "vary"];

/** A row's headers, with the file's values for {…}. */
async function filled(address, path, send = {}) {
  if (!/\{/.test(JSON.stringify(Object.values(send)))) return send;
  const { headers } = await ask(address, target(path), "GET");
  const modified = new Date(headers["last-modified"]);
  const day = 24 * 3600 * 1000;
  const values = {
    "{etag}": headers.etag,
    "{modified}": headers["last-modified"],
    "{earlier}": new Date(modified - day).toUTCString(),
    "{later}": new Date(+modified + day).toUTCString(),
  };
  return Object.fromEntries(
    Object.entries(send).map(([name, text]) => [name, text.replace(/\{\w+\}/, (one) => values[one])]),
  );
}

/** Yields each difference of an answer from its row. */
function* faults(row, { method, readable, got }) {
  const differ = (name, is, want) => (is === want ? [] : [`${name}: ${is}, not ${want}`]);
  yield* differ("status", got.status, row.status);
  // CORS also applies to absent files: a page could not see the status otherwise.
  yield* differ("CORS", got.headers["access-control-allow-origin"], readable ? "*" : undefined);
  for (const [header, value] of Object.entries(row.headers ?? {}))
    yield* differ(header, got.headers[header], value ?? undefined);
  const length = row.length ?? (row.body === undefined ? undefined : Buffer.byteLength(row.body));
  if (length !== undefined && row.status !== 304)
    yield* differ("content-length", Number(got.headers["content-length"]), length);
  if (method === "HEAD") yield* differ("bytes", got.body.length, 0);
  else if (row.body !== undefined) yield* differ("body", String(got.body), row.body);
  else if (row.length !== undefined) yield* differ("bytes", got.body.length, row.length);
  if (got.headers["content-encoding"] === "gzip" && method === "GET")
    yield* differ("body", String(gunzipSync(got.body)), contents.get(`my data.zarr/${row.path}`));
}

for (const mode of ["open", "closed"]) {
  test(`both servers answer as the table says: ${mode}`, async () => {
    const wrong = [];
    for (const row of table.requests) {
      if (row.only && row.only !== mode) continue;
      for (const method of row.method ? [row.method] : ["GET", "HEAD"]) {
        const label = `${method} ${row.path} ${JSON.stringify(row.send ?? {})}`;
        const seen = {};
        for (const [name, address] of Object.entries(servers[mode])) {
          const got = await ask(address, target(row.path), method, await filled(address, row.path, row.send));
          const readable = mode === "open" && row.cors !== false;
          for (const what of faults(row, { method, readable, got })) wrong.push(`${name}: ${label}: ${what}`);
          seen[name] = got.headers;
        }
        for (const header of row.status < 300 ? [...shared, ...ofBodies] : shared)
          if (seen.node[header] !== seen.go[header])
            wrong.push(`${label}: ${header}: ${seen.node[header]}, in Go ${seen.go[header]}`);
      }
    }
    assert.equal(wrong.join("\n"), "");
  });
}

// The model reads a header by RFC 9110, with integers of any size.
test("both servers answer random ranges as a model does", async () => {
  const text = contents.get("my data.zarr/c/0/0");
  const size = BigInt(text.length);
  const model = (first, last) => {
    if (first === "" && last === "") return [200, text];
    if (first === "") return BigInt(last) === 0n ? [416] : [206, text.slice(-Number(last))];
    if (last !== "" && BigInt(last) < BigInt(first)) return [200, text];
    return BigInt(first) >= size ? [416] : [206, text.slice(Number(first), last === "" ? undefined : Number(last) + 1)];
  };
  const numbers = ["", "0", "1", "00", "2998", "2999", "3000", "3001", "4294967296", "9007199254740991"];
  for (let seed = 0; seed < 300; seed++) {
    const pick = random(11, seed);
    const number = () => (pick(2) === 0 ? numbers[pick(numbers.length)] : String(pick(3100)));
    const [first, last] = [number(), number()];
    const range = `bytes=${first}-${last}`;
    const [status, body] = model(first, last);
    for (const [name, address] of Object.entries(servers.open)) {
      const got = await ask(address, `${table.base}c/0/0`, "GET", { range });
      assert.equal(got.status, status, `${name} ${range}`);
      if (body !== undefined) assert.equal(String(got.body), body, `${name} ${range}`);
    }
  }
});

/** Writes pieces now and then until the server ends the connection. Returns how long that took. */
function dribble(address, pieces) {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const began = performance.now();
    const socket = connect(Number(port), hostname);
    let at = 0;
    const timer = setInterval(() => {
      if (at < pieces.length || pieces.endless) socket.write(pieces[at++] ?? pieces.endless);
    }, 300);
    socket.on("error", () => {}); // writes after the end fail
    socket.on("data", () => {});
    socket.on("close", () => {
      clearInterval(timer);
      resolve((performance.now() - began) / 1000);
    });
  });
}

test("both servers end slow requests within 10 seconds, and answer others meanwhile", async () => {
  const head = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  const kinds = {
    "says nothing": [],
    "headers without an end": Object.assign([head], { endless: "X-A: b\r\n" }),
    "a header byte by byte": Object.assign([head, "X-A: "], { endless: "b" }),
    "a request line byte by byte": Object.assign([], { endless: "G" }),
    "a body byte by byte": Object.assign(["POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"], {
      endless: "b",
    }),
  };
  const slow = [];
  for (const [name, address] of Object.entries(servers.open))
    for (const [kind, pieces] of Object.entries(kinds))
      for (let i = 0; i < 12; i++) slow.push(dribble(address, pieces).then((took) => ({ name, kind, took })));
  for (const address of Object.values(servers.open))
    assert.equal((await ask(address, `${table.base}one`, "GET")).status, 200);
  for (const { name, kind, took } of await Promise.all(slow)) assert.ok(took <= 10, `${name}: ${kind}: ${took} s`);
  for (const address of Object.values(servers.open))
    assert.equal((await ask(address, `${table.base}one`, "GET")).status, 200);
});
