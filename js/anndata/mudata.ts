import type { Group } from "../api/group.js";
import { NotFoundError } from "../errors.js";
import { checked } from "../shared/arguments.js";
import { Printed } from "../shared/printed.js";
import { type AnnData, mappingAt, namesOf, openAnnData, printed } from "./anndata.js";
import { type Mapping, type Members, membersOf, type OpenSettings } from "./elements.js";
import { checkGroup, encodingOf, invalid, names, notFound } from "./encoding.js";
import { type DataFrame, openFrame } from "./frame.js";

const mappings = ["uns", "obsm", "varm", "obsp", "varp", "obsmap", "varmap"] as const;

/**
 * Several AnnData objects, the modalities, with common observations or variables (MuData
 * specification).
 */
export class MuData extends Printed {
  /** The group. */
  readonly group: Group;
  /** The total numbers of observations and variables. */
  readonly shape: [observations: number, variables: number];
  /** The axis that modalities share: 0 observations, 1 variables, -1 both. */
  readonly axis: 0 | 1 | -1;
  /** The names of the modalities in stored order (`mod-order`); `null` if unknown. */
  readonly modalities: readonly string[] | null;
  /** The annotations of observations. */
  readonly obs: DataFrame;
  /** The annotations of variables. */
  readonly var: DataFrame;
  /** Unstructured data. */
  readonly uns: Mapping;
  /** Arrays with one row per observation. */
  readonly obsm: Mapping;
  /** Arrays with one row per variable. */
  readonly varm: Mapping;
  /** Matrices of observations × observations. */
  readonly obsp: Mapping;
  /** Matrices of variables × variables. */
  readonly varp: Mapping;
  /** For each modality, the modality's index of each observation, counted from 1; 0 for none. */
  readonly obsmap: Mapping;
  /** For each modality, the modality's index of each variable, counted from 1; 0 for none. */
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

  /** The path of the group. */
  get path(): string {
    return this.group.path;
  }

  override toString(): string {
    const shared = { "0": "", "1": " (shared var)", "-1": " (shared obs and var)" }[this.axis];
    const title = `MuData object with n_obs × n_vars = ${this.shape.join(" × ")}${shared}`;
    return printed(title, [...namesOf(this), ["mod", this.modalities]]);
  }

  /** Opens a modality with {@link openAnnData}. */
  async open(modality: string, options: OpenSettings = {}): Promise<AnnData> {
    const { signal } = checked("open", options);
    const node = await this.#mod.node(modality, signal);
    if (node.kind === "array") throw invalid(node.path, "it is an array, but must be a modality");
    return openAnnData(node, { signal });
  }
}

type MuDataParts = Pick<MuData, "obs" | "var" | (typeof mappings)[number]>;

/**
 * Opens a MuData object. Reads only metadata, and none of the modalities; {@link MuData.open} opens
 * these.
 *
 * @throws The errors of {@link openAnnData}.
 */
export async function openMuData(group: Group, options: OpenSettings = {}): Promise<MuData> {
  const { signal } = checked("openMuData", options);
  const { type } = encodingOf(checkGroup("openMuData", group));
  const { path } = group;
  if (type !== "" && type !== "MuData") throw notFound(path, "MuData", type);
  const axis = group.attrs.axis ?? 0;
  if (axis !== 0 && axis !== 1 && axis !== -1) throw invalid(path, "axis is not 0, 1 or -1");
  const members = await membersOf(group, ["mod", "obs", "var", ...mappings], signal);
  for (const name of ["mod", "obs", "var"]) {
    if (members.names?.includes(name)) continue;
    if (type === "") throw new NotFoundError(`no MuData at ${path}: it has no ${name}`, { path });
    throw invalid(path, `it has no ${name}`);
  }
  const [mod, obsNode, varNode] = await Promise.all(["mod", "obs", "var"].map((name) => members.node(name, signal)));
  if (mod?.kind !== "group") throw invalid(path, "mod is not a group");
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

/** The modalities in stored order, or sorted if the stored order is incomplete. */
function modalitiesOf(mod: Group, inside: Members): readonly string[] | null {
  const known = inside.names;
  const order = mod.attrs["mod-order"];
  if (order === undefined) return known && [...known].sort();
  const ordered = names(mod.path, order, "mod-order");
  if (!known) return ordered;
  return ordered.every((name) => known.includes(name)) && ordered.length === known.length ? ordered : [...known].sort();
}
