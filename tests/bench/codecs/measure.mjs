// Times two or more competitors in turn, so that the machine's load affects all of them.

/** The median. */
export const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/**
 * Times competitors, each an object with run(), async or not, in interleaved rounds
 * of at least a few milliseconds each.
 * @returns {Promise<number[][]>} for each competitor the milliseconds of one run in each round
 */
export async function race(competitors, { rounds, warm, atLeast }) {
  const repeat = [];
  for (const run of competitors) {
    // Warms up until the engine has optimised its hot loops.
    let runs = 0;
    const began = performance.now();
    let took = 0;
    do {
      await run();
      runs++;
      took = performance.now() - began;
    } while (took < warm || runs < 3);
    repeat.push(Math.max(1, Math.ceil((atLeast * runs) / took)));
  }
  const times = competitors.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < competitors.length; k++) {
      const i = (k + round) % competitors.length;
      const run = competitors[i];
      const began = performance.now();
      for (let n = 0; n < repeat[i]; n++) {
        const wait = run();
        if (wait) await wait;
      }
      times[i].push((performance.now() - began) / repeat[i]);
    }
  }
  return times;
}

/** A row of the results: rates in MB/s, so a ratio above 1 is better. */
export function row(name, data, bytes, ours, peer, more) {
  const rate = (ms) => bytes / 1e3 / ms;
  const side = (times) => ({
    median: rate(median(times)),
    worst: rate(Math.max(...times)),
    best: rate(Math.min(...times)),
  });
  const a = side(ours);
  const b = side(peer);
  return {
    case: name,
    data,
    ...more,
    ours: a.median,
    peer: b.median,
    unit: "MB/s",
    ratio: a.median / b.median,
    better: "above 1",
    spread: { ours: [a.worst, a.best], peer: [b.worst, b.best] },
  };
}
