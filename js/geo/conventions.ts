import { isObject, items, member, text } from "../attributes/read.js";

/** The conventions of the registry that this module reads. */
export type KnownConvention = "spatial" | "proj" | "multiscales";

/** A convention that a node says it follows: an entry of its `zarr_conventions`, as written. */
export interface Convention {
  /** What identifies the convention for good; names do not. */
  uuid?: string;
  /** The address of its JSON Schema, with its version. */
  schema_url?: string;
  /** The address of its specification. */
  spec_url?: string;
  /** How it is called. */
  name?: string;
  /** What it is about, in a few words. */
  description?: string;
  /** Which of those that this module reads it is; undefined for another. */
  known?: KnownConvention;
}

/** The uuids of the conventions that this module reads. */
export const uuids: Readonly<Record<KnownConvention, string>> = {
  spatial: "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4",
  proj: "f17cb550-5864-4468-aeb7-f3180cfb622f",
  multiscales: "d35379db-88df-4056-af3a-620245f8e347",
};

/** The names of the repositories that the conventions were and are kept in. */
const repositories: Readonly<Record<string, KnownConvention>> = {
  spatial: "spatial",
  proj: "proj",
  "geo-proj": "proj",
  multiscales: "multiscales",
};

const fields = ["uuid", "schema_url", "spec_url", "name", "description"] as const;

/**
 * The conventions that a node's attributes say it follows, in the order of `zarr_conventions` (Zarr Conventions Specification, "Convention
 * Registration"). What is no entry, or has nothing that identifies a convention, is left out: `validate` tells of it.
 */
export function conventionsOf(attributes: unknown): Convention[] {
  const found: Convention[] = [];
  for (const entry of items(member(attributes, "zarr_conventions"))) {
    if (!isObject(entry)) continue;
    const convention: Convention = {};
    for (const field of fields) {
      const value = text(member(entry, field));
      if (value !== undefined) convention[field] = value;
    }
    const known = knownConvention(convention);
    if (known) convention.known = known;
    if (convention.uuid || convention.schema_url || convention.spec_url) found.push(convention);
  }
  return found;
}

/**
 * @internal Which convention an entry is: by the uuid where there is one, else by the address of the schema, else by that of the
 * specification ("Convention Identity").
 */
export function knownConvention(entry: unknown): KnownConvention | undefined {
  const [uuid, schema_url, spec_url] = ["uuid", "schema_url", "spec_url"].map((name) => text(member(entry, name)));
  if (uuid) {
    return (Object.keys(uuids) as KnownConvention[]).find((name) => uuids[name] === uuid.toLowerCase());
  }
  const [, repository = ""] =
    /\/zarr-(?:conventions|experimental)\/([\w-]+)\//.exec(schema_url || spec_url || "") ?? [];
  return Object.hasOwn(repositories, repository) ? repositories[repository] : undefined;
}
