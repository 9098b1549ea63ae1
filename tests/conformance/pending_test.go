package conformance

import (
	"bufio"
	"os"
	"path"
	"strings"
	"testing"
)

// pending is the list of what cannot be read yet. A line holds a pattern, a tab
// and a reason. A pattern is a case's id (with * and ?), or class:, feature: or
// kind: and the name of one. Every case that a line matches must fail, and every line must match one:
// so the list only shrinks. The JavaScript runner reads the same file.
type pending []*pendingLine

type pendingLine struct {
	pattern, reason string
	matched         int
}

func loadPending(t *testing.T, name string) pending {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var p pending
	for sc := bufio.NewScanner(f); sc.Scan(); {
		line := strings.TrimSpace(sc.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, reason, ok := strings.Cut(line, "\t")
		if !ok || strings.TrimSpace(reason) == "" {
			t.Errorf("%s: %q has no reason after a tab", name, line)
		}
		p = append(p, &pendingLine{pattern: pattern, reason: strings.TrimSpace(reason)})
	}
	return p
}

// of returns the first line that speaks of a case, or nil. All lines that match are noted.
func (p pending) of(id, class, kind string, features []string) *pendingLine {
	var first *pendingLine
	for _, l := range p {
		if l.match(id, class, kind, features) {
			l.matched++
			if first == nil {
				first = l
			}
		}
	}
	return first
}

func (l *pendingLine) match(id, class, kind string, features []string) bool {
	what, name, ok := strings.Cut(l.pattern, ":")
	if ok {
		switch what {
		case "class":
			return name == class
		case "kind":
			return name == kind
		case "feature":
			for _, f := range features {
				if f == name {
					return true
				}
			}
			return false
		}
	}
	ok, err := path.Match(l.pattern, id)
	return ok && err == nil
}

func TestPendingPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    bool
	}{
		{"v2.filter.delta", true},
		{"v2.filter.*", true},
		{"v2.filter.delt?", true},
		{"v2.filter", false},
		{"class:v2.filter", true},
		{"class:v2", false},
		{"kind:dir", true},
		{"kind:zip", false},
		{"feature:filter:delta", true},
		{"feature:filter", false},
	} {
		l := &pendingLine{pattern: c.pattern}
		if got := l.match("v2.filter.delta", "v2.filter", "dir", []string{"v2", "filter:delta"}); got != c.want {
			t.Errorf("%s: %v", c.pattern, got)
		}
	}
}
