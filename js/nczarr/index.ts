// NCZarr: netCDF's model in Zarr, as netCDF-C writes it.
export { attributeTypes, type NczarrNode, netcdfType, userAttributes } from "./attributes.js";
export {
  isNczarr,
  memberNames,
  type NczarrArray,
  type NczarrDimension,
  type NczarrGroup,
  nameOf,
  nczarrArray,
  nczarrGroup,
} from "./dimensions.js";
export { joinChars, type NczarrHierarchy, type NczarrOptions, type NczarrVariable, openNczarr } from "./open.js";
