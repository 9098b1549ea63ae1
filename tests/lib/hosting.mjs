// A browser and a server for the tests of a file. They start before the tests and end after them.
import { after, before } from "node:test";
import { chosen, launch, openEngine, until } from "./browsers.mjs";
import { serve } from "./serve.mjs";

/**
 * Starts the chosen browser and a server of this project with the flags. With `playwright` the
 * browser is Chromium, by Playwright's interface. `tab(path)` opens a page of the server and waits
 * until it is ready.
 */
export function hosting({ flags = [], playwright = false } = {}) {
  let starting;
  const host = {
    /** Waits until both have started: hooks of Node's root test do not wait for each other. */
    start: () => {
      starting ??= Promise.all([playwright ? launch() : openEngine(chosen), serve(".", ...flags)]).then(
        ([browser, server]) => Object.assign(host, { browser, server }),
      );
      return starting;
    },
    async tab(path, server) {
      await host.start();
      const tab = await host.browser.newTab((server ?? host.server).url + path);
      // A blank page has no script that could set it.
      if (!path.includes("blank.html")) await until(tab, "a page that is ready", () => globalThis.ready === true);
      return tab;
    },
  };
  before(host.start);
  after(async () => {
    await host.browser?.close();
    host.server?.close();
  });
  return host;
}
