package compress

import (
	"bytes"
	"testing"

	lib "github.com/klauspost/compress/zstd"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// Decoders of streams refuse larger windows, and numcodecs refuses frames without their size.
func TestFramesContainTheirSizeAndHaveWindowsThatDecodersAccept(t *testing.T) {
	for _, level := range []int{1, 3} {
		f := newFrames(level, false)
		for _, n := range []int{1, 255, 256, maxSegment, maxSegment + 1} {
			frame := must.Get(f.encode(nil, make([]byte, n)))(t)
			var h lib.Header
			must.Do(t, h.Decode(frame))
			if !h.HasFCS || h.FrameContentSize != uint64(n) || h.WindowSize > maxSegment {
				t.Errorf("level %d, %d bytes: size %v %d, window %d", level, n, h.HasFCS, h.FrameContentSize, h.WindowSize)
			}
			r := must.Get(lib.NewReader(bytes.NewReader(frame), lib.WithDecoderMaxWindow(maxSegment)))(t)
			if got, err := r.WriteTo(&zeros{}); err != nil || got != int64(n) {
				t.Errorf("level %d: %d of %d bytes, %v", level, got, n, err)
			}
			r.Close()
		}
	}
}

// zeros accepts bytes that are 0.
type zeros struct{}

func (*zeros) Write(p []byte) (int, error) {
	if n := bytes.Count(p, []byte{0}); n != len(p) {
		return n, bytes.ErrTooLarge
	}
	return len(p), nil
}
