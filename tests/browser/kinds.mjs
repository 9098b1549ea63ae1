// Nodes of each kind that the viewer shows.
/** Each kind of node: its hierarchy below build/, and its path. */
export const kinds = {
  "an array on the Earth": ["samples/earth.zarr", "/t2m"],
  "an array of floats": ["fixtures/xarray/climate_v3.zarr", "/rain"],
  categories: ["samples/earth.zarr", "/cover"],
  "an image with channels": ["samples/cells.zarr", "/"],
  labels: ["samples/cells.zarr", "/labels/cells"],
  "a level of an image": ["samples/cells.zarr", "/1"],
  "a line": ["samples/earth.zarr", "/time"],
  "names in a row": ["fixtures/xarray/climate_v3.zarr", "/station"],
  "one value": ["fixtures/xarray/climate_v3.zarr", "/crs"],
  "a dataset": ["samples/earth.zarr", "/"],
  "a small dataset": ["fixtures/xarray/climate_v3.zarr", "/"],
  "a table": ["samples/table.zarr", "/obs"],
  points: ["samples/table.zarr", "/obsm/X_umap"],
  "a plate": ["fixtures/ome/plate_v04.zarr", "/"],
  "a group": ["samples/cells.zarr", "/labels"],
  "an array with an error": ["fixtures/conventions/cf/dims_v2_wrong_length.zarr", "/"],
};
