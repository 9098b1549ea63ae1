/** What expected.json says of model. */
export default function* (_expected) {}
