package icechunk

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// repo is the content of a version 2 repository's object "repo". For version 1 it is empty except
// for the version.
type repo struct {
	version      int
	branches     map[string]int // indexes of snapshots
	tags         map[string]int
	deleted      []string
	snapshots    []commit
	containers   map[string]string
	availability uint8
	reason       string
}

// commit is a snapshot in a repository's table.
type commit struct {
	id      id
	parent  int // -1 when there is none
	time    uint64
	message string
}

// Fields of a repository's tables.
const (
	repoVersion = iota
	repoTags
	repoBranches
	repoDeletedTags
	repoSnapshots
	repoStatus
	_
	_
	_
	repoConfig
)

const offline = 2

// leastRef is the smallest size in bytes of a name or a snapshot in a file.
const leastRef = 12

func readRepo(f *file) (*repo, error) {
	const what = "the repository"
	t := f.flat.root()
	r := &repo{version: int(t.u8(repoVersion, 0))}
	if f.flat.bad {
		return nil, damaged(what)
	}
	if r.version != 1 && r.version != 2 {
		return nil, &Error{What: what, Msg: "version " + strconv.Itoa(r.version) + " of the specification is not supported; expected 1 or 2"}
	}
	list := t.tables(repoSnapshots)
	if list.n > len(f.flat.b)/leastRef {
		return nil, damaged(what)
	}
	text := 0
	r.snapshots = make([]commit, list.n)
	for i := range r.snapshots {
		t, c := list.table(i), &r.snapshots[i]
		own := t.inside(0, 12)
		copy(c.id[:], own)
		c.parent, c.time = int(int32(t.u32(1))), t.u64(2)
		message, _ := t.bytes(3)
		if text += len(message); f.flat.bad || own == nil || text > len(f.flat.b) || c.parent < -1 || c.parent >= list.n {
			return nil, damaged(what)
		}
		c.message = string(message)
	}
	refs := func(i int) map[string]int {
		list, all := t.tables(i), map[string]int{}
		if list.n > len(f.flat.b)/leastRef {
			f.flat.bad = true
			return nil
		}
		for i := range list.n {
			t := list.table(i)
			name, n := t.text(0), int(t.u32(1))
			if text += len(name); f.flat.bad || text > len(f.flat.b) || n >= len(r.snapshots) {
				f.flat.bad = true
				return nil
			}
			all[name] = n
		}
		return all
	}
	r.branches, r.tags = refs(repoBranches), refs(repoTags)
	deleted := t.tables(repoDeletedTags)
	for i := 0; i < deleted.n && !f.flat.bad; i++ {
		at := f.flat.follow(deleted.at + 4*i)
		n := int(f.flat.u32(at))
		if text += n + leastRef; f.flat.has(at+4, n) && text <= len(f.flat.b)+leastRef*deleted.n {
			r.deleted = append(r.deleted, string(f.flat.b[at+4:at+4+n]))
		} else {
			f.flat.bad = true
		}
	}
	if status, ok := t.table(repoStatus); ok {
		r.availability, r.reason = status.u8(0, 0), status.text(2)
	}
	config, _ := t.bytes(repoConfig)
	if f.flat.bad {
		return nil, damaged(what)
	}
	r.containers = containers(config)
	return r, nil
}

// find returns the index of a snapshot in the table, or -1.
func (r *repo) find(x id) int {
	return slices.IndexFunc(r.snapshots, func(c commit) bool { return c.id == x })
}

// view is the snapshot that the store presents, with its repository.
type view struct {
	repo     *repo
	snapshot *snapshot
}

// answer is the result of reading an object.
type answer struct {
	data []byte
	err  error
}

// unsure reports whether an answer leaves the object's absence open.
func (a *answer) unsure() bool { return store.MaybeMissing(a.err) || store.Blocked(a.err) }

func (a *answer) absent() bool { return errors.Is(a.err, fs.ErrNotExist) }

// ask reads objects at once, past all caches. The first sufficient answer cancels the others.
func (s *Store) ask(ctx context.Context, enough func(i int, a answer) bool, names ...string) []answer {
	all := make([]answer, len(names))
	s.gather(ctx, all, func(int) bool { return true }, true, enough, names)
	if ctx.Err() != nil {
		return all
	}
	if slices.ContainsFunc(all, func(a answer) bool { return a.err == nil }) {
		return all // a readable file proves that the others are absent
	}
	// Without a readable file, ambiguous answers are requested again.
	s.gather(ctx, all, func(i int) bool { return all[i].unsure() }, false, enough, names)
	return all
}

func (s *Store) gather(ctx context.Context, all []answer, picked func(i int) bool, probe bool, enough func(i int, a answer) bool, names []string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type numbered struct {
		i int
		answer
	}
	answers := make(chan numbered, len(names))
	n := 0
	for i, name := range names {
		if !picked(i) {
			continue
		}
		n++
		var data []byte
		guard.Go(func() (err error) {
			data, err = s.read(ctx, name, store.Ask{Fresh: true, Hint: store.Hint{Probe: probe}})
			return err
		}, func(err error) { answers <- numbered{i, answer{data, err}} })
	}
	for range n {
		a := <-answers
		if all[a.i] = a.answer; a.err == nil && enough(a.i, a.answer) {
			return
		}
	}
}

