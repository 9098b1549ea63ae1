/** The sample that is shown by default. */
export const SAMPLE = "./sample/earth.zarr";
/** Whether the samples exist. The npm package does not contain them. */
export const HAS_SAMPLES = document.documentElement.dataset.samples !== "none";
