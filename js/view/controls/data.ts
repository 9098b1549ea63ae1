import type { Plane } from "../../describe/field.js";
import type { Curve } from "../paint/painter.js";
import type { Statistics } from "../tiles/tiles.js";
import type { MapName } from "./maps.js";
import type { Range } from "./span.js";

/** What an {@link AxesPicker} shows. */
export interface AxesPickerData {
  /** The axes that can be drawn: their positions among the field's axes, and their names. */
  readonly axes: readonly { readonly axis: number; readonly name: string }[];
  /** What is drawn. */
  readonly plane: Plane;
  /** Whether a line may be drawn, of one axis. */
  readonly lines?: boolean | undefined;
  /** Whether the first column may be at the right. */
  readonly turns?: boolean | undefined;
}

/** What a {@link ColourBar} shows. */
export interface ColourBarData {
  /** What the colours stand for. */
  readonly title: string;
  /** The units of the values; `""` where nothing is said. */
  readonly units: string;
  /** The map's name; with `-r` at its end it is reversed. */
  readonly colormap: string;
  /** The maps that can be chosen. */
  readonly maps: readonly MapName[];
  /** The 256 colours of a map by its name, not reversed, four bytes each. */
  table(name: string): Uint8Array;
  /** The values with the first and the last colour. */
  readonly range: Range;
  /** How values run between them. */
  readonly curve: Curve;
  /** What the values are like; null while it is not known. */
  readonly statistics: Statistics | null;
  /** The range that metadata state; null where they state none. */
  readonly stated: Range | null;
  /** Whether the values are times: milliseconds since 1970. */
  readonly times?: boolean | undefined;
  /** A value in words, where it is no plain number. */
  readonly text?: ((value: number) => string) | undefined;
}
