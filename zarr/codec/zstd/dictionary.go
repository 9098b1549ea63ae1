package zstd

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel/zstdk"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

const dictionaryMagic = 0xec30a437

var (
	errDictionaryForm = codec.Corrupt("a zstd dictionary is not valid")
	errOther          = codec.Corrupt("a zstd frame needs another dictionary")
)

// Expand decodes all frames of src, which may refer to a dictionary (RFC 8878, section 5), to at
// most most bytes. A larger result is a *limits.Error. A dictionary without the format's header is
// content only. Other errors are those of [Decoder.DecodeBlock].
func (d *Decoder) Expand(src, dictionary []byte, most int64) ([]byte, error) {
	first, sum, err := measure(src)
	if err != nil {
		return nil, err
	}
	tooMany := &limits.Error{Limit: "DecoderBytes", Max: most, What: "decoded zstd frames"}
	if sum.least > uint64(most) {
		tooMany.Asked = int64(sum.least)
		return nil, tooMany
	}
	room := min(sum.most, uint64(most))
	var out []byte
	if len(dictionary) == 0 {
		var n int
		out = make([]byte, room)
		n, err = d.frames(out, src, first)
		out = out[:n:n]
	} else {
		out, err = d.after(make([]byte, 0, room), src, dictionary)
	}
	switch err {
	case nil:
		return out, nil
	case errRoom:
		return nil, tooMany
	}
	return nil, err
}

// after appends the decoded frames of src while there is room. Each frame starts with the state of
// the dictionary.
func (d *Decoder) after(out, src, dictionary []byte) ([]byte, error) {
	w, _ := d.pool.Get().(*work)
	if w == nil {
		w = &work{}
	}
	defer d.pool.Put(w)
	for len(src) > 0 {
		f, err := walk(src)
		if err != nil {
			return nil, err
		}
		if !f.skip {
			number, content, err := w.load(dictionary)
			if err != nil {
				return nil, err
			}
			if f.dictionary != 0 && f.dictionary != number {
				return nil, errOther
			}
			// The dictionary's content logically precedes the frame's own bytes.
			base := len(content)
			buf := make([]byte, base+int(min(f.most, uint64(cap(out)-len(out)))))
			copy(buf, content)
			n, err := w.content(buf, 0, base, src[:f.size], f)
			if err != nil {
				return nil, err
			}
			out = append(out, buf[base:n]...)
		}
		src = src[f.size:]
	}
	return out, nil
}

// load takes the tables and offsets of a dictionary, and returns its number and its content.
func (w *work) load(dictionary []byte) (number uint32, content []byte, err error) {
	w.reset()
	if len(dictionary) < 8 || kernel.Load32(dictionary, 0) != dictionaryMagic {
		return 0, dictionary, nil
	}
	at, status := w.huffman.Read(dictionary, 8, len(dictionary))
	for _, kind := range [...]zstdk.Kind{1, 2, 0} { // offsets, lengths of matches, lengths of literals
		if status == zstdk.OK {
			at, status = w.sequences.Describe(kind, dictionary, at, len(dictionary))
			w.defined[kind] = described
		}
	}
	if status != zstdk.OK || len(dictionary)-at < 12 {
		w.reset()
		return 0, nil, errDictionaryForm
	}
	w.tree = true
	content = dictionary[at+12:]
	for i := range w.sequences.Offsets {
		n := int(kernel.Load32(dictionary, at+4*i))
		if n == 0 || n > len(content) {
			w.reset()
			return 0, nil, errDictionaryForm
		}
		w.sequences.Offsets[i] = n
	}
	return kernel.Load32(dictionary, 4), content, nil
}
