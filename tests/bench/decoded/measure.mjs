// Reads and decodes in turn, on a page and in Node alike.

/**
 * Runs a function, and returns its duration and the longest time in which nothing else could run.
 */
async function watched(run) {
  const { port1, port2 } = new MessageChannel();
  let [longest, last, going] = [0, performance.now(), true];
  // Node delivers a channel's messages without a pause between them, so it uses setImmediate.
  const again = () => (globalThis.setImmediate ? setImmediate(tick) : port2.postMessage(0));
  function tick() {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (going) again();
    else port1.close();
  }
  port1.onmessage = tick;
  again();
  const t = performance.now();
  await run();
  const ms = performance.now() - t;
  going = false;
  return { ms, longest };
}

/**
 * Returns the times and the longest blocks in milliseconds of `rounds` rounds, after one that does
 * not count.
 */
export async function measure({ zarr, xarray }, { base, rounds }) {
  // Cached chunks would be read in no time.
  await zarr.caches({ decoded: 0, encoded: 0 });
  const [packed, plain] = await Promise.all(
    ["packed", "plain"].map((name) => zarr.open(base + name, { kind: "array" })),
  );
  const runs = {
    decoded: () => xarray.decodeArray(packed),
    float32: () => xarray.decodeArray(packed, null, { dtype: "float32" }),
    plain: () => plain.get(null),
  };
  const results = Object.fromEntries(Object.keys(runs).map((name) => [name, { times: [], blocks: [] }]));
  for (let i = 0; i <= Number(rounds); i++) {
    for (const [name, run] of Object.entries(runs)) {
      const { ms, longest } = await watched(run);
      if (i === 0) continue;
      results[name].times.push(ms);
      results[name].blocks.push(longest);
    }
  }
  return results;
}
