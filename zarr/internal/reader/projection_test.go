package reader

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// randomProjection takes positions of a chunk of n elements: in steps either way, or by a list.
func randomProjection(rng *rand.Rand, n int) projection {
	p := projection{chunk: int64(rng.IntN(3))}
	count := 1 + rng.IntN(n)
	if rng.IntN(2) == 0 {
		list, out := make([]int64, count), make([]int64, count)
		for i := range list {
			list[i], out[i] = int64(rng.IntN(n)), int64(rng.IntN(1000))
		}
		p.in = newPositions(grid.Axis{Count: int64(count), List: list})
		if p.out = newPositions(grid.Axis{Start: 5, Step: 2, Count: int64(count)}); rng.IntN(2) == 0 {
			p.out = newPositions(grid.Axis{Count: int64(count), List: out})
		}
		return p
	}
	step := 1 + rng.IntN(max((n-1)/max(count-1, 1), 1))
	last := (count - 1) * step
	if last >= n {
		count, last = 1, 0
	}
	start := rng.IntN(n - last)
	if rng.IntN(2) == 0 {
		start, step = start+last, -step
	}
	p.in = positions{start: start, step: step, count: count}
	p.out = positions{start: rng.IntN(9), step: 1 + rng.IntN(3), count: count}
	return p
}

// places returns which positions of the result each position of a chunk goes to.
func places(all []projection, size int) map[int][]int {
	m := map[int][]int{}
	for i := range all {
		p := &all[i]
		for k := range p.in.count {
			at := int(p.chunk)*size + p.in.at(k)
			m[at] = append(m[at], p.out.at(k))
		}
	}
	for at := range m {
		slices.Sort(m[at])
	}
	return m
}

// TestSplitProjectionsTakeTheSame splits random projections by inner chunks: together they take what the whole one takes, each inner
// chunk is met once, and positions lie within it. What is counted without splitting is how many there are.
func TestSplitProjectionsTakeTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 6))
	for round := range 3000 {
		size := []int{1, 2, 3, 6}[rng.IntN(4)]
		p := randomProjection(rng, 12)
		whole := p
		whole.chunk = 0
		parts := p.split(size)
		if got, want := places(parts, size), places([]projection{whole}, 0); !maps.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("round %d: %+v by %d: %v, want %v", round, p, size, got, want)
		}
		seen := map[int64]bool{}
		for i := range parts {
			in := parts[i].in.bounds()
			if seen[parts[i].chunk] || in.From < 0 || in.To > size || parts[i].in.count != parts[i].out.count {
				t.Fatalf("round %d: %+v by %d: part %+v", round, p, size, parts[i])
			}
			seen[parts[i].chunk] = true
		}
		most := 1 + rng.IntN(len(parts))
		met := 0
		p.each(size, func(*projection) bool { met++; return met < most })
		if met != most {
			t.Fatalf("round %d: %+v by %d: met %d parts, want %d", round, p, size, met, most)
		}
		in := p.in.bounds()
		moved := p.in.moved(7)
		for i := range p.in.count {
			if at := p.in.at(i); at < in.From || at >= in.To || moved.at(i) != at+7 {
				t.Fatalf("round %d: %+v: position %d is %d, moved %d", round, p, i, at, moved.at(i))
			}
		}
	}
}

// TestInnermostChunksAreCounted counts the chunks in nested shards that a projection or points touch, as far as a limit.
func TestInnermostChunksAreCounted(t *testing.T) {
	a := newArray(t, newEngine(store.Plain(memstore.New(nil))), "zarr.json", sharded("[24,24]", "[24,24]", "[12,6]", "[3,2]"))
	plan := a.plan
	sizes := []int{3, 2}
	rng := rand.New(rand.NewPCG(27, 7))
	for round := range 500 {
		d := rng.IntN(2)
		p := randomProjection(rng, 24)
		touched := map[int]bool{}
		for i := range p.in.count {
			touched[p.in.at(i)/sizes[d]] = true
		}
		for _, most := range []int{1, 2, 100} {
			n := p.innermost(d, plan, most)
			if want := len(touched); n != want && !(want > most && n > most) {
				t.Fatalf("round %d: %+v touches %d chunks, want %d; at most %d", round, p, n, want, most)
			}
		}

		at := points{lists: make([][]int64, 2), from: []int64{48, 24}}
		boxes := map[[2]int]bool{}
		for i := range int32(1 + rng.IntN(40)) {
			y, x := rng.IntN(24), rng.IntN(24)
			at.which = append(at.which, i)
			at.lists[0], at.lists[1] = append(at.lists[0], int64(48+y)), append(at.lists[1], int64(24+x))
			boxes[[2]int{y / 3, x / 2}] = true
		}
		if n := at.innermost(plan, 1000); n != len(boxes) {
			t.Fatalf("round %d: points touch %d chunks, want %d", round, n, len(boxes))
		}
	}
}

// TestPointsOfInnerChunks splits points of a shard: each comes once, in the inner chunk that it lies in, and keeps its place in the result.
func TestPointsOfInnerChunks(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 8))
	for round := range 300 {
		inner, counts := []int{3, 2}, []int{4, 6}
		p := points{lists: make([][]int64, 2), from: []int64{12, 36}}
		n := 1 + rng.IntN(60)
		for i := range n {
			p.lists[0], p.lists[1] = append(p.lists[0], int64(12+rng.IntN(12))), append(p.lists[1], int64(36+rng.IntN(12)))
			p.which = append(p.which, int32(i))
		}
		seen, numbers := map[int32]string{}, map[int]bool{}
		for _, g := range p.split(inner, counts) {
			if numbers[g.number] {
				t.Fatalf("round %d: inner chunk %d comes twice", round, g.number)
			}
			numbers[g.number] = true
			want := make([]codec.Range, 2)
			g.points.bounds(want)
			for i, which := range g.points.which {
				y, x := g.points.at(0, i), g.points.at(1, i)
				if want[0].From > y || want[0].To <= y || want[1].From > x || want[1].To <= x || y < 0 || y >= 3 || x < 0 || x >= 2 {
					t.Fatalf("round %d: point %d lies at %d,%d of an inner chunk, in %v", round, which, y, x, want)
				}
				if _, again := seen[which]; again {
					t.Fatalf("round %d: point %d comes twice", round, which)
				}
				seen[which] = fmt.Sprint(12+g.number/6*3+y, 36+g.number%6*2+x)
			}
			in := g.points.in(want)
			if y, x := in.at(0, 0), in.at(1, 0); y != g.points.at(0, 0)-want[0].From || x != g.points.at(1, 0)-want[1].From {
				t.Fatalf("round %d: in the box %v the first point is at %d,%d", round, want, y, x)
			}
		}
		for i := range n {
			if want := fmt.Sprint(p.lists[0][i], p.lists[1][i]); seen[int32(i)] != want {
				t.Fatalf("round %d: point %d is at %s, want %s", round, i, seen[int32(i)], want)
			}
		}
	}
}
