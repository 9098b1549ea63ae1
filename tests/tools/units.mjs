// Reports failures of a test runner to tests/tools/test.mjs, which makes second attempts.

/**
 * Prints that a unit failed, a file or a package: the number and names of its failed tests. `once`
 * excludes a second attempt.
 * @param {{ unit: string, failed: number, names: string[], once?: boolean }} unit
 */
export function failedUnit(unit) {
  console.log(`== failed: ${JSON.stringify(unit)}`);
}

/** Prints the final line of counts, and sets the process's status. */
export function closeWith({ passed, failed, skipped }) {
  let wrong = failed;
  if (passed + failed === 0) {
    console.log("no test ran");
    wrong++;
  }
  console.log(`${passed} passed, ${wrong} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  process.exitCode = wrong > 0 ? 1 : 0;
}
