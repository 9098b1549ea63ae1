import type { Group } from "../api/group.js";
import { NotFoundError } from "../errors.js";
import { Printed } from "../printed.js";
import { checked } from "../refuse.js";
import { type AnnData, mappingAt, namesOf, openAnnData, printed } from "./anndata.js";
import { type Mapping, type Members, membersOf, type OpenSettings } from "./elements.js";
import { checkGroup, encodingOf, invalid, names, notFound } from "./encoding.js";
import { type DataFrame, openFrame } from "./frame.js";

const mappings = ["uns", "obsm", "varm", "obsp", "varp", "obsmap", "varmap"] as const;

/** Several AnnData, the modalities, that share observations or variables: MuData's specification. */
export class MuData extends Printed {
  /** Its group. */
  readonly group: Group;
  /** Observations and variables of all modalities together. */
  readonly shape: [observations: number, variables: number];
  /** What the modalities share: 0 observations, 1 variables, -1 both. */
  readonly axis: 0 | 1 | -1;
  /** The names of the modalities, in their order (`mod-order`); `null` where nothing tells them. */
  readonly modalities: readonly string[] | null;
  /** What is known of each observation. */
  readonly obs: DataFrame;
  /** What is known of each variable. */
  readonly var: DataFrame;
  /** Anything else. */
  readonly uns: Mapping;
  /** Arrays with a row for each observation. */
  readonly obsm: Mapping;
  /** Arrays with a row for each variable. */
  readonly varm: Mapping;
  /** Matrices of observations × observations. */
  readonly obsp: Mapping;
  /** Matrices of variables × variables. */
  readonly varp: Mapping;
  /** For each modality, which of its observations each observation is, from 1; 0 for none. */
  readonly obsmap: Mapping;
  /** For each modality, which of its variables each variable is, from 1; 0 for none. */
  readonly varmap: Mapping;
  readonly #mod: Members;

  /** @internal */
  constructor(group: Group, axis: 0 | 1 | -1, modalities: readonly string[] | null, mod: Members, parts: MuDataParts) {
    super();
    this.group = group;
    this.shape = [parts.obs.length, parts.var.length];
    this.axis = axis;
    this.modalities = modalities;
    this.obs = parts.obs;
    this.var = parts.var;
    this.uns = parts.uns;
    this.obsm = parts.obsm;
    this.varm = parts.varm;
    this.obsp = parts.obsp;
    this.varp = parts.varp;
    this.obsmap = parts.obsmap;
    this.varmap = parts.varmap;
    this.#mod = mod;
  }

  /** The path of its group. */
  get path(): string {
    return this.group.path;
  }

  override toString(): string {
    const shared = { "0": "", "1": " (shared var)", "-1": " (shared obs and var)" }[this.axis];
    const title = `MuData object with n_obs × n_vars = ${this.shape.join(" × ")}${shared}`;
    return printed(title, [...namesOf(this), ["mod", this.modalities]]);
  }

  /** Opens a modality: {@link openAnnData} of its group. */
  async open(modality: string, options: OpenSettings = {}): Promise<AnnData> {
    const { signal } = checked("open", options);
    const node = await this.#mod.node(modality, signal);
    if (node.kind === "array") throw invalid(node.path, "it is an array where a modality is needed");
    return openAnnData(node, { signal });
  }
}

type MuDataParts = Pick<MuData, "obs" | "var" | (typeof mappings)[number]>;

/**
 * Opens a MuData. Nothing but metadata is read, of the modalities not even that: {@link MuData.open} opens them.
 *
 * Rejects as {@link openAnnData} does.
 */
export async function openMuData(group: Group, options: OpenSettings = {}): Promise<MuData> {
  const { signal } = checked("openMuData", options);
  const { type } = encodingOf(checkGroup("openMuData", group));
  const { path } = group;
  if (type !== "" && type !== "MuData") throw notFound(path, "MuData", type);
  const axis = group.attrs.axis ?? 0;
  if (axis !== 0 && axis !== 1 && axis !== -1) throw invalid(path, "axis is none of 0, 1 and -1");
  const members = await membersOf(group, ["mod", "obs", "var", ...mappings], signal);
  for (const name of ["mod", "obs", "var"]) {
    if (members.names?.includes(name)) continue;
    if (type === "") throw new NotFoundError(`no MuData at ${path}: it has no ${name}`, { path });
    throw invalid(path, `it has no ${name}`);
  }
  const [mod, obsNode, varNode] = await Promise.all(["mod", "obs", "var"].map((name) => members.node(name, signal)));
  if (mod?.kind !== "group") throw invalid(path, "mod is no group");
  const [obs, variables, inside] = await Promise.all([
    openFrame(obsNode as Group, signal),
    openFrame(varNode as Group, signal),
    membersOf(mod, [], signal),
  ]);
  const [n, m] = [obs.length, variables.length];
  const lengths = { uns: [], obsm: [n], varm: [m], obsp: [n, n], varp: [m, m], obsmap: [n], varmap: [m] };
  const opened = await Promise.all(
    mappings.map(async (name) => [name, await mappingAt(members, path, name, lengths[name], signal)] as const),
  );
  const rest = Object.fromEntries(opened) as Pick<MuData, (typeof mappings)[number]>;
  return new MuData(group, axis, modalitiesOf(mod, inside), inside, { obs, var: variables, ...rest });
}

/** The modalities in their order; an order that does not have them all does not count. */
function modalitiesOf(mod: Group, inside: Members): readonly string[] | null {
  const known = inside.names;
  const order = mod.attrs["mod-order"];
  if (order === undefined) return known && [...known].sort();
  const ordered = names(mod.path, order, "mod-order");
  if (!known) return ordered;
  return ordered.every((name) => known.includes(name)) && ordered.length === known.length ? ordered : [...known].sort();
}
