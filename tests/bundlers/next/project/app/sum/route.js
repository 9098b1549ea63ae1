import { read } from "../../app.js";

let workers = 0;
process.on("worker", () => workers++);

export async function GET(request) {
  const result = await read(new URL(request.url).searchParams.get("data"));
  return Response.json({ ...result, workers });
}
