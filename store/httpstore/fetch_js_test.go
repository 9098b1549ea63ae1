//go:build js && wasm

package httpstore_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"syscall/js"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// script is a server for Node, because fetch cannot reach a Go server in wasm. A fault is an object
// with a count and an action.
const script = `
const log = [];
const tags = new WeakMap();
let versions = 0;
const tag = (body) => {
	if (!tags.has(body)) tags.set(body, '"' + ++versions + '"');
	return tags.get(body);
};
async function write(req, res, key, was, fault) {
	const parts = [];
	for await (const part of req) parts.push(part);
	const bytes = new Uint8Array(Buffer.concat(parts));
	const match = req.headers["if-match"], none = req.headers["if-none-match"];
	was = objects.get(key); // what is there when all has come
	let status = 204;
	if (none === "*" && was || match !== undefined && (!was || match !== tag(was))) status = 412;
	else if (req.method === "PUT") objects.set(key, bytes);
	else objects.delete(key);
	if (fault.lose) return req.socket.destroy();
	res.writeHead(status);
	res.end();
}
const server = require("http").createServer((req, res) => {
	const [path, query] = req.url.split("?");
	const key = decodeURIComponent(path.slice(1));
	log.push(req.method + " " + req.url + " " + (req.headers.range ?? ""));
	server.last = req.headers;
	let fault = faults.get(key) ?? {};
	if (fault.times !== undefined && fault.times-- <= 0) fault = {};
	if (fault.hang) return;
	if (fault.drop) return req.socket.destroy();
	if (fault.status) {
		res.writeHead(fault.status, fault.headers ?? {});
		return res.end(fault.body ?? "");
	}
	let body = objects.get(key);
	if (req.method === "PUT" || req.method === "DELETE") return write(req, res, key, body, fault);
	if (server.lists && (key === "" || key.endsWith("/"))) {
		const below = [...objects.keys()].filter((k) => k.startsWith(key)).map((k) => k.slice(key.length).replace(/\/.*/, "/"));
		res.writeHead(below.length > 0 || key === "" ? 200 : 404, { "Content-Type": "text/html; charset=utf-8" });
		const links = [...new Set(below)].sort().map((k) => '<a href="' + k.split("/").map(encodeURIComponent).join("/") + '">' + k + "</a>\n");
		return res.end("<!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n" + links.join("") + "</pre>\n");
	}
	if (!body) {
		res.writeHead(404);
		return res.end("not found");
	}
	let status = 200;
	const headers = { ETag: tag(body), ...fault.headers };
	const range = /^bytes=(\d*)-(\d*)$/.exec(req.headers.range ?? "");
	if (range && !fault.ignoreRange) {
		const size = body.length;
		let from = Number(range[1]), to = range[2] === "" ? size : Math.min(Number(range[2]) + 1, size);
		if (range[1] === "") [from, to] = [Math.max(0, size - Number(range[2])), size];
		if (from >= size || range[1] === "" && range[2] === "0") {
			res.writeHead(416, { "Content-Range": "bytes */" + size });
			return res.end();
		}
		status = 206;
		headers["Content-Range"] ??= "bytes " + from + "-" + (to - 1) + "/" + size;
		body = body.subarray(from, to);
	}
	if (fault.gzip) {
		body = require("zlib").gzipSync(body);
		headers["Content-Encoding"] = "gzip";
	}
	if (fault.resize) body = Buffer.concat([body, Buffer.alloc(fault.resize)]);
	if (!fault.chunked) headers["Content-Length"] = body.length;
	res.writeHead(status, headers);
	if (req.method === "HEAD") return res.end();
	if (fault.cut) {
		res.write(body.subarray(0, body.length - fault.cut));
		return setTimeout(() => req.socket.destroy(), 20);
	}
	if (fault.hangBody) return res.write(body.subarray(0, body.length / 2));
	if (!fault.chunked) return res.end(body);
	for (let i = 0; i < body.length; i += 1000) res.write(body.subarray(i, i + 1000));
	res.end();
});
server.log = log;
return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
`

