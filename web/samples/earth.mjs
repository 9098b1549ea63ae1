// A year of a synthetic climate on the real coastlines, in the form that xarray writes: Zarr v3,
// CF, consolidated, one variable in shards. The formulas model seasons, cold winters and hot
// summers of continents, rain belts, ice sheets, and waves in the westerlies.
import { coastlines } from "../../dist/view-coast.js";
import { Writer } from "./write.mjs";

const [NT, NY, NX] = [24, 144, 288];
const STEP = 180 / NY;
const rad = Math.PI / 180;
const latitudes = Float64Array.from({ length: NY }, (_, y) => 90 - STEP * (y + 0.5));
const longitudes = Float64Array.from({ length: NX }, (_, x) => STEP * (x + 0.5) - 180);
const days = Int32Array.from({ length: NT }, (_, t) => t * 15);

/** Returns 1 for land. Coastlines divide each meridian, beginning with the Antarctic. */
async function landMask() {
  const lines = await coastlines();
  const land = new Uint8Array(NY * NX);
  for (let x = 0; x < NX; x++) {
    const crossed = crossings(lines, longitudes[x]);
    for (let y = 0; y < NY; y++)
      land[y * NX + x] = crossed.filter((lat) => lat < latitudes[y]).length % 2 === 0 ? 1 : 0;
  }
  return land;
}

/**
 * Returns the latitudes at which a meridian crosses coasts. A meridian starts on land and ends in
 * the Arctic sea, so their number is odd. If a few lie in gaps between lines, the nearest meridian
 * with an odd number replaces it.
 */
function crossings(lines, longitude) {
  for (let shift = 1e-4; ; shift = shift > 0 ? -shift : STEP / 4 - shift) {
    const lon = longitude + shift;
    const crossed = [];
    for (const line of lines) {
      for (let i = 2; i < line.length; i += 2) {
        const [a, b] = [line[i - 2], line[i]];
        if (a < lon === b < lon) continue;
        crossed.push(line[i - 1] + ((line[i + 1] - line[i - 1]) * (lon - a)) / (b - a));
      }
    }
    if (crossed.length % 2 === 1) return crossed;
  }
}

/** Returns the share of land around each cell, within `near` rows. */
function around(land, near) {
  const rows = new Float32Array(NY * NX);
  const out = new Float32Array(NY * NX);
  for (let y = 0; y < NY; y++) {
    const reach = Math.min(NX / 4, Math.round(near / Math.max(0.05, Math.cos(latitudes[y] * rad))));
    for (let x = 0; x < NX; x++) {
      let sum = 0;
      for (let dx = -reach; dx <= reach; dx++) sum += land[y * NX + ((x + dx + NX) % NX)];
      rows[y * NX + x] = sum / (2 * reach + 1);
    }
  }
  for (let y = 0; y < NY; y++) {
    const [from, to] = [Math.max(0, y - near), Math.min(NY - 1, y + near)];
    for (let x = 0; x < NX; x++) {
      let sum = 0;
      for (let i = from; i <= to; i++) sum += rows[i * NX + x];
      out[y * NX + x] = sum / (to - from + 1);
    }
  }
  return out;
}

const bell = (x, middle, width) => Math.exp(-(((x - middle) / width) ** 2));

/**
 * Place, width and cooling in degrees of mountains: Tibet, the Rockies, the Andes, Iran, Ethiopia,
 * the Alps.
 */
const mountains = [
  [88, 34, 15, 6, 24],
  [-111, 43, 9, 15, 9],
  [-69, -22, 4, 17, 14],
  [-77, 2, 4, 9, 8],
  [54, 33, 10, 5, 6],
  [39, 9, 5, 6, 8],
  [10, 46, 5, 2, 6],
];

const kinds = [
  "ocean",
  "sea_ice",
  "ice_sheet",
  "tundra",
  "boreal_forest",
  "temperate",
  "desert",
  "savanna",
  "rainforest",
];
const colours = "#1b4f8f #cfe3f2 #ffffff #9fb3a5 #2f6b4f #7fb069 #e3c88b #c9b458 #0f7a3d";

