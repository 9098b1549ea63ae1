import { read } from "../app.js";
import { Reader } from "./reader.jsx";

// Reads while it is rendered on the server; what it contains reads on the page.
export default async function Page({ searchParams }) {
  const { sum } = await read((await searchParams).data);
  return (
    <main>
      <p>{sum}</p>
      <Reader />
    </main>
  );
}
