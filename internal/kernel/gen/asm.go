package main

// This file defines the language of the kernels: Go assembly for wasm, as functions with structured
// control flow over sixteen 64-bit registers.
//
// Go's compiler turns each branch of a function into a jump through one loop, so that goroutines
// can stop anywhere. Its assembler accepts wasm's own blocks, loops and branches, which run as fast
// as a C compiler's. The language names registers and blocks, computes branch depths, and knows the
// layout of arguments on the stack. It does not optimize.
//
// 	f := New("count", Slice("p"), Result("n"))
// 	p, end, n := f.Reg("p"), f.Reg("end"), f.Reg("n")
// 	f.Set(p, f.Base("p"))
// 	f.Set(end, Add(p, f.Len("p")))
// 	f.Set(n, 0)
// 	f.Block("done", func() {
// 		f.Loop("next", func() {
// 			f.BreakIf("done", Eq(p, end))
// 			f.Set(n, Add(n, Load8(p, 0)))
// 			f.Set(p, Add(p, 1))
// 			f.Break("next")
// 		})
// 	})
// 	f.Return(n)
//
// The functions are leaves: they call nothing and have no stack frame. They use addresses, not
// slices. The author must prove that every load and store stays within the arguments.

import (
	"fmt"
	"strings"
)

// Reg is a register, a 64-bit integer.
type Reg int

// Val is a 64-bit expression: a Reg, an int, a uint64, or the name of a package constant in
// go_asm.h. Results of Add, Load8 and the like are also expressions.
type Val any

// expr is an operation on values.
type expr struct {
	op   string
	args []Val
}

// Cond is a boolean expression: the result of Eq and the like.
type Cond struct {
	op   string
	args []any
}

func op(name string, args ...Val) Val { return expr{name, args} }

// Arithmetic and bits. Shr shifts in zeros; shift counts are modulo 64.

func Add(a, b Val) Val  { return op("I64Add", a, b) }
func Sub(a, b Val) Val  { return op("I64Sub", a, b) }
func Mul(a, b Val) Val  { return op("I64Mul", a, b) }
func And(a, b Val) Val  { return op("I64And", a, b) }
func Or(a, b Val) Val   { return op("I64Or", a, b) }
func Xor(a, b Val) Val  { return op("I64Xor", a, b) }
func Shl(a, b Val) Val  { return op("I64Shl", a, b) }
func Shr(a, b Val) Val  { return op("I64ShrU", a, b) }
func Rotl(a, b Val) Val { return op("I64Rotl", a, b) }
func Clz(a Val) Val     { return op("I64Clz", a) }
func Ctz(a Val) Val     { return op("I64Ctz", a) }

// Select is a if the condition holds, else b. It computes both.
func Select(c Cond, a, b Val) Val { return op("Select", a, b, c) }

// Bool is 1 if the condition holds, else 0.
func Bool(c Cond) Val { return op("I64ExtendI32U", c) }

// Const is a named constant, such as the field offsets in go_asm.h.
func Const(name string) Val { return op("I64Const $" + name) }

// Loads from addr+off, little-endian and of any alignment. off is an int or the name of a constant,
// such as a field offset in go_asm.h.

func Load8(addr Val, off any) Val  { return load{"I64Load8U", addr, off} }
func Load16(addr Val, off any) Val { return load{"I64Load16U", addr, off} }
func Load32(addr Val, off any) Val { return load{"I64Load32U", addr, off} }
func Load64(addr Val, off any) Val { return load{"I64Load", addr, off} }

type load struct {
	op   string
	addr Val
	off  any
}

// Global is the address of a variable of the package.
func Global(name string) Val { return "·" + name + "(SB)" }

// Comparisons are unsigned unless marked.

