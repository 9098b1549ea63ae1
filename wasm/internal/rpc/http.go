package rpc

import (
	"context"
	"time"

	"zarr-wasm/store/httpstore"
)

// openHTTP makes a store of a URL and the options of a FetchStore.
func (s *Session) openHTTP(msg Object) (*httpstore.Store, error) {
	options, _ := msg.Get("options").(Object)
	milliseconds := func(name string) time.Duration {
		f, _ := options.Get(name).(float64)
		return time.Duration(f * float64(time.Millisecond))
	}
	opt := httpstore.Options{
		Headers:          texts(options.Get("headers")),
		Credentials:      options.text("credentials"),
		Cache:            options.text("cache"),
		UseSuffixRequest: options.flag("useSuffixRequest"),
		Concurrency:      options.number("concurrency"),
		Retries:          options.number("retries"),
		RetryDelay:       milliseconds("retryDelay"),
		Timeout:          milliseconds("timeout"),
		Origins:          &s.origins,
		Platform:         s.cfg.Platform,
	}
	if list, ok := options.Get("missingStatus").([]any); ok {
		for _, v := range list {
			if n, ok := v.(float64); ok {
				opt.MissingStatus = append(opt.MissingStatus, int(n))
			}
		}
	}
	this := Field{"store", msg.Get("store")}
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
	return httpstore.New(msg.text("url"), opt)
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
