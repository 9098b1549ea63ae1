// NCZarr: netCDF's model in Zarr, as netCDF-C writes it.
export { attributeTypes, netcdfType, userAttributes } from "./attributes.js";
export {
  isNczarr,
  memberNames,
  type NczarrDimension,
  type NczarrGroup,
  nameOf,
  nczarrArray,
  nczarrGroup,
} from "./dimensions.js";
export { joinChars, type NczarrHierarchy, type NczarrOptions, type NczarrVariable, openNczarr } from "./open.js";
