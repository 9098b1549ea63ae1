//go:build !js && go1.27

package main

// known is the version of Go whose tables this file and families.go describe.
const known = "go1.27"

// The words of runtime.moduledata that differ between versions.
const (
	moduleTypesEnd = 39
	moduleItabs    = 40 // an offset from the types, and a size in bytes
	moduleMaps     = 43
	moduleTableEnd = 44
	moduleWords    = 45
)

// interfaceMethods is the word of an interface's type that counts its methods.
const interfaceMethods = 8

// itabs returns the addresses of the tables of methods, which follow each other.
func (t *functionTable) itabs(memory []byte) []int {
	md := memory[t.module:]
	var all []int
	at := word(md, moduleTypes) + word(md, moduleItabs)
	for end := at + word(md, moduleItabs+1); at < end; {
		all = append(all, at)
		size := itabMethods + wordSize
		if word(memory[at+itabMethods:], 0) != 0 {
			size += wordSize * (word(memory[word(memory[at:], 0):], interfaceMethods) - 1)
		}
		at += size
	}
	return all
}

// releaseFamilies lists the families of this version alone. All types of one layout share
// comparison functions, so none of these is known to be unused.
var releaseFamilies []family
