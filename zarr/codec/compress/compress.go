// Package compress has the compressors that need a library. It adds their encoders to the decoders
// of the neighbouring packages. It is a separate package because importing a library links its
// initialisation, and programs that only read must stay small.
//
// Configurations are checked at the first write, not when an array is opened: parameters for
// writers must not prevent reading. Levels outside a compressor's range are a *codec.ConfigError.
package compress

import (
	"io"
	"strconv"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// adding returns an entry that adds an encoder to every codec it makes.
func adding(e codec.Entry, encoder func(config json.Value, b codec.Build) (encoder, error)) codec.Entry {
	decoder := e.New
	e.New = func(config json.Value, b codec.Build) (any, error) {
		c, err := decoder(config, b)
		if err != nil {
			return nil, err
		}
		enc, err := encoder(config, b)
		return both{c.(codec.BytesToBytes), enc, err}, nil
	}
	return e
}

// encoder appends the encoded form of src to dst. The initial dst has length 0, and may be replaced
// by a larger slice.
type encoder interface {
	// bound returns the usual maximum of the encoded size of n bytes.
	bound(n int) int
	encode(dst, src []byte) ([]byte, error)
}

// both is a decoder with an encoder, or with the error of its configuration.
type both struct {
	codec.BytesToBytes
	encoder encoder
	wrong   error
}

// CheckEncode implements codec.EncodeChecker.
func (b both) CheckEncode() error { return b.wrong }

// Encode implements codec.BytesToBytesEncoder.
func (b both) Encode(env *codec.Env, src []byte) ([]byte, error) {
	if b.wrong != nil {
		return nil, b.wrong
	}
	return b.encoder.encode(env.Buffer(b.encoder.bound(len(src)))[:0], src)
}

// level reads a whole number of a configuration; usual is the default.
func level(config json.Value, codecName, member string, usual, least, most int) (int, error) {
	v := config.Get(member)
	if v.IsNull() {
		return usual, nil
	}
	n, ok := v.Int64()
	if !ok || n < int64(least) || n > int64(most) {
		return 0, &codec.ConfigError{Codec: codecName, Msg: member + " is not an integer from " + strconv.Itoa(least) + " to " + strconv.Itoa(most)}
	}
	return int(n), nil
}

// resetter is a reusable compressing writer.
type resetter interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// streams encodes with writers that later chunks reuse.
type streams struct {
	pool *sync.Pool // of *stream
}

type stream struct {
	to codec.Written
	w  resetter
}

// newStreams returns the encoder for a kind of writer.
func newStreams(open func() (resetter, error)) (streams, error) {
	first, err := open() // checks the configuration
	if err != nil {
		return streams{}, err
	}
	s := streams{&sync.Pool{New: func() any {
		w, _ := open()
		return &stream{w: w}
	}}}
	s.pool.Put(&stream{w: first})
	return s, nil
}

func (streams) bound(n int) int { return n + n>>7 + 1<<9 }

func (s streams) encode(dst, src []byte) ([]byte, error) {
	k := s.pool.Get().(*stream)
	defer s.pool.Put(k)
	k.to.Bytes = dst
	k.w.Reset(&k.to)
	_, err := k.w.Write(src)
	if err == nil {
		err = k.w.Close()
	}
	dst = k.to.Bytes
	k.to.Bytes = nil
	return dst, err
}
