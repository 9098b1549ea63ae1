package listing_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore/internal/listing"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/spent"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// recorded is a server's answer with its expected content.
type recorded struct {
	ID          string
	Kind        string
	File, Body  string
	Pages       []struct{ Query, Body string }
	BaseURL     string `json:"base_url"`
	Prefix      string
	Names       []string
	Keys        []any
	Prefixes    []string
	ExpectError any    `json:"expect_error"`
	ErrorCode   string `json:"error_code"`
	NextMarker  string `json:"next_marker"`
	NextToken   string `json:"next_page_token"`
}

func load(t testing.TB) []recorded {
	t.Helper()
	dir := filepath.Join(fixtures.Dir(t), "public")
	data := must.Get(os.ReadFile(filepath.Join(dir, "containers.json")))(t)
	var all struct{ Listings []recorded }
	must.Do(t, json.Unmarshal(data, &all))
	for i, l := range all.Listings {
		if l.File != "" {
			body := must.Get(os.ReadFile(filepath.Join(dir, filepath.FromSlash(l.File))))(t)
			all.Listings[i].Body = string(body)
		}
	}
	return all.Listings
}

func (l recorded) bodies() []string {
	if l.Pages == nil {
		return []string{l.Body}
	}
	var bodies []string
	for _, p := range l.Pages {
		bodies = append(bodies, p.Body)
	}
	return bodies
}

// TestRecordedAnswers parses 22 answers of real servers.
func TestRecordedAnswers(t *testing.T) {
	all := load(t)
	if len(all) < 22 {
		t.Errorf("%d answers", len(all))
	}
	for _, l := range all {
		t.Run(l.ID, func(t *testing.T) {
			var keys, names []string
			var last *listing.Page
			for i, body := range l.bodies() {
				page, err := listing.Parse([]byte(body), l.BaseURL)
				if l.ExpectError != nil {
					var refused *listing.Error
					if !errors.As(err, &refused) || !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), l.ErrorCode) {
						t.Errorf("%v, want an error of the code %s", err, l.ErrorCode)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if i > 0 && !strings.Contains(l.Pages[i].Query, last.Param+"="+last.Next) {
					t.Errorf("page %d was asked for by %s, said was %s=%s", i, l.Pages[i].Query, last.Param, last.Next)
				}
				keys, names, last = append(keys, page.Names...), append(names, page.Below(l.Prefix)...), page
			}
			if want := l.NextMarker + l.NextToken; last.Next != want {
				t.Errorf("next is %q, want %q", last.Next, want)
			}
			if l.Keys != nil {
				want := slices.Clone(l.Prefixes)
				for _, key := range l.Keys {
					if pair, ok := key.([]any); ok {
						key = pair[0]
					}
					want = append(want, key.(string))
				}
				slices.Sort(keys)
				slices.Sort(want)
				if !last.Keys || !slices.Equal(keys, want) {
					t.Errorf("keys %q, want %q", keys, want)
				}
			}
			if l.Names != nil && !slices.Equal(names, l.Names) {
				t.Errorf("names %q, want %q", names, l.Names)
			}
			if l.Names == nil && l.Keys == nil {
				t.Error("nothing is expected")
			}
		})
	}
}

const folder = "http://host:8080/a%20b/data.zarr/"

