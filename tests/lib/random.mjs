// Seeded random numbers for repeatable tests, in Node and in pages. A failing test program prints
// its seeds. SEED in the environment is added to each seed, to test other cases:
//
//   SEED=5 node --test tests/js/grids.test.mjs

const shift = Number(globalThis.process?.env.SEED ?? 0);
const used = new Set();

globalThis.process?.once("exit", (code) => {
  if (code === 0 || used.size === 0) return;
  const some = [...used].slice(-20).join(" ");
  console.log(`# random numbers: SEED=${shift}, the last of ${used.size} seeds: ${some}`);
});

/**
 * Returns a generator of integers from 0 to below n, which depend on the seed and the number only.
 * `next` draws a fraction of 1, and `of` a member of a list. `int` draws an integer of a closed
 * range, `real` a number of a range, and `chance` true with a probability.
 */
export function random(seed, number = 0) {
  used.add(seed);
  // mulberry32; similar seeds start far apart
  let state = (Math.imul(seed + shift, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n) => Math.floor(next() * n);
  return Object.assign(below, {
    next,
    of: (list) => list[below(list.length)],
    int: (least, most) => least + below(most - least + 1),
    real: (least, most) => least + next() * (most - least),
    chance: (p) => next() < p,
  });
}
