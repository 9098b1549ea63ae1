package hostside

import "testing"

func TestBuffersAreUsedAgain(t *testing.T) {
	var p bufferPool
	a := p.take(1 << 20)
	a[0] = 1
	p.put(a)
	if b := p.take(1<<20 + 1<<16); &b[0] != &a[0] || len(b) != 1<<20+1<<16 {
		t.Error("a little more was asked for, and other memory came")
	}
	if b := p.take(1 << 20); &b[0] == &a[0] {
		t.Error("memory that somebody has was given to another")
	}
	p.put(a)
	if b := p.take(1 << 19); &b[0] == &a[0] {
		t.Error("much more than asked for")
	}
	p.put(make([]byte, pooledLeast-1))
	p.put(make([]byte, poolBytes+1))
	if len(p.free) != 1 {
		t.Errorf("%d are kept", len(p.free))
	}
	for range 20 {
		p.put(make([]byte, 1<<20))
	}
	if len(p.free) != 16 || p.size != 16<<20 {
		t.Errorf("%d are kept, of %d bytes", len(p.free), p.size)
	}
}
