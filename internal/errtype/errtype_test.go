package errtype

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

type wide interface {
	error
	Timeout() bool
}

// TestAs compares with errors.As, for pointers, values and interfaces, also where several match.
func TestAs(t *testing.T) {
	path := &fs.PathError{Op: "open", Path: "a", Err: context.DeadlineExceeded}
	for _, err := range []error{
		nil, errors.New("plain"), path, context.DeadlineExceeded,
		fmt.Errorf("of: %w", path),
		errors.Join(errors.New("first"), fmt.Errorf("of: %w", path), &fs.PathError{Op: "read", Err: fs.ErrExist}),
	} {
		compare[*fs.PathError](t, err)
		compare[wide](t, err)
		compare[*fs.PathError](t, errors.Join(err))
	}
}

func compare[E interface {
	error
	comparable
}](t *testing.T, err error) {
	t.Helper()
	var got, want, none E
	if As(err, &got) != errors.As(err, &want) || got != want {
		t.Errorf("%v: %v, want %v", err, got, want)
	}
	if !errors.As(err, &want) && got != none {
		t.Errorf("%v: the target became %v", err, got)
	}
}
