import type { Group } from "../../api/group.js";
import { member, text } from "../../shared/attributes.js";
import { nameOf } from "../array.js";
import { type Fact, guessed, stated } from "../fact.js";

/** @internal A title of a group. */
export function groupTitle({ attrs, path }: Group): Fact<string> {
  for (const name of ["title", "long_name", "name"]) {
    const written = text(member(attrs, name))?.trim();
    if (written) return stated(written, `the attribute ${name}`);
  }
  return guessed(nameOf(path), "the group's path");
}
