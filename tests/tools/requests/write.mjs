// Writes the arrays of the request benchmark, as zarr-python would.
//
//   node tests/tools/requests/write.mjs DIR
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { zip } from "../../js/storesuite.mjs";
import { crc32c } from "../../lib/crc32c.mjs";
import { arrayV2, arrayV3, bytes, groupV3, sharding } from "../../lib/documents.mjs";
import { archived, arrays, file, levels, members, value } from "./values.mjs";

const gzip = { name: "gzip", configuration: { level: 1 } };

function metadata({ format, shape, chunk, shard }) {
  if (format === 2) {
    const compressor = { id: "gzip", level: 1 };
    return arrayV2(shape, "<u2", { chunks: chunk, compressor, dimension_separator: "." });
  }
  const inner = { codecs: [bytes, gzip], index_codecs: [bytes, { name: "crc32c" }], index_location: "end" };
  return arrayV3(shape, "uint16", {
    chunks: shard ?? chunk,
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    codecs: shard ? [sharding(chunk, inner)] : inner.codecs,
  });
}

/** Calls with the coordinates of every cell of a grid, in C order. */
function each(grid, call, at = []) {
  if (at.length === grid.length) return call(at);
  for (let i = 0; i < grid[at.length]; i++) each(grid, call, [...at, i]);
}

const cells = (shape, chunk) => shape.map((size, d) => Math.ceil(size / chunk[d]));

/** The encoded chunk whose first element is at `origin`. */
function encode(shape, chunk, origin) {
  const out = Buffer.alloc(chunk.reduce((a, b) => a * b) * 2);
  let at = 0;
  each(chunk.slice(0, -1), (inner) => {
    const row = inner.reduce((sum, i, d) => sum * shape[d] + origin[d] + i, 0);
    for (let i = 0; i < chunk.at(-1); i++) at = out.writeUInt16LE(value(row, origin.at(-1) + i), at);
  });
  return gzipSync(out, { level: 1 });
}

function encodeShard(shape, { shard, chunk }, origin) {
  const parts = [];
  const index = [];
  let offset = 0;
  each(cells(shard, chunk), (inner) => {
    const part = encode(
      shape,
      chunk,
      inner.map((i, d) => origin[d] + i * chunk[d]),
    );
    parts.push(part);
    index.push(offset, part.length);
    offset += part.length;
  });
  const tail = Buffer.alloc(8 * index.length + 4);
  for (const [i, n] of index.entries()) tail.writeBigUInt64LE(BigInt(n), 8 * i);
  tail.writeUInt32LE(crc32c(tail.subarray(0, -4)), tail.length - 4);
  return Buffer.concat([...parts, tail]);
}

/** Writes all arrays and groups below a directory, and an archive of one of the arrays. */
export async function write(dir) {
  const packed = new Map();
  const put = (path, data) => {
    const target = join(dir, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, Buffer.isBuffer(data) ? data : JSON.stringify(data));
  };
  for (const [name, array] of Object.entries(arrays)) {
    const { format, shape, shard, chunk } = array;
    put(`${name}/${format === 2 ? ".zarray" : "zarr.json"}`, metadata(array));
    if (name === archived) packed.set("zarr.json", Buffer.from(JSON.stringify(metadata(array))));
    if (format === 2) put(`${name}/.zattrs`, { units: "K" });
    const outer = shard ?? chunk;
    if (array.absent) continue;
    each(cells(shape, outer), (at) => {
      const origin = at.map((i, d) => i * outer[d]);
      const data = shard ? encodeShard(shape, array, origin) : encode(shape, chunk, origin);
      put(`${name}/${format === 2 ? at.join(".") : `c/${at.join("/")}`}`, data);
      if (name === archived) packed.set(`c/${at.join("/")}`, data);
    });
  }
  put(`${archived}.zip`, Buffer.from(await (await zip(packed)).arrayBuffer()));
  const axes = ["y", "x"].map((name) => ({ name, type: "space" }));
  const multiscales = [{ axes, datasets: levels.map((path) => ({ path, coordinateTransformations: [] })) }];
  put("ome4.zarr/.zgroup", { zarr_format: 2 });
  put("ome4.zarr/.zattrs", { multiscales: [{ version: "0.4", ...multiscales[0] }] });
  const attributes = { ome: { version: "0.5", multiscales } };
  put("ome5.zarr/zarr.json", groupV3(attributes));
  for (const [i, name] of levels.entries()) {
    const shape = [64 >> i, 64 >> i];
    put(`ome4.zarr/${name}/.zarray`, { ...metadata({ format: 2, shape, chunk: shape }), dimension_separator: "/" });
    put(`ome5.zarr/${name}/zarr.json`, metadata({ format: 3, shape, chunk: shape }));
  }
  const { head, chunks, length } = file;
  put(
    "file.nc",
    Buffer.alloc(head + chunks * length).map((_, i) => value(0, i - head)),
  );
  const all3 = {};
  const all2 = { ".zgroup": { zarr_format: 2 }, ".zattrs": {} };
  for (let i = 0; i < members; i++) {
    const shape = [i + 1, 10];
    all3[`a${i}`] = metadata({ format: 3, shape, chunk: shape });
    all2[`a${i}/.zarray`] = metadata({ format: 2, shape, chunk: shape });
    all2[`a${i}/.zattrs`] = { number: i };
    put(`group3.zarr/a${i}/zarr.json`, all3[`a${i}`]);
  }
  const consolidated = { kind: "inline", must_understand: false, metadata: all3 };
  put("group3.zarr/zarr.json", groupV3({}, { consolidated_metadata: consolidated }));
  for (const [key, document] of Object.entries(all2)) put(`group2.zarr/${key}`, document);
  put("group2.zarr/.zmetadata", { zarr_consolidated_format: 1, metadata: all2 });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await write(process.argv[2]);
