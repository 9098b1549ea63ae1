/**
 * Holds answers back until for so many milliseconds no other request has come: those that are sent together are answered together,
 * however long this machine takes to send them. What it returns waits for that.
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
