package rpc

import (
	"context"
	"errors"
	"math"
	"time"

	"zarr-wasm/store/httpstore"
)

// openHTTP makes a store of its description: {url, options, host?}, where host is the number of a FetchStore that has functions of
// the page's.
func (s *Session) openHTTP(msg Object) (*httpstore.Store, error) {
	options, _ := msg.Get("options").(Object)
	milliseconds := func(name string) time.Duration {
		f, _ := options.Get(name).(float64)
		return time.Duration(f * float64(time.Millisecond))
	}
	if err := checkNumbers(options); err != nil {
		return nil, err
	}
	opt := httpstore.Options{
		Headers:          texts(options.Get("headers")),
		Credentials:      options.text("credentials"),
		Cache:            options.text("cache"),
		Object:           options.flag("object"),
		UseSuffixRequest: options.flag("useSuffixRequest"),
		Concurrency:      options.number("concurrency"),
		RetryDelay:       milliseconds("retryDelay"),
		Timeout:          milliseconds("timeout"),
		Origins:          &s.origins,
		Platform:         s.cfg.Platform,
	}
	if n := options.number("attempts"); n > 0 {
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
	this := Field{"store", msg.Get("host")}
	if options.flag("hostHeaders") {
		opt.HeaderFunc = func(ctx context.Context) (map[string]string, error) {
			a, err := s.ask(ctx, Object{this, {"headers", true}})
			return texts(a.Get("headers")), err
		}
	}
	if options.flag("hostFetch") {
		opt.Fetch = func(ctx context.Context, r httpstore.OwnRequest) (httpstore.OwnResponse, error) {
			headers := Object{}
			for name, value := range r.Headers {
				headers = append(headers, Field{name, value})
			}
			ask := Object{
				{"method", r.Method}, {"url", r.URL}, {"headers", headers}, {"redirect", r.Redirect},
				{"limits", []any{number(r.Limits[0]), number(r.Limits[1])}},
			}
			if r.Cache != "" {
				ask = append(ask, Field{"cache", r.Cache})
			}
			a, err := s.ask(ctx, Object{this, {"fetch", ask}})
			if err != nil {
				return httpstore.OwnResponse{}, err
			}
			return httpstore.OwnResponse{
				Status: a.number("status"), Type: a.text("type"), Headers: texts(a.Get("headers")),
				Body: a.bytes, Large: int64(a.number("large")), Refused: a.text("refused"),
			}, nil
		}
	}
	st, err := httpstore.New(msg.text("url"), opt)
	if refused := (*httpstore.Error)(nil); errors.As(err, &refused) {
		return nil, errors.New(refused.Error()) // no request was sent: it is no HttpError
	}
	return st, err
}

// checkNumbers refuses numbers that mean nothing.
func checkNumbers(options Object) error {
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

// texts are the members of an object that are strings.
func texts(v any) map[string]string {
	o, _ := v.(Object)
	m := make(map[string]string, len(o))
	for _, f := range o {
		if text, ok := f.Value.(string); ok {
			m[f.Name] = text
		}
	}
	return m
}
