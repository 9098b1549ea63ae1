package static

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// maxUnpacked bounds an archive's unpacked bytes, which stay in memory.
const maxUnpacked = 2 << 30

// Open opens a directory, whose links may not leave it, or unpacks a .zip, .tar or .tar.gz file
// into memory.
func Open(name string) (fs.FS, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return nil, err
		}
		return root.FS(), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := newMemory()
	switch lower := strings.ToLower(name); {
	case strings.HasSuffix(lower, ".zip"), strings.HasSuffix(lower, ".ozx"):
		err = m.zip(f, info.Size())
	case strings.HasSuffix(lower, ".tar.gz"), strings.HasSuffix(lower, ".tgz"):
		var z *gzip.Reader
		if z, err = gzip.NewReader(f); err == nil {
			err = m.tar(z)
		}
	case strings.HasSuffix(lower, ".tar"):
		err = m.tar(f)
	default:
		err = errors.New("neither a directory nor a .zip, .tar or .tar.gz file")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// contentTag is a tag of a file's content, available as FileInfo.Sys.
type contentTag string

// memory is a file system in memory.
type memory struct {
	nodes map[string]*node
	size  int64
}

type node struct {
	name    string // without the folder
	data    []byte
	time    time.Time
	tag     contentTag
	dir     bool
	members []string // of a folder
}

func newMemory() *memory {
	return &memory{nodes: map[string]*node{".": {name: ".", dir: true}}}
}

// add adds a file to the file system. The last of one name wins.
func (m *memory) add(name string, when time.Time, r io.Reader) error {
	name = path.Clean(strings.TrimPrefix(name, "./"))
	if !fs.ValidPath(name) || name == "." {
		return nil // no URL can name it
	}
	data, err := io.ReadAll(io.LimitReader(r, maxUnpacked-m.size+1))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if m.size += int64(len(data)); m.size > maxUnpacked {
		return fmt.Errorf("more than %d bytes", int64(maxUnpacked))
	}
	sum := sha256.Sum256(data)
	m.put(name, &node{data: data, time: when, tag: contentTag(hex.EncodeToString(sum[:12]))})
	return nil
}

// put adds a node to its folder, which it creates if necessary.
func (m *memory) put(name string, n *node) {
	n.name = path.Base(name)
	if old := m.nodes[name]; old == nil {
		up := path.Dir(name)
		if folder := m.nodes[up]; folder == nil || !folder.dir {
			m.put(up, &node{dir: true})
		}
		m.nodes[up].members = append(m.nodes[up].members, name)
	} else if old.dir && n.dir {
		return
	}
	m.nodes[name] = n
}

func (m *memory) zip(r io.ReaderAt, size int64) error {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return err
	}
	for _, f := range z.File {
		if !f.Mode().IsRegular() {
			continue
		}
		body, err := f.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		err = m.add(f.Name, f.Modified, body)
		body.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) tar(r io.Reader) error {
	t := tar.NewReader(r)
	for {
		header, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if err := m.add(header.Name, header.ModTime, t); err != nil {
			return err
		}
	}
}

// Open opens a file or folder.
func (m *memory) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	n := m.nodes[name]
	if n == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f := &memoryFile{Reader: bytes.NewReader(n.data), node: n}
	if n.dir {
		members := slices.Clone(n.members)
		slices.Sort(members)
		for _, member := range members {
			f.entries = append(f.entries, fs.FileInfoToDirEntry(m.nodes[member]))
		}
	}
	return f, nil
}

type memoryFile struct {
	*bytes.Reader
	node    *node
	entries []fs.DirEntry // of a folder, those not read yet
}

func (f *memoryFile) Stat() (fs.FileInfo, error) { return f.node, nil }
func (f *memoryFile) Close() error               { return nil }

func (f *memoryFile) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(f.entries) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(f.entries) {
		n = len(f.entries)
	}
	list := f.entries[:n]
	f.entries = f.entries[n:]
	return list, nil
}

func (n *node) Name() string       { return n.name }
func (n *node) Size() int64        { return int64(len(n.data)) }
func (n *node) ModTime() time.Time { return n.time }
func (n *node) IsDir() bool        { return n.dir }
func (n *node) Sys() any           { return n.tag }

func (n *node) Mode() fs.FileMode {
	if n.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
