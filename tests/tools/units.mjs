// How a runner of tests names what failed to tests/tools/test.mjs, which makes second attempts.

/**
 * Prints that a unit failed, a file or a package: how many of its tests, and their names. `once`
 * says that it has no second attempt.
 * @param {{ unit: string, failed: number, names: string[], once?: boolean }} unit
 */
export function failedUnit(unit) {
  console.log(`== failed: ${JSON.stringify(unit)}`);
}

/** Prints the line of counts that ends a run, and sets the status of the process. */
export function closeWith({ passed, failed, skipped }) {
  let wrong = failed;
  if (passed + failed === 0) {
    console.log("no test ran");
    wrong++;
  }
  console.log(`${passed} passed, ${wrong} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  process.exitCode = wrong > 0 ? 1 : 0;
}
