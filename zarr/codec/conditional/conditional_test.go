package conditional

import (
	"context"
	"errors"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/checksum"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/inflate"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// add is a codec that adds its configuration's n to each byte.
func add() codec.Entry {
	return codec.Entry{Names: []string{"add"}, New: func(config json.Value, _ codec.Build) (any, error) {
		n, _ := config.Get("n").Int64()
		return adder(n), nil
	}}
}

type adder byte

func (adder) EncodedSize(s codec.Size) codec.Size { return s }

func (a adder) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	dst := out.Grow(env, int64(len(src)))
	for _, c := range src {
		dst = append(dst, c-byte(a))
	}
	return dst, nil
}

func newCodec(t testing.TB, config string) (codec.BytesToBytes, error) {
	t.Helper()
	v := codectest.JSON(t, config)
	r := codec.NewRegistry(add(), Codec())
	r.Add(inflate.Codecs()...)
	r.Add(checksum.Codecs()...)
	return codectest.As[codec.BytesToBytes](build(v, codec.Build{
		Format: 3, Registry: r, Limits: codec.Limits{}.WithDefaults(),
		Array: codec.Array{Shape: []int{4}, Type: &dtype.Type{Kind: dtype.Uint, Name: "uint8", Size: 1}},
	}))
}

func run(c codec.BytesToBytes, src string) (string, error) {
	env := codec.NewEnv(context.Background(), codec.Limits{})
	b, err := c.Decode(env, codec.Output{Size: codec.Size{N: 4, Exact: true}}, []byte(src))
	return string(b), err
}

const three = `{"codecs":[{"name":"add","configuration":{"n":1}},{"name":"zlib"},{"name":"adler32","configuration":{"location":"end"}}]`

func TestDecode(t *testing.T) {
	for _, c := range []struct{ config, src, want string }{
		{three + "}", "\x00abcd", "abcd"},
		{three + "}", "\x01bcde", "abcd"},
		{three + "}", "\x02" + codectest.Zlib("abcd"), "abcd"},
		{three + "}", "\x03" + codectest.Zlib("bcde"), "abcd"},
		{three + `,"header_bits":16}`, "\x03\x00" + codectest.Zlib("bcde"), "abcd"},
		{three + `,"header_bits":null}`, "\x00abcd", "abcd"},
		{`{"codecs":[]}`, "abcd", "abcd"},
		{`{"codecs":["conditional"]}`, "\x00abcd", ""},
		{`{"codecs":[{"name":"conditional","configuration":{"codecs":["zlib"]}}]}`, "\x01\x01" + codectest.Zlib("abcd"), "abcd"},
	} {
		codec, err := newCodec(t, c.config)
		if err != nil {
			if c.want != "" {
				t.Errorf("%s: %v", c.config, err)
			}
			continue
		}
		if got, err := run(codec, c.src); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.config, got, err)
		}
	}
}

func TestWrong(t *testing.T) {
	c := must.Get(newCodec(t, three+"}"))(t)
	for _, test := range []struct {
		src  string
		want error
	}{
		{"", codec.ErrTruncated},
		{"\x00abc", codec.ErrTruncated},
		{"\x01abc", codec.ErrTruncated},
		{"\x00abcde", codec.ErrCorrupt},
		{"\x08abcd", codec.ErrCorrupt},
		{"\x02abcd", codec.ErrCorrupt},
		{"\x04abcdabcd", codec.ErrChecksum},
	} {
		got, err := run(c, test.src)
		if !errors.Is(err, test.want) {
			t.Errorf("%q: %q, %v, want %v", test.src, got, err, test.want)
		}
	}
	var inner *codec.Error
	if _, err := run(c, "\x02abcd"); !errors.As(err, &inner) || inner.Codec != "zlib" {
		t.Errorf("the error does not name the inner codec: %v", err)
	}
	for _, config := range []string{
		"{}", `{"codecs":1}`, three + `,"header_bits":2}`, three + `,"header_bits":0}`, three + `,"header_bits":12}`, three + `,"header_bits":"8"}`,
		`{"codecs":[{"name":"unknown"}]}`,
	} {
		if _, err := newCodec(t, config); err == nil {
			t.Errorf("%s: no error", config)
		}
	}
}

func TestDepth(t *testing.T) {
	config := `{"codecs":[]}`
	for range 20 {
		config = `{"codecs":[{"name":"conditional","configuration":` + config + `}]}`
	}
	var limit *codec.LimitError
	if _, err := newCodec(t, config); !errors.As(err, &limit) || limit.Limit != "CodecDepth" {
		t.Errorf("20 levels: %v", err)
	}
}

func TestEncodedSize(t *testing.T) {
	for config, want := range map[string]codec.Size{
		`{"codecs":[{"name":"add"}]}`:                    {N: 101, Exact: true},
		`{"codecs":[{"name":"add"}],"header_bits":24}`:   {N: 103, Exact: true},
		`{"codecs":[{"name":"add"},{"name":"adler32"}]}`: {N: 105},
	} {
		c := must.Get(newCodec(t, config))(t)
		if got := c.EncodedSize(codec.Size{N: 100, Exact: true}); got != want {
			t.Errorf("%s: %v, want %v", config, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "\x00abcd", "\x01bcde", "\x02" + codectest.Zlib("abcd"), "\x08"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		c := must.Get(newCodec(t, three+"}"))(t)
		if got, err := run(c, string(src)); err == nil && len(got) != 4 {
			t.Errorf("%d bytes, want 4", len(got))
		}
	})
}
