import type { Description } from "../../describe/description.js";
import type { Field } from "../../describe/field.js";

/** The subject of a picture. */
export interface PictureSubject {
  readonly field: Field;
  /** Whether it is an image with a scale bar, rather than a variable with axes. */
  readonly image: boolean;
  /** Opens a label image by its name. */
  labels(name: string, signal: AbortSignal): Promise<Field>;
  /** Reads the names of the label images. */
  labelNames(signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Returns the paths of other arrays that can be subtracted; null if the store does not list them.
   */
  others(signal: AbortSignal): Promise<readonly string[] | null>;
  /** The description before any computation, whose variables expressions name. */
  readonly base: Description;
}
