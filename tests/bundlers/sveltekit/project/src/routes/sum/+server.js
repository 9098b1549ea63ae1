import { json } from "@sveltejs/kit";
import { read } from "../../../app.js";

let workers = 0;
process.on("worker", () => workers++);

export async function GET({ url }) {
  const result = await read(url.searchParams.get("data"));
  return json({ ...result, workers });
}
