package codecs

// RareNames returns the v3 names and v2 ids that Full has and Default has not,
// for a program that links Default and can tell where the others are.
func RareNames() []string {
	return []string{
		"base64", "brotli", "bz2", "cast_value", "conditional", "imagecodecs_brotli", "imagecodecs_bz2",
		"imagecodecs_delta", "imagecodecs_lzw", "imagecodecs_packbits", "imagecodecs_xor", "json",
		"json2", "lzma", "msgpack", "msgpack2", "n5_block", "n5_default", "n5_lz4", "n5_strings", "numcodecs.base64", "numcodecs.brotli",
		"numcodecs.bz2", "numcodecs.json", "numcodecs.json2", "numcodecs.lzma", "numcodecs.msgpack",
		"numcodecs.msgpack2", "numcodecs.pcodec", "numcodecs.pickle", "numcodecs.zfpy", "optional",
		"pcodec", "pickle", "reshape", "scale_offset", "squeeze", "vlen", "zarrs.conditional",
		"zarrs.n5_default", "zarrs.optional", "zarrs.reshape", "zarrs.squeeze", "zarrs.vlen", "zfp",
		"zfpy",
	}
}
