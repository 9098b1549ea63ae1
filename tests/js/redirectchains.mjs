// Servers that redirect in chains, and a model of the rule for redirects: the requests sent, and
// the result.
import { arrayV2 } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";
import { listen } from "../lib/serve.mjs";

const zarray = arrayV2([4], "|u1");
const statuses = [301, 302, 303, 307, 308];

/**
 * Starts servers. `add(trial)` adds answers for a trial with a `chain` of servers and `ways`, the
 * forms of each redirect. `seen(number)` returns the requests of a trial, as "SERVER/sSTEP" and
 * their headers.
 */
export async function startChains(count) {
  const trials = new Map();
  const urls = [];
  const answer = (server) => (request, response) => {
    const { origin = "*", "x-key": key = "", authorization = "" } = request.headers;
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Access-Control-Allow-Credentials", "true");
    response.setHeader("Access-Control-Allow-Headers", "x-key, authorization, range");
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    const [, number, name] = /^\/t(\d+)\/(.*?)(?:\?.*)?$/.exec(request.url) ?? [];
    const trial = trials.get(Number(number));
    if (!trial) return response.writeHead(404).end();
    const { chain, ways, seen } = trial;
    if (name === "refs.json") {
      const refs = { ".zgroup": { zarr_format: 2 }, "a/.zarray": zarray };
      refs["a/0"] = [`${urls[chain[0]]}/t${number}/s0`];
      return response.end(JSON.stringify(refs));
    }
    const step = seen.length;
    seen.push(`${server}/${name}${key}${authorization}`);
    if (name !== `s${step}` || chain[step] !== server) return response.writeHead(418).end();
    if (step === chain.length - 1) return response.end(Uint8Array.of(1, 2, 3, 4));
    const next = chain[step + 1];
    const to = `s${step + 1}?sig=secret`;
    const full = `${urls[next]}/t${number}/${to}`;
    const forms =
      next === server
        ? [full, to, `/a/.././t${number}/${to}`]
        : [full, full.slice("http:".length), `HTTP${full.slice("http".length)}#fragment`];
    const way = ways[step];
    response.writeHead(statuses[way % 5], { Location: forms[way % 3], "Cache-Control": "no-store" }).end();
  };
  const servers = await Promise.all(Array.from({ length: count }, (_, i) => listen(answer(i))));
  urls.push(...servers.map(({ origin }) => origin));
  return {
    urls,
    add: (trial) => trials.set(trial.number, { ...trial, seen: [] }),
    seen: (number) => trials.get(number).seen,
    close() {
      for (const server of servers) server.close();
    },
  };
}

/** Random trials for `servers` servers. */
export function randomTrials(seed, count, servers) {
  const below = random(seed);
  return Array.from({ length: count }, (_, i) => {
    const chain = [below(servers)];
    for (let n = below(6) + below(6); n > 0; n--) chain.push(below(2) ? chain.at(-1) : below(servers));
    const rule = ["none", "origins", "confirm"][below(3)];
    return {
      number: seed * 100_000 + i,
      chain,
      ways: chain.map(() => below(15)),
      rule,
      allowed: Array.from({ length: servers }, (_, server) => server === 0 || rule === "none" || below(5) < 3),
      sends: ["none", "static", "by a function", "authorization"][below(4)],
      own: below(3) === 0,
    };
  });
}

/**
 * The expected outcome of a trial: the requests, the confirmed origins, and the read's result. A
 * browser hides the target of a redirect, and Firefox would send Authorization along.
 */
export function model(urls, { chain, rule, allowed, sends }, browser = "") {
  const refused = { chromium: ["static", "by a function"], webkit: ["static", "by a function"] }[browser];
  const held = refused ?? ["static", "by a function", "authorization"];
  const seen = [];
  const asked = [];
  let home = true;
  for (const [step, server] of chain.entries()) {
    const origin = urls[server];
    home &&= server === 0;
    if (step > 0 && browser && rule !== "none") return { seen, asked, outcome: "StoreError" };
    if (step > 0 && browser && chain[0] === 0 && held.includes(sends)) return { seen, asked, outcome: "HttpError" };
    if (rule === "confirm" && server !== 0 && !asked.includes(origin)) asked.push(origin);
    if (!allowed[server]) return { seen, asked, outcome: "StoreError" };
    const key = sends === "static" || sends === "by a function" ? "k" : "";
    seen.push(`${server}/s${step}${home && sends !== "none" ? `${key}a` : ""}`);
  }
  return { seen, asked, outcome: "1,2,3,4" };
}