func Eq(a, b Val) Cond    { return Cond{"I64Eq", []any{a, b}} }
func Ne(a, b Val) Cond    { return Cond{"I64Ne", []any{a, b}} }
func Lt(a, b Val) Cond    { return Cond{"I64LtU", []any{a, b}} }
func Le(a, b Val) Cond    { return Cond{"I64LeU", []any{a, b}} }
func Gt(a, b Val) Cond    { return Cond{"I64GtU", []any{a, b}} }
func Ge(a, b Val) Cond    { return Cond{"I64GeU", []any{a, b}} }
func LtS(a, b Val) Cond   { return Cond{"I64LtS", []any{a, b}} }
func GeS(a, b Val) Cond   { return Cond{"I64GeS", []any{a, b}} }
func Zero(a Val) Cond     { return Cond{"I64Eqz", []any{a}} }
func Both(a, b Cond) Cond { return Cond{"I32And", []any{a, b}} }
func Any(a, b Cond) Cond  { return Cond{"I32Or", []any{a, b}} }
func NonZero(a Val) Cond  { return Ne(a, 0) }
func Not(c Cond) Cond     { return Cond{"I32Eqz", []any{c}} }

// Param is a parameter or the result of a function.
type Param struct {
	name   string
	words  int
	result bool
}

// Slice is a parameter of a slice type. Base and Len read it.
func Slice(name string) Param { return Param{name, 3, false} }

// Word is a parameter of 8 bytes: an int, a uint64, a pointer.
func Word(name string) Param { return Param{name, 1, false} }

// Result is a result of 8 bytes. In Go it must be named as here.
func Result(name string) Param { return Param{name, 1, true} }

// Func is a function under construction.
type Func struct {
	name   string
	params []Param
	out    strings.Builder
	depth  []string // names of the open blocks
	regs   [16]string
}

// New begins a function.
func New(name string, params ...Param) *Func { return &Func{name: name, params: params} }

// Reg allocates a register; the name helps readers of the assembly. Its value is undefined until
// set.
func (f *Func) Reg(name string) Reg {
	for i, used := range f.regs {
		if used == "" {
			f.regs[i] = name
			f.line("// %s: R%d", name, i)
			return Reg(i)
		}
	}
	panic(f.name + ": no register left for " + name)
}

// Regs allocates several registers.
func (f *Func) Regs(names ...string) []Reg {
	regs := make([]Reg, len(names))
	for i, name := range names {
		regs[i] = f.Reg(name)
	}
	return regs
}

// Free releases registers.
func (f *Func) Free(regs ...Reg) {
	for _, r := range regs {
		f.regs[r] = ""
	}
}

// arg is a word of the arguments.
type arg struct {
	name string
	off  int
}

func (f *Func) param(name string, field int, suffix string) Val {
	off := 0
	for _, p := range f.params {
		if p.name == name {
			return arg{name + suffix, off + 8*field}
		}
		off += 8 * p.words
	}
	panic(f.name + ": no parameter " + name)
}

// Base is the address of a slice's first element, Len its length, and Arg a one-word parameter.

func (f *Func) Base(name string) Val { return f.param(name, 0, "_base") }
func (f *Func) Len(name string) Val  { return f.param(name, 1, "_len") }
func (f *Func) Arg(name string) Val  { return f.param(name, 0, "") }

// Set assigns a value to a register.
func (f *Func) Set(r Reg, v Val) {
	f.push(v)
	f.line("Set R%d", r)
}

// Inc adds to a register.
func (f *Func) Inc(r Reg, v Val) { f.Set(r, Add(r, v)) }

// Dec subtracts from a register.
func (f *Func) Dec(r Reg, v Val) { f.Set(r, Sub(r, v)) }

// Stores to addr+off, little-endian and of any alignment.

func (f *Func) Store8(addr Val, off any, v Val)  { f.store("I64Store8", addr, off, v) }
func (f *Func) Store16(addr Val, off any, v Val) { f.store("I64Store16", addr, off, v) }
func (f *Func) Store32(addr Val, off any, v Val) { f.store("I64Store32", addr, off, v) }
func (f *Func) Store64(addr Val, off any, v Val) { f.store("I64Store", addr, off, v) }

func (f *Func) store(op string, addr Val, off any, v Val) {
	f.address(addr)
	f.push(v)
	f.line("%s $%v", op, off)
}

// Copy copies n bytes; the ranges may overlap, as in memmove.
func (f *Func) Copy(dst, src, n Val) {
	f.address(dst)
	f.address(src)
	f.address(n)
	f.line("MemoryCopy")
}

// Fill sets n bytes to the low byte of v.
func (f *Func) Fill(dst, v, n Val) {
	f.address(dst)
	f.address(v)
	f.address(n)
	f.line("MemoryFill")
}

