// Package kernel has the innermost loops and loads of the decoders: what has to
// be fast and needs unsafe or assembly for it. Everything here checks its
// bounds, or says what its caller must have checked.
package kernel
