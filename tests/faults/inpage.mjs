// Reads selections through faults on a page of a browser.
import { openEngine } from "../lib/browsers.mjs";

/** Browsers' console messages about failed requests. */
const network = /CORS|Cross-Origin|Failed to load resource|net::|access control checks|NetworkError/i;

/** The interval in milliseconds at which a page's progress is polled. */
const pause = 500;

/**
 * Runs tests/faults/page.html, and waits for its end.
 * @param {string} engine the browser
 * @param {{ servers: string[], seed: number, count?: number, minutes?: number, only?: number }} job
 */
export async function inPage(engine, job, log) {
  const browser = await openEngine(engine);
  try {
    const tab = await browser.newTab(`${job.servers[0]}tests/faults/page.html`);
    await until(() => tab.evaluate(() => globalThis.ready === true));
    await tab.evaluate((job) => globalThis.begin(job), job);
    let told = 0;
    let state;
    await until(async () => {
      state = await tab.evaluate((from) => globalThis.state(from), told);
      for (const line of state.lines) log(line);
      told += state.lines.length;
      return state.result !== undefined;
    });
    if (state.result.error) throw new Error(state.result.error);
    for (const error of tab.errors.filter((error) => !network.test(error))) {
      state.result.found.crashes++;
      state.result.failures.push({ number: -1, about: "the page", problems: [error] });
    }
    return state.result;
  } finally {
    await browser.close();
  }
}

async function until(done) {
  while (!(await done())) await new Promise((resolve) => setTimeout(resolve, pause));
}
