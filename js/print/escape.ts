const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for HTML, as an element's content or an attribute's value. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] as string);
}
