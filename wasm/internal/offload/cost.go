package offload

import (
	"time"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Work below cheapByte picoseconds a byte gains nothing on another thread: moving the bytes there
// and back costs as much. Work below cheapChunk costs less than the messages about it.
const (
	cheapByte  = 600
	cheapChunk = time.Millisecond / 2
)

// freshByte is the additional cost, in picoseconds, of a byte that a decoder writes to shared
// memory that was not used before.
const freshByte = 500

// costly reports whether another thread should decode a chunk of the plan.
func costly(p *codec.Plan, shared bool) bool {
	cost := p.Cost().Decode
	if shared {
		cost += freshByte
	}
	return worthMoving(cost, p.Array().Bytes())
}

// costlyToEncode reports whether another thread should encode a chunk of the plan. The codecs of
// the innermost chunks decide the cost of a shard.
func costlyToEncode(p *codec.Plan) bool {
	bytes := p.Array().Bytes()
	for s := p.Shard(); s != nil; s = p.Shard() {
		p = s.Inner
	}
	return worthMoving(p.Cost().Encode, bytes)
}

func worthMoving(cost, bytes int) bool {
	return cost >= cheapByte && time.Duration(int64(bytes)*int64(cost)/1000) >= cheapChunk
}
