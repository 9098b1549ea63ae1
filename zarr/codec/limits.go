package codec

import "github.com/zarr-wasm/zarr-wasm/internal/limits"

// Limits bound the resources that hostile metadata, data and servers can consume.
type Limits = limits.Limits

// LimitError reports that a request exceeds a limit.
type LimitError = limits.Error

// CheckLimit returns a *LimitError if asked exceeds max.
func CheckLimit(limit string, max, asked int64, what string) error {
	return limits.Check(limit, max, asked, what)
}
