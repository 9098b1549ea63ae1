// Maps the cells of a curvilinear grid to the pixels of a regular map.

/** Longitudes and latitudes in degrees, row by row; NaN if missing. */
interface Grid {
  readonly width: number;
  readonly height: number;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  /** Those of the four corners of each cell; null if corners lie between the middles. */
  readonly corners: { readonly longitude: Float64Array; readonly latitude: Float64Array } | null;
}

/** A map. The middle of a pixel is half a step from its column and row. */
export interface CellMap {
  /**
   * The cell under each pixel by its place in the grid, row by row from the north; -1 if there is
   * none.
   */
  readonly cells: Int32Array;
  readonly columns: number;
  readonly rows: number;
  /** Its western and its northern edge, and the size of a pixel, in degrees. */
  readonly west: number;
  readonly north: number;
  readonly step: number;
}

/**
 * The largest number of pixels of a map, and the longest side. A map is read and drawn as one tile.
 */
const mostPixels = 1.5 * 2 ** 20;
const mostSide = 4096;
/** The largest number of pixels along a cell. */
const finest = 32;
/**
 * Neighbours beyond this many median distances are not connected: the grid is torn or folded there,
 * or filled with zeros.
 */
const torn = 20;
/** The number of bins in a histogram of longitudes. */
const bins = 720;

const radians = Math.PI / 180;

/** Returns the longitude, shifted by whole turns, that is nearest to another. */
const near = (longitude: number, to: number): number => longitude - 360 * Math.round((longitude - to) / 360);

function median(numbers: number[]): number {
  numbers.sort((a, b) => a - b);
  return numbers[numbers.length >> 1] ?? Number.NaN;
}

/** Finds the cell under each pixel. A map without cells has no columns. */
export function* mapOf(grid: Grid): Generator<void, CellMap, void> {
  const { width, height } = grid;
  const middles = cleaned(grid);
  const corners = new Corners(grid, middles);
  const count = width * height;
  const lon = new Float64Array(4 * count);
  const lat = new Float64Array(4 * count);
  const taken = new Uint8Array(bins);
  let [south, north] = [90, -90];
  const sizes: number[] = [];
  let spherical = false;
  const every = Math.max(1, Math.floor(count / 4096));
  for (let j = 0; j < height; j++) {
    for (let i = 0; i < width; i++) {
      const k = j * width + i;
      if (!corners.of(j, i, lon, lat)) {
        lon[4 * k] = Number.NaN;
        continue;
      }
      let [least, most] = [Infinity, -Infinity];
      let area = 0;
      for (let c = 4 * k; c < 4 * k + 4; c++) {
        const [x, y] = [lon[c] as number, lat[c] as number];
        const next = c === 4 * k + 3 ? 4 * k : c + 1;
        area += x * (lat[next] as number) - y * (lon[next] as number);
        least = Math.min(least, x);
        most = Math.max(most, x);
        south = Math.min(south, y);
        north = Math.max(north, y);
      }
      if (k % every === 0 && most - least < 180) sizes.push(Math.sqrt(Math.abs(area / 2)));
      const polar = most - least > 180;
      if (polar) {
        spherical = true;
        if ((middles.lat[k] as number) > 0) north = 90;
        else south = -90;
      }
      const [first, last] = polar ? [0, bins - 1] : [least, most].map((x) => Math.floor((x * bins) / 360));
      for (let bin = first as number; bin <= (last as number); bin++) taken[((bin % bins) + bins) % bins] = 1;
    }
    if (j % 64 === 63) yield;
  }
  const nothing = { cells: new Int32Array(0), columns: 0, rows: 0, west: 0, north: 0, step: 1 };
  if (north < south) return nothing;
  const { west, east } = spanOf(taken, lon);
  const size = median(sizes.filter((one) => one > 0)) || 1;
  const [across, down] = [Math.max(east - west, size / finest), Math.max(north - south, size / finest)];
  const least = Math.max(
    size / finest,
    Math.sqrt((across * down) / (mostPixels * 0.98)),
    Math.max(across, down) / (mostSide - 1),
  );
  const columns = Math.max(1, Math.floor(across / least));
  const step = across / columns;
  const rows = Math.max(1, Math.round(down / step));
  const map: CellMap = { cells: new Int32Array(columns * rows).fill(-1), columns, rows, west, north, step };
  const pen = new Filler(map, spherical || corners.spherical);
  for (let k = 0; k < count; k++) {
    if (!Number.isNaN(lon[4 * k])) pen.fill(k, lon, lat, middles.lon[k] as number, middles.lat[k] as number);
    if (k % 4096 === 4095) yield;
  }
  return map;
}

