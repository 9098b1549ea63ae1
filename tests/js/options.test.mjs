// The engine checks a store's options when it first receives them.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { FetchStore, init, isZarrError, open, root, terminate } from "../../dist/node.js";

after(() => terminate());

test("options that mean nothing make the first call reject, and the next one too", async () => {
  for (const [options, word] of [
    [{ retry: { attempts: 0 } }, "attempts"],
    [{ retry: { attempts: 1.5 } }, "attempts"],
    [{ retry: { delay: -1 } }, "delay"],
    [{ concurrency: 0.5 }, "concurrency"],
    [{ concurrency: "many" }, "concurrency"],
    [{ timeout: 0 }, "timeout"],
    [{ timeout: Number.NaN }, "timeout"],
    [{ missingStatus: [200] }, "status"],
    [{ cache: "never" }, "cache"],
    [{ credentials: "always" }, "credentials"],
    [{ headers: { Range: "bytes=0-1" } }, "Range"],
  ]) {
    const store = new FetchStore("http://127.0.0.1:1/", options);
    const refused = (error) => isZarrError(error, "StoreError") && error.message.includes(word);
    await assert.rejects(open(store), refused, JSON.stringify(options));
    await assert.rejects(store.get("/a"), refused, JSON.stringify(options));
  }
});

test("limits that mean nothing keep the engine from starting, and the next one starts", async () => {
  for (const workers of [0, 1]) {
    for (const limits of [{ Nothing: 1 }, { ChunkBytes: -1 }, { ChunkBytes: "all" }]) {
      const refused = (error) =>
        isZarrError(error, "EngineError") &&
        error.code === "ENGINE" &&
        error.message.includes(`no limit "${Object.keys(limits)[0]}"`);
      terminate();
      await assert.rejects(init({ workers, limits }), refused, JSON.stringify({ workers, limits }));
      await assert.rejects(open(root()), refused, JSON.stringify({ workers, limits }));
      await init({ workers });
      await assert.rejects(open(root()), (error) => isZarrError(error, "NotFoundError"));
    }
  }
});
