// The rounds that a run of a random test takes. With FULL=1 in the environment, as each night, a
// run takes all, else a quarter. tests/rounds does the same for Go.

/** Whether this run takes all rounds. */
export const fullRun = Boolean(process.env.FULL);

/** Returns the number of rounds of a test that has n of them, at least 1. */
export const rounds = (n) => (fullRun ? n : Math.ceil(n / 4));

/** Returns the items that a run takes: in `parts` days each has its turn. */
export const turns = (items, parts) => {
  const day = Math.floor(Date.now() / 86_400_000);
  return fullRun ? items : items.filter((_, i) => i % parts === day % parts);
};
