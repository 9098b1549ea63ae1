import * as all from "./lazy.js";

/** What is in lazy.ts, where it is part of the main file. */
export async function lazy(): Promise<typeof all> {
  return all;
}
