import { InvalidSelectionError } from "../errors.js";
import { refuse } from "../refuse.js";

/** The radius of Web Mercator's sphere (EPSG:3857) in metres: the major semi-axis of WGS 84. */
export const webMercatorRadius = 6378137;

/** Half the edge of the square that web maps show of Web Mercator, in metres: x and y lie between it and its negative. */
export const webMercatorLimit = 20037508.342789244;

/** The latitude in degrees at which the square that web maps show ends. */
export const webMercatorMaxLatitude = 85.05112877980659;

/** Settings of {@link lonLatToWebMercator}. */
export interface WebMercatorOptions {
  /** Takes latitudes beyond those of web maps' square for its edge; without it the poles are an error. */
  clamp?: boolean | undefined;
}

/**
 * Web Mercator (EPSG:3857) of degrees of longitude and latitude on WGS 84, in metres. Latitudes between the poles are computed, those
 * beyond web maps' square too; the poles, what lies beyond them, and what is not finite are an {@link InvalidSelectionError}, unless `clamp`
 * is set. Longitudes are not wrapped: 190 lies to the right of 180.
 */
export function lonLatToWebMercator(
  lon: number,
  lat: number,
  options: WebMercatorOptions = {},
): [x: number, y: number] {
  checkPair("lonLatToWebMercator", lon, lat);
  const max = webMercatorMaxLatitude;
  const shown = options.clamp ? Math.max(-max, Math.min(max, lat)) : lat;
  if (!Number.isFinite(lon) || !(Math.abs(shown) < 90)) {
    throw new InvalidSelectionError(`Web Mercator has no place for longitude ${lon}, latitude ${lat}`);
  }
  const phi = (shown * Math.PI) / 180;
  return [webMercatorRadius * ((lon * Math.PI) / 180), webMercatorRadius * Math.asinh(Math.tan(phi))];
}

/** Degrees of longitude and latitude on WGS 84 of Web Mercator's metres; {@link lonLatToWebMercator}'s inverse. */
export function webMercatorToLonLat(x: number, y: number): [lon: number, lat: number] {
  checkPair("webMercatorToLonLat", x, y);
  if (!Number.isFinite(x) || !Number.isFinite(y)) {
    throw new InvalidSelectionError(`Web Mercator has no place for x ${x}, y ${y}`);
  }
  const degrees = 180 / Math.PI;
  return [(x / webMercatorRadius) * degrees, Math.atan(Math.sinh(y / webMercatorRadius)) * degrees];
}

function checkPair(what: string, a: number, b: number): void {
  if (typeof a !== "number") refuse(what, a, "a number");
  if (typeof b !== "number") refuse(what, b, "a number");
}