// node is a server in JavaScript.
type node struct {
	url    string
	server js.Value
	faults js.Value
}

func (n *node) set(key, fault string) {
	n.server.Get("log").Set("length", 0)
	n.faults.Call("clear")
	n.faults.Call("set", key, js.Global().Get("JSON").Call("parse", fault))
}

func (n *node) requests() int { return n.server.Get("log").Length() }

func serve(t testing.TB, objects map[string][]byte) *node {
	require := js.Global().Get("require")
	if require.Type() != js.TypeFunction {
		t.Skip("not Node")
	}
	all, faults := js.Global().Get("Map").New(), js.Global().Get("Map").New()
	for key, data := range objects {
		array := js.Global().Get("Uint8Array").New(len(data))
		js.CopyBytesToJS(array, data)
		all.Call("set", key, array)
	}
	listening := make(chan js.Value, 1)
	ready := js.FuncOf(func(_ js.Value, args []js.Value) any {
		listening <- args[0]
		return nil
	})
	defer ready.Release()
	start := js.Global().Get("Function").New("require", "objects", "faults", script)
	start.Invoke(require, all, faults).Call("then", ready)
	n := &node{server: <-listening, faults: faults}
	n.url = "http://127.0.0.1:" + js.Global().Get("String").Invoke(n.server.Call("address").Get("port")).String()
	t.Cleanup(func() {
		n.server.Call("close")
		n.server.Call("closeAllConnections")
	})
	return n
}

// exchange returns the exchange of js/worker/exchange.ts over a function with fetch's signature.
func exchange(t testing.TB, fetch js.Value) *httpstore.Exchange {
	require := js.Global().Get("require")
	if require.Type() != js.TypeFunction {
		t.Skip("not Node") // the server and the TypeScript compiler of these tests need Node
	}
	// A plain go test may run before npm install; ./build.sh test installs first.
	if !require.Invoke("fs").Call("existsSync", "../../node_modules/esbuild").Bool() {
		t.Skip("the JavaScript half needs esbuild: npm ci")
	}
	return httpstore.NewExchange(exchanges().Invoke(fetch))
}

// exchanges creates exchanges from js/worker/exchange.ts, compiled once.
var exchanges = sync.OnceValue(func() js.Value {
	return js.Global().Get("Function").New("require", "cwd", `
		const esbuild = require(cwd + "/../../node_modules/esbuild");
		const options = { entryPoints: [cwd + "/../../js/worker/exchange.ts"], bundle: true, write: false, format: "cjs" };
		const module = { exports: {} };
		new Function("module", "exports", esbuild.buildSync(options).outputFiles[0].text)(module, module.exports);
		return (fetch) => (settle) => {
			const exchange = new module.exports.Exchange(fetch, settle);
			return [exchange.send, exchange.read, exchange.end].map((method) => method.bind(exchange));
		};`).Invoke(js.Global().Get("require"), js.Global().Get("process").Call("cwd"))
})

func open(t testing.TB, url string, opt httpstore.Options) opened {
	t.Helper()
	opt.RetryDelay = time.Millisecond
	if opt.Platform.Exchange == nil {
		opt.Platform.Exchange = exchange(t, js.Global().Get("Function").New("url", "init", "return fetch(url, init)"))
	}
	s, err := httpstore.New(url, opt)
	if err != nil {
		t.Fatal(err)
	}
	httpstore.WithoutSuffix(s) // the longer way; extent_test.go has the other
	return opened{s}
}

func TestConformance(t *testing.T) {
	for name, opt := range map[string]httpstore.Options{
		"Plain":         {},
		"SuffixRequest": {UseSuffixRequest: true},
		"NoStore":       {Cache: "no-store", Credentials: "omit", Headers: map[string]string{"X-Key": "k"}},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, storetest.Harness{New: func(t testing.TB, objects map[string][]byte) store.Locator {
				return open(t, serve(t, objects).url+"/?sig=1", opt)
			}})
		})
	}
}

