package main

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

// progress shows the progress of long work on a terminal.
type progress struct {
	out  io.Writer
	path string
	bar  *progressbar.ProgressBar
}

func newProgress(out io.Writer) *progress {
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		out = nil
	}
	return &progress{out: out}
}

// told receives the number of elements done of an array at a path.
func (p *progress) told(path string, done, total int64) {
	if p.out == nil {
		return
	}
	if p.bar == nil || p.path != path {
		p.end()
		p.path = path
		p.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(p.out), progressbar.OptionSetDescription("/"+path),
			progressbar.OptionShowCount(), progressbar.OptionThrottle(100e6), progressbar.OptionClearOnFinish())
	}
	_ = p.bar.Set64(done)
}

// made receives the progress of a job of units. The bar shows bytes, their rate and the time left.
func (p *progress) made(now units.Progress) {
	if p.out == nil {
		return
	}
	if p.bar == nil || p.path != now.Stage {
		p.end()
		p.path = now.Stage
		p.bar = progressbar.NewOptions64(now.AllBytes, progressbar.OptionSetWriter(p.out), progressbar.OptionSetDescription(now.Stage),
			progressbar.OptionShowBytes(true), progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100e6), progressbar.OptionClearOnFinish())
	}
	_ = p.bar.Set64(now.Bytes)
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
