/** The count of numpy's NaT, "not a time", in datetime64 and timedelta64. */
export const notATime = -(2n ** 63n);
