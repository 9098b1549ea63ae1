// Package zstdk has the loops of the Zstandard decoder (RFC 8878): FSE and
// Huffman tables and what is decoded by them, the sequences of a block, and the
// checksum. Package zstd reads the headers and has the errors.
//
// It is a package of its own because the loops share tables and a reader of bits that
// nothing else needs. Its files are as package kernel has them. What the assembly
// relies on, besides what its callers check, is that a table is only made here:
// the states in it are states of it, and a Huffman code has 1 to 11 bits.
package zstdk

// Status tells what is wrong with the data.
type Status uint8

// What can be wrong.
const (
	OK           Status = iota
	BadTree             // a Huffman tree
	BadTable            // an FSE table
	BadStream           // a bit stream does not end where it should
	BadSequences        // sequences need more literals than there are
	BadOffset           // a match starts before the data
	TooLong             // sequences make more than there is room for
)
