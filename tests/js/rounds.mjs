/**
 * Holds answers back until no request has arrived for some milliseconds. Requests that were sent
 * together are thus answered together, however slow the machine is. The returned function waits for
 * its turn.
 */
export function together() {
  const waiting = [];
  let timer;
  return (delay) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      clearTimeout(timer);
      timer = setTimeout(() => {
        for (const answer of waiting.splice(0)) answer();
      }, delay);
    });
}