/** The checked middles: latitudes are clamped to the Earth, and both are NaN if one is missing. */
interface Middles {
  readonly lon: Float64Array;
  readonly lat: Float64Array;
}

function cleaned({ longitude, latitude }: Grid): Middles {
  const lon = longitude.slice();
  const lat = latitude.slice();
  for (let k = 0; k < lon.length; k++) {
    const [x, y] = [lon[k] as number, lat[k] as number];
    // Numbers that are no place of the Earth mark missing places.
    if (Math.abs(x) <= 1080 && Math.abs(y) <= 90.01) lat[k] = Math.min(90, Math.max(-90, y));
    else lon[k] = lat[k] = Number.NaN;
  }
  return { lon, lat };
}

/** Leaves out the widest gap between longitudes. Without a gap the map goes around the world. */
function spanOf(taken: Uint8Array, lon: Float64Array): { west: number; east: number } {
  let [longest, end, run] = [0, 0, 0];
  for (let bin = 0; bin < 2 * bins; bin++) {
    run = taken[bin % bins] === 0 ? Math.min(bins, run + 1) : 0;
    if (run > longest) [longest, end] = [run, bin + 1];
  }
  if (longest < 2) return { west: -180, east: 180 };
  const middle = ((end + (bins - longest) / 2) * 360) / bins;
  let [west, east] = [Infinity, -Infinity];
  for (let k = 0; k < lon.length; k += 4) {
    const first = lon[k] as number;
    if (Number.isNaN(first)) continue;
    const shift = near(first, middle) - first;
    for (let c = k; c < k + 4; c++) {
      west = Math.min(west, (lon[c] as number) + shift);
      east = Math.max(east, (lon[c] as number) + shift);
    }
  }
  const turn = 360 * Math.floor((west + 180) / 360);
  return { west: west - turn, east: Math.min(east, west + 360) - turn };
}

/** The corners of cells: stated ones, or those between the middles of neighbours. */
class Corners {
  readonly #grid: Grid;
  readonly #lon: Float64Array;
  readonly #lat: Float64Array;
  /** The middles as points on a unit sphere. */
  readonly #points: Float64Array;
  /** The square of the distance beyond which neighbours are not connected. */
  readonly #far: number;
  /** Half a cell, in degrees, for cells without neighbours. */
  readonly #half: number;
  /**
   * Whether corners are near a pole, where sides of cells are not straight in longitude and
   * latitude.
   */
  spherical = false;

  constructor(grid: Grid, { lon, lat }: Middles) {
    this.#grid = grid;
    this.#lon = lon;
    this.#lat = lat;
    const count = lon.length;
    this.#points = new Float64Array(grid.corners ? 0 : 3 * count);
    if (grid.corners) {
      this.#far = this.#half = 0;
      return;
    }
    for (let k = 0; k < count; k++) {
      const [x, y] = [(lon[k] as number) * radians, (lat[k] as number) * radians];
      this.#points.set([Math.cos(y) * Math.cos(x), Math.cos(y) * Math.sin(x), Math.sin(y)], 3 * k);
    }
    const { width, height } = grid;
    const usual = (along: number) => {
      const found: number[] = [];
      const every = Math.max(1, Math.floor(count / 4096));
      for (let k = 0; k < count; k += every) {
        if (along === 1 ? k % width === width - 1 : k >= (height - 1) * width) continue;
        const distance = this.#distance(k, k + along);
        if (distance > 0) found.push(distance);
      }
      return median(found);
    };
    const all = [usual(1), usual(width)].filter((one) => one > 0);
    const most = Math.max(...all);
    this.#far = all.length > 0 ? torn ** 2 * most : 0;
    this.#half = all.length > 0 ? Math.sqrt(most) / radians / 2 : 0.5;
  }

