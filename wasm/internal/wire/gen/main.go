// Command gen writes js/engine/protocol/wire.ts, the TypeScript types of the messages that package
// wire declares. Run it by `go generate ./wasm/internal/wire`. The package's documentation explains
// the declarations.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The paths from the folder of package wire.
const (
	output  = "../../../js/engine/protocol/wire.ts"
	bounds  = "../../../internal/limits/limits.go"
	columns = "./columns.js" // declares the types that are neither in wire nor in TypeScript
)

// files are the files with blocks, in the order of their types.
var files = []string{"requests.go", "answers.go", "questions.go", "jobs.go", "writes.go"}

// roots are the types that are messages or documents. Every other type must be part of one.
var roots = []string{
	"ToEngine", "FromEngine", "ToPoolUser", "FromPoolUser", "WireHelperOrder", "AnswerValues",
	"StoreDescription", "NodeSpec", "NodeCopyOptions", "ObjectCopyOptions",
}

func main() {
	text, err := generate(".")
	if err == nil {
		err = os.WriteFile(output, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "wire/gen:", err)
		os.Exit(1)
	}
}

// block is a const block, an alias in a comment, or a struct.
type block struct {
	name, doc    string
	op           string   // the operation, if the block is one
	union        string   // the union that an operation belongs to
	value        string   // the type of an answer
	others       []string // the types whose members it has too
	alternatives [][]member
	alias        string // the whole type
}

// member is a member of a message, by a constant of Go.
type member struct{ constant, name, kind, typ, doc string }

var (
	head     = regexp.MustCompile(`^([\w.]+)?(?:(?:^| )\{op: "(\w+)"\})?((?: & \w+)*)(?: => ([^:]+?))?: `)
	typed    = regexp.MustCompile(`^(\?)?(?:(\?)?: (.*))?$`)
	alias    = regexp.MustCompile(`^\t(\w+) =`)
	word     = regexp.MustCompile(`"[^"]*"|\b[A-Z]\w*`)
	external = []string{"Array", "ArrayBuffer", "Record", "SharedArrayBuffer", "Uint8Array"}
	defaults = map[string]string{
		"Text": "string", "Int": "number", "Flag": "boolean", "Ints": "number[]",
		"Texts": "Record<string, string>", "Bytes": "Uint8Array", "Buffer": "ArrayBuffer",
	}
)

// parse reads the blocks of package wire, and the limits.
func parse(dir string) ([]*block, error) {
	var blocks []*block
	fset := token.NewFileSet()
	for _, name := range files {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, c := range f.Comments {
			blocks = append(blocks, aliasesOf(c.Text())...)
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.CONST {
				b, err := blockOf(fset, d)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", fset.Position(d.Pos()), err)
				}
				blocks = append(blocks, b)
			}
		}
	}
	f, err := parser.ParseFile(fset, filepath.Join(dir, bounds), nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	limits := &block{name: "Limits", doc: "Limits on the work that hostile or faulty data and servers can cause. A call that " +
		"exceeds one rejects with a {@link LimitError}, which names the limit.", alternatives: [][]member{nil}}
	for _, field := range f.Scope.Lookup("Limits").Decl.(*ast.TypeSpec).Type.(*ast.StructType).Fields.List {
		name := field.Names[0].Name
		limits.alternatives[0] = append(limits.alternatives[0], member{
			name: strings.ToLower(name[:1]) + name[1:] + "?", typ: "number", doc: field.Doc.Text() + field.Comment.Text(),
		})
	}
	return append(blocks, limits), nil
}

// aliasesOf reads the types in the indented lines of a comment. The text before is a type's doc.
func aliasesOf(text string) []*block {
	var found []*block
	var doc []string
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		m := alias.FindStringSubmatch(lines[i])
		if m == nil {
			doc = append(doc, lines[i])
			continue
		}
		b := &block{name: m[1], doc: strings.Join(doc, " "), alias: strings.TrimSpace(lines[i][len(m[0]):])}
		for ; i+1 < len(lines) && strings.HasPrefix(lines[i+1], "\t"); i++ {
			b.alias += "\n" + strings.TrimPrefix(lines[i+1], "\t")
		}
		found, doc = append(found, b), nil
	}
	return found
}