var data = storetest.Pattern(10_000)

func TestAnswers(t *testing.T) {
	server := serve(t, map[string][]byte{"a": data})
	s := open(t, server.url, httpstore.Options{MaxBytes: 10_000})
	whole := func() ([]byte, error) { return s.Get(t.Context(), "a") }
	part := func() ([]byte, error) {
		return s.GetRange(t.Context(), "a", store.ByteRange{Offset: 5, Length: 7})
	}
	for name, test := range map[string]struct {
		fault  string
		call   func() ([]byte, error)
		want   []byte
		status int
		absent bool
		limit  bool
		tries  int
	}{
		"whole":                  {fault: `{}`, call: whole, want: data, tries: 1},
		"no length":              {fault: `{"chunked":true}`, call: whole, want: data, tries: 1},
		"compressed":             {fault: `{"gzip":true}`, call: whole, want: data, tries: 1},
		"too large":              {fault: `{"resize":1}`, call: whole, limit: true, tries: 1},
		"too large, no length":   {fault: `{"resize":1,"chunked":true}`, call: whole, limit: true, tries: 1},
		"part":                   {fault: `{}`, call: part, want: data[5:12], tries: 1},
		"no ranges":              {fault: `{"ignoreRange":true}`, call: part, want: data[5:12], tries: 1},
		"part too long":          {fault: `{"resize":1}`, call: part, status: 206, tries: 1},
		"part of compressed":     {fault: `{"headers":{"Content-Encoding":"x-other"}}`, call: part, status: 206, tries: 1},
		"absent":                 {fault: `{"status":404,"body":"no"}`, call: whole, absent: true, tries: 1},
		"forbidden":              {fault: `{"status":403}`, call: whole, status: 403, tries: 1},
		"fails twice":            {fault: `{"status":503,"times":2}`, call: whole, want: data, tries: 3},
		"fails":                  {fault: `{"status":500}`, call: part, status: 500, tries: 4},
		"dropped once":           {fault: `{"drop":true,"times":1}`, call: whole, want: data, tries: 2},
		"cut twice":              {fault: `{"cut":10,"times":2}`, call: whole, want: data, tries: 3},
		"cut twice, no length":   {fault: `{"cut":10,"times":2,"chunked":true}`, call: whole, want: data, tries: 3},
		"page":                   {fault: `{"status":200,"headers":{"Content-Type":"text/html"},"body":"<html>"}`, call: whole, status: 200, tries: 1},
		"a redirect to nowhere":  {fault: `{"status":302}`, call: whole, status: 302, tries: 1},
		"a page for what is not": {fault: `{"status":404,"headers":{"Content-Type":"text/html"},"body":"<html>"}`, call: part, absent: true, tries: 1},
	} {
		t.Run(name, func(t *testing.T) {
			server.set("a", test.fault)
			got, err := test.call()
			var e *httpstore.Error
			var limit *codec.LimitError
			if !bytes.Equal(got, test.want) || (err == nil) != (test.want != nil) || errors.Is(err, fs.ErrNotExist) != test.absent ||
				errors.As(err, &limit) != test.limit || test.status != 0 && (!errors.As(err, &e) || e.Status != test.status) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if n := server.requests(); n != test.tries {
				t.Errorf("%d requests, want %d", n, test.tries)
			}
		})
	}
}

func TestGarbledContentRange(t *testing.T) {
	server := serve(t, map[string][]byte{"a": data})
	s := open(t, server.url, httpstore.Options{})
	for _, value := range httpstore.GarbledContentRanges {
		for _, r := range []store.ByteRange{{Offset: 100, Length: 50}, {Length: 50, Suffix: true}, {}} {
			server.set("a", `{"headers":{"Content-Range":"`+value+`"}}`)
			got, err := s.GetRange(t.Context(), "a", r)
			var e *httpstore.Error
			if got != nil || !errors.As(err, &e) || e.Status != 206 || server.requests() > 2 {
				t.Errorf("%q, %v: %d bytes, %v", value, r, len(got), err)
			}
		}
	}
}

