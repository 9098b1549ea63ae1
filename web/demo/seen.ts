/**
 * Runs work for elements as they scroll into view, at most `most` at once. Elements that leave the
 * view before their turn wait again. The signal ends it.
 */
export function whenSeen(
  elements: Iterable<Element>,
  most: number,
  work: (element: Element) => Promise<unknown>,
  signal: AbortSignal,
): void {
  const waiting = new Set<Element>();
  let free = most;
  const next = (): void => {
    const [element] = waiting;
    if (signal.aborted || free === 0 || !element) return;
    free--;
    waiting.delete(element);
    watch.unobserve(element);
    void work(element).finally(() => {
      free++;
      next();
    });
    next();
  };
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) waiting.add(target);
      else waiting.delete(target);
    }
    next();
  });
  for (const element of elements) watch.observe(element);
  signal.addEventListener("abort", () => watch.disconnect());
}
