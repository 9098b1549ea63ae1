/** What expected.json says of ome. */
export default function* (_expected) {}