// In a page of another origin, a missing answer may have been blocked.
func TestBlocked(t *testing.T) {
	server := serve(t, map[string][]byte{"a": data})
	js.Global().Set("origin", "http://page.example")
	t.Cleanup(func() { js.Global().Delete("origin") })
	// The page's own fetch gets the same requests.
	own := func(context.Context, httpstore.FetchRequest) (httpstore.FetchResponse, error) {
		server.server.Get("log").Call("push", "own")
		return httpstore.FetchResponse{}, errors.New("Failed to fetch")
	}
	for name, test := range map[string]struct {
		opt    httpstore.Options
		probe  bool
		absent bool
		tries  int
	}{
		"patiently":          {tries: 4},
		"probe":              {probe: true, tries: 1},
		"absent":             {opt: httpstore.Options{MissingStatus: []int{0}}, absent: true, tries: 2},
		"absent, no retries": {opt: httpstore.Options{MissingStatus: []int{0}, Retries: -1}, absent: true, tries: 1},
		"own":                {opt: httpstore.Options{Fetch: own}, tries: 4},
		"own probe":          {opt: httpstore.Options{Fetch: own}, probe: true, tries: 1},
		"own absent":         {opt: httpstore.Options{Fetch: own, MissingStatus: []int{0}}, absent: true, tries: 2},
	} {
		server.set("a", `{"drop":true}`)
		_, err := open(t, server.url, test.opt).Read(t.Context(), "a", store.Ask{Hint: store.Hint{Probe: test.probe}})
		if errors.Is(err, fs.ErrNotExist) != test.absent || store.Blocked(err) == test.absent || store.MaybeMissing(err) == test.absent {
			t.Errorf("%s: %v", name, err)
		}
		if n := server.requests(); n != test.tries {
			t.Errorf("%s: %d requests, want %d", name, n, test.tries)
		}
	}
	// Answers, and requests refused by the page's own rules, were not blocked.
	server.set("a", `{"status":503}`)
	if _, err := open(t, server.url, httpstore.Options{Retries: -1, MissingStatus: []int{0}}).Get(t.Context(), "a"); err == nil || store.Blocked(err) {
		t.Error(err)
	}
	refuses := func(context.Context, httpstore.FetchRequest) (httpstore.FetchResponse, error) {
		server.server.Get("log").Call("push", "own")
		return httpstore.FetchResponse{Refused: "connect-src has to name it"}, nil
	}
	server.set("a", `{}`)
	_, err := open(t, server.url, httpstore.Options{Fetch: refuses}).Get(t.Context(), "a")
	if err == nil || store.Blocked(err) || strings.Contains(err.Error(), "CORS") || !strings.Contains(err.Error(), "connect-src") || server.requests() != 1 {
		t.Errorf("%v after %d requests", err, server.requests())
	}
}

func TestAbort(t *testing.T) {
	server := serve(t, map[string][]byte{"a": data, "b": data})
	s := open(t, server.url, httpstore.Options{Concurrency: 1})
	for _, fault := range []string{`{"hang":true}`, `{"hangBody":true}`, `{"hangBody":true,"chunked":true}`} {
		server.set("a", fault)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		began := time.Now()
		if _, err := s.Get(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 15*time.Second {
			t.Errorf("%s: %v after %v", fault, err, time.Since(began))
		}
		cancel()
		if got, err := s.Get(t.Context(), "b"); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: the next: %v", fault, err)
		}
	}
}

