// The oracle of all scenarios: a call returns right data or an error with a name, in time.

/** A call that does not end. */
export class Hang extends Error {}

/** Runs a function, and throws a {@link Hang} after some milliseconds. */
export async function within(ms, run) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Hang(`nothing came in ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([Promise.resolve().then(run), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether an error is one that data and servers may cause. An EngineError is a crash. */
export const named = (zarr, error, ...names) => zarr.isZarrError(error, ...names) && error.name !== "EngineError";

export const describe = (error) =>
  `${error?.name ?? typeof error}: ${error?.message ?? error}${error?.cause ? ` <- ${error.cause}` : ""}`;

/** Adds up rows of counts; a column named "most…" has the largest value. */
export function summed(rows) {
  const all = {};
  for (const [name, value] of rows.flatMap((values) => Object.entries(values))) {
    if (typeof value !== "number") continue;
    all[name] = name.startsWith("most") ? Math.max(all[name] ?? value, value) : (all[name] ?? 0) + value;
  }
  return all;
}
