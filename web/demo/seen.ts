/**
 * Runs work for elements as they scroll into view, at most `most` at once. Elements that leave the
 * view before their turn wait again. The signal ends it. An element is aria-busy until its work
 * ends or it proves to be out of view.
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
      busy(element, false);
      free++;
      next();
    });
    next();
  };
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) waiting.add(target);
      else waiting.delete(target);
      busy(target, isIntersecting);
    }
    next();
  });
  for (const element of elements) {
    busy(element, true);
    watch.observe(element);
  }
  signal.addEventListener("abort", () => watch.disconnect());
}

/** Marks an element whose content is being read, for assistive technology and styles. */
export function busy(element: Element, is: boolean): void {
  if (is) element.setAttribute("aria-busy", "true");
  else element.removeAttribute("aria-busy");
}
