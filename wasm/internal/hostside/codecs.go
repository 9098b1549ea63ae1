package hostside

import (
	"context"
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// JavaScript codecs run by questions to the page. The page registers their names; they take
// precedence over the registry's. Elements cross as packed little-endian bytes in C order.

// SetCodecs receives the names of the page's codecs.
func (p *Page) SetCodecs(msg wire.Object) {
	names := map[string]bool{}
	for _, v := range msg.List(wire.CodecsNames) {
		if name, ok := v.(string); ok {
			names[name] = true
		}
	}
	p.mu.Lock()
	p.codecs = names
	p.mu.Unlock()
}

// Codec returns the registry entry of a page's codec. As in zarrita, a v2 codec has its id as a
// name, or its v3 name among numcodecs'.
func (p *Page) Codec(name string, format int) (codec.Entry, bool) {
	p.mu.Lock()
	known := p.codecs[name]
	if v3 := "numcodecs." + name; !known && format < 3 && p.codecs[v3] {
		name, known = v3, true
	}
	p.mu.Unlock()
	return codec.Entry{New: func(config json.Value, b codec.Build) (any, error) {
		return p.makeCodec(name, config, b)
	}}, known
}

func (p *Page) makeCodec(name string, config json.Value, b codec.Build) (any, error) {
	var ask wire.Object
	ask.AddText(wire.CodecAskCodec, name)
	ask.AddAny(wire.CodecAskConfiguration, wire.FromJSON(config))
	ask.AddInts(wire.CodecAskShape, b.Array.Shape)
	ask.AddText(wire.CodecAskDType, wire.JSName(b.Array.Type, b.Format))
	ask.AddObject(wire.CodecAskType, wire.DescribeType(b.Array.Type))
	ask.AddBytes(wire.CodecAskFill, append([]byte{}, b.Array.Fill...))
	answer, err := p.ask(context.Background(), wire.CodecAskNumber, ask)
	if err != nil {
		return nil, &codec.ConfigError{Codec: name, Msg: err.Error()}
	}
	h := stage{page: p, handle: answer.Int(wire.FoundCodec), limits: b.Limits}
	kind := answer.Text(wire.FoundCodecKind)
	if b.Format < 3 {
		kind = "" // in v2 the bytes codec comes first, and only bytes follow it
	}
	switch kind {
	case "array_to_array":
		return arrayToArray{h}, nil
	case "array_to_bytes":
		return arrayToBytes{h}, nil
	}
	return bytesToBytes{h}, nil
}

// stage is the common part of the three kinds.
type stage struct {
	page   *Page
	handle int
	limits codec.Limits
}

// Local implements codec.Local.
func (stage) Local() bool { return true }

func (h stage) decode(env *codec.Env, src []byte) ([]byte, error) {
	var ask wire.Object
	ask.AddInt(wire.DecodeAskHandle, h.handle)
	ask.AddBuffer(wire.DecodeAskBytes, src)
	a, err := h.page.ask(env.Ctx, wire.DecodeAskNumber, ask)
	if err != nil {
		return nil, err
	}
	if a.bytes == nil {
		return nil, errNoBytes
	}
	return a.bytes, nil
}

var errNoBytes = errors.New("the codec returned neither bytes nor a chunk")

// into decodes src into a block of packed elements.
func (h stage) into(env *codec.Env, dst ndarray.Block, src []byte) error {
	b, err := h.decode(env, src)
	if err != nil {
		return err
	}
	switch {
	case len(b) < len(dst.Data):
		return codec.Truncated("decodes to fewer bytes than the chunk has")
	case len(b) > len(dst.Data):
		return codec.Corrupt("decodes to more bytes than the chunk has")
	}
	copy(dst.Data, b)
	return nil
}

func fixedSize(t *dtype.Type) error {
	if t.Variable() {
		return &codec.UnsupportedError{Feature: "a codec of the page for " + t.Name + ", which has variable length"}
	}
	return nil
}

type bytesToBytes struct{ stage }

// EncodedSize implements codec.BytesToBytes.
func (h bytesToBytes) EncodedSize(codec.Size) codec.Size { return codec.Size{N: h.limits.EncodedBytes} }

// Decode implements codec.BytesToBytes.
func (h bytesToBytes) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	b, err := h.decode(env, src)
	if err != nil {
		return nil, err
	}
	return out.Check(b)
}

type arrayToBytes struct{ stage }

// Check implements codec.ArrayToBytes.
func (arrayToBytes) Check(a codec.Array) error { return fixedSize(a.Type) }

// EncodedSize implements codec.ArrayToBytes.
func (h arrayToBytes) EncodedSize(codec.Array) codec.Size {
	return codec.Size{N: h.limits.EncodedBytes}
}

// Decode implements codec.ArrayToBytes.
func (h arrayToBytes) Decode(env *codec.Env, _ codec.Array, dst ndarray.Block, src []byte) error {
	return h.into(env, dst, src)
}

type arrayToArray struct{ stage }

// Encoded implements codec.ArrayToArray: the page's codecs change values, but not types or shapes.
func (arrayToArray) Encoded(a codec.Array) (codec.Array, error) { return a, fixedSize(a.Type) }

// Decode implements codec.ArrayToArray.
func (h arrayToArray) Decode(env *codec.Env, dst, src ndarray.Block) error {
	return h.into(env, dst, src.Data)
}
