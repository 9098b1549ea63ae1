package filestore_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// write writes the objects into a fresh directory.
func write(t testing.TB, objects map[string][]byte) string {
	dir := t.TempDir()
	for key, data := range objects {
		name := filepath.Join(dir, filepath.FromSlash(key))
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must.Do(t, os.WriteFile(name, data, 0o644))
	}
	return dir
}

func TestConformance(t *testing.T) {
	t.Run("DirFS", func(t *testing.T) {
		storetest.Run(t, storetest.Harness{Lists: true,
			New: func(t testing.TB, objects map[string][]byte) store.Locator {
				return store.Plain(filestore.New(os.DirFS(write(t, objects))))
			}})
	})
	t.Run("Root", func(t *testing.T) {
		storetest.Run(t, storetest.Harness{Lists: true,
			New: func(t testing.TB, objects map[string][]byte) store.Locator {
				root := must.Get(os.OpenRoot(write(t, objects)))(t)
				t.Cleanup(func() { root.Close() })
				return store.Plain(filestore.New(root.FS()))
			}})
	})
	t.Run("MapFS", func(t *testing.T) {
		storetest.Run(t, storetest.Harness{Lists: true,
			New: func(_ testing.TB, objects map[string][]byte) store.Locator {
				m := fstest.MapFS{}
				for key, data := range objects {
					m[key] = &fstest.MapFile{Data: data, Mode: 0o644}
				}
				return store.Plain(filestore.New(m))
			}})
	})
}

func TestLinks(t *testing.T) {
	dir := write(t, map[string][]byte{"a/b": {1, 2}, "c": {3}})
	for _, link := range [][2]string{{"a", "folder"}, {"c", "file"}, {"nowhere", "broken"}} {
		if err := os.Symlink(link[0], filepath.Join(dir, link[1])); err != nil {
			t.Skip(err)
		}
	}
	s := filestore.New(os.DirFS(dir))
	names, err := s.List(t.Context(), "")
	if want := []string{"a/", "c", "file", "folder/"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("List = %q, %v; want %q", names, err, want)
	}
	if data, err := store.Get(t.Context(), s, "folder/b"); err != nil || len(data) != 2 {
		t.Errorf("through a link: %v, %v", data, err)
	}
	if _, err := store.Get(t.Context(), s, "broken"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("broken link: %v", err)
	}
}

func TestUnreadableIsNotAbsent(t *testing.T) {
	dir := write(t, map[string][]byte{"a/b": {1}})
	must.Do(t, os.Chmod(filepath.Join(dir, "a"), 0))
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "a"), 0o755) })
	if _, err := os.ReadDir(filepath.Join(dir, "a")); err == nil {
		t.Skip("this user may read everything")
	}
	if _, err := store.Get(t.Context(), filestore.New(os.DirFS(dir)), "a/b"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("unreadable folder: %v", err)
	}
}
