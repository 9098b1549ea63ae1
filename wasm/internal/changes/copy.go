package changes

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// copy copies a node, or the contents of a group.
func (s *Session) copy(ctx context.Context, msg wire.Object) (any, error) {
	n, err := s.Node(msg)
	if err != nil {
		return nil, err
	}
	h, err := s.Hierarchy(msg, wire.AboutStore)
	if err != nil {
		return nil, err
	}
	path := msg.Text(wire.CopyPath)
	o, err := s.object(path, "options", msg.Text(wire.CopyOptions))
	if err != nil {
		return nil, err
	}
	m := &members{path: path, of: o}
	opt := zarr.CopyOptions{
		IfExists: m.ifExists(wire.CopyIfExists), Format: m.format(wire.CopyFormat), Recode: m.flag(wire.CopyRecode),
		Shallow: m.flag(wire.CopyShallow), WithoutAttributes: m.flag(wire.CopyWithoutAttributes),
	}
	if array := member(m, wire.CopyArray); !array.IsNull() {
		of := &members{path: path, of: array}
		of.layout(&zarr.ArraySpec{}) // report invalid options before copying anything
		if m.err == nil {
			m.err = of.err
		}
		opt.Array = func(_ string, spec *zarr.ArraySpec) { of.layout(spec) }
	}
	if m.err != nil {
		return nil, m.err
	}
	end := func() error { return nil }
	if msg.Flag(wire.CopyProgress) {
		var tell func(done, total int)
		tell, end = s.Progress(msg)
		opt.Progress = func(_ string, done, total int64) { tell(int(done), int(total)) }
	}
	var stats zarr.CopyStats
	if g, ok := n.(*zarr.Group); ok && msg.Flag(wire.CopyAll) {
		stats, err = zarr.CopyAll(ctx, g, h, path, opt)
	} else {
		stats, err = zarr.Copy(ctx, n, h, path, opt)
	}
	return report(stats, err, end())
}

// copyStore copies objects unchanged.
func (s *Session) copyStore(ctx context.Context, msg wire.Object) (any, error) {
	from, err := s.Hierarchy(msg, wire.CopyStoreFrom)
	if err != nil {
		return nil, err
	}
	to, err := s.Hierarchy(msg, wire.AboutStore)
	if err != nil {
		return nil, err
	}
	path := msg.Text(wire.CopyStorePath)
	o, err := s.object(path, "options", msg.Text(wire.CopyStoreOptions))
	if err != nil {
		return nil, err
	}
	m := &members{path: path, of: o}
	opt := zarr.CopyStoreOptions{IfExists: m.ifExists(wire.CopyStoreIfExists), DryRun: m.flag(wire.CopyStoreDryRun)}
	if m.err != nil {
		return nil, m.err
	}
	end := func() error { return nil }
	if msg.Flag(wire.CopyStoreProgress) {
		var tell func(done, total int)
		tell, end = s.Progress(msg)
		opt.Progress = func(_ string, done zarr.CopyStats) { tell(done.Copied, done.Copied) }
	}
	stats, err := zarr.CopyStore(ctx, from, msg.Text(wire.CopyStoreFromPath), to, path, opt)
	return report(stats, err, end())
}

// report returns the value of a copy's answer.
func report(stats zarr.CopyStats, err, failed error) (any, error) {
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	var o wire.Object
	o.AddInt(wire.ReportCopied, stats.Copied)
	o.AddInt(wire.ReportSkipped, stats.Skipped)
	o.AddNumber(wire.ReportBytes, float64(stats.Bytes))
	return o, nil
}

func (m *members) ifExists(name wire.TextName) zarr.IfExists {
	switch m.text(name) {
	case "", "raise":
		return zarr.IfExistsRaise
	case "replace":
		return zarr.IfExistsReplace
	case "skip":
		return zarr.IfExistsSkip
	}
	m.wrong(string(name), `"raise", "replace" or "skip"`)
	return zarr.IfExistsRaise
}
