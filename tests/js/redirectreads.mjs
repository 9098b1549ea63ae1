// Reads along chains of redirects through the package: in Node, and in a page, which imports this.

/**
 * A store's headers, and their codes in the servers' records: "k" for X-Key, "a" for Authorization.
 */
export const headers = {
  none: undefined,
  static: { "X-Key": "k", Authorization: "a" },
  "by a function": async () => ({ "X-Key": "k", Authorization: "a" }),
  authorization: { Authorization: "a" },
};

/**
 * Reads a target of references at the first of the servers. Returns the bytes or the name of an
 * error, its message, and the origins passed to `confirm`.
 */
export async function readTrial(zarr, urls, { number, rule, allowed, sends, own }) {
  const asked = [];
  const options = {};
  if (rule === "origins") options.origins = urls.filter((_, i) => i > 0 && allowed[i]);
  if (rule === "confirm")
    options.confirm = (origin) => {
      asked.push(origin);
      return allowed[urls.indexOf(origin)];
    };
  const settings = { headers: headers[sends], retry: { attempts: 2, delay: 1 } };
  if (own) settings.fetch = (request) => fetch(request);
  const of = new zarr.FetchStore(`${urls[0]}/t${number}`, settings);
  const store = new zarr.ReferenceStore(of, { key: "refs.json", ...options });
  const array = await zarr.open(zarr.root(store).resolve("a"), { kind: "array" });
  return array.get().then(
    ({ data }) => ({ outcome: [...data].join(), message: "", asked }),
    (error) => ({ outcome: error.name, message: `${error.message} ${error.hint ?? ""}`, asked }),
  );
}
