/** What expected.json says of nczarr. */
export default function* (_expected) {}
