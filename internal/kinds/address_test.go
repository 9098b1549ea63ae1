package kinds_test

import (
	"encoding/json"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/store/address"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestDescriptionsOfAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"https://h/a.zarr?x=1":                 `{"http":{"url":"https://h/a.zarr?x=1"}}`,
		"https://h/x/a.zip?sig=a/b":            `{"zip":{"of":{"http":{"url":"https://h/x/a.zip?sig=a/b","options":{"object":true}}},"key":"a.zip"}}`,
		"x/a.zip|zip:b \"c\".zip|zip:d":        `{"zip":{"of":{"zip":{"of":{"file":{"path":"x/"}},"key":"a.zip"}},"key":"b \"c\".zip"}}`,
		"refs.json":                            `{"reference":{"of":{"file":{"path":""}},"key":"refs.json"}}`,
		"refs.parq":                            `{"reference":{"of":{"prefix":{"of":{"file":{"path":""}},"path":"refs.parq"}}}}`,
		"x/r.parq/|reference:":                 `{"reference":{"of":{"prefix":{"of":{"file":{"path":"x/"}},"path":"r.parq"}}}}`,
		"file:///x%20y/r.parq":                 `{"reference":{"of":{"prefix":{"of":{"file":{"path":"/x y/"}},"path":"r.parq"}}}}`,
		"/|reference:":                         `{"reference":{"of":{"file":{"path":"/"}}}}`,
		"../|reference:":                       `{"reference":{"of":{"file":{"path":"../"}}}}`,
		"file:///x%20y/a.zip":                  `{"zip":{"of":{"file":{"path":"/x y/"}},"key":"a.zip"}}`,
		"FILE:/x/a":                            `{"file":{"path":"/x/a"}}`,
		"100%.zarr":                            `{"file":{"path":"100%.zarr"}}`,
		"https://h/a|icechunk:@tag.v1/x|n5:":   `{"n5":{"of":{"prefix":{"of":{"icechunk":{"of":{"http":{"url":"https://h/a"}},"tag":"v1"}},"path":"x"}}}}`,
		"https://h/a.zip|zip:r.parq|kerchunk:": `{"reference":{"of":{"prefix":{"of":{"zip":{"of":{"http":{"url":"https://h/a.zip","options":{"object":true}}},"key":"a.zip"}},"path":"r.parq"}}}}`,
		"s3://b/a.zarr":                        `{"http":{"url":"s3://b/a.zarr"}}`,
	} {
		a := must.Get(address.Parse(text, address.Options{Files: true}))(t)
		if got := string(kinds.Describe(a)); got != want || !json.Valid([]byte(got)) {
			t.Errorf("%q:\n%s, want\n%s", text, got, want)
		}
	}
}
