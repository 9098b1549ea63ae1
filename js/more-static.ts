import * as all from "./more.js";

/** What is in more.ts, where it is part of the main file. */
export async function more(): Promise<typeof all> {
  return all;
}
