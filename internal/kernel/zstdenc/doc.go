// Package zstdenc holds the loops of the Zstandard encoder (RFC 8878): the search for matches, the
// codes of sequences, and Huffman codes of literals. Package zstd writes the frames.
//
//	s.Begin()
//	s.Block(src, from, to)
//	dst = tree.Append(dst, s.Literals())
//	dst = codes.Append(dst, s.Sequences())
//
// Its files are organised like those of package kernel. Like level 1 of the reference
// implementation, it has one table of hashes, and takes the first match. Unlike that level, it
// hashes 6 bytes instead of 7. Elements of 4 bytes then match together with the upper half of the
// element before, as few do with 7.
package zstdenc
