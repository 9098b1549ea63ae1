import { isObject, items, member, text } from "../shared/attributes.js";

/** The conventions of the zarr-conventions registry that this module supports. */
export type KnownConvention = "spatial" | "proj" | "multiscales";

/** A convention that a node declares: an entry of its `zarr_conventions`, as written. */
export interface Convention {
  /** The permanent identifier. Names do not identify a convention. */
  uuid?: string;
  /** The URL of its JSON Schema, with the version. */
  schema_url?: string;
  /** The URL of its specification. */
  spec_url?: string;
  /** The name. */
  name?: string;
  /** A short description. */
  description?: string;
  /** The convention, if this module supports it; otherwise undefined. */
  known?: KnownConvention;
}

/** The UUIDs of the supported conventions. */
export const uuids: Readonly<Record<KnownConvention, string>> = {
  spatial: "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4",
  proj: "f17cb550-5864-4468-aeb7-f3180cfb622f",
  multiscales: "d35379db-88df-4056-af3a-620245f8e347",
};

/** The past and present repository names of the conventions. */
const repositories: Readonly<Record<string, KnownConvention>> = {
  spatial: "spatial",
  proj: "proj",
  "geo-proj": "proj",
  multiscales: "multiscales",
};

const fields = ["uuid", "schema_url", "spec_url", "name", "description"] as const;

/**
 * Returns the conventions that a node declares, in the order of `zarr_conventions` (Zarr
 * Conventions Specification, "Convention Registration"). Omits invalid entries and entries without
 * an identifier; `validate` reports them.
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
 * @internal The convention of an entry: by UUID, otherwise by schema URL, otherwise by
 * specification URL ("Convention Identity").
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
