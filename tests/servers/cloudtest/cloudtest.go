// Package cloudtest starts servers of the clouds' protocols, for tests: versitygw for S3,
// fake-gcs-server for Google Cloud Storage, and Azurite for Azure Blob Storage.
package cloudtest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/servers/s3test"
)

// Cloud is a server with one bucket.
type Cloud struct {
	// Bucket is the address of the bucket, and Endpoint the URL of the server.
	Bucket, Endpoint string
	// Missing is the message of a read from an absent bucket.
	Missing string
	// Closed reports that the server refuses requests without credentials.
	Closed bool
	// Secret is a text that no output may hold.
	Secret string
}

// Each runs a test on each cloud. A server ends with its test. The test is skipped if the server is
// not installed: ./build.sh setup servers takes minutes, and only the stage of servers needs it.
func Each(t *testing.T, f func(*testing.T, Cloud)) {
	for _, one := range []struct {
		name  string
		start func(*testing.T) Cloud
	}{{"s3", s3}, {"gs", gs}, {"az", az}} {
		t.Run(one.name, func(t *testing.T) { f(t, one.start(t)) })
	}
}

func s3(t *testing.T) Cloud {
	return Cloud{Bucket: "s3://bucket", Endpoint: s3test.Start(t).URL, Missing: "HTTP status 404", Closed: true, Secret: s3test.Secret}
}

func gs(t *testing.T) Cloud {
	address := start(t, []string{"fake-gcs-server"}, func(host, port string) []string {
		return []string{"-scheme", "http", "-host", host, "-port", port, "-backend", "memory", "-public-host", host + ":" + port, "-external-url", "http://" + host + ":" + port, "-log-level", "error"}
	})
	res, err := http.Post("http://"+address+"/storage/v1/b?project=test", "application/json", bytes.NewReader([]byte(`{"name":"bucket"}`)))
	if err == nil {
		err = errors.Join(statusOf(res), res.Body.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(conditions(&url.URL{Scheme: "http", Host: address}))
	t.Cleanup(front.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", front.Listener.Addr().String())
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
	return Cloud{Bucket: "gs://bucket", Endpoint: front.URL, Missing: "no Zarr node", Secret: "no secret"}
}

// conditions returns the handler before fake-gcs-server, which ignores the conditions of deletions.
func conditions(server *url.URL) http.Handler {
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(server) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if want := r.URL.Query().Get("ifGenerationMatch"); r.Method == http.MethodDelete && want != "" {
			res, err := http.Get(server.JoinPath(r.URL.EscapedPath()).String())
			var object struct{ Generation string }
			if err == nil {
				err = errors.Join(json.NewDecoder(res.Body).Decode(&object), res.Body.Close())
			}
			if err == nil && res.StatusCode == http.StatusOK && object.Generation != want {
				http.Error(w, `{"error":{"code":412,"message":"conditionNotMet"}}`, http.StatusPreconditionFailed)
				return
			}
		}
		proxy.ServeHTTP(w, r)
	})
}

func statusOf(res *http.Response) error {
	if res.StatusCode/100 != 2 {
		text, _ := io.ReadAll(res.Body)
		return fmt.Errorf("HTTP status %d: %s", res.StatusCode, text)
	}
	return nil
}

// The account of Azurite, which its documentation names.
const (
	account = "devstoreaccount1"
	key     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

func az(t *testing.T) Cloud {
	program := filepath.Join("tests", "servers", "node_modules", "azurite", "dist", "src", "blob", "main.js")
	address := start(t, []string{"node", program}, func(host, port string) []string {
		return []string{"--blobHost", host, "--blobPort", port, "--inMemoryPersistence", "--silent", "--disableTelemetry", "--skipApiVersionCheck"}
	})
	endpoint := "http://" + address + "/" + account
	if err := createContainer(endpoint, "bucket"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AZURE_STORAGE_KEY", key)
	for _, name := range []string{"AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_SAS_TOKEN"} {
		t.Setenv(name, "")
	}
	return Cloud{Bucket: "az://bucket@" + account, Endpoint: endpoint, Missing: "HTTP status 404", Closed: true, Secret: key}
}

// createContainer sends a request with the signature that Azure calls Shared Key.
func createContainer(endpoint, name string) error {
	date := time.Now().UTC().Format(http.TimeFormat)
	const version = "2021-08-06"
	text := "PUT" + strings.Repeat("\n", 12) + "x-ms-date:" + date + "\nx-ms-version:" + version + "\n/" + account + "/" + account + "/" + name + "\nrestype:container"
	secret, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	req, err := http.NewRequest(http.MethodPut, endpoint+"/"+name+"?restype=container", nil)
	if err != nil {
		return err
	}
	req.Header.Set("x-ms-date", date)
	req.Header.Set("x-ms-version", version)
	req.Header.Set("Authorization", "SharedKey "+account+":"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return errors.Join(statusOf(res), res.Body.Close())
}

// start starts a program at a free port, and returns the address when it accepts connections.
// Programs without a folder are those of build/bin.
func start(t *testing.T, program []string, args func(host, port string) []string) (address string) {
	t.Helper()
	root, err := fixtures.Root()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "build", "bin", program[0])
	if len(program) > 1 { // of an interpreter
		file = filepath.Join(root, program[1])
	}
	if _, err := os.Stat(file); err != nil {
		// The servers are large downloads. The stage servers installs them, and fails if this
		// test is skipped.
		t.Skip("a server is not installed: ./build.sh setup servers")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = free.Addr().String()
	free.Close()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(file, args(host, port)...)
	if len(program) > 1 {
		cmd = exec.Command(program[0], append([]string{file}, args(host, port)...)...)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, ended := context.WithCancelCause(context.Background())
	go func() { ended(fmt.Errorf("%s ended: %w", program[0], cmd.Wait())) }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ctx.Done()
	})
	for ctx.Err() == nil {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return address
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal(context.Cause(ctx))
	return ""
}
