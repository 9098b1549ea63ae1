package zstd

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// locations are texts such as dictionaries are made for.
func locations(n int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = fmt.Appendf(nil, "s3://some-public-bucket/model/run=%02d/temperature_%05d.nc", i%7, i*37%n)
	}
	return all
}

func dictionary(t testing.TB, samples [][]byte) []byte {
	t.Helper()
	return must.Get(zstd.BuildDict(zstd.BuildDictOptions{ID: 77, Contents: samples, History: bytes.Join(samples[:40], nil), Offsets: [3]int{1, 4, 8}}))(t)
}

func TestExpandWithDictionary(t *testing.T) {
	texts := locations(1000)
	dict := dictionary(t, texts)
	w := must.Get(zstd.NewWriter(nil, zstd.WithEncoderDict(dict), zstd.WithEncoderConcurrency(1)))(t)
	d := &Decoder{}
	for _, text := range append(texts, bytes.Repeat(texts[3], 3000), []byte("unlike"), nil) {
		src := w.EncodeAll(text, nil)
		got, err := d.Expand(src, dict, 1<<20)
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%q: %q, %v", text[:min(len(text), 80)], got[:min(len(got), 80)], err)
		}
	}
	two := append(w.EncodeAll(texts[0], nil), append(skippable(9), w.EncodeAll(texts[1], nil)...)...)
	if got, err := d.Expand(two, dict, 1000); err != nil || string(got) != string(texts[0])+string(texts[1]) {
		t.Errorf("two frames: %q, %v", got, err)
	}
	var limit *limits.Error
	if _, err := d.Expand(two, dict, int64(len(texts[0]))); !errors.As(err, &limit) || limit.Max != int64(len(texts[0])) {
		t.Errorf("two frames and room for one: %v", err)
	}
	var unsupported *codec.UnsupportedError
	if _, err := d.Expand(two, nil, 1000); !errors.As(err, &unsupported) {
		t.Errorf("without the dictionary: %v", err)
	}
	other := bytes.Clone(dict)
	other[4]++
	if _, err := d.Expand(two, other, 1000); !errors.Is(err, codec.ErrCorrupt) {
		t.Errorf("another dictionary: %v", err)
	}
	for _, n := range []int{9, 40, 100} {
		if _, err := d.Expand(two, dict[:n], 1000); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("%d bytes of the dictionary: %v", n, err)
		}
	}
	if got, err := d.Expand(known(t, texts[5]), nil, 1000); err != nil || !bytes.Equal(got, texts[5]) {
		t.Errorf("after errors, without a dictionary: %q, %v", got, err)
	}
}

// A dictionary without the magic number is content only.
func TestExpandWithContent(t *testing.T) {
	content := []byte(strings.Repeat("the content that matches refer to. ", 20))
	w := must.Get(zstd.NewWriter(nil, zstd.WithEncoderDictRaw(0, content), zstd.WithEncoderConcurrency(1)))(t)
	text := []byte("matches refer to. the content that")
	got, err := (&Decoder{}).Expand(w.EncodeAll(text, nil), content, 100)
	if err != nil || !bytes.Equal(got, text) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestExpandWithoutDictionary(t *testing.T) {
	for name, data := range samples() {
		for _, src := range [][]byte{known(t, data), unknown(t, data)} {
			got, err := (&Decoder{}).Expand(src, nil, 1<<20)
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(data))
			}
			var limit *limits.Error
			if _, err := (&Decoder{}).Expand(src, nil, int64(len(data))-1); len(data) > 0 && !errors.As(err, &limit) {
				t.Errorf("%s, to fewer bytes: %v", name, err)
			}
		}
	}
}

func FuzzExpand(f *testing.F) {
	texts := locations(200)
	dict := dictionary(f, texts)
	w := must.Get(zstd.NewWriter(nil, zstd.WithEncoderDict(dict), zstd.WithEncoderConcurrency(1)))(f)
	f.Add(w.EncodeAll(texts[0], nil), dict)
	f.Add(w.EncodeAll(texts[1], nil), dict[8:])
	f.Add([]byte{}, []byte{})
	d := &Decoder{}
	f.Fuzz(func(t *testing.T, src, dict []byte) {
		const most = 1 << 16
		if got, err := d.Expand(src, dict, most); err == nil && len(got) > most {
			t.Errorf("%d bytes", len(got))
		}
		if got, err := d.Expand(known(t, []byte("text")), nil, 10); err != nil || string(got) != "text" {
			t.Errorf("afterwards: %q, %v", got, err)
		}
	})
}
