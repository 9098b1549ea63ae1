//go:build !race

package icechunk_test

const raced = false
