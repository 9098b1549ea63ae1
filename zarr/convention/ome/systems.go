package ome

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// edge is a transformation between two systems.
type edge struct {
	from, to Reference
	// axes is the number of input coordinates.
	axes int
	Transformation
	// group contains the array of parameters, if any.
	group *zarr.Group
}

// keyOf returns the graph's key for a coordinate system: its path is clean.
func keyOf(r Reference, under string) Reference {
	return Reference{r.Name, strings.TrimPrefix(path.Join("/", under, r.Path), "/")}
}

// step is an edge, followed forwards or backwards.
type step struct {
	*edge
	back bool
}

func (s step) transform(ctx context.Context) (Transform, error) {
	t, err := withParameters(ctx, s.group, s.Transformation)
	if err != nil {
		return Transform{}, err
	}
	m, err := t.transform(s.axes)
	if err == nil && s.back {
		return m.Inverse()
	}
	return m, err
}

// route returns the map from one system to another along the shortest usable path.
func route(ctx context.Context, edges []edge, from, to Reference) (Transform, error) {
	from, to = keyOf(from, ""), keyOf(to, "")
	next := map[Reference][]step{}
	for i := range edges {
		e := &edges[i]
		next[e.from] = append(next[e.from], step{e, false})
		next[e.to] = append(next[e.to], step{e, true})
	}
	var refused error
	reached := map[Reference]Transform{}
	if some := next[from]; len(some) > 0 && from == to {
		m, err := step{some[0].edge, false}.transform(ctx)
		if err == nil && some[0].back {
			return eye(len(m.Matrix)), nil
		}
		return eye(some[0].axes), err
	}
	seen := map[Reference]bool{from: true}
	queue := []Reference{from}
	if from == to {
		queue = nil // no transformation states how many axes the system has
	}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at == to {
			return reached[at], nil
		}
		for _, s := range next[at] {
			other := s.to
			if s.back {
				other = s.from
			}
			if seen[other] {
				continue
			}
			m, err := s.transform(ctx)
			if so, known := reached[at]; err == nil && known {
				m, err = so.FollowedBy(m)
			}
			var unsupported *zarr.UnsupportedError
			if errors.As(err, &unsupported) {
				refused = err
				continue
			}
			if err != nil {
				return Transform{}, err
			}
			seen[other] = true
			reached[other] = m
			queue = append(queue, other)
		}
	}
	if refused != nil {
		return Transform{}, refused
	}
	return Transform{}, &zarr.NotFoundError{Path: to.Path, Want: "transformation from " + describe(from) + " to " + describe(to)}
}

func describe(r Reference) string {
	var words []string
	if r.Name != "" {
		words = append(words, quote(r.Name))
	}
	if r.Path != "" {
		words = append(words, "of "+r.Path)
	}
	return strings.Join(words, " ")
}