// open opens the requested branch, tag or snapshot. It reads "repo", or for version 1 the file of
// the branch or tag, and then the snapshot.
func (s *Store) open(ctx context.Context) (*view, error) {
	if s.opt.Snapshot != "" {
		return s.openSnapshot(ctx)
	}
	kind, name := "branch", s.opt.Branch
	if s.opt.Tag != "" {
		kind, name = "tag", s.opt.Tag
	}
	what := kind + " " + strconv.Quote(name)
	names := []string{"repo"}
	if file := "refs/" + kind + "." + name + "/ref.json"; !strings.Contains(name, "/") && store.CheckKey(file) == nil {
		if names = append(names, file); kind == "tag" {
			names = append(names, file+".deleted")
		}
	}
	all := s.ask(ctx, func(i int, _ answer) bool { return i == 0 }, names...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &repo{version: 1}
	var x id
	switch first := &all[0]; {
	case first.err == nil:
		var err error
		if r, err = s.repo(ctx, first.data); err != nil {
			return nil, err
		}
		refs := r.branches
		if kind == "tag" {
			refs = r.tags
		}
		n, ok := refs[name]
		if !ok {
			return nil, r.noRef(kind, name)
		}
		x = r.snapshots[n].id
	case len(all) > 1 && all[1].err == nil && (first.absent() || first.unsure()):
		if kind == "tag" && all[2].err == nil {
			return nil, &Error{What: "the repository", Msg: what + " has been deleted"}
		}
		if kind == "tag" && !all[2].absent() && !all[2].unsure() {
			return nil, fail(what, all[2].err)
		}
		var err error
		if x, err = refOf(all[1].data, what); err != nil {
			return nil, err
		}
	default:
		for _, a := range all {
			if a.err != nil && !a.absent() {
				return nil, fail("the repository", a.err)
			}
		}
		return nil, &Error{What: "the repository", Msg: "there is neither a repo object nor a " + what +
			": the address is not that of a repository, or has no such " + kind}
	}
	if r.availability == offline {
		return nil, r.refused()
	}
	sn, err := s.snapshot(ctx, x)
	if err != nil {
		return nil, err
	}
	return &view{r, sn}, nil
}

// openSnapshot opens a snapshot by its id. It reads the repository's state at the same time.
func (s *Store) openSnapshot(ctx context.Context) (*view, error) {
	x, ok := parseID(s.opt.Snapshot)
	if !ok {
		return nil, &Error{What: "snapshot " + strconv.Quote(s.opt.Snapshot), Msg: "an id has 20 digits and capital letters"}
	}
	var sn *snapshot
	r := &repo{version: 1}
	g, ctx := guard.NewGroup(ctx)
	g.Go(func() (err error) {
		sn, err = s.snapshot(ctx, x)
		if e, ok := err.(*Error); ok && e.Msg == missing {
			err = &Error{What: "the repository", Msg: "there is no snapshot " + x.String()}
		}
		return err
	})
	g.Go(func() (err error) {
		a := s.ask(ctx, func(int, answer) bool { return true }, "repo")[0]
		switch {
		case a.err == nil:
			r, err = s.repo(ctx, a.data)
		case !a.absent() && !a.unsure():
			err = fail("the repository", a.err)
		}
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if r.availability == offline {
		return nil, r.refused()
	}
	return &view{r, sn}, nil
}

func (s *Store) repo(ctx context.Context, data []byte) (r *repo, err error) {
	err = s.parse(ctx, data, repoFile, "the repository", func(f *file) (err error) {
		r, err = readRepo(f)
		return err
	})
	return r, err
}

func (r *repo) noRef(kind, name string) error {
	msg := "there is no " + kind + " " + strconv.Quote(name)
	refs := r.branches
	if kind == "tag" {
		if refs = r.tags; slices.Contains(r.deleted, name) {
			return &Error{What: "the repository", Msg: kind + " " + strconv.Quote(name) + " has been deleted"}
		}
	}
	for i, known := range sortedKeys(refs) {
		switch i {
		case 0:
			msg += "; there is "
		case 10:
			return &Error{What: "the repository", Msg: msg + ", ..."}
		default:
			msg += ", "
		}
		msg += strconv.Quote(known)
	}
	return &Error{What: "the repository", Msg: msg}
}

func (r *repo) refused() error {
	msg := "it is offline, and may not be read"
	if r.reason != "" {
		msg += ": " + strconv.Quote(r.reason)
	}
	return &Error{What: "the repository", Msg: msg}
}

// refOf returns the snapshot that the file of a branch or tag names.
func refOf(data []byte, what string) (id, error) {
	v, err := json.Parse(data, json.Limits{Depth: 8})
	if err != nil {
		return id{}, &Error{What: what, Msg: "its ref.json is damaged", Err: err}
	}
	text, _ := v.Get("snapshot").Text()
	x, ok := parseID(text)
	if !ok {
		return id{}, &Error{What: what, Msg: "its ref.json names no snapshot"}
	}
	return x, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Commit is a snapshot in the history of a branch.
type Commit struct {
	Snapshot string
	Message  string
	Time     time.Time
}

// Info describes a repository and the snapshot that a store presents.
type Info struct {
	Commit
	// Version is the version of the specification.
	Version int
	// Branch or Tag is the name that selected the snapshot. Both are "" if its id was given.
	Branch, Tag string
	// Status is "online", "read-only" or "offline". Reason explains a status other than online.
	Status, Reason string
	// Branches and Tags map names to the ids of their snapshots. They are nil when unknown: a
	// version 1 repository has a file per name, which only a store that can list finds.
	Branches, Tags map[string]string
	// DeletedTags are the names of deleted tags.
	DeletedTags []string
}

// Info describes the repository. The store reads it once: a new Store shows a newer state.
func (s *Store) Info(ctx context.Context) (*Info, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	r, sn := v.repo, v.snapshot
	info := &Info{
		Commit: Commit{sn.id.String(), sn.message, when(sn.time)}, Version: r.version, Tag: s.opt.Tag,
		Status: [...]string{"online", "read-only", "offline"}[min(r.availability, offline)], Reason: r.reason,
	}
	if s.opt.Snapshot == "" && s.opt.Tag == "" {
		info.Branch = s.opt.Branch
	}
	if r.branches == nil {
		return info, s.listRefs(ctx, info)
	}
	ids := func(refs map[string]int) map[string]string {
		all := map[string]string{}
		for name, n := range refs {
			all[name] = r.snapshots[n].id.String()
		}
		return all
	}
	info.Branches, info.Tags, info.DeletedTags = ids(r.branches), ids(r.tags), r.deleted
	return info, nil
}

// maxRefs limits the branches and tags of version 1 that are read.
const maxRefs = 10_000

// listRefs finds the branches and tags of a version 1 repository, if its store can list.
func (s *Store) listRefs(ctx context.Context, info *Info) error {
	can := store.CapabilitiesOf(s.of)
	names, err := can.List(ctx, "refs")
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return fail("the repository", err)
	}
	info.Branches, info.Tags = map[string]string{}, map[string]string{}
	for _, folder := range names[:min(len(names), maxRefs)] {
		kind, name, ok := strings.Cut(strings.TrimSuffix(folder, "/"), ".")
		refs := info.Branches
		if kind == "tag" {
			refs = info.Tags
		} else if !ok || kind != "branch" {
			continue
		}
		files, err := can.List(ctx, "refs/"+kind+"."+name)
		if err != nil {
			return fail("the repository", err)
		}
		if slices.Contains(files, "ref.json.deleted") {
			info.DeletedTags = append(info.DeletedTags, name)
			continue
		}
		what := kind + " " + strconv.Quote(name)
		data, err := s.read(ctx, "refs/"+kind+"."+name+"/ref.json", store.Ask{Fresh: true})
		if errors.Is(err, fs.ErrNotExist) {
			continue // a folder of something else
		}
		if err != nil {
			return fail(what, err)
		}
		x, err := refOf(data, what)
		if err != nil {
			return err
		}
		refs[name] = x.String()
	}
	return nil
}

// History returns the snapshot and its ancestors, the newest first: at most `most`, or all when
// most is 0. In version 1 each one is a separate file, and they are read in sequence.
func (s *Store) History(ctx context.Context, most int) ([]Commit, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	var all []Commit
	room := func() bool { return most <= 0 || len(all) < most }
	if n := v.repo.find(v.snapshot.id); n >= 0 {
		for range v.repo.snapshots {
			if n < 0 || !room() {
				return all, nil
			}
			c := v.repo.snapshots[n]
			all = append(all, Commit{c.id.String(), c.message, when(c.time)})
			n = c.parent
		}
		if n >= 0 && room() {
			return nil, cycle(v.repo.snapshots[n].id)
		}
		return all, nil
	}
	seen := map[id]bool{}
	for sn := v.snapshot; room(); {
		if seen[sn.id] {
			return nil, cycle(sn.id)
		}
		seen[sn.id] = true
		all = append(all, Commit{sn.id.String(), sn.message, when(sn.time)})
		if sn.parent == nil || !room() {
			break
		}
		if sn, err = s.snapshot(ctx, *sn.parent); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func cycle(x id) error {
	return &Error{What: "the repository", Msg: "snapshot " + x.String() + " is its own ancestor in the history"}
}

// when converts microseconds since 1970 to a time.
func when(micros uint64) time.Time { return time.UnixMicro(int64(min(micros, 1<<60))).UTC() }
