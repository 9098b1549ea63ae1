import type { Plane } from "../../describe/field.js";
import type { Curve } from "../paint/painter.js";
import type { Statistics } from "../tiles/tiles.js";
import type { MapName } from "./maps.js";
import type { Range } from "./span.js";

/** Data of an `AxesPicker`. */
export interface AxesPickerData {
  /** The axes that can be drawn: their positions among the field's axes, and their names. */
  readonly axes: readonly { readonly axis: number; readonly name: string }[];
  /** The drawn plane. */
  readonly plane: Plane;
  /** Whether a line of one axis can be drawn. */
  readonly lines?: boolean | undefined;
  /** Whether the first column can be at the right. */
  readonly turns?: boolean | undefined;
}

/** Data of a `ColourBar`. */
export interface ColourBarData {
  /** The quantity of the colours. */
  readonly title: string;
  /** The units of the values; `""` if unknown. */
  readonly units: string;
  /** The map's name; `-r` at its end reverses it. */
  readonly colormap: string;
  /** The maps that can be chosen. */
  readonly maps: readonly MapName[];
  /** Returns the 256 colours of a map by its name without `-r`, four bytes each. */
  table(name: string): Uint8Array;
  /** The values with the first and the last colour. */
  readonly range: Range;
  /** How values map to colours between them. */
  readonly curve: Curve;
  /** Statistics of the values; null until they arrive. */
  readonly statistics: Statistics | null;
  /** Range stated by the metadata; null if they state none. */
  readonly stated: Range | null;
  /** Whether the values are times: milliseconds since 1970. */
  readonly times?: boolean | undefined;
  /** Formats a value that is not a plain number. */
  readonly text?: ((value: number) => string) | undefined;
}
