//go:build !js

// Command write is Go's side of the write benchmark (tests/bench/write.mjs). It makes the arrays to
// copy, and answers requests to measure.
//
//	write make DIR NAME...
//	write serve
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

func main() {
	ctx := context.Background()
	err := errors.New("usage: write make DIR NAME... | write serve")
	switch args := os.Args[1:]; {
	case len(args) > 2 && args[0] == "make":
		err = makeArrays(ctx, args[1], args[2:])
	case len(args) == 1 && args[0] == "serve":
		err = serve(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
		os.Exit(1)
	}
}

// request is a line of input: the measurement of encoding a chunk, or of writing an array.
type request struct {
	Kind  string         `json:"kind"` // "encode", "memory" or "directory"
	Codec map[string]any `json:"codec"`
	Rows  int            `json:"rows"`  // of the array, of 1024 float32 each
	Chunk int            `json:"chunk"` // rows of a chunk
	Dir   string         `json:"dir"`
	Least float64        `json:"least"` // seconds of repetitions
}

// answer holds the duration of one repetition, and its number of bytes.
type answer struct {
	Seconds float64 `json:"seconds"`
	Stored  int64   `json:"stored"`
}

func serve(ctx context.Context) error {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var q request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return err
		}
		a, err := measure(ctx, &q)
		if err != nil {
			return err
		}
		b, err := json.Marshal(a)
		if err != nil {
			return err
		}
		fmt.Println(string(b))
	}
	return lines.Err()
}

func measure(ctx context.Context, q *request) (answer, error) {
	block := ndarray.Block{Shape: []int{q.Rows, row}, Size: 4, Data: field(q.Rows*row, 0)}
	once, err := work(ctx, q, block)
	if err != nil {
		return answer{}, err
	}
	stored, err := once() // warm
	if err != nil {
		return answer{}, err
	}
	begin, n := time.Now(), 0
	for ; n == 0 || time.Since(begin).Seconds() < q.Least; n++ {
		if _, err := once(); err != nil {
			return answer{}, err
		}
	}
	return answer{time.Since(begin).Seconds() / float64(n), stored}, nil
}

// work returns the function to measure, which returns the stored bytes.
func work(ctx context.Context, q *request, block ndarray.Block) (func() (int64, error), error) {
	spec := zarr.ArraySpec{Format: 2, Shape: []int64{int64(q.Rows), row}, Chunks: []int64{int64(q.Chunk), row}, DType: "<f4", Overwrite: true, Codecs: []zarr.Codec{}}
	if id, ok := q.Codec["id"].(string); ok {
		config := map[string]any{}
		for name, v := range q.Codec {
			if x, ok := v.(float64); ok {
				v = int64(x)
			}
			if name != "id" {
				config[name] = v
			}
		}
		spec.Codecs = []zarr.Codec{{Name: id, Config: config}}
	}
	memory := memstore.New(nil)
	var st store.Source = memory
	if q.Kind == "directory" {
		d, err := filestore.MakeDir(q.Dir, filestore.DirOptions{})
		if err != nil {
			return nil, err
		}
		st = d
	}
	h := zarr.New(st, writing.Codecs(), zarr.Options{})
	a, err := h.Create(ctx, "a", spec)
	if err != nil {
		return nil, err
	}
	if q.Kind != "encode" {
		return func() (int64, error) { return 0, a.Set(ctx, nil, block, zarr.WriteOptions{}) }, nil
	}
	about := codec.Array{Shape: block.Shape, Type: a.Type, Fill: a.Fill}
	p, err := writing.Codecs().Pipeline(a.Codecs, codec.Build{Format: 2, Array: about, Limits: codec.Limits{}.WithDefaults()})
	if err != nil {
		return nil, err
	}
	env := codec.NewEnv(ctx, codec.Limits{}.WithDefaults())
	return func() (int64, error) {
		defer env.Release(env.Mark())
		b, err := p.EncodeInner(env, about, block)
		return int64(len(b)), err
	}, nil
}
