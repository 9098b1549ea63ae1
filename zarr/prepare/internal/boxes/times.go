package boxes

// mostSteps bounds the boxes of one dimension that Times visits.
const mostSteps = 100_000

// Times returns how often an element is read on average, if boxes read the chunks that they touch.
func Times(box, chunk, shape []int64) float64 {
	times := 1.0
	for d, n := range shape {
		if n == 0 || chunk[d] < 1 {
			continue
		}
		read, at := 0.0, int64(0)
		for step := 0; at < n && step < mostSteps; step++ {
			end := min(at+box[d], n)
			read += float64(min((end-1)/chunk[d]*chunk[d]+chunk[d], n) - at/chunk[d]*chunk[d])
			at = end
		}
		times *= read / float64(at)
	}
	return times
}