// Block opens a block. Break jumps to its end.
func (f *Func) Block(name string, body func()) { f.nest("Block", name, body) }

// Loop opens a loop. Break jumps to its start; falling off the end leaves it.
func (f *Func) Loop(name string, body func()) { f.nest("Loop", name, body) }

func (f *Func) nest(op, name string, body func()) {
	f.line("%s // %s", op, name)
	f.depth = append(f.depth, name)
	body()
	f.depth = f.depth[:len(f.depth)-1]
	f.line("End // %s", name)
}

// If runs the body if the condition holds.
func (f *Func) If(c Cond, body func()) { f.IfElse(c, body, nil) }

// IfElse runs one of two bodies.
func (f *Func) IfElse(c Cond, then, otherwise func()) {
	f.push(c)
	f.line("If")
	f.depth = append(f.depth, "")
	then()
	if otherwise != nil {
		f.depth = f.depth[:len(f.depth)-1]
		f.line("Else")
		f.depth = append(f.depth, "")
		otherwise()
	}
	f.depth = f.depth[:len(f.depth)-1]
	f.line("End")
}

// Break leaves a block, or restarts a loop.
func (f *Func) Break(name string) { f.line("Br $%d // %s", f.find(name), name) }

// BreakIf breaks if the condition holds.
func (f *Func) BreakIf(name string, c Cond) {
	f.push(c)
	f.line("BrIf $%d // %s", f.find(name), name)
}

func (f *Func) find(name string) int {
	for i := len(f.depth) - 1; i >= 0; i-- {
		if f.depth[i] == name {
			return len(f.depth) - 1 - i
		}
	}
	panic(f.name + ": no block " + name)
}

// Return ends the function with its results, in their order.
func (f *Func) Return(values ...Val) {
	off, i := 0, 0
	for _, p := range f.params {
		if p.result {
			f.line("Get SP")
			f.push(values[i])
			f.line("I64Store %s+%d(FP)", p.name, off)
			i++
		}
		off += 8 * p.words
	}
	if i != len(values) {
		panic(f.name + ": wrong number of results")
	}
	f.line("RET")
}

func (f *Func) line(format string, args ...any) {
	f.out.WriteString(strings.Repeat("\t", len(f.depth)+1))
	fmt.Fprintf(&f.out, format, args...)
	f.out.WriteByte('\n')
}

// address pushes a value as wasm's 32-bit address.
func (f *Func) address(v Val) {
	f.push(v)
	f.line("I32WrapI64")
}

func (f *Func) push(v any) {
	switch v := v.(type) {
	case Reg:
		if f.regs[v] == "" {
			panic(fmt.Sprintf("%s: R%d is not taken", f.name, v))
		}
		f.line("Get R%d", v)
	case int:
		f.line("I64Const $%d", v)
	case uint64:
		f.line("I64Const $%d", int64(v))
	case string:
		f.line("I64Const $%s", v)
	case arg: // the assembler sets up SP for a load, but not for a store
		f.line("I64Load %s+%d(FP)", v.name, v.off)
	case load:
		f.address(v.addr)
		f.line("%s $%v", v.op, v.off)
	case expr:
		for _, a := range v.args {
			f.push(a)
		}
		f.line("%s", v.op)
	case Cond:
		for _, a := range v.args {
			f.push(a)
		}
		f.line("%s", v.op)
	default:
		panic(fmt.Sprintf("%s: a value of type %T", f.name, v))
	}
}

// String returns the function's assembly.
func (f *Func) String() string {
	size := 0
	for _, p := range f.params {
		size += 8 * p.words
	}
	return fmt.Sprintf("TEXT ·%s(SB), NOSPLIT, $0-%d\n%s", f.name, size, f.out.String())
}

// File returns a file of functions.
func File(funcs ...*Func) string {
	var b strings.Builder
	b.WriteString("// Code generated by internal/kernel/gen; DO NOT EDIT.\n\n#include \"go_asm.h\"\n#include \"textflag.h\"\n")
	for _, f := range funcs {
		b.WriteString("\n")
		b.WriteString(f.String())
	}
	return b.String()
}
