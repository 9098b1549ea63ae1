package model

import (
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// Problem is what is wrong with a model.
type Problem struct {
	// Path is where in the model, as a JSON Pointer: "/members/t/shape/0".
	Path string
	// Keyword is the keyword of the schema that does not hold.
	Keyword string
	// SchemaPath is where in the schema, as a JSON Pointer.
	SchemaPath string
	// Message is what is wrong there.
	Message string
}

// SchemaError says what is wrong with a schema, or what of it is not supported.
type SchemaError struct {
	// Pointer is where in the schema, as a JSON Pointer.
	Pointer string
	Msg     string
	// Unsupported is true when the schema may be valid, but asks for what is not known here.
	Unsupported bool
}

func (e *SchemaError) Error() string {
	kind := "invalid schema at #"
	if e.Unsupported {
		kind = "unsupported in the schema at #"
	}
	return kind + e.Pointer + ": " + e.Msg
}

// ValidateOptions are the settings of [Validate].
type ValidateOptions struct {
	// MaxSteps is how many steps validation may take; default 20,000,000. More are a *zarr.LimitError.
	MaxSteps int
}

// maxProblems is how many problems are reported.
const maxProblems = 100

// Validate returns what is wrong with a model by a JSON Schema (draft 2020-12): nothing when it is valid. For a schema that is the zero
// Value it is [Schema] of the model's version. Where no branch of an anyOf or oneOf holds, the problems are those of the branch with the fewest.
// At most 100 are reported.
//
// All of a schema is read before. Errors are *SchemaError and *zarr.LimitError: a keyword that is not known here, a reference to another document
// and a draft other than 2020-12 are unsupported; a reference to nothing or one that leads back to itself is not valid. format, default and
// their like do not constrain.
func Validate(model, schema Value, opt ValidateOptions) ([]Problem, error) {
	if opt.MaxSteps == 0 {
		opt.MaxSteps = 20_000_000
	}
	if !schema.Exists() {
		version := 3
		if n, _ := model.Get("zarr_format").Int64(); n == 2 {
			version = 2
		}
		schema = Schema(version)
	}
	r := &run{root: schema, max: opt.MaxSteps, patterns: map[string]pattern{}, read: map[Value]bool{}, targets: map[string]*at{}}
	root := rooted(schema, "")
	if err := r.check(root, 0); err != nil {
		return nil, err
	}
	found, err := r.holds(root, model, nil, nil, 0)
	if err != nil {
		return nil, err
	}
	problems := make([]Problem, len(found))
	for i, one := range found {
		problems[i] = one.told()
	}
	return problems, nil
}

// at is a schema, and where it is in the document: below a keyword of another one, or below a name or number there.
type at struct {
	schema        Value
	keyword, name string
	above         *at
}

func (a *at) below(v Value, keyword, name string) *at {
	return &at{schema: v, keyword: keyword, name: name, above: a}
}

// rooted is a schema at a place that a reference names.
func rooted(v Value, pointer string) *at { return &at{schema: v, name: pointer} }

func (a *at) pointer() string {
	switch {
	case a.above == nil:
		return a.name
	case a.name == "":
		return a.above.pointer() + step(a.keyword)
	}
	return a.above.pointer() + step(a.keyword) + step(a.name)
}

// path is where a value is in the model.
type path struct {
	name  string
	above *path
}

func (p *path) pointer() string {
	if p == nil {
		return ""
	}
	return p.above.pointer() + step(p.name)
}

// problem is a Problem whose places are not written yet: most are of branches that need not hold.
type problem struct {
	path             *path
	at               *at
	keyword, message string
}

func (p problem) told() Problem {
	pointer := p.at.pointer()
	if p.keyword != "" {
		pointer += step(p.keyword)
	}
	return Problem{p.path.pointer(), p.keyword, pointer, p.message}
}

// step is a name of a JSON Pointer.
func step(name string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// followed are the references that were followed since the value was reached.
type followed struct {
	schema Value
	before *followed
}

type run struct {
	root     Value
	max      int
	steps    int
	patterns map[string]pattern
	read     map[Value]bool
	targets  map[string]*at
}

func (r *run) count(steps int) error {
	if r.steps += steps; r.steps > r.max {
		return &zarr.LimitError{Limit: "MaxSteps", Max: int64(r.max), What: "validation"}
	}
	return nil
}
