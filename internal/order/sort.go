package order

// run is how many entries Sort inserts one by one.
const run = 12

// Sort sorts numbers by a comparison. Equal numbers keep their order. It makes at most n log n
// comparisons, and at most 2 n if the list is already sorted.
//
// Each instance of the generic sort of package slices adds 15 KB to the wasm. Packages of the wasm
// therefore use this function and Strings.
func Sort(list []int, less func(a, b int) bool) {
	n := len(list)
	for from := 0; from < n; from += run {
		to := min(from+run, n)
		for k := from + 1; k < to; k++ {
			for i := k; i > from && less(list[i], list[i-1]); i-- {
				list[i], list[i-1] = list[i-1], list[i]
			}
		}
	}
	if n <= run {
		return
	}
	lower := make([]int, n)
	for width := run; width < n; width *= 2 {
		for from := 0; from+width < n; from += 2 * width {
			merge(list[from:min(from+2*width, n)], width, lower, less)
		}
	}
}

// merge merges two sorted lists, which follow each other, with room for the first.
func merge(list []int, middle int, lower []int, less func(a, b int) bool) {
	if !less(list[middle], list[middle-1]) {
		return
	}
	lower = lower[:copy(lower, list[:middle])]
	for to, next := 0, middle; len(lower) > 0; to++ {
		if next < len(list) && less(list[next], lower[0]) {
			list[to] = list[next]
			next++
		} else {
			list[to] = lower[0]
			lower = lower[1:]
		}
	}
}

// Strings sorts texts by their bytes.
func Strings(list []string) {
	by := make([]int, len(list))
	for i := range by {
		by[i] = i
	}
	Sort(by, func(a, b int) bool { return list[a] < list[b] })
	sorted := make([]string, len(list))
	for to, from := range by {
		sorted[to] = list[from]
	}
	copy(list, sorted)
}
