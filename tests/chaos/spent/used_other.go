//go:build !linux

package spent

import "time"

func used() time.Duration { return 0 }
