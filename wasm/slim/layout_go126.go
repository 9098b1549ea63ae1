//go:build !js && !go1.27

package main

// known is the version of Go whose tables this file and families.go describe.
const known = "go1.26"

// The words of runtime.moduledata that differ between versions.
const (
	moduleTypesEnd = 38
	moduleMaps     = 40
	moduleTableEnd = 41
	moduleItabs    = 48 // a slice of addresses
	moduleWords    = 51
)

// itabs returns the addresses of the tables of methods.
func (t *functionTable) itabs(memory []byte) []int {
	md := memory[t.module:]
	all := make([]int, word(md, moduleItabs+1))
	for i := range all {
		all[i] = word(memory[word(md, moduleItabs):], i)
	}
	return all
}

// releaseFamilies lists the families of this version alone.
var releaseFamilies = []family{
	{`runtime\.(initMetrics|timeHistogramMetricsBuckets)`, traps, "nothing reads runtime/metrics"},
	{`internal/godebug\.(registerMetric|\(\*Setting\)\.register)`, traps, "GODEBUG is empty"},
	{`internal/bisect\.(New|\(\*Matcher\)\.stack)`, traps, "GODEBUG is empty"},
	{`type:\.eq\.((\[2\])?runtime\.([_acdf-z].*|Frame)|(\[16\])?(internal/|sync).*)`, traps, "no interface and no map has such values"},
}