func TestHTML(t *testing.T) {
	for body, want := range map[string][]string{
		`<a href="x/">`:                                                                  {"x/"},
		`<A class=q HREF = 'x/' title="a>b">`:                                            {"x/"},
		`<a href=x/>`:                                                                    {"x/"},
		`<a href="x">x</a><a href="x">again</a>`:                                         {"x"},
		`<a data-x="1" href="./x/?C=N&O=D#top">`:                                         {"x/"},
		`<a href="/a%20b/data.zarr/x/">`:                                                 {"x/"},
		`<a href="/a b/data.zarr/x/">`:                                                   {"x/"},
		`<a href="http://host:8080/a%20b/data.zarr/x/">`:                                 {"x/"},
		`<a href="//host:8080/a%20b/data.zarr/x/">`:                                      {"x/"},
		`<a href="&a12;&&lt;&nothing;&#65;&#x42;&amp;lt;">`:                              {"&a12;&<&nothing;AB&lt;"},
		`<a href="a&amp;b/">&lt;<a href="c&#x27;d/"><a href="e&#39;f">`:                  {"a&b/", "c'd/", "e'f"},
		`<!-- <a href="x/"> --><script>"<a href='y/'>"</script><a href="z/">`:            {"z/"},
		`<style>a</STYLE><SCRIPT><a href="y/"></scr></SCRIPT><abbr href="z/">`:           nil,
		`<a href="perc%2520ent/"><a href="%E6%97%A5/"><a href="50%/">`:                   {"perc%20ent/", "日/", "50%/"},
		`<a href="../"><a href=".."><a href="."><a href="./"><a href="/"><a>`:            nil,
		`<a href="../data.zarr/x/"><a href="x/../y/"><a href="a//b">`:                    nil,
		`<a href="x/y/"><a href="/a%20b/x/"><a href="/a%20b/data.zarr"><a h>`:            nil,
		`<a href="http://other/a%20b/data.zarr/x/"><a href="//other/x/">`:                nil,
		`<a href="https://host:8080/a%20b/data.zarr/x/">`:                                nil,
		`<a href="javascript:x/"><a href="mailto:a@b"><a href="co:lon">`:                 nil,
		`<a href="%2e%2e/"><a href="%2E"><a href="x%2Fy"><a href="..%2f"><a href="a\b">`: nil,
		`<a href="..."><a href="..a/"><a href=".a/">`:                                    {"...", "..a/", ".a/"},
		`<a href="`:          nil,
		`<a href="x/`:        {"x/"},
		`<a`:                 nil,
		`<`:                  nil,
		`<!-- <a href="x/">`: nil,
	} {
		page, err := listing.Parse([]byte(body), folder)
		if err != nil || !slices.Equal(page.Names, want) || page.Keys || page.Next != "" {
			t.Errorf("%s: %+v, %v; want %q", body, page, err, want)
		}
	}
}

func TestXML(t *testing.T) {
	s3 := func(inside string) string {
		return "\ufeff<?xml version='1.0'?>\n<!DOCTYPE x><s3:ListBucketResult xmlns:s3=\"x\">" + inside + "</s3:ListBucketResult>"
	}
	for _, c := range []struct {
		body, next, param string
		want              []string
	}{
		{body: s3(`<Contents><Key>p/a&amp;b</Key></Contents><CommonPrefixes><Prefix>p/c/</Prefix></CommonPrefixes>`), want: []string{"a&b", "c/"}},
		{body: s3(`<Contents><Key>p/</Key><Owner><ID>p/no</ID></Owner></Contents><Contents><Key>pq/a</Key></Contents><Prefix>p/</Prefix>`)},
		{body: s3(`<Contents><Key>p/../a</Key></Contents><Contents><Key>p/./a</Key></Contents><Contents><Key>p//a</Key></Contents>`)},
		{body: s3(`<Contents><Key>p/d/e/f</Key></Contents><Contents><Key>p/d/e/g</Key></Contents>`), want: []string{"d/"}},
		{body: s3(`<EncodingType>url</EncodingType><Contents><Key>p/a+b%2Bc%01</Key></Contents><NextMarker>p/a+b</NextMarker>`), want: []string{"a b+c\x01"}, next: "p/a b", param: "marker"},
		{body: s3(`<Contents><Key>p/a+b%20</Key></Contents>`), want: []string{"a+b%20"}},
		{body: s3(`<IsTruncated>true</IsTruncated><Contents><Key>p/a</Key></Contents><Contents><Key>p/b</Key></Contents>`), want: []string{"a", "b"}, next: "p/b", param: "marker"},
		{body: s3(`<IsTruncated>true</IsTruncated><NextContinuationToken>1+/=&amp;</NextContinuationToken><NextMarker>x</NextMarker>`), next: "1+/=&", param: "continuation-token"},
		{body: `<EnumerationResults><Blobs><Blob><Name>p/a</Name><Properties><Name>p/no</Name></Properties></Blob><BlobPrefix><Name>p/b/</Name></BlobPrefix></Blobs><NextMarker/></EnumerationResults>`, want: []string{"a", "b/"}},
	} {
		page, err := listing.Parse([]byte(c.body), folder)
		if err != nil || !page.Keys || !slices.Equal(page.Below("p/"), c.want) || page.Next != c.next || c.param != "" && page.Param != c.param {
			t.Errorf("%s: %+v, %v; want %q", c.body, page, err, c.want)
		}
	}
}

