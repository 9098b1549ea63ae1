package spent_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/tests/chaos/spent"
)

func TestTook(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell the time of a thread")
	}
	began := spent.Start()
	time.Sleep(300 * time.Millisecond)
	if took := began.Took(); took > 200*time.Millisecond {
		t.Errorf("sleeping took %v", took)
	}
	began = spent.Start()
	n := 0
	for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); n++ {
	}
	if took := began.Took(); took <= 0 {
		t.Errorf("%d rounds took %v", n, took)
	}
}
