// Pages for benchmarks. Whatever page Playwright makes, it has the browser report every request of the page and
// of its workers, which costs about as much as a small request itself; visitors have no such guest.

/** Makes pages of a browser that report nothing of what they do. */
export async function unwatched(browser) {
  const system = await browser.newBrowserCDPSession();
  const waiting = new Map();
  let count = 0;
  system.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result, error } = JSON.parse(message);
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result);
  });

  /** Opens a page in a context of its own, with nothing in its cache. */
  async function open(url) {
    const { browserContextId } = await system.send("Target.createBrowserContext", { disposeOnDetach: true });
    return { ...(await page(browserContextId, url)), again: (next) => page(browserContextId, next) };
  }

  async function page(browserContextId, url) {
    const { targetId } = await system.send("Target.createTarget", { url, browserContextId });
    const { sessionId } = await system.send("Target.attachToTarget", { targetId, flatten: false });

    /** What a function, or the promise that it gives, has for an argument. */
    async function evaluate(run, argument) {
      const id = ++count;
      const expression = `(${run})(${argument === undefined ? "" : JSON.stringify(argument)})`;
      const params = { expression, awaitPromise: true, returnByValue: true };
      const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
      await system.send("Target.sendMessageToTarget", {
        sessionId,
        message: JSON.stringify({ id, method: "Runtime.evaluate", params }),
      });
      const { result, exceptionDetails: thrown } = await answer;
      if (thrown) throw new Error(thrown.exception?.description ?? thrown.text);
      return result.value;
    }

    /** Waits until a function gives something that is true. */
    async function until(run, { timeout }) {
      for (const end = Date.now() + timeout; Date.now() < end; ) {
        // While it loads there is a moment without a document.
        const value = await evaluate(run).catch(() => undefined);
        if (value) return value;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`${url}: waited ${timeout} ms for ${run}`);
    }

    /** Closes the page, and its context with all that it has stored. */
    const close = () => system.send("Target.disposeBrowserContext", { browserContextId });
    return { evaluate, until, close, leave: () => system.send("Target.closeTarget", { targetId }) };
  }

  return open;
}
