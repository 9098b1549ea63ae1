import { InvalidSelectionError } from "../errors.js";
import { refuse } from "../shared/arguments.js";

/** The radius of the Web Mercator sphere (EPSG:3857) in metres: the semi-major axis of WGS 84. */
export const webMercatorRadius = 6378137;

/**
 * Half the edge length, in metres, of the Web Mercator square in web maps. x and y lie between it
 * and its negative.
 */
export const webMercatorLimit = 20037508.342789244;

/** The latitude of the upper edge of the web map square, in degrees. */
export const webMercatorMaxLatitude = 85.05112877980659;

/** Options of {@link lonLatToWebMercator}. */
export interface WebMercatorOptions {
  /** Clamps latitudes to the web map square. Without it the poles are an error. */
  clamp?: boolean | undefined;
}

/**
 * Converts longitude and latitude on WGS 84, in degrees, to Web Mercator (EPSG:3857), in metres.
 * Latitudes between the poles are converted even beyond the web map square. Throws
 * {@link InvalidSelectionError} at or beyond the poles and for non-finite values, unless `clamp` is
 * set. Longitudes are not wrapped: 190 lies to the right of 180.
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

/**
 * Converts Web Mercator metres to longitude and latitude on WGS 84, in degrees, as the inverse of
 * {@link lonLatToWebMercator}.
 */
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
