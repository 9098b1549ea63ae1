// Runs the conformance cases in Chromium through dist/, over HTTP from cmd/serve.
//
//   node tests/browser/conformance.mjs [PATTERN]    a regular expression of ids
import { serve } from "../js/serve.mjs";
import { launch } from "./browser.mjs";

const server = await serve(".");
const browser = await launch();
let crashed = 0;
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => {
    crashed++;
    console.log(`error of the page: ${error.message}`);
  });
  await page.goto(`${server.url}tests/browser/conformance.html`);
  await page.waitForFunction(() => window.ready === true, undefined, { timeout: 30_000 });
  const result = await page.evaluate((only) => window.conformance(only), process.argv[2]);
  for (const message of result.messages) console.log(message);
  const failed = result.failed + crashed;
  console.log(`${result.passed} passed, ${failed} failed, ${result.skipped} skipped`);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser.close();
  server.close();
}
