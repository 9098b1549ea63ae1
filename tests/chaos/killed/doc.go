// Package killed tests writers in processes: killed during writes of arrays, and two that change
// one chunk.
package killed