  /** Returns the square of the distance of two middles on a unit sphere. */
  #distance(a: number, b: number): number {
    const points = this.#points;
    let sum = 0;
    for (let d = 0; d < 3; d++) sum += ((points[3 * a + d] as number) - (points[3 * b + d] as number)) ** 2;
    return sum;
  }

  /** Writes the corners of a cell into lists, in order around it. Returns false if it has none. */
  of(j: number, i: number, lon: Float64Array, lat: Float64Array): boolean {
    const { width, corners } = this.#grid;
    const k = j * width + i;
    const middle = this.#lon[k] as number;
    if (Number.isNaN(middle)) return false;
    if (corners) {
      for (let c = 4 * k; c < 4 * k + 4; c++) {
        const [x, y] = [corners.longitude[c] as number, corners.latitude[c] as number];
        if (!(Math.abs(x) <= 1080 && Math.abs(y) <= 90.01)) return false;
        lon[c] = near(x, middle);
        lat[c] = Math.min(90, Math.max(-90, y));
      }
      return true;
    }
    this.#corner(k, j, i, -1, -1, lon, lat, 4 * k);
    this.#corner(k, j, i, -1, 1, lon, lat, 4 * k + 1);
    this.#corner(k, j, i, 1, 1, lon, lat, 4 * k + 2);
    this.#corner(k, j, i, 1, -1, lon, lat, 4 * k + 3);
    return true;
  }

  /** Returns the neighbour of a cell; -1 if there is none. */
  #neighbour(k: number, j: number, i: number, dj: number, di: number): number {
    const { width, height } = this.#grid;
    if (j + dj < 0 || j + dj >= height || i + di < 0 || i + di >= width) return -1;
    const other = k + dj * width + di;
    return this.#distance(k, other) <= this.#far ? other : -1;
  }

  /**
   * Computes the corner between a cell, two neighbours, and the diagonal one. A missing neighbour
   * is mirrored from the other side.
   */
  #corner(k: number, j: number, i: number, dj: number, di: number, lon: Float64Array, lat: Float64Array, to: number) {
    const [x, y] = [this.#lon[k] as number, this.#lat[k] as number];
    const down = this.#beside(k, j, i, dj, 0, x, y);
    const across = this.#beside(k, j, i, 0, di, x, y);
    const between = this.#neighbour(k, j, i, dj, di);
    // The cells of a single row extend to both sides of it, as far as its columns are apart.
    const [ax, ay] = down ?? (across ? turned(x, y, across, dj * di) : [x, y + dj * this.#half * 2]);
    const [bx, by] = across ?? (down ? turned(x, y, down, -dj * di) : [x + di * this.#half * 2, y]);
    const [cx, cy] = between >= 0 ? this.#place(between, x) : beyond([x, y], [ax, ay], [bx, by], 1);
    const spread = Math.max(x, ax, bx, cx) - Math.min(x, ax, bx, cx);
    if (spread <= 60) {
      lon[to] = (x + ax + bx + cx) / 4;
      lat[to] = Math.min(90, Math.max(-90, (y + ay + by + cy) / 4));
      return;
    }
    // Longitudes have no mean near a pole: the corner is the mean of points on the sphere.
    this.spherical = true;
    const [px, py, pz] = [0, 1, 2].map((d) =>
      [point(x, y), point(ax, ay), point(bx, by), point(cx, cy)].reduce((sum, one) => sum + (one[d] ?? 0), 0),
    ) as [number, number, number];
    lon[to] = near(Math.atan2(py, px) / radians, x);
    lat[to] = Math.atan2(pz, Math.hypot(px, py)) / radians;
  }

  #place(k: number, x: number): readonly [number, number] {
    return [near(this.#lon[k] as number, x), this.#lat[k] as number];
  }

  /** Returns the middle of a neighbour. A missing one is extrapolated from the other side. */
  #beside(k: number, j: number, i: number, dj: number, di: number, x: number, y: number) {
    const own = this.#neighbour(k, j, i, dj, di);
    if (own >= 0) return this.#place(own, x);
    const other = this.#neighbour(k, j, i, -dj, -di);
    if (other < 0) return undefined;
    return beyond([x, y], [x, y], this.#place(other, x), -1);
  }
}

/** Converts a place to a point on a unit sphere. */
function point(lon: number, lat: number): readonly [number, number, number] {
  const [a, b] = [lon * radians, lat * radians];
  return [Math.cos(b) * Math.cos(a), Math.cos(b) * Math.sin(a), Math.sin(b)];
}

type Pair = readonly [lon: number, lat: number];

/**
 * Extrapolates a place beyond the first by the distance to another. Near the poles it works on the
 * sphere, unless the grid follows parallels and meridians there.
 */
function beyond([x, y]: Pair, [ax, ay]: Pair, [bx, by]: Pair, sign: 1 | -1): Pair {
  const upright = (lon: number, lat: number) =>
    Math.abs(lon - x) < 1e-6 || (Math.abs(lat - y) < 1e-6 && Math.abs(lon - x) < 30);
  if (Math.abs(y) < 60 || (upright(ax, ay) && upright(bx, by))) return [ax + sign * (bx - x), ay + sign * (by - y)];
  const [o, a, b] = [point(x, y), point(ax, ay), point(bx, by)];
  const [px, py, pz] = [0, 1, 2].map((d) => (a[d] ?? 0) + sign * ((b[d] ?? 0) - (o[d] ?? 0))) as [
    number,
    number,
    number,
  ];
  return [near(Math.atan2(py, px) / radians, x), Math.atan2(pz, Math.hypot(px, py)) / radians];
}

/** Rotates a neighbour around a place by a right angle. */
function turned(x: number, y: number, [ox, oy]: readonly [number, number], sign: number): readonly [number, number] {
  const wide = Math.max(0.01, Math.cos(y * radians));
  return [x - (sign * (oy - y)) / wide, y + sign * (ox - x) * wide];
}

/** Fills pixels with cells. Among several, the one with the nearest middle wins. */
class Filler {
  readonly #map: CellMap;
  readonly #nearest: Float32Array;
  /**
   * Whether sides of cells are straight on the sphere, unless they follow parallels and meridians.
   */
  readonly #spherical: boolean;

  constructor(map: CellMap, spherical: boolean) {
    this.#map = map;
    this.#spherical = spherical;
    this.#nearest = new Float32Array(map.cells.length).fill(Infinity);
  }

  fill(k: number, lon: Float64Array, lat: Float64Array, x: number, y: number): void {
    const { west, north, step, columns, rows } = this.#map;
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let c = 4 * k; c < 4 * k + 4; c++) {
      left = Math.min(left, lon[c] as number);
      right = Math.max(right, lon[c] as number);
      low = Math.min(low, lat[c] as number);
      high = Math.max(high, lat[c] as number);
    }
    const polar = right - left > 180;
    if (polar) {
      if (y > 0) high = 90;
      else low = -90;
    }
    const sphere = polar || (this.#spherical && !isUpright(k, lon, lat));
    if (sphere) {
      // A side that is straight on the sphere bends towards the pole on the map.
      const bend = (((right - left) * radians) ** 2 / 16 / radians) * 1.01;
      [high, low] = [Math.min(90, high + bend), Math.max(-90, low - bend)];
    }
    const top = Math.max(0, Math.ceil((north - high) / step - 0.5 - 1e-9));
    const bottom = Math.min(rows - 1, Math.floor((north - low) / step - 0.5 + 1e-9));
    if (top > bottom) return;
    const inside = sphere ? around(k, lon, lat) : within(k, lon, lat);
    const east = west + columns * step;
    const shifts = polar ? [0] : turns(west, east, left, right);
    for (const shift of shifts) {
      const first = polar ? 0 : Math.max(0, Math.ceil((left + shift - west) / step - 0.5 - 1e-9));
      const last = polar ? columns - 1 : Math.min(columns - 1, Math.floor((right + shift - west) / step - 0.5 + 1e-9));
      for (let row = top; row <= bottom; row++) {
        const b = north - (row + 0.5) * step;
        const wide = Math.cos(b * radians);
        for (let column = first; column <= last; column++) {
          const a = west + (column + 0.5) * step - shift;
          if (!inside(a, b)) continue;
          const distance = (near(a, x) - x) ** 2 * wide * wide + (b - y) ** 2;
          const at = row * columns + column;
          if (distance >= (this.#nearest[at] as number)) continue;
          this.#nearest[at] = distance;
          this.#map.cells[at] = k;
        }
      }
    }
  }
}

/** Returns the shifts of longitudes, in degrees, that move a cell onto the map. */
function turns(west: number, east: number, left: number, right: number): number[] {
  const found: number[] = [];
  for (let turn = Math.ceil((west - right) / 360); turn <= Math.floor((east - left) / 360); turn++)
    found.push(360 * turn);
  return found;
}

/** Reports whether the sides of a cell follow parallels and meridians. */
function isUpright(k: number, lon: Float64Array, lat: Float64Array): boolean {
  const same = (of: Float64Array, a: number, b: number) =>
    Math.abs((of[4 * k + a] as number) - (of[4 * k + b] as number)) < 1e-6;
  const upright = (of: Float64Array, by: Float64Array) =>
    same(of, 0, 1) && same(of, 2, 3) && same(by, 1, 2) && same(by, 3, 0);
  return upright(lat, lon) || upright(lon, lat);
}

/** Smaller numbers are rounding errors. */
const slight = 1e-9;

/**
 * Returns a test whether a place is within a cell: in one of its two triangles with straight sides
 * on the map.
 */
function within(k: number, lon: Float64Array, lat: Float64Array): (x: number, y: number) => boolean {
  const [x0, x1, x2, x3] = lon.subarray(4 * k, 4 * k + 4) as unknown as [number, number, number, number];
  const [y0, y1, y2, y3] = lat.subarray(4 * k, 4 * k + 4) as unknown as [number, number, number, number];
  const side = (ax: number, ay: number, bx: number, by: number, x: number, y: number) =>
    (bx - ax) * (y - ay) - (by - ay) * (x - ax);
  const triangle = (a: number, b: number, c: number) =>
    (a >= -slight && b >= -slight && c >= -slight) || (a <= slight && b <= slight && c <= slight);
  return (x, y) => {
    const across = side(x0, y0, x2, y2, x, y);
    return (
      triangle(side(x0, y0, x1, y1, x, y), side(x1, y1, x2, y2, x, y), -across) ||
      triangle(side(x2, y2, x3, y3, x, y), side(x3, y3, x0, y0, x, y), across)
    );
  };
}

/** Like {@link within}, for a cell at or near a pole: its sides are straight on the sphere. */
function around(k: number, lon: Float64Array, lat: Float64Array): (x: number, y: number) => boolean {
  const [p, q, r, s] = [0, 1, 2, 3].map((c) => point(lon[4 * k + c] as number, lat[4 * k + c] as number)) as [
    ReturnType<typeof point>,
    ReturnType<typeof point>,
    ReturnType<typeof point>,
    ReturnType<typeof point>,
  ];
  const side = (a: readonly number[], b: readonly number[], c: readonly number[]) => {
    const [ax = 0, ay = 0, az = 0] = a;
    const [bx = 0, by = 0, bz = 0] = b;
    const [cx = 0, cy = 0, cz = 0] = c;
    return cx * (ay * bz - az * by) + cy * (az * bx - ax * bz) + cz * (ax * by - ay * bx);
  };
  const tiny = 1e-14;
  const triangle = (a: number, b: number, c: number) =>
    (a >= -tiny && b >= -tiny && c >= -tiny) || (a <= tiny && b <= tiny && c <= tiny);
  const middle = p.map((_, d) => (p[d] ?? 0) + (q[d] ?? 0) + (r[d] ?? 0) + (s[d] ?? 0));
  return (x, y) => {
    const at = point(x, y);
    // Excludes the other side of the Earth.
    if (at.reduce<number>((sum, one, d) => sum + one * (middle[d] ?? 0), 0) <= 0) return false;
    return (
      triangle(side(p, q, at), side(q, r, at), side(r, p, at)) ||
      triangle(side(p, r, at), side(r, s, at), side(s, p, at))
    );
  };
}
