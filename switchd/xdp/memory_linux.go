package xdp

import (
	"bytes"
	"fmt"
	"os"

	"github.com/inalab/inalab/internal/units"
)

// fullPercent is how much of a server's memory may be in use with the model (XAgg §V).
const fullPercent = 80

// spare returns what may be taken until the machine's memory is full by that measure.
func spare() (units.Bytes, error) {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, fmt.Errorf("ask how much memory is free: %w", err)
	}
	return spareOf(b)
}

// spareOf reads a /proc/meminfo.
func spareOf(meminfo []byte) (units.Bytes, error) {
	var total, available int64
	for line := range bytes.Lines(meminfo) {
		var kib int64
		if n, _ := fmt.Sscanf(string(line), "MemTotal: %d kB", &kib); n == 1 {
			total = kib
		}
		if n, _ := fmt.Sscanf(string(line), "MemAvailable: %d kB", &kib); n == 1 {
			available = kib
		}
	}
	if total == 0 || available == 0 {
		return 0, fmt.Errorf("/proc/meminfo does not say how much memory is available: set the limit")
	}
	return units.Bytes(max(0, total*fullPercent/100-(total-available))) * 1024, nil
}
