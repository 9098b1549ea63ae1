// A program with the types of OpenLayers' GeoZarr source.
import GeoZarr, { type Options } from "ol/source/GeoZarr.js";

export const source = (url: string, more: Partial<Options>): GeoZarr => new GeoZarr({ url, bands: ["b04"], ...more });

export const dimensions = (of: GeoZarr): Promise<Record<string, { size: number; attributes: object | null }>> =>
  of.getDimensions();
