package main

import (
	"cmp"
	"context"
	encoding "encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/model"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/validate"
)

// compileSchema compiles the JSON Schema in a file, and in the files that it refers to.
func compileSchema(file string) (*jsonschema.Schema, error) {
	s, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		return nil, usageError{fmt.Errorf("--schema: %w", err)}
	}
	return s, nil
}

// bySchema checks the model of a node, and of all nodes below, by a JSON Schema. It returns an
// error if interrupted.
func bySchema(ctx context.Context, n zarr.Node, s *jsonschema.Schema) (found []validate.Finding, err error) {
	wrong := func(path, text string) {
		found = append(found, validate.Finding{Path: "/" + strings.TrimPrefix(path, "/"), Level: validate.Error, Message: text})
	}
	m, err := model.ToModel(ctx, n, model.Options{})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		wrong(n.Path(), "the schema was not applied: "+err.Error())
		return found, nil
	}
	err = s.Validate(plain(m))
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil, err
	}
	english := message.NewPrinter(language.English)
	for _, e := range leaves(invalid) {
		if more, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
			slices.Sort(more.Properties)
		}
		path, within := splitLocation(n.Path(), e.InstanceLocation)
		text := e.ErrorKind.LocalizedString(english)
		if within != "" {
			text = within + ": " + text
		}
		wrong(path, text)
	}
	// The validator visits members in any order.
	slices.SortFunc(found, func(a, b validate.Finding) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Message, b.Message))
	})
	return found, nil
}

// leaves returns the errors without causes. If no branch of an anyOf or oneOf is valid, it takes
// those of the branch with the fewest.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for i, cause := range e.Causes {
		of := leaves(cause)
		switch e.ErrorKind.(type) {
		case *kind.AnyOf, *kind.OneOf:
			if i == 0 || len(of) < len(all) {
				all = of
			}
		default:
			all = append(all, of...)
		}
	}
	return all
}

// splitLocation splits a location in the model of the node at root into the path of a node, and the
// location within that node's metadata.
func splitLocation(root string, location []string) (path, within string) {
	path = root
	for len(location) >= 2 && location[0] == "members" {
		path += "/" + location[1]
		location = location[2:]
	}
	return path, strings.Join(location, "/")
}

// plain converts a value to encoding/json's types. NaN and the infinities, which JSON lacks, become
// strings.
func plain(v json.Value) any {
	switch v.Kind() {
	case json.Bool:
		b, _ := v.Bool()
		return b
	case json.String:
		s, _ := v.Text()
		return s
	case json.Number:
		return plainNumber(v)
	case json.Array:
		list := make([]any, v.Len())
		for i, one := range v.Items() {
			list[i] = plain(one)
		}
		return list
	case json.Object:
		object := make(map[string]any, v.Len())
		for _, m := range v.Members() {
			object[m.Name] = plain(m.Value)
		}
		return object
	}
	return nil
}

func plainNumber(v json.Value) any {
	literal, _ := v.Number()
	if strings.Trim(literal, "-0123456789") == "" {
		return encoding.Number(literal)
	}
	f, _ := v.Float64()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strings.TrimPrefix(literal, "+")
	}
	return f
}
