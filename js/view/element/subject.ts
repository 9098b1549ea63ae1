import type { Field } from "../../describe/field.js";

/** What a picture is of. */
export interface PictureSubject {
  readonly field: Field;
  /** Whether it is of an image, which has a scale bar, rather than of a variable, which has axes. */
  readonly image: boolean;
  /** Opens an image of labels by its name. */
  labels(name: string, signal: AbortSignal): Promise<Field>;
  /** Asks for the names of the images of labels. */
  labelNames(signal: AbortSignal): Promise<readonly string[]>;
  /** The paths of what else may be taken from it. */
  others(signal: AbortSignal): Promise<readonly string[]>;
}
