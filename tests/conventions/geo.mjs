/** What expected.json says of geo. */
export default function* (_expected) {}
