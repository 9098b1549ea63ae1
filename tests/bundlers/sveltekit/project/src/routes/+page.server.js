import { read } from "../../app.js";

/** Reads while the page is rendered on the server. */
export async function load({ url }) {
  const { sum } = await read(url.searchParams.get("data"));
  return { sum };
}
