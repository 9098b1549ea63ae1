import * as all from "./lazy.js";

/** Returns lazy.ts as a part of the main file. */
export async function lazy(): Promise<typeof all> {
  return all;
}
