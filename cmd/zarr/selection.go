package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// selection parses a selection in Python's syntax: integers, slices, an ellipsis, and lists of
// integers in brackets, separated by commas.
func selection(text string) ([]grid.Item, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	var items []grid.Item
	for _, part := range split(text) {
		item, err := item(strings.TrimSpace(part))
		if err != nil {
			return nil, usageError{fmt.Errorf("the selection %q: %w", text, err)}
		}
		items = append(items, item)
	}
	return items, nil
}

// split splits at the commas outside of brackets.
func split(text string) []string {
	var parts []string
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				parts, from = append(parts, text[from:i]), i+1
			}
		}
	}
	return append(parts, text[from:])
}

func item(text string) (grid.Item, error) {
	if text == "..." {
		return grid.EllipsisItem(), nil
	}
	if inner, ok := strings.CutPrefix(text, "["); ok && strings.HasSuffix(inner, "]") {
		var list []int64
		for _, one := range strings.Split(strings.TrimSuffix(inner, "]"), ",") {
			n, err := strconv.ParseInt(strings.TrimSpace(one), 10, 64)
			if err != nil {
				return grid.Item{}, fmt.Errorf("%q is not an integer", one)
			}
			list = append(list, n)
		}
		return grid.ListOf(list), nil
	}
	bounds := strings.Split(text, ":")
	if len(bounds) > 3 {
		return grid.Item{}, fmt.Errorf("%q has more than a start, a stop and a step", text)
	}
	var numbers [3]*int64
	for i, one := range bounds {
		if one = strings.TrimSpace(one); one == "" && len(bounds) > 1 {
			continue
		}
		n, err := strconv.ParseInt(one, 10, 64)
		if err != nil {
			return grid.Item{}, fmt.Errorf("%q is not an integer", one)
		}
		numbers[i] = &n
	}
	if len(bounds) == 1 {
		return grid.At(*numbers[0]), nil
	}
	return grid.Range(numbers[0], numbers[1], numbers[2]), nil
}
