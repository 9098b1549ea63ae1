/** What expected.json says of anndata. */
export default function* (_expected) {}
