// Runs the tests of a page of this project in Chromium, through dist/ and over HTTP from cmd/serve, and prints what they say.
import { serve } from "../js/serve.mjs";
import { launch } from "./browser.mjs";

/**
 * Opens a page and, once it sets `ready`, calls a function of its with `only`; that gives
 * `{ passed, failed, skipped, messages }`. What fails is the process's exit code.
 */
export async function runPage(path, name, only) {
  const server = await serve(".");
  const browser = await launch();
  let crashed = 0;
  try {
    const page = await browser.newPage();
    page.on("pageerror", (error) => {
      crashed++;
      console.log(`not ok, error of the page: ${error.message}`);
    });
    await page.goto(`${server.url}${path}`);
    await page.waitForFunction(() => window.ready === true, undefined, { timeout: 30_000 });
    const result = await page.evaluate(([name, only]) => window[name](only), [name, only]);
    for (const message of result.messages) console.log(message);
    const failed = result.failed + crashed;
    console.log(`${result.passed} passed, ${failed} failed, ${result.skipped} skipped`);
    process.exitCode = failed > 0 ? 1 : 0;
  } finally {
    await browser.close();
    server.close();
  }
}
