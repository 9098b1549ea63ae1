package faulty_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
	"github.com/zarr-wasm/zarr-wasm/tests/inmemory"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// A run repeats its faults, and has none while calm.
func TestSeeded(t *testing.T) { synctest.Test(t, seeded) }

func seeded(t *testing.T) {
	const host = "http://host.example"
	files := fstest.MapFS{"a/zarr.json": {Data: []byte(`{"zarr_format":3}`)}, "a/c/0": {Data: []byte("0123456789")}}
	ask := func(over *http.Client, url, key, ranged string) string {
		req := must.Get(http.NewRequestWithContext(t.Context(), "GET", host+url+key, nil))(t)
		if ranged != "" {
			req.Header.Set("Range", ranged)
		}
		client := http.Client{Transport: over.Transport, Timeout: time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := client.Do(req)
		if err != nil {
			return "no answer"
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		return strconv.Itoa(res.StatusCode) + " " + string(body) + strconv.FormatBool(err == nil) + res.Header.Get("ETag")
	}
	runOnce := func(kinds string) (answers []string, summary faulty.Summary) {
		client := inmemory.Serve(t, faulty.NewSeeded(static.New(files, static.Options{CORS: true})))
		run := "7.3.80." + kinds
		tell := func(order string) *http.Response {
			return must.Get(client.Post(host+"/-/seeded?run="+run, "text/plain", strings.NewReader(order)))(t)
		}
		for range 60 {
			for _, key := range []string{"a/zarr.json", "a/c/0", "a/c/1"} {
				answers = append(answers, ask(client, "/~"+run+"/", key, ""))
			}
			answers = append(answers, ask(client, "/~"+run+"/", "a/c/0", "bytes=2-4"))
		}
		tell("calm").Body.Close()
		for range 20 {
			if got := ask(client, "/~"+run+"/", "a/c/0", "bytes=2-4"); !strings.HasPrefix(got, "206 234true") {
				t.Fatalf("calm: %q", got)
			}
			if got := ask(client, "/~"+run+"/", "a/c/9", ""); !strings.HasPrefix(got, "404 ") {
				t.Fatalf("calm: %q", got)
			}
		}
		tell("storm").Body.Close()
		end := tell("end")
		defer end.Body.Close()
		must.Do(t, json.NewDecoder(end.Body).Decode(&summary))
		return answers, summary
	}
	for _, kinds := range []string{"told", "bare", "sealed", "any"} {
		first, summary := runOnce(kinds)
		again, same := runOnce(kinds)
		if !slices.Equal(first, again) || len(summary.Log) != len(same.Log) {
			t.Errorf("%s: another run by the same name", kinds)
		}
		faults := 0
		for _, n := range summary.Faults {
			faults += n
		}
		if faults < 120 || faults > 230 || faults != len(summary.Log) || summary.Requests < 280 {
			t.Errorf("%s: %d faults of %d requests, %d in the log", kinds, faults, summary.Requests, len(summary.Log))
		}
		if (summary.Untold > 0) != (kinds == "any") {
			t.Errorf("%s: %d faults that nothing tells of", kinds, summary.Untold)
		}
		if _, flipped := summary.Faults["a bit flipped"]; flipped != (kinds == "any" || kinds == "sealed") {
			t.Errorf("%s: %v", kinds, summary.Faults)
		}
	}
}
