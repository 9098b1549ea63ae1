import type { GroupDescription } from "../../describe/description.js";
import { el } from "../dom.js";
import type { Panel } from "./panel.js";

/** The largest number of members in a notice. */
const MOST = 200;

/** Returns a panel of text. */
export function notice(title: string, ...children: (HTMLElement | string)[]): Panel {
  const element = el("div", { class: "notice" }, el("h2", {}, title), ...children);
  return { element, show: () => {}, cancel: () => {}, close: () => {} };
}

/** Returns a panel that lists a group's members as links. */
export function groupNotice({ path, members }: GroupDescription, open: (path: string) => void): Panel {
  const text =
    members === null
      ? "This group has no picture, and its store cannot list the members. Set “node” to the path of a member."
      : members.length === 0
        ? "This group is empty."
        : "This group has no picture. Its members are:";
  const items = members?.slice(0, MOST).map((member) => {
    const name = member.path.split("/").at(-1) ?? member.path;
    const button = el("button", { type: "button", class: "link", onclick: () => open(member.path) }, name);
    return el("li", {}, button, member.kind === "group" ? " (group)" : "");
  });
  return notice(path, el("p", {}, text), ...(items?.length ? [el("ul", {}, ...items)] : []));
}
