package doctor

import "math"

const (
	// pictureSide is the largest side of a picture, in elements.
	pictureSide = 1024
	// enoughSide is the side of the coarsest level that is shown.
	enoughSide = 512

	bitsPerSecond = 20e6
	firstByte     = 0.05 // seconds
	atOnce        = 6    // requests
)

// Selection is a part of an array: from First up to Last, without Last.
type Selection struct{ First, Last []int64 }

// PictureOf returns the elements of a first picture: one plane of the last two dimensions, and at
// most 1024 by 1024 elements from its middle.
func (a *Array) PictureOf() Selection {
	s := Selection{make([]int64, len(a.Shape)), make([]int64, len(a.Shape))}
	y, x, _ := a.plane()
	for d, n := range a.Shape {
		if d != y && d != x {
			s.First[d] = n / 2
			s.Last[d] = min(n, n/2+1)
			continue
		}
		side := min(n, pictureSide)
		s.First[d] = (n - side) / 2
		s.Last[d] = s.First[d] + side
	}
	return s
}

// SeriesOf returns the elements of a series at the middle of the picture: those along the longest
// dimension that is not in the picture. It returns false if there is none.
func (a *Array) SeriesOf() (Selection, bool) {
	s := Selection{make([]int64, len(a.Shape)), make([]int64, len(a.Shape))}
	y, x, _ := a.plane()
	along := -1
	for d, n := range a.Shape {
		s.First[d], s.Last[d] = n/2, min(n, n/2+1)
		if d != y && d != x && n > 1 && (along < 0 || n > a.Shape[along]) {
			along = d
		}
	}
	if along < 0 {
		return s, false
	}
	s.First[along], s.Last[along] = 0, a.Shape[along]
	return s, true
}

// CostOf predicts the requests and bytes that read a selection.
func (a *Array) CostOf(s Selection) Cost {
	chunks, objects := int64(1), int64(1)
	needed := a.Item // bytes of elements
	for d := range a.Shape {
		if s.Last[d] <= s.First[d] {
			return Cost{}
		}
		touched := func(step int64) int64 {
			step = max(1, step)
			return (s.Last[d]-1)/step - s.First[d]/step + 1
		}
		chunks *= touched(a.Chunk[d])
		if a.Shard != nil {
			objects *= touched(a.Shard[d])
		}
		needed *= s.Last[d] - s.First[d]
	}
	present := 1.0
	if n := a.Sampled + a.Absent; n > 0 {
		present = float64(a.Sampled) / float64(n)
	}
	c := Cost{Requests: chunks, Bytes: int64(float64(chunks*a.Stored) * present)}
	if a.Shard != nil {
		requests, bytes := a.inShards(s, objects)
		index := 16*a.InShard + 4
		c.Requests = objects + int64(float64(requests)*present)
		c.Bytes = int64(float64(bytes+objects*index) * present)
	} else if len(a.Codecs) == 0 {
		// Rows of chunks that are not compressed are read by ranges.
		c.Bytes = min(c.Bytes, chunks*max(needed/chunks, a.rows(s)))
	}
	return c
}

// mergedGap is the largest gap between two chunks that one request reads, in bytes.
const mergedGap = 64 << 10

// inShards predicts the requests for chunks in shards. Chunks lie in C order, and close ones are
// read together with the gap between them.
func (a *Array) inShards(s Selection, objects int64) (requests, bytes int64) {
	// runs are the requests of one shard, each of span chunks; stride is that of a dimension.
	runs, span, stride := int64(1), int64(1), int64(1)
	for d := len(a.Shape) - 1; d >= 0; d-- {
		within := max(1, a.Shard[d]/max(1, a.Chunk[d]))
		first, last := s.First[d]/a.Chunk[d], (s.Last[d]-1)/a.Chunk[d]
		shards := last/within - first/within + 1
		selected := min(within, max(1, (last-first+1+shards-1)/shards))
		if (stride-span)*a.Stored <= mergedGap && runs == 1 {
			span += (selected - 1) * stride
		} else {
			runs *= selected
		}
		stride *= within
	}
	return objects * runs, objects * runs * span * a.Stored
}

// rows returns the bytes from the first to the last selected element of a chunk without codecs.
func (a *Array) rows(s Selection) int64 {
	span, stride := int64(1), int64(1)
	for d := len(a.Shape) - 1; d >= 0; d-- {
		length := min(a.Chunk[d], s.Last[d]-s.First[d])
		span += (length - 1) * stride
		stride *= a.Chunk[d]
	}
	return span * a.Item
}

func (c Cost) timed() Cost {
	c.Seconds = math.Ceil(float64(c.Requests)/atOnce)*firstByte + float64(c.Bytes)*8/bitsPerSecond
	return c
}

// predict predicts the costs of an array's chunks.
func (a *Array) predict() {
	if _, _, ok := a.plane(); !ok {
		return
	}
	a.Picture = a.CostOf(a.PictureOf()).timed()
	if s, ok := a.SeriesOf(); ok {
		a.Series = a.CostOf(s).timed()
	}
}

// predict chooses the array to show, and adds the cost of metadata.
func (x *examination) predict(r *Report) {
	var shown *Array
	var main *Array // the largest array, or the first level of its pyramid
	for i := range x.Arrays {
		a := &x.Arrays[i]
		if len(a.Shape) >= 2 && (main == nil || a.Bytes > main.Bytes) {
			main = a
		}
	}
	if main == nil {
		return
	}
	shown = main
	if main.Levels > 0 { // the coarsest level that is large enough
		for i := range x.Arrays {
			a := &x.Arrays[i]
			if y, x, ok := a.plane(); ok && a.Levels == main.Levels && a.Level > shown.Level && max(a.Shape[y], a.Shape[x]) >= enoughSide {
				shown = a
			}
		}
	}
	opening := func(of *Array) (requests, bytes int64) {
		requests, bytes = x.Requests, x.Documents
		if x.Group && !x.Consolidated && of.array != nil {
			requests += 3
			for _, d := range of.array.Metadata().Documents {
				bytes += int64(len(d.Bytes))
			}
		}
		return requests, bytes
	}
	cost := func(of *Array, c Cost) *Cost {
		requests, bytes := opening(of)
		c.Requests += requests
		c.Bytes += bytes
		c = c.timed()
		c.Seconds += firstByte // metadata come before chunks
		return &c
	}
	r.Shown, r.Picture = "/"+shown.Path, cost(shown, shown.Picture)
	if main.Series.Requests > 0 {
		r.Series = cost(main, main.Series)
	}
}
