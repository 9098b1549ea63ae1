package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"net/http/httptest"
	"strings"
	"testing/fstest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

//go:embed faults.json
var faultsJSON []byte

// trial is a fault of a server, and a read from it.
type trial struct {
	Fault string // in words
	Read  string // "plain" or "shard"
	// Key names the objects with the fault: "shard", "*" for all, "!name" for all metadata
	// documents except that one, or a key of the array.
	Key     string
	Faults  []faulty.Fault
	Query   string
	Options struct {
		Headers       map[string]string
		MissingStatus []int
		Timeout       int
	}
	// Browser is the outcome in browsers, if it differs from the native one. The other fields are
	// outcomes in one browser, in the form of tests/browser/faults.mjs.
	Browser, Chromium, Firefox, WebKit string
	// Own is the outcome there with the page's own fetch function, if it differs.
	Own string
}

func trials() ([]trial, error) {
	var list []trial
	d := json.NewDecoder(bytes.NewReader(faultsJSON))
	d.DisallowUnknownFields()
	return list, d.Decode(&list)
}

const (
	rows     = 4         // of plain
	columns  = 1000      // of plain
	inner    = 16        // inner chunks of the shard
	innerLen = 128 << 10 // bytes of each
)

// element returns an array's value at a place.
func element(row, column int) byte { return byte(row*31 + column*7 + column>>8) }

const metadata = `{"zarr_format":3,"node_type":"array","shape":[%d,%d],"data_type":"uint8","fill_value":7,` +
	`"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[%d,%d]}},"chunk_key_encoding":{"name":"default"},"codecs":[%s]}`

// data returns two arrays: one of four chunks, the last absent, and one of a single shard. Only the
// shard's index has a checksum, so that nothing but the rules of HTTP keeps wrong values out.
func data() map[string][]byte {
	objects := map[string][]byte{
		"plain/zarr.json": fmt.Appendf(nil, metadata, rows, columns, 1, columns, `"bytes"`),
		"shard/zarr.json": fmt.Appendf(nil, metadata, inner, innerLen, inner, innerLen,
			fmt.Sprintf(`{"name":"sharding_indexed","configuration":{"chunk_shape":[1,%d],"codecs":["bytes"],`+
				`"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]}}`, innerLen)),
	}
	row := func(r, n int) []byte {
		b := make([]byte, n)
		for c := range b {
			b[c] = element(r, c)
		}
		return b
	}
	for r := range rows - 1 {
		objects[fmt.Sprintf("plain/c/%d/0", r)] = row(r, columns)
	}
	var shard, index []byte
	for r := range inner {
		index = binary.LittleEndian.AppendUint64(index, uint64(len(shard)))
		index = binary.LittleEndian.AppendUint64(index, innerLen)
		shard = append(shard, row(r, innerLen)...)
	}
	index = binary.LittleEndian.AppendUint32(index, crc32.Checksum(index, crc32.MakeTable(crc32.Castagnoli)))
	objects["shard/c/0/0"] = append(shard, index...)
	objects["moved"] = row(1, columns)
	return objects
}

// want returns the values of a read: all of plain, rows 5 and 6 of shard.
func want(read string) []byte {
	var b []byte
	for r := range rows {
		for c := range columns {
			if read == "plain" {
				if r == rows-1 {
					b = append(b, 7)
				} else {
					b = append(b, element(r, c))
				}
			}
		}
	}
	for r := 5; r < 7 && read == "shard"; r++ {
		for c := range innerLen {
			b = append(b, element(r, c))
		}
	}
	return b
}

// keys returns the objects with the fault.
func (t trial) keys() []string {
	switch {
	case t.Key == "":
		return nil
	case t.Key == "*":
		return []string{"*"}
	case t.Key == "shard":
		return []string{"shard/c/0/0"}
	case t.Key[0] == '!':
		var keys []string
		for _, name := range []string{"zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"} {
			if name != t.Key[1:] {
				keys = append(keys, t.Read+"/"+name)
			}
		}
		return keys
	}
	return []string{t.Read + "/" + t.Key}
}

