package codec

import "github.com/zarr-wasm/zarr-wasm/internal/limits"

// Limits bound what hostile metadata, data and servers can make a reader do.
type Limits = limits.Limits

// LimitError says that something asked for more than a limit allows.
type LimitError = limits.Error

// CheckLimit returns a *LimitError when more is asked for than the limit allows.
func CheckLimit(limit string, max, asked int64, what string) error {
	return limits.Check(limit, max, asked, what)
}
