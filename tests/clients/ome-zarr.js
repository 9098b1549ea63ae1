// Calls ome-zarr.js: metadata, arrays, pictures.
import * as omezarr from "ome-zarr.js";

export async function run(base) {
  const seen = [];
  for (const name of ["image_v04.zarr", "image_v05.zarr", "plate_v04.zarr/A/1/0"]) {
    const url = `${base}fixtures/ome/${name}`;
    const { arr, shapes, scales, multiscale, omero, zarr_version } = await omezarr.getMultiscaleWithArray(url, 0);
    seen.push({
      name,
      shape: arr.shape,
      chunks: arr.chunks,
      dtype: arr.dtype,
      shapes,
      scales,
      multiscale,
      omero,
      zarr_version,
    });
    seen.push((await omezarr.openArray(url, multiscale.datasets.at(-1).path, zarr_version)).shape);
    seen.push((await omezarr.openGroup(url)).attrs);
    seen.push(await omezarr.renderImage(arr, multiscale.axes, omero));
    seen.push(await omezarr.renderThumbnail(url, 32));
  }
  return seen;
}
