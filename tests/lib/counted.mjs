// Counts resources that a page must release explicitly: object URLs, workers, WebGL contexts.

/** Counts from before the page's first script; `left()` in the page returns the present counts. */
export const counting = (page) => page.addInitScript(count);

function count() {
  const urls = new Set();
  const workers = new Set();
  const contexts = [];
  const { createObjectURL, revokeObjectURL } = URL;
  URL.createObjectURL = (of) => {
    const url = createObjectURL.call(URL, of);
    urls.add(url);
    return url;
  };
  URL.revokeObjectURL = (url) => {
    urls.delete(url);
    revokeObjectURL.call(URL, url);
  };
  window.Worker = class extends Worker {
    constructor(...args) {
      super(...args);
      workers.add(this);
    }
    terminate() {
      workers.delete(this);
      super.terminate();
    }
  };
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    // This includes software WebGL, as here.
    const own = kind === "webgl2" ? { ...options, failIfMajorPerformanceCaveat: false } : options;
    const context = getContext.call(this, kind, own);
    // A strong reference would keep the context's canvas, and so the element.
    if (kind === "webgl2" && context) contexts.push(new WeakRef(context));
    return context;
  };
  window.left = () => ({
    urls: urls.size,
    workers: workers.size,
    contexts: contexts.filter((one) => one.deref()?.isContextLost() === false).length,
  });
}
