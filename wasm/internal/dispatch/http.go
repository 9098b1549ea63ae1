package dispatch

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store/address"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

// openHTTP opens a store by its description: {url, options, host?}. host is the number of a
// FetchStore with functions on the page.
func (s *Session) openHTTP(msg wire.Object) (*httpstore.Store, error) {
	options := msg.Object(wire.HTTPOptions)
	milliseconds := func(name wire.IntName) time.Duration {
		f, _ := options.Number(name)
		return time.Duration(f * float64(time.Millisecond))
	}
	if err := checkNumbers(options); err != nil {
		return nil, err
	}
	opt := httpstore.Options{
		Headers:          options.Texts(wire.HTTPHeaders),
		Credentials:      options.Text(wire.HTTPCredentials),
		Cache:            options.Text(wire.HTTPCache),
		Object:           options.Flag(wire.HTTPObject),
		UseSuffixRequest: options.Flag(wire.HTTPUseSuffixRequest),
		Concurrency:      options.Int(wire.HTTPConcurrency),
		RetryDelay:       milliseconds(wire.HTTPRetryDelay),
		Timeout:          milliseconds(wire.HTTPTimeout),
		MissingStatus:    options.Ints(wire.HTTPMissingStatus),
		Origins:          &s.origins,
		Platform:         s.cfg.Platform,
	}
	if n := options.Int(wire.HTTPAttempts); n > 0 {
		if opt.Retries = n - 1; n == 1 {
			opt.Retries = -1 // 0 is the default there
		}
	}
	if _, set := options.Number(wire.HTTPRetryDelay); set {
		opt.RetryDelay = max(opt.RetryDelay, time.Microsecond) // likewise
	}
	host := msg.Int(wire.HTTPHost)
	if options.Flag(wire.HTTPHostHeaders) {
		opt.HeaderFunc = func(ctx context.Context) (map[string]string, error) { return s.page.Headers(ctx, host) }
	}
	if options.Flag(wire.HTTPHostFetch) {
		opt.Fetch = func(ctx context.Context, r httpstore.FetchRequest) (httpstore.FetchResponse, error) {
			return s.page.Fetch(ctx, host, r)
		}
	}
	url, why := target.Translate(msg.Text(wire.HTTPURL), nil, true)
	if why != "" {
		return nil, errors.New(msg.Text(wire.HTTPURL) + ": " + why)
	}
	st, err := httpstore.New(url, opt)
	if refused := (*httpstore.Error)(nil); errtype.As(err, &refused) {
		why := refused.Error()
		if address.Container(url) != "" {
			why += ": open() reads addresses"
		}
		return nil, errors.New(why) // no request was sent, so this is not an HttpError
	}
	return st, err
}

// checkNumbers refuses meaningless numbers.
func checkNumbers(options wire.Object) error {
	for _, rule := range []struct {
		name     wire.IntName
		from, to float64
		whole    bool
		expected string
	}{
		{wire.HTTPAttempts, 1, 100, true, "retry.attempts: a whole number from 1 to 100"},
		{wire.HTTPRetryDelay, 0, 1e6, false, "retry.delay: milliseconds, at most 1e6"},
		{wire.HTTPConcurrency, 1, 1000, true, "concurrency: a whole number from 1 to 1000"},
		{wire.HTTPTimeout, -1, math.MaxInt32, false, "timeout: milliseconds, more than 0"},
	} {
		v := options.Get(string(rule.name))
		f, ok := v.(float64)
		if v == nil || ok && f >= rule.from && f <= rule.to && (!rule.whole || f == math.Trunc(f)) && !(rule.name == wire.HTTPTimeout && f != -1 && f <= 0) {
			continue
		}
		return &httpstore.OptionError{Msg: rule.expected + " expected"}
	}
	return nil
}