// blockOf reads a const block. An empty line in it begins another alternative.
func blockOf(fset *token.FileSet, d *ast.GenDecl) (*block, error) {
	doc := strings.Join(strings.Fields(d.Doc.Text()), " ")
	m := head.FindStringSubmatch(doc)
	if m == nil {
		return nil, errors.New("the block's comment has no head")
	}
	b := &block{name: m[1], op: m[2], value: m[4], doc: doc[len(m[0]):], alternatives: [][]member{nil}}
	b.others = append(b.others, strings.Split(m[3], " & ")[1:]...)
	if b.op != "" {
		b.union, b.name = cmp.Or(b.name, "WireOperation"), ""
	}
	end := 0
	for _, s := range d.Specs {
		s := s.(*ast.ValueSpec)
		kind := strings.TrimSuffix(fmt.Sprint(s.Type), "Name")
		value, err := strconv.Unquote(s.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			return nil, err
		}
		from := s.Pos()
		if s.Doc != nil {
			from = s.Doc.Pos()
		}
		if end > 0 && fset.Position(from).Line > end+1 && b.alternatives[len(b.alternatives)-1] != nil {
			b.alternatives = append(b.alternatives, nil)
		}
		end = fset.Position(s.End()).Line
		if kind == "Op" {
			b.name = s.Names[0].Name
			if value != b.op {
				return nil, fmt.Errorf("%s is %q", b.name, value)
			}
			continue
		}
		t := typed.FindStringSubmatch(strings.TrimSpace(s.Comment.Text()))
		if t == nil {
			return nil, fmt.Errorf("%s: the comment after it is not a type", s.Names[0].Name)
		}
		of := &b.alternatives[len(b.alternatives)-1]
		*of = append(*of, member{s.Names[0].Name, value + t[1] + t[2], kind, cmp.Or(t[3], defaults[kind]), s.Doc.Text()})
	}
	if b.name == "" {
		return nil, fmt.Errorf("the operation %q has no constant", b.op)
	}
	return b, nil
}

// generate returns the text of wire.ts.
func generate(dir string) ([]byte, error) {
	blocks, err := parse(dir)
	if err != nil {
		return nil, err
	}
	blocks = append(blocks, unionsOf(blocks)...)
	known := map[string]*block{}
	for _, b := range blocks {
		if known[b.name] != nil {
			return nil, fmt.Errorf("%s is declared twice", b.name)
		}
		known[b.name] = b
	}
	for _, b := range blocks {
		if err := inline(b, known); err != nil {
			return nil, err
		}
	}
	blocks = slices.DeleteFunc(blocks, func(b *block) bool { return strings.Contains(b.name, ".") })
	var body strings.Builder
	for _, b := range blocks {
		body.WriteString("\n" + docOf(sentence(strings.TrimPrefix(strings.TrimSpace(b.doc), b.name+" is ")), "") + "export " + declaration(b, known) + "\n")
	}
	used := map[string]bool{}
	for _, name := range roots {
		use(name, known, used)
	}
	var elsewhere []string
	for name := range used {
		if known[name] == nil && !slices.Contains(external, name) {
			elsewhere = append(elsewhere, name)
		}
	}
	for _, b := range blocks {
		if !used[b.name] {
			return nil, fmt.Errorf("%s is part of no message", b.name)
		}
	}
	slices.Sort(elsewhere)
	return fmt.Appendf(nil, `// Code generated by go generate ./wasm/internal/wire. DO NOT EDIT.

/**
 * The messages between the page, the worker with the engine, and the engine's helpers. All are
 * plain, structured-clonable data. Counts of the engine are numbers, rounded beyond 2^53. Only a
 * user's documents contain bigints.
 */

import type { %s } from %q;
%s`, strings.Join(elsewhere, ", "), columns, body.String()), nil
}

// unionsOf returns the unions of operations, and the types of their answers.
func unionsOf(blocks []*block) []*block {
	docs := map[string]string{
		"WireOperation":   "The operations that are answered. Every request also has a number.",
		"WireNotice":      "The operations without an answer.",
		"ToPoolUser":      "Messages to an engine about its helpers.",
		"WireHelperOrder": "Messages to the engine of a helper.",
	}
	values := &block{name: "AnswerValues", doc: "The values of answers by the operations.", alternatives: [][]member{nil}}
	var unions []*block
	for _, b := range blocks {
		if b.op == "" {
			continue
		}
		i := slices.IndexFunc(unions, func(u *block) bool { return u.name == b.union })
		if i < 0 {
			i = len(unions)
			unions = append(unions, &block{name: b.union, doc: docs[b.union]})
		}
		unions[i].others = append(unions[i].others, b.name)
		if b.value != "" {
			values.alternatives[0] = append(values.alternatives[0], member{name: b.op, typ: b.value})
		}
	}
	for _, u := range unions {
		u.alias = strings.Join(u.others, " | ")
		if len(u.alias) > 80 {
			u.alias = "\n  | " + strings.Join(u.others, "\n  | ")
		}
		u.others = nil
	}
	return append(unions, values)
}

