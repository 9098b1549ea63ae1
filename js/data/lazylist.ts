/** The maximum number of elements that are created at once, which takes some milliseconds. */
const mostAtOnce = 1 << 14;
/** The maximum cost of elements that are created at once, in bytes or in work of that duration. */
const mostCost = 1 << 22;

const inspect = Symbol.for("nodejs.util.inspect.custom");

/**
 * Fills an empty array with `n` elements from `make`. In a long list, each is created at its first
 * access. Creating all of them would block the page's thread, and so would their garbage
 * collection. The returned array behaves like a plain one except for `structuredClone`, which
 * accepts no proxies.
 */
export function listOf<T extends unknown[]>(n: number, cost: number, make: (i: number) => unknown, list: T): T {
  if (n > mostAtOnce || cost > mostCost) return lazyList(n, make, list);
  for (let i = 0; i < n; i++) list.push(make(i));
  return list;
}

function lazyList<T extends unknown[]>(n: number, make: (i: number) => unknown, list: T): T {
  // V8 takes no memory for the holes of an array that was much longer than its number of elements.
  list.length = 2 ** 32 - 1;
  list.length = n;
  /** Missing elements before this index are not created yet. */
  let end = n;
  /** Returns the index of a key if its element is created on demand; otherwise -1. */
  const indexOf = (key: string | symbol): number => {
    const i = typeof key === "string" ? Number(key) : -1;
    return i >>> 0 === i && i < end && String(i) === key ? i : -1;
  };
  /** Returns the index of a key if its element is not created yet; otherwise -1. */
  const pending = (key: string | symbol): number => {
    const i = indexOf(key);
    return i >= 0 && !Object.hasOwn(list, key) ? i : -1;
  };
  /** Returns an element. A mutable one is created only once. */
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
  // An array's own iterator would ask the proxy for the length, and for an element by its name, at
  // each step.
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
      // Elements that were cut off do not return when the list grows again.
      end = Math.min(end, list.length);
      return done;
    },
    deleteProperty(_, key) {
      // An element that was set and then deleted must not be created again.
      if (indexOf(key) >= 0) makeAll();
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
  // Node prints the target of a proxy without calling the proxy.
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
