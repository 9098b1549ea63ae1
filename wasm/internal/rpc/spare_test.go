package rpc

import "testing"

func TestSpareMemoryIsUsedAgain(t *testing.T) {
	var s spare
	a := s.take(1 << 20)
	a[0] = 1
	s.give(a)
	if b := s.take(1<<20 + 1<<16); &b[0] != &a[0] || len(b) != 1<<20+1<<16 {
		t.Error("a little more was asked for, and other memory came")
	}
	if b := s.take(1 << 20); &b[0] == &a[0] {
		t.Error("memory that somebody has was given to another")
	}
	s.give(a)
	if b := s.take(1 << 19); &b[0] == &a[0] {
		t.Error("much more than asked for")
	}
	s.give(make([]byte, spareLeast-1))
	s.give(make([]byte, spareMost+1))
	if len(s.free) != 1 {
		t.Errorf("%d are kept", len(s.free))
	}
	for range 20 {
		s.give(make([]byte, 1<<20))
	}
	if len(s.free) != 16 || s.size != 16<<20 {
		t.Errorf("%d are kept, of %d bytes", len(s.free), s.size)
	}
}
