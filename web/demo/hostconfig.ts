// Configurations that allow pages to read from a host.

/** A kind of host and its configuration. */
interface HostConfig {
  readonly id: string;
  readonly name: string;
  /** Texts to paste, each with its place. */
  readonly parts: readonly { readonly where: string; readonly lines: string }[];
  /** Further notes. */
  readonly notes: readonly string[];
}

const EXPOSE = ["Content-Range", "Content-Length", "Content-Encoding", "ETag"];
const CONSOLIDATE =
  "It does not list folders for pages: write consolidated metadata (zarr.consolidate_metadata in Python).";

/** Returns the configurations. `origin` is `*`, or the one origin whose pages may read. */
export function configurations(origin: string): HostConfig[] {
  const expose = EXPOSE.join(", ");
  const json = (value: unknown): string => JSON.stringify(value, null, 2);
  const rules = [
    {
      AllowedOrigins: [origin],
      AllowedMethods: ["GET", "HEAD"],
      AllowedHeaders: ["*"],
      ExposeHeaders: EXPOSE,
      MaxAgeSeconds: 86400,
    },
  ];
  return [
    {
      id: "nginx",
      name: "nginx",
      parts: [
        {
          where: "In the server's configuration, in the location of the data",
          lines: `location /data/ {
  # With "always" also on answers of status 404.
  add_header Access-Control-Allow-Origin "${origin}" always;
  add_header Access-Control-Expose-Headers "${expose}" always;
  add_header Timing-Allow-Origin "${origin}" always;
  if ($request_method = OPTIONS) {
    add_header Access-Control-Allow-Origin "${origin}";
    add_header Access-Control-Allow-Methods "GET, HEAD, OPTIONS";
    add_header Access-Control-Allow-Headers "Range, Authorization";
    add_header Access-Control-Max-Age 86400;
    return 204;
  }
  default_type application/octet-stream;
  gzip on;
  gzip_types application/json;
  autoindex on;
}`,
        },
      ],
      notes: ["Byte ranges work by default. “autoindex” lists folders."],
    },
    {
      id: "apache",
      name: "Apache",
      parts: [
        {
          where: "In .htaccess in the data's folder, or in its <Directory> (with mod_headers and mod_rewrite)",
          lines: `# With "always" also on answers of status 404.
Header always set Access-Control-Allow-Origin "${origin}"
Header always set Access-Control-Allow-Methods "GET, HEAD, OPTIONS"
Header always set Access-Control-Allow-Headers "Range, Authorization"
Header always set Access-Control-Expose-Headers "${expose}"
Header always set Access-Control-Max-Age "86400"
RewriteEngine On
RewriteCond %{REQUEST_METHOD} OPTIONS
RewriteRule ^ - [R=204,L]
AddType application/json .json
AddOutputFilterByType DEFLATE application/json
# Lists folders, with the names that begin with a dot.
Options +Indexes
IndexIgnoreReset ON`,
        },
      ],
      notes: ["Byte ranges work by default."],
    },
    {
      id: "caddy",
      name: "Caddy",
      parts: [
        {
          where: "In the Caddyfile",
          lines: `data.example.org {
  root * /srv/data
  header {
    Access-Control-Allow-Origin "${origin}"
    Access-Control-Expose-Headers "${expose}"
  }
  @preflight method OPTIONS
  handle @preflight {
    header Access-Control-Allow-Methods "GET, HEAD, OPTIONS"
    header Access-Control-Allow-Headers "Range, Authorization"
    header Access-Control-Max-Age 86400
    respond 204
  }
  handle {
    encode zstd gzip {
      match header Content-Type application/json*
    }
    file_server browse
  }
  handle_errors {
    header Access-Control-Allow-Origin "${origin}"
    respond "{err.status_code}"
  }
}`,
        },
      ],
      notes: ["Byte ranges work by default. “browse” lists folders."],
    },
    {
      id: "s3",
      name: "Amazon S3",
      parts: [
        {
          where: "cors.json, for: aws s3api put-bucket-cors --bucket NAME --cors-configuration file://cors.json",
          lines: json({ CORSRules: rules }),
        },
        {
          where:
            "policy.json, for: aws s3api put-bucket-policy --bucket NAME --policy file://policy.json (for public data)",
          lines: json({
            Version: "2012-10-17",
            Statement: [
              { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: "arn:aws:s3:::NAME/*" },
              { Effect: "Allow", Principal: "*", Action: "s3:ListBucket", Resource: "arn:aws:s3:::NAME" },
            ],
          }),
        },
      ],
      notes: [
        "Without s3:ListBucket, S3 answers 403 for absent objects, and folders cannot be listed.",
        "For public data, turn off “Block public access” of the bucket and of the account.",
      ],
    },
    {
      id: "gcs",
      name: "Google Cloud Storage",
      parts: [
        {
          where: "cors.json, for: gcloud storage buckets update gs://NAME --cors-file=cors.json",
          lines: json([
            { origin: [origin], method: ["GET", "HEAD"], responseHeader: [...EXPOSE, "Range"], maxAgeSeconds: 86400 },
          ]),
        },
        {
          where: "In a terminal, for public data",
          lines:
            "gcloud storage buckets add-iam-policy-binding gs://NAME --member=allUsers --role=roles/storage.objectViewer",
        },
      ],
      notes: ["The role also allows listing, so absent objects are a 404."],
    },
    {
      id: "r2",
      name: "Cloudflare R2",
      parts: [{ where: "In the dashboard: the bucket, Settings, CORS policy", lines: json(rules) }],
      notes: ["Connect your own domain to the bucket, because r2.dev is rate-limited.", CONSOLIDATE],
    },
    {
      id: "pages",
      name: "GitHub Pages",
      parts: [
        {
          where: "In the repository: an empty file, without which names that begin with a dot are left out",
          lines: "touch .nojekyll",
        },
      ],
      notes: [
        "It sends Access-Control-Allow-Origin: * with every answer and supports ranges, so it needs no settings.",
        CONSOLIDATE,
        "It rejects files of more than 100 MB: choose smaller shards.",
      ],
    },
  ];
}

/** Returns the kind of host of an address; nginx if it is unknown. */
export function kindOfHost(url: string): string {
  const host = new URL(url).hostname;
  if (/(^|\.)s3[.-][\w.-]*amazonaws\.com$|(^|\.)s3\.amazonaws\.com$/.test(host)) return "s3";
  if (/(^|\.)storage\.googleapis\.com$/.test(host)) return "gcs";
  if (/\.r2\.(dev|cloudflarestorage\.com)$/.test(host)) return "r2";
  if (/\.github\.io$/.test(host)) return "pages";
  return "nginx";
}
