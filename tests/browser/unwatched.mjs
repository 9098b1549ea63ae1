// Pages for benchmarks. On its own pages, Playwright makes the browser report every request of the
// page and its workers. A report costs about as much as a small request itself.

/** Makes pages of a browser that report none of their requests. */
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

  /** Opens a page in the browser's own profile, with its cache on disk, like a visitor's. */
  async function open(url) {
    const { targetId } = await system.send("Target.createTarget", { url });
    const { sessionId } = await system.send("Target.attachToTarget", { targetId, flatten: false });

    /** Sends a protocol command that needs no enabling. */
    async function send(method, params = {}) {
      const id = ++count;
      const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
      await system.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method, params }) });
      return answer;
    }

    /** A function's result, or that of its promise, for an argument. */
    async function evaluate(run, argument) {
      const expression = `(${run})(${argument === undefined ? "" : JSON.stringify(argument)})`;
      const { result, exceptionDetails: thrown } = await send("Runtime.evaluate", {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (thrown) throw new Error(thrown.exception?.description ?? thrown.text);
      return result.value;
    }

    /**
     * Waits until a function returns a truthy value. It calls the function again after `every`
     * milliseconds.
     */
    async function until(run, { timeout, every = 20 }) {
      for (const end = Date.now() + timeout; Date.now() < end; ) {
        // During loading there is a moment without a document.
        const value = await evaluate(run).catch(() => undefined);
        if (value) return value;
        await new Promise((resolve) => setTimeout(resolve, every));
      }
      throw new Error(`${url}: waited ${timeout} ms for ${run}`);
    }

    const close = () => system.send("Target.closeTarget", { targetId });
    return { send, evaluate, until, close };
  }

  return open;
}
