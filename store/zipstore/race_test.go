//go:build race

package zipstore_test

const race = true
