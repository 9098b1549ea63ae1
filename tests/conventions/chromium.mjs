// Runs the expectations of the conventions in Chromium through dist/, over HTTP from cmd/serve.
//
//   node tests/conventions/chromium.mjs [PATTERN]    a regular expression of ids
import { launch } from "../browser/browser.mjs";
import { serve } from "../js/serve.mjs";

const server = await serve(".");
const browser = await launch();
let crashed = 0;
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => {
    crashed++;
    console.log(`not ok, error of the page: ${error.message}`);
  });
  await page.goto(`${server.url}tests/conventions/conventions.html`);
  await page.waitForFunction(() => window.ready === true, undefined, { timeout: 30_000 });
  const result = await page.evaluate((only) => window.conventions(only), process.argv[2]);
  for (const message of result.messages) console.log(message);
  const failed = result.failed + crashed;
  console.log(`${result.passed} passed, ${failed} failed, ${result.skipped} skipped`);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser.close();
  server.close();
}
