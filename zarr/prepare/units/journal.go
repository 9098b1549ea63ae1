package units

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"sync"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// Journal is the name of the journal below the path of a job.
const Journal = ".zarr-journal"

// mostUnits bounds the units of a job. Their bits take 32 MiB.
const mostUnits = 1 << 28

// journal is the record of the finished units of a job.
type journal struct {
	store store.Locator
	key   string
	name  string // of the job

	interval time.Duration

	mu      sync.Mutex
	bits    []byte
	changed bool
	written time.Time
}

// document is the stored form of a journal.
type document struct {
	// Text is for people who meet the object.
	Text string `json:"text"`
	Job  string `json:"job"`
	// Done has the bit of unit 8i+k in bit k of byte i.
	Done string `json:"done"`
}

const text = "units finished by an unfinished job; the same command continues it"

// openJournal reads the journal of a job. Without one of the job's identity it writes an empty one.
func openJournal(ctx context.Context, job *Job, units int64, interval time.Duration) (*journal, error) {
	if units > mostUnits {
		return nil, fmt.Errorf("%d units exceed the limit of %d: larger shards or more memory make fewer", units, int64(mostUnits))
	}
	j := &journal{interval: interval, store: job.Store, key: store.Join(job.Path, Journal), name: nameOf(job.Identity), bits: make([]byte, (units+7)/8)}
	d, err := readJournal(ctx, job.Store, job.Path)
	if err != nil {
		return nil, err
	}
	if d != nil && d.Job == j.name {
		if done, err := base64.StdEncoding.DecodeString(d.Done); err == nil && len(done) == len(j.bits) {
			j.bits = done
			return j, nil
		}
	}
	return j, j.write(ctx)
}

// State is what the journal at a job's path says.
type State int

// The states.
const (
	StateNone  State = iota // there is no journal
	StateSame               // the job was interrupted, and Run continues it
	StateOther              // a job of another identity is unfinished; Run would discard its journal
)

// State reads the journal at the job's path.
func (job *Job) State(ctx context.Context) (State, error) {
	d, err := readJournal(ctx, job.Store, job.Path)
	switch {
	case err != nil || d == nil:
		return StateNone, err
	case d.Job == nameOf(job.Identity):
		return StateSame, nil
	}
	return StateOther, nil
}

func nameOf(identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return hex.EncodeToString(sum[:16])
}

// readJournal returns the journal at a path, nil if there is none. A damaged one has no job.
func readJournal(ctx context.Context, st store.Locator, path string) (*document, error) {
	e, err := store.ReadKey(ctx, st, store.Join(path, Journal), store.Ask{Fresh: true, MaxBytes: 64 << 20}, func(ctx context.Context, s store.Source, name string, ask store.Ask) (store.Extent, error) {
		return s.Read(ctx, name, ask)
	})
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(e.Bytes) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d := &document{}
	if json.Unmarshal(e.Bytes, d) != nil {
		d.Job = ""
	}
	return d, nil
}

// write writes the journal. The lock is held, or not needed yet.
func (j *journal) write(ctx context.Context) error {
	b, err := json.Marshal(document{text, j.name, base64.StdEncoding.EncodeToString(j.bits)})
	if err == nil {
		err = store.CapabilitiesOf(j.store).Set(ctx, j.key, b)
	}
	if err == nil {
		j.changed, j.written = false, time.Now()
	}
	return err
}

func (j *journal) has(unit int64) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.bits[unit/8]>>(unit%8)&1 == 1
}

// count returns the number of finished units among n from the first on.
func (j *journal) count(first, n int64) (done int64) {
	for unit := first; unit < first+n; unit++ {
		if unit%8 == 0 && unit+8 <= first+n {
			done += int64(bits.OnesCount8(j.bits[unit/8]))
			unit += 7
		} else if j.has(unit) {
			done++
		}
	}
	return done
}

// done records a finished unit, and writes the journal now and then.
func (j *journal) done(ctx context.Context, unit int64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.bits[unit/8] |= 1 << (unit % 8)
	j.changed = true
	if time.Since(j.written) < j.interval {
		return nil
	}
	return j.write(ctx)
}

// flush writes the journal if it has changed.
func (j *journal) flush(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.changed {
		return nil
	}
	return j.write(ctx)
}

// interrupted writes the journal after an error, which it returns.
func (j *journal) interrupted(ctx context.Context, err error) error {
	// The context may have ended. The old journal remains if this write fails.
	_ = j.flush(context.WithoutCancel(ctx))
	return err
}

// remove deletes the journal.
func (j *journal) remove(ctx context.Context) error {
	err := store.CapabilitiesOf(j.store).Delete(ctx, j.key)
	if errors.Is(err, errors.ErrUnsupported) {
		// The output is complete. An empty object is the least trace in a store without deletion.
		return store.CapabilitiesOf(j.store).Set(ctx, j.key, nil)
	}
	return err
}
