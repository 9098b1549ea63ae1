import type { ZarrArray } from "../../api/array.js";
import { UnsupportedError } from "../../index.js";

/**
 * Returns a stand-in for an array, with its own properties. Other reads throw, because they would
 * return the original's elements. It is no node of a store, and has no reference.
 */
export function standIn(array: ZarrArray, own: Readonly<Record<string, unknown>>, what: string): ZarrArray {
  return new Proxy(array, {
    get: (target, name) => {
      if (typeof name === "string" && Object.hasOwn(own, name)) return own[name];
      if (name === "ref") return undefined;
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return () => {
        throw new UnsupportedError(`a ${what} has no ${String(name)}`, { path: target.path, feature: String(name) });
      };
    },
  });
}