func TestNobodyListens(t *testing.T) {
	_, err := open(t, "http://127.0.0.1:1/?secret", httpstore.Options{}).Get(t.Context(), "a")
	var e *httpstore.Error
	if !errors.As(err, &e) || e.Status != 0 || e.Err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

func TestRedirects(t *testing.T) {
	elsewhere := serve(t, map[string][]byte{"x": data})
	server := serve(t, map[string][]byte{})
	server.set("a", `{"status":302,"headers":{"Location":"`+elsewhere.url+`/x"}}`)

	s := open(t, server.url, httpstore.Options{Headers: map[string]string{"Authorization": "secret"}})
	if got, err := s.Get(t.Context(), "a"); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got := elsewhere.server.Get("last").Get("authorization"); !got.IsUndefined() {
		t.Errorf("Authorization went along: %v", got)
	}

	s = open(t, server.url, httpstore.Options{Headers: map[string]string{"X-Key": "secret", "Accept": "application/zarr"}, Credentials: "include"})
	if got, err := s.Get(t.Context(), "a"); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got := elsewhere.server.Get("last"); !got.Get("x-key").IsUndefined() || got.Get("accept").String() == "application/zarr" {
		t.Errorf("elsewhere had %v", js.Global().Get("JSON").Call("stringify", got))
	}
	var e *httpstore.Error
	server.set("c", `{"status":302,"headers":{"Location":"http://h:99999/?secret"}}`)
	if _, err := s.Get(t.Context(), "c"); !errors.As(err, &e) || server.requests() != 1 || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v after %d requests", err, server.requests())
	}
	why := errors.New("not there")
	s = open(t, server.url, httpstore.Options{Redirect: func(_ context.Context, from, to string) error {
		if from != server.url+"/a" || to != elsewhere.url {
			t.Errorf("from %q to %q", from, to)
		}
		return why
	}})
	server.set("a", `{"status":302,"headers":{"Location":"`+elsewhere.url+`/x"}}`)
	if _, err := s.Get(t.Context(), "a"); !errors.Is(err, why) || server.requests() != 1 || elsewhere.requests() != 2 {
		t.Errorf("%v after %d requests, and %d elsewhere", err, server.requests(), elsewhere.requests())
	}
	for _, headers := range []map[string]string{nil, {"X-Key": "secret"}} {
		server.set("b", `{"status":301}`)
		s := open(t, server.url, httpstore.Options{Headers: headers})
		if _, err := s.Get(t.Context(), "b"); !errors.As(err, &e) || !strings.Contains(e.Hint, "without a header Location") {
			t.Error(err)
		}
	}
}

func TestOwnFetch(t *testing.T) {
	server := serve(t, map[string][]byte{"a": data})
	own := func(body string) httpstore.Options {
		return httpstore.Options{Retries: -1, Platform: httpstore.Platform{Exchange: exchange(t, js.Global().Get("Function").New("url", "init", body))}}
	}
	if got, err := open(t, server.url, own(`return fetch(url + "?x", init)`)).Get(t.Context(), "a"); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if last := server.server.Get("log").Index(0).String(); !strings.HasPrefix(last, "GET /a?x") {
		t.Error(last)
	}
	for name, body := range map[string]string{
		"throws":               `throw new Error("no way")`,
		"throws a string":      `throw "no way"`,
		"rejects":              `return Promise.reject(new TypeError("no way"))`,
		"rejects with nothing": `return Promise.reject()`,
		"nothing":              ``,
		"a string":             `return "x"`,
		"an empty object":      `return {}`,
		"no headers":           `return {status: 200}`,
		"odd headers":          `return {status: 200, headers: 7}`,
		"no body":              `return {status: 200, headers: new Headers()}`,
		"status 0":             `return Response.error()`,
	} {
		got, err := open(t, server.url, own(body)).Get(t.Context(), "a")
		var e *httpstore.Error
		if got != nil || !errors.As(err, &e) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := open(t, server.url, own(`return new Promise(() => {})`)).Get(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a fetch that knows no signals: %v", err)
	}
}
