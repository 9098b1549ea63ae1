package rpc

import (
	"context"
	"errors"

	"zarr-wasm/internal/json"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/dtype"
	"zarr-wasm/zarr/ndarray"
)

// A codec that lives in JavaScript is made and run by asking the page:
//
//	{ask, codec, configuration, dtype, type, shape, fill}  {handle, kind}
//	{ask, decode: handle, bytes}                           {bytes, length}
//
// The page names those it has by a request {op: "codecs", names}; they come
// before the registry's own. All bytes are packed little-endian elements in C
// order where they are elements.

// setHostCodecs takes the names of the codecs that the page has.
func (s *Session) setHostCodecs(msg Object) {
	names := map[string]bool{}
	list, _ := msg.Get("names").([]any)
	for _, v := range list {
		if name, ok := v.(string); ok {
			names[name] = true
		}
	}
	s.mu.Lock()
	s.hostCodecs = names
	s.mu.Unlock()
}

// hostCodec is the registry's entry for a codec that the page has. As in
// zarrita, a v2 codec goes by its id or by its name among numcodecs' in v3.
func (s *Session) hostCodec(name string, format int) (codec.Entry, bool) {
	s.mu.Lock()
	known := s.hostCodecs[name]
	if v3 := "numcodecs." + name; !known && format < 3 && s.hostCodecs[v3] {
		name, known = v3, true
	}
	s.mu.Unlock()
	return codec.Entry{New: func(config json.Value, b codec.Build) (any, error) {
		return s.makeHostCodec(name, config, b)
	}}, known
}

func (s *Session) makeHostCodec(name string, config json.Value, b codec.Build) (any, error) {
	answer, err := s.ask(context.Background(), Object{
		{"codec", name}, {"configuration", fromJSON(config)}, {"shape", ints(b.Array.Shape)},
		{"dtype", jsName(b.Array.Type, b.Format)}, {"type", describeType(b.Array.Type)}, {"fill", append([]byte{}, b.Array.Fill...)},
	})
	if err != nil {
		return nil, &codec.ConfigError{Codec: name, Msg: err.Error()}
	}
	h := hostStage{session: s, handle: answer.number("handle"), limits: b.Limits}
	kind := answer.text("kind")
	if b.Format < 3 {
		kind = "" // in v2 the bytes codec comes first, and all that follows it is bytes
	}
	switch kind {
	case "array_to_array":
		return hostArray{h}, nil
	case "array_to_bytes":
		return hostSerial{h}, nil
	}
	return hostBytes{h}, nil
}

// hostStage is what the three kinds have in common.
type hostStage struct {
	session *Session
	handle  int
	limits  codec.Limits
}

// Local implements codec.Local.
func (hostStage) Local() bool { return true }

func (h hostStage) decode(env *codec.Env, src []byte) ([]byte, error) {
	a, err := h.session.ask(env.Ctx, Object{{"decode", float64(h.handle)}, {"bytes", Buffer(src)}})
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
func (h hostStage) into(env *codec.Env, dst ndarray.Block, src []byte) error {
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
		return &codec.UnsupportedError{Feature: "a codec of the page for " + t.Name + ", which is of variable length"}
	}
	return nil
}

type hostBytes struct{ hostStage }

// EncodedSize implements codec.BytesToBytes.
func (h hostBytes) EncodedSize(codec.Size) codec.Size { return codec.Size{N: h.limits.EncodedBytes} }

// Decode implements codec.BytesToBytes.
func (h hostBytes) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	b, err := h.decode(env, src)
	if err != nil {
		return nil, err
	}
	return out.Check(b)
}

type hostSerial struct{ hostStage }

// Check implements codec.ArrayToBytes.
func (hostSerial) Check(a codec.Array) error { return fixedSize(a.Type) }

// EncodedSize implements codec.ArrayToBytes.
func (h hostSerial) EncodedSize(codec.Array) codec.Size {
	return codec.Size{N: h.limits.EncodedBytes}
}

// Decode implements codec.ArrayToBytes.
func (h hostSerial) Decode(env *codec.Env, _ codec.Array, dst ndarray.Block, src []byte) error {
	return h.into(env, dst, src)
}

type hostArray struct{ hostStage }

// Encoded implements codec.ArrayToArray: the page's codecs change values, not types or shapes.
func (hostArray) Encoded(a codec.Array) (codec.Array, error) { return a, fixedSize(a.Type) }

// Decode implements codec.ArrayToArray.
func (h hostArray) Decode(env *codec.Env, dst, src ndarray.Block) error {
	return h.into(env, dst, src.Data)
}
