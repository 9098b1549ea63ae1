// The coastlines of the world. This module is loaded when a picture needs them.

import { packed } from "./data.js";

let unpacked: Float32Array[] | undefined;

/**
 * Returns the coastlines. Each line is a sequence of longitude and latitude pairs, in degrees, from
 * -180 to 180 and -90 to 90.
 */
export function coastlines(): Promise<readonly Float32Array[]> {
  unpacked ??= unpack(Uint8Array.from(atob(packed), (c) => c.charCodeAt(0)));
  return Promise.resolve(unpacked);
}

/** Unpacks data.ts. tests/tools/coast/pack.mjs documents the format. */
function unpack(bytes: Uint8Array): Float32Array[] {
  let at = 0;
  const unsigned = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const signed = (): number => {
    const n = unsigned();
    return n % 2 === 0 ? n / 2 : -(n + 1) / 2;
  };
  const lines: Float32Array[] = [];
  while (at < bytes.length) {
    const line = new Float32Array(2 * unsigned());
    let lon = 0;
    let lat = 0;
    for (let i = 0; i < line.length; i += 2) {
      lon += signed();
      lat += signed();
      line[i] = lon / 100;
      line[i + 1] = lat / 100;
    }
    lines.push(line);
  }
  return lines;
}

/** The largest range of longitudes of a picture, in degrees. */
const FARTHEST = 1440;

/** The target of lines: a canvas's context, a `Path2D`, or a writer of an SVG path. */
export interface Pen {
  /** Begins a line at a point. */
  moveTo(x: number, y: number): void;
  /** Draws a line to a point. */
  lineTo(x: number, y: number): void;
}

/** The projection of a picture. */
export interface Placed {
  /**
   * The western end of the picture, in degrees; lines outside are not drawn. The range may span
   * more than 360 and begin anywhere.
   */
  readonly west: number;
  /** The eastern end, above `west`. */
  readonly east: number;
  /**
   * Returns the pixel of a place with a longitude from `west` to `east` or a little outside. The
   * pixel is not finite if the picture does not show the place.
   */
  place(longitude: number, latitude: number): readonly [x: number, y: number];
}

/**
 * Draws lines that {@link coastlines} returned, repeated as often as the picture goes around the
 * world. A picture from 0 to 360 has the west in its right half. Begins and ends no path.
 */
export function traceLines(pen: Pen, lines: readonly Float32Array[], { west, east, place }: Placed): void {
  if (!(east - west <= FARTHEST)) return; // not a picture in degrees
  for (const line of lines) {
    let least = Infinity;
    let most = -Infinity;
    for (let i = 0; i < line.length; i += 2) {
      least = Math.min(least, line[i] ?? 0);
      most = Math.max(most, line[i] ?? 0);
    }
    const first = Math.ceil((west - most) / 360);
    const last = Math.floor((east - least) / 360);
    for (let turn = first; turn <= last; turn++) trace(pen, line, turn * 360, west, east, place);
  }
}

/** Draws one line, cut at the picture's western and eastern edges. */
function trace(pen: Pen, line: Float32Array, shift: number, west: number, east: number, place: Placed["place"]): void {
  let down = false;
  const to = (lon: number, lat: number): void => {
    const [x, y] = place(lon, lat);
    if (!Number.isFinite(x + y)) down = false;
    else if (down) pen.lineTo(x, y);
    else {
      pen.moveTo(x, y);
      down = true;
    }
  };
  for (let i = 2; i < line.length; i += 2) {
    let lon0 = (line[i - 2] ?? 0) + shift;
    let lat0 = line[i - 1] ?? 0;
    let lon1 = (line[i] ?? 0) + shift;
    let lat1 = line[i + 1] ?? 0;
    const [low, high] = lon0 < lon1 ? [lon0, lon1] : [lon1, lon0];
    if (high < west || low > east) {
      down = false;
      continue;
    }
    const at = (lon: number): number => lat0 + ((lat1 - lat0) * (lon - lon0)) / (lon1 - lon0);
    const clamp = (lon: number): number => Math.min(Math.max(lon, west), east);
    if (clamp(lon0) !== lon0) {
      down = false;
      const lon = clamp(lon0);
      [lon0, lat0] = [lon, at(lon)];
    }
    const leaves = clamp(lon1) !== lon1;
    if (leaves) {
      const lon = clamp(lon1);
      [lon1, lat1] = [lon, at(lon)];
    }
    if (!down) to(lon0, lat0);
    to(lon1, lat1);
    if (leaves) down = false;
  }
}
