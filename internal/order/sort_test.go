package order

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// TestSortIsTheStableSort compares with package slices: lists of every length around those that are
// inserted and merged, random, sorted, in reverse, with few values.
func TestSortIsTheStableSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	lengths := []int{100, 1000, 4099, 20_000}
	for n := range 5 * run {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		for name, key := range map[string]func(i int) int{
			"random":     func(int) int { return r.Int() },
			"few values": func(int) int { return r.IntN(3) },
			"sorted":     func(i int) int { return i },
			"nearly":     func(i int) int { return i + r.IntN(5) },
			"reverse":    func(i int) int { return -i },
		} {
			keys, list := make([]int, n), make([]int, n)
			for i := range keys {
				keys[i], list[i] = key(i), i
			}
			r.Shuffle(n*r.IntN(2), func(i, j int) { list[i], list[j] = list[j], list[i] })
			want := slices.Clone(list)
			slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
			Sort(list, func(a, b int) bool { return keys[a] < keys[b] })
			if !slices.Equal(list, want) {
				t.Errorf("%d numbers, %s: not sorted as package slices does", n, name)
			}
		}
	}
}

func TestSortedNumbersAreComparedTwiceAtMost(t *testing.T) {
	list := make([]int, 100_000)
	for i := range list {
		list[i] = i
	}
	calls := 0
	Sort(list, func(a, b int) bool {
		calls++
		return a < b
	})
	if calls > 2*len(list) {
		t.Errorf("%d comparisons of %d numbers", calls, len(list))
	}
}

func TestStrings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for n := range 5 * run {
		list := make([]string, n)
		for i := range list {
			list[i] = strconv.Itoa(r.IntN(n))
		}
		want := slices.Sorted(slices.Values(list))
		if Strings(list); !slices.Equal(list, want) {
			t.Errorf("%q, want %q", list, want)
		}
	}
}
