//go:build !linux

package capacity

import "github.com/inalab/inalab/internal/units"

// threadTime is not known without Linux, where there are no live runs.
func threadTime() units.Duration { return 0 }
