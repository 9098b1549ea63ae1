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

// costlyToEncode reports whether another thread should encode a chunk of the plan.
func costlyToEncode(p *codec.Plan) bool {
	cost, bytes := encodingCost(p)
	return worthMoving(cost, bytes)
}

// costToEncode returns the time that a chunk of the plan takes to encode.
func costToEncode(p *codec.Plan) time.Duration { return during(encodingCost(p)) }

// encodingCost returns the cost in picoseconds of each byte of a chunk, and the number of bytes.
// The codecs of the innermost chunks decide the cost of a shard.
func encodingCost(p *codec.Plan) (cost, bytes int) {
	bytes = p.Array().Bytes()
	for s := p.Shard(); s != nil; s = p.Shard() {
		p = s.Inner
	}
	return p.Cost().Encode, bytes
}

func worthMoving(cost, bytes int) bool {
	return cost >= cheapByte && during(cost, bytes) >= cheapChunk
}

// during returns the time of work that takes cost picoseconds a byte.
func during(cost, bytes int) time.Duration { return time.Duration(int64(bytes) * int64(cost) / 1000) }
