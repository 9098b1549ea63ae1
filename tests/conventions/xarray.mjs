/** What expected.json says of xarray. */
export default function* (_expected) {}