// site is a server of the data, and another one as the target of redirects.
type site struct {
	server, other  *httptest.Server
	faults, beside faulty.Faults
}

func newSite() *site {
	s := &site{}
	fsys := fstest.MapFS{}
	for key, b := range data() {
		fsys[key] = &fstest.MapFile{Data: b, ModTime: time.Unix(1, 0)} // with a time, it has an ETag
	}
	s.server = httptest.NewServer(faulty.New(fsys, static.Options{CORS: true}, &s.faults))
	s.other = httptest.NewServer(faulty.New(fsys, static.Options{CORS: true}, &s.beside))
	return s
}

func (s *site) close() {
	s.server.CloseClientConnections()
	s.server.Close()
	s.other.Close()
}

// outcome is the outcome of a read.
type outcome struct {
	right bool
	err   error
}

func (s *site) run(ctx context.Context, t trial) outcome {
	s.faults.Reset()
	s.beside.Reset()
	for _, key := range t.keys() {
		list := make([]faulty.Fault, len(t.Faults))
		for i, f := range t.Faults {
			f.Header = maps.Clone(f.Header)
			switch f.Header["Location"] {
			case "":
			case "OTHER":
				f.Header["Location"] = s.other.URL + "/moved"
			case "/moved":
			default:
				f.Header["Location"] = "/" + t.Read + f.Header["Location"]
			}
			list[i] = f
		}
		s.faults.Set(key, list...)
	}
	st, err := httpstore.New(s.server.URL+"/"+t.Read+t.Query, httpstore.Options{
		Headers: t.Options.Headers, MissingStatus: t.Options.MissingStatus,
		Timeout: time.Duration(t.Options.Timeout) * time.Millisecond, RetryDelay: time.Millisecond,
	})
	if err != nil {
		return outcome{err: err}
	}
	a, err := zarr.New(st, codecs.Full(), zarr.Options{}).OpenArray(ctx, "")
	if err != nil {
		return outcome{err: err}
	}
	var selection []grid.Item
	if t.Read == "shard" {
		selection = []grid.Item{grid.Range(new(int64(5)), new(int64(7)), nil)}
	}
	res, err := a.Read(ctx, selection, zarr.ReadOptions{})
	for _, r := range s.beside.Requests() {
		if r.Header["X-Key"] != "" {
			return outcome{err: errors.New("a header went to another origin")}
		}
	}
	if err != nil {
		return outcome{err: err}
	}
	return outcome{right: bytes.Equal(res.Data, want(t.Read))}
}

// class returns the name of an error's class, and its status if it has one.
func class(err error) string {
	var (
		http     *httpstore.Error
		notFound *zarr.NotFoundError
		pipeline *zarr.CodecPipelineError
		limit    *codec.LimitError
	)
	switch {
	case errors.As(err, &notFound):
		return "NotFoundError"
	case errors.As(err, &limit):
		return "LimitError"
	case errors.As(err, &pipeline):
		return "CodecPipelineError"
	case errors.As(err, &http):
		return fmt.Sprintf("HttpError %d", http.Status)
	}
	return fmt.Sprintf("%T", err)
}

// word returns the outcome in the form of tests/browser/faults.mjs.
func (o outcome) word() string {
	switch {
	case o.err != nil:
		return class(o.err)
	case o.right:
		return "right"
	}
	return "WRONG"
}

// text returns the outcome for the page.
func (s *site) text(o outcome) string {
	if o.err == nil {
		return "the right values"
	}
	name, status, _ := strings.Cut(class(o.err), " ")
	cause := o.err.Error()
	var e *httpstore.Error
	if errors.As(o.err, &e) {
		cause = e.Hint
		if e.Err != nil {
			cause = e.Err.Error()
		}
	}
	cause = strings.ReplaceAll(cause, s.server.URL, "https://server")
	cause = strings.ReplaceAll(cause, "|", `\|`)
	if status != "" {
		name += "`, status " + status
	} else {
		name += "`"
	}
	if cause != "" {
		name += ": " + cause
	}
	return "`" + name
}
