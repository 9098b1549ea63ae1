// Starts third-party web servers as users set them up, with the configuration in
// docs/guides/hosting.md.
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, top } from "../lib/serve.mjs";

/**
 * The first block of code below a heading of docs/guides/hosting.md. Its first words must be
 * unique.
 */
function linesOf(heading) {
  const text = readFileSync(`${top}docs/guides/hosting.md`, "utf8");
  const found = new RegExp(`^##+ ${heading}\\n[^]*?^\`\`\`text\\n([^]*?)^\`\`\``, "m").exec(text);
  if (!found) throw new Error(`docs/guides/hosting.md has no lines for ${heading}`);
  return found[1];
}

/** nginx with lines for all of HTTP, and for the site. */
function nginx(dir, port, http, served) {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${dir}/${name};`);
  writeFileSync(
    `${dir}/nginx.conf`,
    `${process.getuid() === 0 ? "user root;" : ""}
daemon off;
pid ${dir}/pid;
error_log stderr;
events {}
http {
  include /etc/nginx/mime.types;
  access_log off;
  ${paths.join(" ")}
  ${http}
  server {
    listen 127.0.0.1:${port};
    ${served}
  }
}
`,
  );
  return ["nginx", "-c", `${dir}/nginx.conf`, "-p", dir, "-e", "stderr"];
}

/**
 * How to start each server with `data` at `/data/`: the command, and its files in `dir`. `writing`
 * are the lines that allow writes, or none.
 */
const hosts = {
  nginx: ({ dir, data, port, writing }) =>
    nginx(
      dir,
      port,
      "",
      linesOf("nginx").replace("location /data/ {", `location /data/ {\n  alias ${data};\n${writing}`),
    ),
  apache: ({ dir, data, port, writing }) => {
    const modules = "mpm_event authz_core mime dir autoindex headers rewrite filter deflate alias dav dav_fs".split(
      " ",
    );
    writeFileSync(
      `${dir}/apache.conf`,
      `${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
ServerRoot ${dir}
ServerName 127.0.0.1
PidFile ${dir}/pid
Listen 127.0.0.1:${port}
ErrorLog ${dir}/errors
TypesConfig /dev/null
User www-data
Group www-data
DavLockDB ${dir}/locks
Alias /data/ ${data}
<Directory ${data}>
  Require all granted
  ${linesOf("Apache")}
  ${writing}
</Directory>
`,
    );
    return ["apache2", "-X", "-f", `${dir}/apache.conf`];
  },
  caddy: ({ dir, data, port }) => {
    const lines = linesOf("Caddy")
      .replace("data.example.org", `http://127.0.0.1:${port}`)
      .replace("root * /srv/data", `root * ${data}\n  uri strip_prefix /data`);
    writeFileSync(`${dir}/Caddyfile`, `{\n  admin off\n  auto_https off\n}\n${lines}`);
    return ["caddy", "run", "--config", `${dir}/Caddyfile`, "--adapter", "caddyfile"];
  },
  // docs/guides/hosting.md has no lines for it.
  lighttpd: ({ dir, data, port, writing }) => {
    writeFileSync(
      `${dir}/lighttpd.conf`,
      `server.modules = ("mod_alias", "mod_setenv"${writing ? ', "mod_webdav"' : ""})
server.bind = "127.0.0.1"
server.port = ${port}
server.document-root = "${dir}"
server.stat-cache-engine = "disable"
alias.url = ("/data/" => "${data}")
dir-listing.activate = "enable"
dir-listing.hide-dotfiles = "disable"
mimetype.assign = (".json" => "application/json", "" => "application/octet-stream")
setenv.add-response-header = (
  "Access-Control-Allow-Origin" => "*",
  "Access-Control-Expose-Headers" => "Content-Range, Content-Length, Content-Encoding, ETag",
  "Access-Control-Allow-Methods" => "GET, HEAD, OPTIONS",
  "Access-Control-Allow-Headers" => "Range, Authorization"
)
${writing}
`,
    );
    return ["lighttpd", "-D", "-f", `${dir}/lighttpd.conf`];
  },
};

/** The names of the servers. */
export const names = Object.keys(hosts);

/** Lets pages of other origins write, as docs/guides/hosting.md shows. */
function allowWrites(file) {
  const lines = readFileSync(file, "utf8")
    .replaceAll("GET, HEAD, OPTIONS", "GET, HEAD, OPTIONS, PUT, DELETE, MKCOL")
    .replaceAll("Range, Authorization", "Range, Authorization, If-Match, If-None-Match, If-Unmodified-Since");
  writeFileSync(file, lines);
}

/** The servers that support writes. */
export const writable = ["nginx", "apache", "lighttpd"];

/** The caches, which keep answers for a second: how to start each in front of `origin`. */
const between = {
  // Caches whole objects, and serves ranges of them.
  nginx: (place) => proxy(place, "proxy_cache_key $uri;"),
  // Caches parts of 64 KiB of each object, and assembles answers from them.
  slices: (place) => proxy(place, "slice 64k; proxy_cache_key $uri$slice_range; proxy_set_header Range $slice_range;"),
  varnish: ({ dir, origin, port }) => {
    const { hostname, port: to } = new URL(origin);
    writeFileSync(
      `${dir}/default.vcl`,
      `vcl 4.0;
backend default { .host = "${hostname}"; .port = "${to}"; }
sub vcl_backend_response { set beresp.ttl = 1s; set beresp.grace = 0s; }
`,
    );
    return ["varnishd", "-F", "-a", `127.0.0.1:${port}`, "-f", `${dir}/default.vcl`, "-n", `${dir}/work`, "-j", "none"];
  },
};

/** nginx in front of another server. */
function proxy({ dir, origin, port }, lines) {
  const cache = `proxy_cache_path ${dir}/cache keys_zone=kept:10m;
  proxy_ignore_headers Cache-Control Expires;
  proxy_cache_valid 200 206 404 1s;`;
  const location = `location / {
      proxy_pass ${new URL(origin).origin};
      proxy_http_version 1.1;
      proxy_cache kept;
      ${lines}
    }`;
  return nginx(dir, port, cache, location);
}

/** The names of the caches. */
export const caches = Object.keys(between);

/**
 * Starts a server of a folder, whose path ends with a slash. With `writes` it accepts PUT.
 * @returns {Promise<{url: string, close: () => Promise<void>}>} the folder's address, with a slash
 * at its end
 */
export function host(name, data, { writes = false } = {}) {
  const writing = writes ? linesOf(`Writing by ${name === "apache" ? "Apache" : name}`) : "";
  return started(name, "/data/", (place) => {
    const command = hosts[name]({ ...place, data, writing });
    if (writes) allowWrites(command.find((arg) => arg.startsWith(place.dir) && arg.endsWith(".conf")));
    return command;
  });
}

/** Starts a cache in front of a server, with the interface of {@link host}. */
export function cache(name, origin) {
  return started(name, new URL(origin).pathname, (place) => between[name]({ ...place, origin }));
}

/**
 * Starts a program at a port, by the command from `prepare`. Its files are in a separate folder.
 */
async function started(name, path, prepare) {
  const dir = mkdtempSync(join(tmpdir(), "zarr-host-"));
  chmodSync(dir, 0o777); // a server may run as another user
  const port = await freePort();
  const [command, ...args] = prepare({ dir, port });
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true, // its processes end with it
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin`, HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const ended = new Promise((resolve) => child.once("close", resolve));
  let failure;
  child.once("error", (error) => (failure = error));
  const stop = () => {
    process.off("exit", stop);
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {} // it has ended
    rmSync(dir, { recursive: true, force: true });
  };
  process.once("exit", stop);
  const url = `http://127.0.0.1:${port}${path}`;
  for (const end = Date.now() + 30_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (failure || child.exitCode !== null || Date.now() > end) {
      stop();
      throw new Error(`${name} does not serve: ${failure?.message ?? said}`);
    }
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      break;
  }
  return {
    url,
    close: async () => {
      stop();
      await ended;
    },
  };
}
