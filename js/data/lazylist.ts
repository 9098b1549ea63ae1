/** Up to so many elements are made at once: it takes some milliseconds. */
const mostAtOnce = 1 << 14;
/** What they are made of may cost so much, in bytes or what takes as long to look at. */
const mostCost = 1 << 22;

const inspect = Symbol.for("nodejs.util.inspect.custom");

/**
 * Fills an empty array with `n` elements that `make` makes. Of many, each is made when it is asked for: to make all
 * of them would block the page's thread, and garbage collection would do so again. The array that is returned then
 * behaves as the other would, but for `structuredClone`, which takes no proxies.
 */
export function listOf<T extends unknown[]>(n: number, cost: number, make: (i: number) => unknown, list: T): T {
  if (n > mostAtOnce || cost > mostCost) return lazyList(n, make, list);
  for (let i = 0; i < n; i++) list.push(make(i));
  return list;
}

function lazyList<T extends unknown[]>(n: number, make: (i: number) => unknown, list: T): T {
  // V8 takes no memory for the holes of an array that has been much longer than it has elements.
  list.length = 2 ** 32 - 1;
  list.length = n;
  /** Elements before this one that the list does not have are still to be made. */
  let end = n;
  /** The index that a key is, if its element is still to be made; else -1. */
  const pending = (key: string | symbol): number => {
    const i = typeof key === "string" ? Number(key) : -1;
    return i >>> 0 === i && i < end && String(i) === key && !Object.hasOwn(list, key) ? i : -1;
  };
  /** An element. One that can be changed is made only once. */
  const element = (i: number): unknown => {
    const value = make(i);
    if (value === Object(value)) list[i] = value;
    return value;
  };
  const makeAll = (): void => {
    for (let i = 0; i < end; i++) if (!Object.hasOwn(list, i)) list[i] = make(i);
    end = 0;
    Reflect.deleteProperty(list, inspect);
  };
  // An array's own iterator would ask the proxy for the length and for an element by its name, each time.
  function* iterate(): Generator<unknown, void, undefined> {
    for (let i = 0; i < list.length; i++) yield i < end && !Object.hasOwn(list, i) ? element(i) : list[i];
  }
  const proxy: T = new Proxy(list, {
    get(_, key, receiver) {
      if (key === Symbol.iterator && Reflect.get(list, key) === Array.prototype.values) return iterate;
      const i = pending(key);
      return i < 0 ? Reflect.get(list, key, receiver) : element(i);
    },
    has: (_, key) => pending(key) >= 0 || Reflect.has(list, key),
    getOwnPropertyDescriptor(_, key) {
      const i = pending(key);
      if (i < 0) return Reflect.getOwnPropertyDescriptor(list, key);
      return { value: element(i), writable: true, enumerable: true, configurable: true };
    },
    defineProperty(_, key, descriptor) {
      const i = pending(key);
      if (i >= 0) list[i] = "value" in descriptor ? undefined : make(i);
      const done = Reflect.defineProperty(list, key, descriptor);
      // What is cut off does not come back when the list becomes longer again.
      end = Math.min(end, list.length);
      return done;
    },
    deleteProperty(_, key) {
      if (pending(key) >= 0) makeAll();
      return Reflect.deleteProperty(list, key);
    },
    ownKeys() {
      makeAll();
      return Reflect.ownKeys(list);
    },
    preventExtensions() {
      makeAll();
      return Reflect.preventExtensions(list);
    },
  });
  // Node prints a proxy by what is behind it, without asking it.
  const print = (_: unknown, options: { maxArrayLength?: number | null }, print: (...args: unknown[]) => string) => {
    const most = Math.min(list.length, options.maxArrayLength ?? list.length);
    const shown = Object.setPrototypeOf(
      Array.from({ length: most }, (_, i) => proxy[i]),
      Object.getPrototypeOf(list),
    );
    shown.length = list.length;
    return print(shown, options);
  };
  Object.defineProperty(list, inspect, { value: print, configurable: true });
  return proxy;
}
