package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// node is a hierarchy of metadata without chunks: key and document, in turn.
type node []string

// open opens the root like a user, and reads the whole array if it is one.
func (n node) open(format int) ([]byte, error) {
	objects := map[string][]byte{}
	for i := 0; i+1 < len(n); i += 2 {
		objects[n[i]] = []byte(n[i+1])
	}
	ctx := context.Background()
	found, err := zarr.New(memstore.New(objects), codecs.Full(), zarr.Options{}).Open(ctx, "", zarr.OpenOptions{Format: format})
	if err != nil {
		return nil, err
	}
	a, ok := found.(*zarr.Array)
	if !ok {
		return nil, nil
	}
	res, err := a.Read(ctx, nil, zarr.ReadOptions{})
	if err != nil {
		return nil, err
	}
	return res.Data, nil
}

// v3 returns an array of version 3; members replace those of a plain one. Each is a name and a JSON
// text, in turn.
func v3(members ...string) node {
	doc := []string{
		"zarr_format", "3", "node_type", `"array"`, "shape", "[4,4]", "data_type", `"uint8"`,
		"chunk_grid", `{"name":"regular","configuration":{"chunk_shape":[4,4]}}`,
		"chunk_key_encoding", `{"name":"default"}`, "fill_value", "0", "codecs", `["bytes"]`,
	}
	return node{"zarr.json", object(doc, members)}
}

// v2 does the same for version 2.
func v2(members ...string) node {
	doc := []string{
		"zarr_format", "2", "shape", "[4,4]", "chunks", "[4,4]", "dtype", `"|u1"`,
		"compressor", "null", "filters", "null", "order", `"C"`, "fill_value", "null",
	}
	return node{".zarray", object(doc, members)}
}

// v1 does the same for version 1.
func v1() node {
	return node{"meta", object([]string{
		"zarr_format", "1", "shape", "[4,4]", "chunks", "[4,4]", "dtype", `"|u1"`,
		"compression", `"zlib"`, "compression_opts", "1", "order", `"C"`, "fill_value", "null",
	}, nil), "attrs", "{}"}
}

func object(doc, members []string) string {
	doc = slices.Clone(doc)
members:
	for i := 0; i+1 < len(members); i += 2 {
		for j := 0; j < len(doc); j += 2 {
			if doc[j] == members[i] {
				doc[j+1] = members[i+1]
				continue members
			}
		}
		doc = append(doc, members[i], members[i+1])
	}
	var parts []string
	for i := 0; i+1 < len(doc); i += 2 {
		parts = append(parts, fmt.Sprintf("%q:%s", doc[i], doc[i+1]))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// trial is an attempt that must succeed for a yes.
type trial struct {
	name string
	node node
	// refused inverts it: opening must fail.
	refused bool
	// element, if set, is what the first element must be, in hexadecimal.
	element string
}

// run returns the combined answer to a row's trials, and a note on differences.
func run(trials []trial) (own, note string) {
	var failed []string
	asked := 0
	for _, t := range trials {
		data, err := t.node.open(0)
		if err != nil && !t.refused {
			for format := 1; format <= 3 && err != nil; format++ {
				data, err = t.node.open(format)
				if err == nil {
					asked = format
				}
			}
		}
		good := (err != nil) == t.refused
		if want, bad := hex.DecodeString(t.element); good && t.element != "" {
			good = bad == nil && bytes.HasPrefix(data, want)
		}
		if !good {
			failed = append(failed, t.name)
		}
	}
	switch {
	case len(failed) == len(trials):
		return "no", ""
	case len(failed) > 0:
		return "partly", "not " + code(failed)
	case asked > 0:
		return "yes", fmt.Sprintf("when it is asked for (`format: %d`)", asked)
	}
	return "yes", ""
}
