// Package killed has the tests of writers that are processes: killed in the middle of writes of
// arrays, and two of them that change one chunk.
package killed
