// Package s3test starts a server that speaks the protocol of S3, for tests: versitygw.
package s3test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
)

// Secret is the secret key of the servers. No output may hold it.
const Secret = "S3CRET-of-the-server"

// Server is a server with one bucket, named "bucket".
type Server struct {
	// URL is the address of the server, behind the faults.
	URL string
	// Dir is the folder with the bucket's objects.
	Dir string
	// Fault, if set, may answer a request in place of the server, and reports whether it did.
	Fault atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
}

// Start starts a server that ends with the test, and sets the credentials of the environment. The
// test is skipped if the server is not installed: `./build.sh setup servers` builds it in more than
// a minute, and only the stage of servers needs it.
func Start(t testing.TB) *Server {
	t.Helper()
	root, err := fixtures.Root()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(root, "build", "bin", "versitygw")
	if _, err := os.Stat(program); err != nil {
		t.Skip("the S3 server is not built: ./build.sh setup servers")
	}
	s := &Server{Dir: filepath.Join(t.TempDir(), "bucket")}
	if err := os.Mkdir(s.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(t.TempDir(), "s3.sock")
	if len(socket) > 100 { // the limit of the system
		dir, err := os.MkdirTemp("", "s3")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		socket = filepath.Join(dir, "s3.sock")
	}
	cmd := exec.Command(program, "--port", socket, "--keep-alive", "--quiet", "posix", filepath.Dir(s.Dir))
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=zarr", "ROOT_SECRET_KEY="+Secret)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	dial := &http.Transport{MaxIdleConnsPerHost: 100, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}}
	for {
		c, err := net.Dial("unix", socket)
		if err == nil {
			c.Close()
			break
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the S3 server ended: %v", err)
		default:
		}
	}
	proxy := &httputil.ReverseProxy{Transport: dial, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: "s3"})
		r.Out.Host = r.In.Host // it is signed
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprintln(w, err)
	}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fault := s.Fault.Load(); fault != nil && (*fault)(w, r) {
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	front.Config.ErrorLog = nil
	t.Cleanup(front.Close)
	s.URL = front.URL
	Credentials(t)
	return s
}

// Credentials sets the credentials of the environment, without those of the machine.
func Credentials(t testing.TB) {
	t.Helper()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "zarr", "AWS_SECRET_ACCESS_KEY": Secret, "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "", "AWS_REGION": "us-east-1",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_S3": "",
	} {
		t.Setenv(name, value)
	}
}

// Answer makes a fault of a status, with the document of an error.
func Answer(status int, code string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>%s</Code><Message>because</Message><RequestId>1</RequestId></Error>`, code)
		return true
	}
}
