package dispatch

import (
	"context"
	"errors"
	"math"
	"time"

	"zarr-wasm/store/httpstore"
	"zarr-wasm/wasm/internal/wire"
)

// openHTTP makes a store of its description: {url, options, host?}, where host is the number of a FetchStore that has functions of
// the page's.
func (s *Session) openHTTP(msg wire.Object) (*httpstore.Store, error) {
	options := msg.Object("options")
	milliseconds := func(name string) time.Duration {
		f, _ := options.Get(name).(float64)
		return time.Duration(f * float64(time.Millisecond))
	}
	if err := checkNumbers(options); err != nil {
		return nil, err
	}
	opt := httpstore.Options{
		Headers:          options.Texts("headers"),
		Credentials:      options.Text("credentials"),
		Cache:            options.Text("cache"),
		Object:           options.Flag("object"),
		UseSuffixRequest: options.Flag("useSuffixRequest"),
		Concurrency:      options.Int("concurrency"),
		RetryDelay:       milliseconds("retryDelay"),
		Timeout:          milliseconds("timeout"),
		Origins:          &s.origins,
		Platform:         s.cfg.Platform,
	}
	if n := options.Int("attempts"); n > 0 {
		if opt.Retries = n - 1; n == 1 {
			opt.Retries = -1 // 0 is the default there
		}
	}
	if options.Get("retryDelay") != nil {
		opt.RetryDelay = max(opt.RetryDelay, time.Microsecond) // likewise
	}
	if list, ok := options.Get("missingStatus").([]any); ok {
		for _, v := range list {
			if n, ok := v.(float64); ok {
				opt.MissingStatus = append(opt.MissingStatus, int(n))
			}
		}
	}
	host := msg.Int("host")
	if options.Flag("hostHeaders") {
		opt.HeaderFunc = func(ctx context.Context) (map[string]string, error) { return s.page.Headers(ctx, host) }
	}
	if options.Flag("hostFetch") {
		opt.Fetch = func(ctx context.Context, r httpstore.FetchRequest) (httpstore.FetchResponse, error) {
			return s.page.Fetch(ctx, host, r)
		}
	}
	st, err := httpstore.New(msg.Text("url"), opt)
	if refused := (*httpstore.Error)(nil); errors.As(err, &refused) {
		return nil, errors.New(refused.Error()) // no request was sent: it is no HttpError
	}
	return st, err
}

// checkNumbers refuses numbers that mean nothing.
func checkNumbers(options wire.Object) error {
	for _, rule := range []struct {
		name     string
		from, to float64
		whole    bool
		expected string
	}{
		{"attempts", 1, 100, true, "retry.attempts: a whole number from 1 to 100"},
		{"retryDelay", 0, 1e6, false, "retry.delay: milliseconds, at most 1e6"},
		{"concurrency", 1, 1000, true, "concurrency: a whole number from 1 to 1000"},
		{"timeout", -1, math.MaxInt32, false, "timeout: milliseconds, more than 0"},
	} {
		v := options.Get(rule.name)
		f, ok := v.(float64)
		if v == nil || ok && f >= rule.from && f <= rule.to && (!rule.whole || f == math.Trunc(f)) && !(rule.name == "timeout" && f != -1 && f <= 0) {
			continue
		}
		return &httpstore.OptionError{Msg: rule.expected + " expected"}
	}
	return nil
}
