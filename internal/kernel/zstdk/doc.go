// Package zstdk holds the loops of the Zstandard decoder (RFC 8878): FSE and Huffman tables and
// decoding, the sequences of a block, and the checksum. Package zstd reads the headers and defines
// the errors.
//
// It is a separate package because the loops share tables and a bit reader that nothing else needs.
// Its files are organised like those of package kernel. The assembly relies on its callers' checks,
// and on tables built here. Their states are in range, and a Huffman code has 1 to 11 bits.
package zstdk

// Status is a defect of the data.
type Status uint8

// The defects.
const (
	OK           Status = iota
	BadTree             // Invalid Huffman tree.
	BadTable            // Invalid FSE table.
	BadStream           // A bit stream ends at the wrong place.
	BadSequences        // Sequences need more literals than there are.
	BadOffset           // A match starts before the data.
	TooLong             // Sequences decode to more bytes than fit.
)
