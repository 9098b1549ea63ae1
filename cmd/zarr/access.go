package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/cmd/zarr/blobstore"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
)

// access says how to send requests to an address.
type access struct {
	headers   map[string]string
	anonymous bool // without the credentials of the environment
	clouds    blobstore.Options
}

// accessFlags are the flags of the commands that read addresses, and others.
func accessFlags(others ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringSliceFlag{Name: "header", Usage: "send a header, `NAME: VALUE`, with requests to the address; may be repeated"},
		endpointFlag("endpoint", "the address"), anonymousFlag(), subdomainsFlag(),
	}, others...)
}

func endpointFlag(name, what string) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: "the `URL` of the server for " + what + " of s3://, gs:// or az://"}
}

func anonymousFlag() cli.Flag {
	return &cli.BoolFlag{Name: "anonymous", Usage: "send no credentials to s3://, gs:// and az://"}
}

func subdomainsFlag() cli.Flag {
	return &cli.BoolFlag{Name: "subdomains", Usage: "the bucket is in the host name of the endpoint, not in its path"}
}

// accessOf returns the access that the flags set. The prefix is "to-" for a destination.
func accessOf(c *cli.Command, prefix string) (access, error) {
	headers, err := headersOf(c, prefix+"header")
	endpoint := c.String(prefix + "endpoint")
	if endpoint != "" && !strings.HasPrefix(endpoint, "https://") && !strings.HasPrefix(endpoint, "http://") {
		return access{}, usageError{fmt.Errorf("--%sendpoint: an endpoint begins with https:// or http://", prefix)}
	}
	return access{headers, c.Bool("anonymous"), blobstore.Options{Endpoint: strings.TrimSuffix(endpoint, "/"), Subdomains: c.Bool("subdomains")}}, err
}

// headersOf parses the headers that a flag sets.
func headersOf(c *cli.Command, flag string) (map[string]string, error) {
	headers := map[string]string{}
	for _, text := range c.StringSlice(flag) {
		name, value, ok := strings.Cut(text, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			// without its text, which may be a secret
			return nil, usageError{fmt.Errorf("--%s: a header is NAME: VALUE", flag)}
		}
		headers[name] = strings.TrimSpace(value)
	}
	return headers, nil
}

// source returns the source at a URL. For an address of a cloud, it uses the credentials of the
// environment. Without credentials it uses the cloud's web address. Headers and a query may replace
// credentials, and have the same effect. The argument object says that the URL names one object.
func (a access) source(ctx context.Context, url string, object bool) (store.Source, error) {
	if blobstore.Has(url) && len(a.headers) == 0 && !a.anonymous && !strings.Contains(url, "?") {
		opt := a.clouds
		opt.Object = object
		s, err := blobstore.Open(ctx, url, opt)
		var misuse *blobstore.AddressError
		switch {
		case err == nil:
			return s, nil
		case errors.As(err, &misuse):
			return nil, usageError{err}
		case !errors.Is(err, blobstore.ErrNoCredentials):
			return nil, err
		}
	}
	url, why := a.web(url)
	if why != "" {
		return nil, usageError{errors.New(why)}
	}
	s, err := httpstore.New(url, httpstore.Options{Headers: a.headers, Object: object})
	if err != nil {
		return nil, usageError{err} // no request was sent
	}
	return s, nil
}

// web returns the web address of a URL, or why there is none.
func (a access) web(url string) (_, why string) {
	endpoints := map[string]string{}
	if blobstore.Has(url) && a.clouds.Endpoint != "" {
		scheme, rest, _ := strings.Cut(url, "://")
		bucket, _, _ := strings.Cut(rest, "/")
		name, _, _ := strings.Cut(bucket, "@")
		to := a.clouds.Endpoint + "/" + name
		if protocol, host, _ := strings.Cut(a.clouds.Endpoint, "://"); a.clouds.Subdomains {
			to = protocol + "://" + name + "." + host
		}
		endpoints[scheme+"://"+bucket] = to
	}
	return target.Translate(url, endpoints, true)
}
