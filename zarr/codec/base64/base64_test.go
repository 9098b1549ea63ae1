package base64

import (
	"bytes"
	"context"
	std "encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

func run(src string, size codec.Size, lim codec.Limits) ([]byte, error) {
	return base64{}.Decode(codec.NewEnv(context.Background(), lim), codec.Output{Size: size}, []byte(src))
}

func TestDecode(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", ""},
		{"Zg==", "f"}, {"Zm8=", "fo"}, {"Zm9v", "foo"}, {"Zm9vYg==", "foob"}, {"Zm9vYmE=", "fooba"}, {"Zm9vYmFy", "foobar"},
		{"Zg", "f"}, {"Zm9vYmE", "fooba"}, // leniency: no padding
		{" Zm9v\r\nYm\tE=\n", "fooba"}, // leniency: white space
		{"+/+/", "\xfb\xff\xbf"},
	} {
		for _, size := range []codec.Size{codectest.Exact(len(c.want)), {N: 1000}} {
			got, err := run(c.src, size, codec.Limits{})
			if err != nil || string(got) != c.want {
				t.Errorf("%q: %q, %v", c.src, got, err)
			}
		}
	}
}

func TestWrong(t *testing.T) {
	for _, c := range []struct {
		src  string
		size codec.Size
		want error
	}{
		{"Zm9vY", codectest.Exact(4), codec.ErrTruncated},
		{"Zm9v", codectest.Exact(4), codec.ErrTruncated},
		{"Zm9vYmFy", codectest.Exact(4), codec.ErrCorrupt},
		{"Zm9vYmFy", codectest.Exact(5), codec.ErrCorrupt},
		{"Zm9vYm=", codectest.Exact(3), codec.ErrCorrupt},
		{"Zm9-", codectest.Exact(3), codec.ErrCorrupt},
		{"Zg==Zg==", codectest.Exact(2), codec.ErrCorrupt},
		{"Z===", codectest.Exact(1), codec.ErrCorrupt},
		{"Zm\x00v", codectest.Exact(3), codec.ErrCorrupt},
		{"Zm9vYmFy", codec.Size{N: 4}, codec.ErrCorrupt},
	} {
		if got, err := run(c.src, c.size, codec.Limits{}); !errors.Is(err, c.want) {
			t.Errorf("%q: %q, %v, want %v", c.src, got, err, c.want)
		}
	}
	var limit *codec.LimitError
	if _, err := run(strings.Repeat("Zm9v", 100), codec.Size{N: 1000}, codec.Limits{ChunkBytes: 99}); !errors.As(err, &limit) {
		t.Errorf("beyond the limit: %v", err)
	}
}

func TestBuffer(t *testing.T) {
	data := bytes.Repeat([]byte("some bytes of a chunk"), 100)
	src := []byte(std.StdEncoding.EncodeToString(data))
	buf := make([]byte, 0, len(data))
	got, err := base64{}.Decode(codec.NewEnv(context.Background(), codec.Limits{}), codec.Output{Buf: buf, Size: codectest.Exact(len(data))}, src)
	if err != nil || !bytes.Equal(got, data) || &got[0] != &buf[:1][0] {
		t.Errorf("not decoded where it belongs: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "Zg==", "Zm9vYmE=", "Zm9v Zg", "=", "Zm9v-", "AAAA\n"} {
		f.Add([]byte(s), 4)
	}
	f.Fuzz(func(t *testing.T, src []byte, n int) {
		if n < 0 || n > 1<<16 {
			return
		}
		got, err := run(string(src), codec.Size{N: int64(n)}, codec.Limits{})
		if err == nil && len(got) > n {
			t.Errorf("%d bytes where %d are allowed", len(got), n)
		}
		want, stderr := std.StdEncoding.DecodeString(string(src))
		if stderr == nil && len(want) <= n && (err != nil || !bytes.Equal(got, want)) {
			t.Errorf("%q: %q, %v, want %q", src, got, err, want)
		}
	})
}