export async function earth(folder) {
  const land = await landMask();
  const inland = around(land, Math.round(8 / STEP));
  const t2m = new Int16Array(NT * NY * NX);
  const sst = new Float32Array(NT * NY * NX);
  const rain = new Float32Array(NT * NY * NX);
  const cover = new Uint8Array(NY * NX);
  const warmth = new Float32Array(NY * NX);
  const wet = new Float32Array(NY * NX);
  const coldest = new Float32Array(NY * NX).fill(100);
  for (let t = 0; t < NT; t++) {
    const season = (month) => Math.cos(2 * Math.PI * (days[t] / 365 - month / 12));
    for (let y = 0; y < NY; y++) {
      const lat = latitudes[y];
      const south = lat < 0;
      const high = Math.abs(lat) / 90;
      const belt = 7 * season(7); // the rain belt follows the sun
      for (let x = 0; x < NX; x++) {
        const cell = y * NX + x;
        const lon = longitudes[x];
        const dry = inland[cell];
        const ice = land[cell] === 1 && (lat < -62 || bell(lon, -41, 17) * bell(lat, 73, 13) > 0.45);
        const mean = 28 - 52 * high ** 1.75 - (ice ? 11 + (south ? 13 * bell(lat, -90, 22) : 0) : 0);
        // Warm currents reach the north-east of both oceans.
        const current = (8 * bell(lon, -5, 32) + 5 * bell(lon, -140, 28)) * bell(lat, 60, 16);
        const swing =
          (2 + 34 * dry * high ** 0.8 + 5 * high) *
          season(dry > 0.3 ? 6.6 : 7.6) *
          (south ? -1 : 1) *
          Math.min(1, high * 3);
        const height =
          land[cell] * mountains.reduce((sum, [e, n, u, v, cold]) => sum + cold * bell(lon, e, u) * bell(lat, n, v), 0);
        const waves =
          (3.2 * Math.sin((5 * lon + 3 * lat) * rad - t * 1.1) +
            1.8 * Math.sin((9 * lon - 4 * lat) * rad - t * 1.9 + 1)) *
          (bell(lat, 52, 20) + bell(lat, -52, 16));
        const subtropics = bell(Math.abs(lat), 24, 9);
        const air = mean + current + swing + waves + 5 * dry * subtropics - height;
        const water = Math.max(-1.8, mean + current + 0.35 * (swing + waves) + 1);
        const monsoon = bell(lat, belt * (0.6 + 1.6 * dry), 8);
        const storms = (bell(lat, 48, 14) + bell(lat, -50, 12)) * (1 - 0.6 * dry) * (0.6 + 0.4 * Math.tanh(waves));
        const ridge =
          0.5 + 0.5 * Math.sin((7 * lon + 5 * lat) * rad - t * 0.7) * Math.sin((4 * lon - 9 * lat) * rad + t * 0.4);
        const mm = (11 * monsoon + 4.5 * storms) * (0.35 + ridge) * (1 - 0.75 * subtropics * (0.3 + dry)) + 0.05;
        const at = t * NY * NX + cell;
        t2m[at] = Math.round(air * 5);
        sst[at] = land[cell] ? Number.NaN : Math.round(water * 8) / 8;
        // Five bits of the fraction exceed the formula's accuracy, and compress well.
        const unit = 2 ** (Math.floor(Math.log2(mm)) - 4);
        rain[at] = Math.round(mm / unit) * unit;
        warmth[cell] += air / NT;
        wet[cell] += mm / NT;
        coldest[cell] = Math.min(coldest[cell], air);
        if (t < NT - 1) continue;
        const kind = () => {
          if (!land[cell]) return coldest[cell] < -14 ? 1 : 0;
          if (ice) return 2;
          if (warmth[cell] < -7) return 3;
          if (warmth[cell] < 4) return 4;
          if (wet[cell] < 1.15) return 6;
          if (warmth[cell] < 17) return 5;
          return wet[cell] < 3.4 ? 7 : 8;
        };
        cover[cell] = kind();
      }
    }
  }

  const writer = new Writer(folder);
  writer.group("", {
    Conventions: "CF-1.11",
    title: "A made-up year on Earth",
    institution: "zarr-wasm",
    source: "formulas; coastlines made with Natural Earth",
    comment: "Looks like a climate, and is none.",
  });
  const space = ["lat", "lon"];
  const dimensions = ["time", ...space];
  const shape = [NT, NY, NX];
  await writer.array("time", days, {
    shape: [NT],
    dimensions: ["time"],
    attributes: { standard_name: "time", units: "days since 2024-01-01", calendar: "standard", axis: "T" },
  });
  await writer.array("lat", latitudes, {
    shape: [NY],
    dimensions: ["lat"],
    attributes: { standard_name: "latitude", long_name: "latitude", units: "degrees_north", axis: "Y" },
  });
  await writer.array("lon", longitudes, {
    shape: [NX],
    dimensions: ["lon"],
    attributes: { standard_name: "longitude", long_name: "longitude", units: "degrees_east", axis: "X" },
  });
  await writer.array("t2m", t2m, {
    shape,
    chunks: [1, NY, NX],
    dimensions,
    fill: -32768,
    attributes: {
      standard_name: "air_temperature",
      long_name: "2 metre temperature",
      units: "degC",
      scale_factor: 0.2,
      add_offset: 0,
      _FillValue: -32768,
    },
  });
  // xarray writes eight bytes for any floating-point type.
  const missing = Buffer.from(Float64Array.of(Number.NaN).buffer).toString("base64");
  await writer.array("sst", sst, {
    shape,
    chunks: [1, NY, NX],
    dimensions,
    fill: Number.NaN,
    attributes: {
      standard_name: "sea_surface_temperature",
      long_name: "sea surface temperature",
      units: "degC",
      _FillValue: missing,
    },
  });
  await writer.array("rain", rain, {
    shape,
    chunks: [1, NY / 2, NX / 2],
    shards: [6, NY, NX],
    dimensions,
    fill: Number.NaN,
    attributes: { long_name: "rain and snow", units: "mm/day", cell_methods: "time: mean", _FillValue: missing },
  });
  await writer.array("cover", cover, {
    shape: [NY, NX],
    dimensions: space,
    attributes: {
      long_name: "cover of the ground",
      flag_values: kinds.map((_, i) => i),
      flag_meanings: kinds.join(" "),
      flag_colors: colours,
    },
  });
  writer.close();
}