// inline completes the types of members that blocks of their own describe.
func inline(b *block, known map[string]*block) error {
	for _, list := range b.alternatives {
		for i, m := range list {
			if m.typ != "" {
				continue
			}
			of := known[b.name+"."+strings.TrimSuffix(m.name, "?")]
			if of == nil {
				return fmt.Errorf("%s has no type", m.constant)
			}
			var all []string
			for _, inner := range of.alternatives[0] {
				all = append(all, inner.name+": "+inner.typ)
			}
			list[i].typ = "{ " + strings.Join(all, "; ") + " }"
			if m.kind == "List" {
				list[i].typ += "[]"
			}
		}
	}
	return nil
}

// declaration returns a type's declaration: an interface, unless unions are part of it.
func declaration(b *block, known map[string]*block) string {
	if b.alias != "" {
		space := " "
		if b.alias[0] == '\n' {
			space = ""
		}
		return "type " + b.name + " =" + space + b.alias + ";"
	}
	union := len(b.alternatives) > 1
	for _, other := range b.others {
		union = union || known[other] != nil && (known[other].alias != "" || len(known[other].alternatives) > 1)
	}
	if !union {
		extends := ""
		if len(b.others) > 0 {
			extends = " extends " + strings.Join(b.others, ", ")
		}
		return "interface " + b.name + extends + " " + object(b, b.alternatives[0], "")
	}
	var all []string
	indent := "    "
	if len(b.others) > 0 {
		indent += "  "
	}
	for _, list := range b.alternatives {
		if len(b.alternatives) == 1 {
			indent = ""
		}
		if text := object(b, list, indent+"  "); text != "{}" {
			all = append(all, text)
		}
	}
	others := strings.Join(b.others, " & ")
	switch {
	case len(all) == 0:
		return "type " + b.name + " = " + others + ";"
	case len(all) == 1:
		return "type " + b.name + " = " + others + " & " + object(b, b.alternatives[0], "") + ";"
	case others == "":
		return "type " + b.name + " =\n  | " + strings.Join(all, "\n  | ") + ";"
	}
	return "type " + b.name + " = " + others + " &\n  (\n    | " + strings.Join(all, "\n    | ") + "\n  );"
}

// object returns the type of an object with these members, and the operation's name.
func object(b *block, list []member, indent string) string {
	if b.op != "" {
		list = append([]member{{name: "op", typ: strconv.Quote(b.op)}}, list...)
	}
	if len(list) == 0 {
		return "{}"
	}
	if indent != "" {
		indent = indent[2:]
	}
	text := "{\n"
	for _, m := range list {
		text += docOf(m.doc, indent+"  ") + indent + "  " + m.name + ": " + m.typ + ";\n"
	}
	return text + indent + "}"
}

// docOf returns a comment of at most 100 columns.
func docOf(doc, indent string) string {
	words := strings.Fields(doc)
	if len(words) == 0 {
		return ""
	}
	if line := indent + "/** " + strings.Join(words, " ") + " */\n"; len(line) <= 101 {
		return line
	}
	text, line := indent+"/**\n", indent+" *"
	for _, w := range words {
		if len(line)+1+len(w) > 100 {
			text += line + "\n"
			line = indent + " *"
		}
		line += " " + w
	}
	return text + line + "\n" + indent + " */\n"
}

func sentence(doc string) string {
	return strings.ToUpper(doc[:1]) + doc[1:]
}

// use marks a type and all types that it refers to.
func use(name string, known map[string]*block, used map[string]bool) {
	b := known[name]
	if used[name] {
		return
	}
	used[name] = true
	if b == nil {
		return
	}
	texts := append([]string{b.alias}, b.others...)
	for _, list := range b.alternatives {
		for _, m := range list {
			texts = append(texts, m.typ)
		}
	}
	for _, other := range word.FindAllString(strings.Join(texts, " "), -1) {
		if other[0] != '"' {
			use(other, known, used)
		}
	}
}
