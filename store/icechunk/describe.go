package icechunk

import (
	"context"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Describe returns an object of JSON. For "history" its member commits holds the result of
// [Store.History], otherwise the object holds that of [Store.Info]. Times are milliseconds since
// 1970.
func (s *Store) Describe(ctx context.Context, about string, most int) ([]byte, error) {
	if about == "history" {
		commits, err := s.History(ctx, most)
		if err != nil {
			return nil, err
		}
		b := []byte(`{"commits":[`)
		for i := range commits {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(commits[i].append(append(b, '{')), '}')
		}
		return append(b, `]}`...), nil
	}
	info, err := s.Info(ctx)
	if err != nil {
		return nil, err
	}
	b := info.Commit.append([]byte{'{'})
	b = strconv.AppendInt(append(b, `,"version":`...), int64(info.Version), 10)
	for _, m := range [...]struct{ name, text string }{
		{"status", info.Status}, {"reason", info.Reason}, {"branch", info.Branch}, {"tag", info.Tag},
	} {
		if m.text != "" {
			b = appendMember(append(b, ','), m.name, m.text)
		}
	}
	for _, m := range [...]struct {
		name string
		refs map[string]string
	}{{"branches", info.Branches}, {"tags", info.Tags}} {
		if m.refs == nil {
			continue
		}
		b = append(b, `,"`+m.name+`":{`...)
		for i, name := range sortedKeys(m.refs) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendMember(b, name, m.refs[name])
		}
		b = append(b, '}')
	}
	if info.Branches != nil {
		b = append(b, `,"deletedTags":[`...)
		for i, name := range info.DeletedTags {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(b, name)
		}
		b = append(b, ']')
	}
	return append(b, '}'), nil
}

func (c *Commit) append(b []byte) []byte {
	b = appendMember(b, "snapshot", c.Snapshot)
	b = appendMember(append(b, ','), "message", c.Message)
	return strconv.AppendInt(append(b, `,"time":`...), c.Time.UnixMilli(), 10)
}

func appendMember(b []byte, name, text string) []byte {
	b = append(appendText(b, name), ':')
	return appendText(b, text)
}

func appendText(b []byte, text string) []byte {
	return json.AppendString(b, strings.ToValidUTF8(text, "\uFFFD"))
}
