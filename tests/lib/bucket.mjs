// A server of the objects of one bucket, which lists them as S3 does.
import { send } from "./serve.mjs";

const escaped = (text) => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);

/**
 * A handler for node:http. The bucket's name is the first segment of the path. `pageSize` is the
 * number of names in a page of a list, and `refuse` the status of every list. `cors: false` omits
 * the header that lets pages of other origins read. `asked` collects the requests.
 */
export function bucket({ name, objects, pageSize = 1000, refuse, cors = true, asked = [] }) {
  return (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const url = new URL(request.url, "http://bucket");
    if (cors) response.setHeader("access-control-allow-origin", "*");
    const fail = (status, code) => {
      response.statusCode = status;
      response.setHeader("content-type", "application/xml");
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
    };
    const path = decodeURIComponent(url.pathname);
    if (path !== `/${name}` && !path.startsWith(`/${name}/`)) return fail(404, "NoSuchBucket");
    const key = path.slice(name.length + 2);
    if (key !== "") {
      return objects[key] ? send(request, response, objects[key]) : fail(404, "NoSuchKey");
    }
    if (refuse) return fail(refuse, "AccessDenied");
    if (url.searchParams.get("list-type") !== "2") return fail(400, "InvalidArgument");
    response.setHeader("content-type", "application/xml");
    response.end(page(objects, url.searchParams, pageSize));
  };
}

function page(objects, query, size) {
  const prefix = query.get("prefix") ?? "";
  const after = query.get("continuation-token") ?? "";
  const names = new Set();
  for (const key of Object.keys(objects)) {
    if (!key.startsWith(prefix)) continue;
    const slash = key.indexOf("/", prefix.length);
    names.add(slash < 0 || query.get("delimiter") !== "/" ? key : key.slice(0, slash + 1));
  }
  const rest = [...names].sort().filter((one) => one > after);
  const some = rest.slice(0, size);
  const next = rest.length > size ? `<NextContinuationToken>${escaped(some.at(-1))}</NextContinuationToken>` : "";
  const entry = (one) =>
    one.endsWith("/")
      ? `<CommonPrefixes><Prefix>${escaped(one)}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${escaped(one)}</Key></Contents>`;
  return `<?xml version="1.0"?><ListBucketResult><Prefix>${escaped(prefix)}</Prefix><IsTruncated>${next !== ""}</IsTruncated>${some.map(entry).join("")}${next}</ListBucketResult>`;
}
