// Runs the tests of a page of this project in Chromium, or in the browser that ENGINE names. The
// page loads dist/ over HTTP from tests/serve. Prints the results.

import { chosen, openEngine, until } from "./browsers.mjs";
import { serve } from "./serve.mjs";

/**
 * Opens a page and, once it sets `ready`, calls one of its functions with the arguments. The
 * function returns `{ passed, failed, skipped, messages }`. Failures set the process's exit code.
 */
export async function runPage(path, name, ...args) {
  const server = await serve(".");
  const engine = await openEngine(chosen);
  try {
    console.log(`${engine.name} ${engine.version}`);
    const tab = await engine.newTab(`${server.url}${path}`);
    await until(tab, "a page that is ready", () => globalThis.ready === true);
    const result = await tab.evaluate((name, args) => globalThis[name](...args), name, args);
    for (const message of result.messages) console.log(message);
    for (const error of tab.errors) console.log(`not ok, error of the page: ${error}`);
    const failed = result.failed + tab.errors.length;
    console.log(`${result.passed} passed, ${failed} failed, ${result.skipped} skipped`);
    process.exitCode = failed > 0 ? 1 : 0;
  } finally {
    await engine.close();
    server.close();
  }
}
