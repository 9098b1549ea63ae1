/** What expected.json says of cf. */
export default function* (_expected) {}
