// The reads of the hosting benchmark, and its tables.

import { slice } from "../../../dist/node.js";
import { machine } from "../bench.mjs";

const [days, rows, columns] = [120, 360, 720];

/** The kinds of visits. `selection(i)` returns the i-th slice. */
export const accesses = [
  { name: "world map", selection: (i) => [(i * 37) % days, null, null] },
  {
    name: "map tile",
    selection: (i) => {
      const [t, y, x] = [(i * 37) % days, (90 * (i >> 3)) % rows, (180 * (i >> 5)) % columns];
      return [t, slice(y, y + 90), slice(x, x + 180)];
    },
  },
  { name: "series", selection: (i) => [null, (i * 53) % rows, (i * 101) % columns] },
  {
    name: "volume",
    selection: (i) => {
      const [t, y, x] = [(i * 30) % days, (i * 90) % rows, (i * 180) % columns];
      return [slice(t, t + 30), slice(y, y + 90), slice(x, x + 180)];
    },
  },
];

const kilobytes = (n) => (n < 1e6 ? `${Math.round(n / 1e3)} kB` : `${(n / 1e6).toFixed(1)} MB`);
const shape = (list) => (list ? list.join(" × ") : "");

function table(head, body) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map((_, i) => (i ? "--:" : "---")).join("|")}|`, ...body.map(line)].join("\n");
}

/** The section of docs/reports/layouts.md. */
export function section({ layouts, measured, simulated }, { links, slices, variables, visits }) {
  const cubes = layouts.filter(({ codec }) => codec === "blosc-zstd");
  const other = layouts.filter(({ name }) => name.startsWith("cubes-512k"));
  const of = (layout, access, link = links[0]) =>
    measured.find(
      (row) =>
        row.layout === layout.name && row.access === access && row.latency === link.latency && row.rate === link.rate,
    );
  const parts = [
    table(
      ["layout", "chunk", "shard", "objects", "stored"],
      cubes.map((one) => [one.name, shape(one.chunk), shape(one.shard), one.objects, kilobytes(one.bytes)]),
    ),
    "Requests and bytes of a first read, metadata included:",
    table(
      ["layout", ...accesses.map(({ name }) => name)],
      cubes.map((one) => [
        one.name,
        ...accesses.map(({ name }) => {
          const row = of(one, name);
          return `${row.requests}, ${kilobytes(row.bytes)}`;
        }),
      ]),
    ),
    "Milliseconds from nothing to the elements, on links of that round trip and rate:",
    ...accesses.map(({ name }) =>
      table(
        [name, ...links.map(({ latency, rate }) => `${latency} ms, ${rate} Mbit/s`)],
        cubes.map((one) => [one.name, ...links.map((link) => Math.round(of(one, name, link).time))]),
      ),
    ),
    "The chunks of `cubes-512k` by codec:",
    table(
      ["codec", "stored", ...links.map(({ latency, rate }) => `volume, ${latency} ms, ${rate} Mbit/s`)],
      other.map((one) => [
        one.codec,
        kilobytes(one.bytes),
        ...links.map((link) => Math.round(of(one, "volume", link).time)),
      ]),
    ),
    `${visits.toLocaleString("en")} visits, each with an empty cache of its own, to ${variables} such variables and ${slices} slices of each (half map tiles, half series; the k-th most popular comes 1/k as often as the first), through an edge cache of a quarter of the data. Requests and bytes of a visit; and what of a thousand visits reaches the origin:`,
    table(
      ["layout", "ranges", "requests", "bytes", ...new Set(simulated.map(({ edge }) => `edge keeps ${edge}`))],
      [...new Set(simulated.map(({ layout, planned }) => `${layout}|${planned}`))].map((key) => {
        const rows = simulated.filter(({ layout, planned }) => `${layout}|${planned}` === key);
        const [{ layout, planned, requests, bytes }] = rows;
        const origin = ({ originRequests, originBytes }) =>
          `${((1000 * originRequests) / visits).toFixed(1)}, ${kilobytes((1000 * originBytes) / visits)}`;
        return [layout, planned, (requests / visits).toFixed(1), kilobytes(bytes / visits), ...rows.map(origin)];
      }),
    ),
    `${machine().replace(/; zarrita.*/, "")}, by Node.`,
  ];
  return parts.join("\n\n");
}
