// A registry of npm packages on the loopback interface. npm can publish, view and install by it.
import { createHash } from "node:crypto";
import { json } from "node:stream/consumers";
import { listen } from "./serve.mjs";

const sumOf = (algorithm, encoding, bytes) => createHash(algorithm).update(bytes).digest(encoding);

/**
 * Starts an empty registry. It takes packages with the token `token` only, checks each tarball
 * against its checksums, and never replaces a published version.
 * @returns its address, the environment of npm that uses it, and the documents of its packages
 */
export async function registry() {
  const token = "of-this-test";
  const packages = new Map();
  const tarballs = new Map();

  /** Stores the one version of a document that npm sends, and returns the status and the reason. */
  function publish(name, { versions, _attachments, "dist-tags": tags }) {
    const [[version, manifest], ...others] = Object.entries(versions ?? {});
    const [[file, { data }], ...more] = Object.entries(_attachments ?? {});
    if (others.length > 0 || more.length > 0) return [400, "one version and one tarball at once"];
    const bytes = Buffer.from(data, "base64");
    const { integrity, shasum } = manifest.dist;
    const sound = integrity === `sha512-${sumOf("sha512", "base64", bytes)}` && shasum === sumOf("sha1", "hex", bytes);
    if (manifest.name !== name || !sound) return [400, "the tarball is not that of the manifest"];
    const known = packages.get(name) ?? { _id: name, name, versions: {}, "dist-tags": {} };
    if (known.versions[version]) return [403, `${name}@${version} is published`];
    const path = `${name}/-/${file}`;
    const published = { ...manifest, dist: { ...manifest.dist, tarball: `${server.url}${path}` } };
    tarballs.set(path, bytes);
    packages.set(name, {
      ...known,
      versions: { ...known.versions, [version]: published },
      "dist-tags": { ...known["dist-tags"], ...tags },
    });
    return [201, ""];
  }

  const server = await listen(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname.slice(1));
    const answer = (status, body) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (request.method === "PUT") {
      const document = await json(request);
      if (request.headers.authorization !== `Bearer ${token}`) return answer(401, { error: "no token" });
      const [status, error] = publish(path, document);
      return answer(status, status === 201 ? { ok: true } : { error });
    }
    const bytes = tarballs.get(path);
    if (bytes) return response.writeHead(200, { "Content-Type": "application/octet-stream" }).end(bytes);
    const found = packages.get(path);
    return found ? answer(200, found) : answer(404, { error: "not found" });
  });
  const { host } = new URL(server.url);
  const env = {
    npm_config_registry: server.url,
    [`npm_config_//${host}/:_authToken`]: token,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
  return { ...server, env, packages };
}
