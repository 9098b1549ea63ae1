/** What expected.json says of print. */
export default function* (_expected) {}
