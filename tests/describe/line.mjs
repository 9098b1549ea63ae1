// Formats a description on one line, in Node and in pages.

const mark = ({ by }) => (by === "stated" ? "!" : "?");

const short = (number) => (typeof number === "number" ? String(Number(number.toPrecision(6))) : String(number));

/** A short text of a field. */
async function fieldLine(field) {
  const { axes, plane, levels, channels, packing, place } = field;
  const parts = [];
  const described = await Promise.all(
    axes.map(async (axis) => {
      const { name, role, length, units } = axis;
      const coordinate = await axis.coordinate();
      const ends = coordinate && length > 0 ? `=${coordinate.text(0)}..${coordinate.text(length - 1)}` : "";
      const same = role.value === name || (role.value === "other" && role.by === "guessed");
      return `${name}${same ? "" : `:${role.value}${mark(role)}`}[${length}]${ends || (units ? ` ${units}` : "")}`;
    }),
  );
  parts.push(`(${described.join(" ")})`);
  const { x, y, up, left } = plane.value;
  const drawn = x === null ? "value" : y === null ? `line ${axes[x].name}` : `${axes[y].name}×${axes[x].name}`;
  parts.push(`${drawn}${up ? " up" : ""}${left ? " left" : ""}${mark(plane)}`);
  const indices = field.indices.flatMap((index, d) => (index === 0 ? [] : [`${axes[d].name}@${index}`]));
  parts.push(...indices);
  if (field.values !== "number") parts.push(field.values);
  if (field.units) parts.push(`units=${field.units}`);
  if (field.title.value !== field.name) parts.push(`"${field.title.value}"`);
  if (levels.length > 1) {
    const level = ({ factor, start }) =>
      `${factor.map(short).join("·")}${start.some((one) => one !== 0) ? `+${start.map(short).join("·")}` : ""}`;
    parts.push(`levels=${levels.slice(1).map(level).join(" ")}`);
  }
  if (field.colourAxis !== null) parts.push(`colour=${axes[field.colourAxis].name}`);
  if (channels) {
    const list = channels.list.map(({ label, colour, window, visible }) => {
      const hex = colour.value.map((one) => one.toString(16).padStart(2, "0")).join("");
      return `${label} ${hex}${mark(colour)}${window ? ` ${window.value.map(short).join("..")}${mark(window)}` : ""}${visible ? "" : " off"}`;
    });
    parts.push(`channels=[${list.join(", ")}]`);
  }
  if (packing.scale !== 1 || packing.offset !== 0)
    parts.push(`packed=${short(packing.scale)}/${short(packing.offset)}`);
  if (packing.type) parts.push(`as=${packing.type}`);
  if (packing.missing.length > 0) parts.push(`missing=${packing.missing.map(short).join(",")}`);
  if (packing.valid) parts.push(`valid=${packing.valid.map(short).join("..")}`);
  if (field.categories.length > 0) {
    const list = field.categories.map(
      ({ value, label, colour }) =>
        `${value}=${label}${colour ? `#${colour.map((one) => one.toString(16).padStart(2, "0")).join("")}` : ""}`,
    );
    parts.push(`categories=${list.slice(0, 6).join(",")}${list.length > 6 ? `…${list.length}` : ""}`);
  }
  if (field.labels) parts.push("labels");
  if (field.range) parts.push(`range=${field.range.value.map(short).join("..")}`);
  if (field.scale.value !== "sequential") parts.push(`${field.scale.value}${mark(field.scale)}`);
  if (place) {
    const { lonLat, curvilinear, transform, crs } = place;
    const facts = [lonLat && "lonlat", curvilinear && "curvilinear", crs, transform?.map(short).join(" ")];
    parts.push(`place=${facts.filter(Boolean).join(",")}`);
  }
  if (field.members.length > 0) parts.push(`members=${field.members.join(",")}`);
  return parts.join(" ");
}

/** The line of a description. */
export async function lineOf(described) {
  const { kind, conventions, problems } = described;
  const parts = [kind];
  switch (kind) {
    case "array":
    case "image":
      parts.push(await fieldLine(described.field));
      if (kind === "image") {
        if (described.labels.length > 0) parts.push(`over=${described.labels.map(({ name }) => name).join(",")}`);
        if (described.images.length > 0) parts.push(`images=${described.images.join(",")}`);
      }
      break;
    case "dataset": {
      const { dimensions, coordinates, variables, first } = described;
      const named = async ({ name }) => {
        const extent = await described.extent(name);
        return extent ? `${name}=${extent.first}..${extent.last}` : name;
      };
      parts.push(`(${dimensions.map(({ name, length }) => `${name}[${length}]`).join(" ")})`);
      parts.push(`coordinates=${(await Promise.all(coordinates.map(named))).join(",")}`);
      parts.push(`variables=${variables.map(({ name, units }) => (units ? `${name} ${units}` : name)).join(",")}`);
      parts.push(`first=${first?.value ?? "none"}`);
      break;
    }
    case "plate": {
      const { rows, columns, wells } = described;
      parts.push(`${rows.join(",")} × ${columns.join(",")} wells=${wells.length}`);
      if (wells[0])
        parts.push(`images=${(await described.images(wells[0].path).catch(({ name }) => [name])).join(",")}`);
      break;
    }
    case "table": {
      const { length, columns, embeddings } = described;
      parts.push(`${length} rows`, columns.map((one) => `${one.name}:${one.kind}`).join(","));
      if (embeddings.length > 0)
        parts.push(`points=${embeddings.map((one) => `${one.name}[${one.dimensions}]`).join(",")}`);
      break;
    }
    default:
      parts.push(described.members ? `members=${described.members.length}` : "members=unknown");
  }
  if (conventions.length > 0)
    parts.push(`{${conventions.map(({ name, version }) => (version ? `${name} ${version}` : name)).join(", ")}}`);
  if (problems.length > 0) parts.push(`problems=${problems.length}`);
  return parts.join(" ");
}
