// Command api lists what the public packages of this module export, one line for each name, method
// and field.
//
//	go run ./tests/tools/api
//
// A line holds the package and the declaration, without the names of parameters. Lines of the
// browser's build alone end with "(js-wasm)", those of the other builds alone with "(native)".
// Packages below internal, programs and tests are left out; a type of an internal package is listed
// where an exported declaration names it.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("api: ")
	native, err := listing("GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	if err != nil {
		log.Fatal(err)
	}
	browser, err := listing("GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range merged(native, browser) {
		fmt.Println(line)
	}
}

// merged sorts the lines of two builds, and marks those of one of them.
func merged(native, browser map[string]bool) (lines []string) {
	for line := range native {
		if !browser[line] {
			line += " (native)"
		}
		lines = append(lines, line)
	}
	for line := range browser {
		if !native[line] {
			lines = append(lines, line+" (js-wasm)")
		}
	}
	slices.Sort(lines)
	return lines
}

// listed is a package as the go command lists it.
type listed struct {
	ImportPath, Name, Export string
	Module                   *struct {
		Path string
		Main bool
	}
	DepOnly bool
}

// public reports whether other modules can import a package, and are meant to.
func (l listed) public() bool {
	path := "/" + l.ImportPath + "/"
	return !l.DepOnly && l.Name != "main" && !strings.Contains(path, "/internal/") && !strings.Contains(path, "/tests/")
}

// listing returns the lines of one build.
func listing(env ...string) (map[string]bool, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Name,Export,Module,DepOnly", "./...")
	// The library alone: cmd/zarr is a module with nothing to import.
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	var packages []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[l.ImportPath] = l.Export
		if l.public() {
			packages = append(packages, l)
		}
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	read := importer.ForCompiler(token.NewFileSet(), "gc", open)
	w := writer{lines: map[string]bool{}, seen: map[*types.TypeName]bool{}}
	for _, l := range packages {
		w.module = l.Module.Path
		pkg, err := read.Import(l.ImportPath)
		if err != nil {
			return nil, err
		}
		w.listPackage(pkg)
	}
	for len(w.later) > 0 {
		next := w.later[0]
		w.later = w.later[1:]
		w.listType(next)
	}
	return w.lines, nil
}

type writer struct {
	module string
	lines  map[string]bool
	seen   map[*types.TypeName]bool
	later  []*types.TypeName // of internal packages, that exported declarations name
}

func (w *writer) listPackage(pkg *types.Package) {
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		switch o := scope.Lookup(name).(type) {
		case *types.TypeName:
			if o.Exported() {
				w.listType(o)
			}
		case *types.Const:
			if o.Exported() {
				w.put(pkg, "const %s %s = %s", name, w.typ(o.Type()), o.Val())
			}
		case *types.Var:
			if o.Exported() {
				w.put(pkg, "var %s %s", name, w.typ(o.Type()))
			}
		case *types.Func:
			if o.Exported() {
				w.put(pkg, "func %s%s", name, w.signature(o.Signature()))
			}
		}
	}
}

func (w *writer) listType(o *types.TypeName) {
	if w.seen[o] {
		return
	}
	w.seen[o] = true
	pkg := o.Pkg()
	if alias, ok := o.Type().(*types.Alias); ok {
		w.put(pkg, "type %s%s = %s", o.Name(), w.params(alias.TypeParams()), w.typ(alias.Rhs()))
		return
	}
	named := o.Type().(*types.Named)
	head := "type " + o.Name() + w.params(named.TypeParams())
	switch u := named.Underlying().(type) {
	case *types.Struct:
		w.put(pkg, "%s struct", head)
		hidden := false
		for field := range u.Fields() {
			switch {
			case !field.Exported():
				hidden = true
			case field.Embedded():
				w.put(pkg, "%s struct, embedded %s", head, w.typ(field.Type()))
			default:
				w.put(pkg, "%s struct, %s %s", head, field.Name(), w.typ(field.Type()))
			}
		}
		// Literals of a struct with hidden fields name their fields.
		if hidden {
			w.put(pkg, "%s struct, unexported fields", head)
		}
		if !types.Comparable(named) {
			w.put(pkg, "%s struct, not comparable", head)
		}
	case *types.Interface:
		w.put(pkg, "%s interface", head)
		for method := range u.Methods() {
			if method.Exported() {
				w.put(pkg, "%s interface, %s%s", head, method.Name(), w.signature(method.Signature()))
			} else {
				w.put(pkg, "%s interface, unexported methods", head)
			}
		}
		for embedded := range u.EmbeddedTypes() {
			if _, ok := embedded.(*types.Named); !ok {
				w.put(pkg, "%s interface, %s", head, w.typ(embedded))
			}
		}
		return
	default:
		w.put(pkg, "%s %s", head, w.typ(u))
	}
	// Methods of embedded fields are among those of the pointer.
	for selection := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		method := selection.Obj().(*types.Func)
		if !method.Exported() {
			continue
		}
		receiver := "*" + o.Name()
		if types.NewMethodSet(named).Lookup(pkg, method.Name()) != nil {
			receiver = o.Name()
		}
		w.put(pkg, "method (%s) %s%s", receiver, method.Name(), w.signature(selection.Type().(*types.Signature)))
	}
}

func (w *writer) put(pkg *types.Package, format string, args ...any) {
	path := strings.TrimPrefix(strings.TrimPrefix(pkg.Path(), w.module), "/")
	w.lines[path+": "+fmt.Sprintf(format, args...)] = true
}

// typ returns the notation of a type outside of its package, and records the types of internal
// packages in it.
func (w *writer) typ(t types.Type) string {
	w.note(t)
	return types.TypeString(t, func(pkg *types.Package) string { return pkg.Name() })
}

// note keeps the internal types that a type names for later.
func (w *writer) note(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		w.note(types.Unalias(t))
	case *types.Named:
		if o := t.Obj(); o.Pkg() != nil && strings.HasPrefix(o.Pkg().Path(), w.module) && strings.Contains(o.Pkg().Path()+"/", "/internal/") {
			w.later = append(w.later, t.Origin().Obj())
		}
		for arg := range t.TypeArgs().Types() {
			w.note(arg)
		}
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				w.note(v.Type())
			}
		}
	case *types.Map:
		w.note(t.Key())
		w.note(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		w.note(t.Elem())
	case *types.Struct:
		for field := range t.Fields() {
			w.note(field.Type())
		}
	}
}

func (w *writer) params(list *types.TypeParamList) string {
	if list.Len() == 0 {
		return ""
	}
	var all []string
	for p := range list.TypeParams() {
		all = append(all, p.Obj().Name()+" "+w.typ(p.Constraint()))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// signature returns parameters and results without names.
func (w *writer) signature(s *types.Signature) string {
	list := func(tuple *types.Tuple) (all []string) {
		for v := range tuple.Variables() {
			all = append(all, w.typ(v.Type()))
		}
		return all
	}
	params, results := list(s.Params()), list(s.Results())
	if s.Variadic() {
		last := &params[len(params)-1]
		*last = "..." + strings.TrimPrefix(*last, "[]")
	}
	text := w.params(s.TypeParams()) + "(" + strings.Join(params, ", ") + ")"
	switch len(results) {
	case 0:
	case 1:
		text += " " + results[0]
	default:
		text += " (" + strings.Join(results, ", ") + ")"
	}
	return text
}