func TestNoList(t *testing.T) {
	for _, body := range []string{
		"", " \n", "\ufeff", "not found", "{}", `{"error":{"code":403}}`, "[1]", "[{}]", `[{"name":1}]`, "[", "[}",
		"<Error/>", "<Error><Code>AccessDenied</Code></Error>", "<ListBucketResult>", "<ListBucketResult><Contents></ListBucketResult>",
		"<ListBucketResult><Contents><Key>a</Key></Contents>", "</ListBucketResult><ListBucketResult></a>",
		"<ListBucketResult>" + strings.Repeat("<a>", 600) + strings.Repeat("</a>", 600) + "</ListBucketResult>",
		"<ListBucketResult><Contents><Key>a<!-- -->b</Key></Contents></ListBucketResult>",
		"<ListBucketResult><Contents><Key><![CDATA[a]]></Key></Contents></ListBucketResult>",
	} {
		page, err := listing.Parse([]byte(body), folder)
		var no *listing.Error
		if !errors.As(err, &no) || err.Error() == "" {
			t.Errorf("%q: %+v, %v; want a *listing.Error", body, page, err)
		}
	}
}

// TestHostileSizes parses answers that are too large, and answers that make parsers with
// backtracking slow.
func TestHostileSizes(t *testing.T) {
	many := func(n int, one string) []byte { return []byte("<x>" + strings.Repeat(one, n)) }
	numbered := make([]byte, 0, 60<<20)
	for i := 0; len(numbered) < 50<<20; i++ {
		numbered = append(numbered, "<a href="...)
		for n := i; n > 0; n /= 32 {
			numbered = append(numbered, "abcdefghijklmnopqrstuvwxyz012345"[n%32])
		}
		numbered = append(numbered, "/>"...)
	}
	for name, body := range map[string][]byte{
		"names":    numbered,
		"keys":     []byte("<ListBucketResult>" + strings.Repeat("<Contents><Key>a</Key></Contents>", listing.MaxNames+1) + "</ListBucketResult>"),
		"the size": make([]byte, listing.MaxBytes+1),
		"values":   []byte("[" + strings.Repeat(`{"name":"a"},`, listing.MaxNames) + `{"name":"a"}]`),
	} {
		start := spent.Start()
		_, err := listing.Parse(body, folder)
		var limit *limits.Error
		if !errors.As(err, &limit) {
			t.Errorf("%s: %v; want a *limits.Error", name, err)
		}
		if took := start.Took(); took > spent.Most {
			t.Errorf("%s: took %v", name, took)
		}
	}
	for name, body := range map[string][]byte{
		"open quotes":   many(1<<20, `<a href="`),
		"open comments": many(1<<20, "<!--"),
		"open scripts":  many(1<<20, "<script>"),
		"open tags":     many(4<<20, "<a "),
		"brackets":      many(4<<20, "<"),
		"ampersands":    []byte(`<a href="` + strings.Repeat("&#", 2<<20) + `">`),
		"closing":       []byte("<script>" + strings.Repeat("</s", 2<<20)),
	} {
		start := spent.Start()
		page, err := listing.Parse(body, folder)
		if took := start.Took(); err != nil || len(page.Names) > 1 || took > spent.Most {
			t.Errorf("%s: %d names, %v, after %v", name, len(page.Names), err, took)
		}
	}
}

// FuzzParse accepts an error of the package, or names that can be part of keys. Links give each
// name once.
func FuzzParse(f *testing.F) {
	for _, l := range load(f) {
		for _, body := range l.bodies() {
			f.Add([]byte(body), l.BaseURL, l.Prefix)
		}
	}
	f.Add([]byte(`<a href="//host/%2e%2e/">`), "http://host/", "")
	f.Fuzz(func(t *testing.T, body []byte, base, prefix string) {
		page, err := listing.Parse(body, base)
		if err != nil {
			var no *listing.Error
			var limit *limits.Error
			if !errors.As(err, &no) && !errors.As(err, &limit) {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		for _, name := range page.Below(prefix) {
			plain := strings.TrimSuffix(name, "/")
			if store.CheckKey(plain) != nil || strings.Contains(plain, "/") {
				t.Errorf("%q is not a name", name)
			}
		}
	})
}
