package dispatch

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

// unpackedMost bounds the decoded bytes of one message.
const unpackedMost = 256 << 10

// unpack decodes chunks that a page has, and answers at once. They are small: a goroutine and the
// steps of a read would take longer than the decoding. The answer is null if that fails, because a
// read describes the error.
func (s *Session) unpack(msg wire.Object) {
	s.unpacking.Lock()
	defer s.unpacking.Unlock()
	if s.unpacked == nil {
		s.unpacked = make([]byte, unpackedMost)
	}
	s.answer(msg, func(ctx context.Context) (any, error) {
		a, err := s.array(msg)
		if err != nil {
			return nil, nil
		}
		done, stored := 0, msg.Bytes(wire.UnpackBytes)
		for _, n := range msg.Ints(wire.UnpackLengths) {
			if n < 0 || n > len(stored) {
				return nil, nil
			}
			size, err := a.DecodeChunk(ctx, s.unpacked[done:], stored[:n])
			if err != nil {
				return nil, nil
			}
			done += size
			stored = stored[n:]
		}
		return wire.Reply{Request: msg.Int(wire.RequestID), Bytes: s.unpacked[:done]}, nil
	})
}
