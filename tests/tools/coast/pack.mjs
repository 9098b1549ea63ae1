// Writes the coastlines of the view, js/view/coast/data.ts, from a GeoJSON file of lines in
// longitude and latitude:
//
//   node tests/tools/coast/pack.mjs ne_110m_coastline.geojson
//
// The repository's file comes from Natural Earth's coastline at 1:110 million, which is in the
// public domain (naturalearthdata.com/about/terms-of-use). The text is the base64 of LEB128
// integers, with zigzag for signed ones. Each line has the number of its points, and for each point
// the difference to the previous one, in hundredths of a degree.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const top = join(import.meta.dirname, "../../..");
const source = process.argv[2];
if (!source) throw new Error("usage: node tests/tools/coast/pack.mjs FILE.geojson");
const { features } = JSON.parse(readFileSync(source, "utf8"));

const bytes = [];
const unsigned = (n) => {
  for (; n >= 128; n = Math.floor(n / 128)) bytes.push((n % 128) + 128);
  bytes.push(n);
};
const signed = (n) => unsigned(n < 0 ? -2 * n - 1 : 2 * n);

let points = 0;
const lines = features.flatMap(({ geometry: { type, coordinates } }) =>
  type === "LineString" ? [coordinates] : coordinates,
);
for (const line of lines) {
  const rounded = line.map((point) => point.slice(0, 2).map((degrees) => Math.round(degrees * 100)));
  const kept = rounded.filter(([lon, lat], i) => i === 0 || lon !== rounded[i - 1][0] || lat !== rounded[i - 1][1]);
  points += kept.length;
  unsigned(kept.length);
  let before = [0, 0];
  for (const point of kept) {
    signed(point[0] - before[0]);
    signed(point[1] - before[1]);
    before = point;
  }
}
const text = `// Written by tests/tools/coast/pack.mjs, which says what it is: ${lines.length} lines of ${points} points.
// Made with Natural Earth, which is in the public domain.
export const packed =
  "${Buffer.from(bytes).toString("base64")}";
`;
writeFileSync(join(top, "js/view/coast/data.ts"), text);
console.log(`${lines.length} lines, ${points} points, ${text.length} bytes`);
