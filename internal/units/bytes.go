package units

import (
	"fmt"
	"strconv"
)

// Bytes is a size in bytes.
type Bytes int64

// Binary sizes.
const (
	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
)

// EthernetFraming is what one frame occupies on the wire beside its own bytes:
// preamble and start delimiter 8, FCS 4, inter-frame gap 12 (IEEE 802.3).
const EthernetFraming Bytes = 24

var sizeUnits = []struct {
	suffix string
	size   Bytes
}{
	{"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}, {"B", 1},
	{"G", GiB}, {"M", MiB}, {"K", KiB}, // as in nccl-tests
	{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3},
}

// String writes b in binary units.
func (b Bytes) String() string {
	for _, u := range sizeUnits[:4] {
		if b >= u.size {
			return trimFloat(float64(b)/float64(u.size)) + u.suffix
		}
	}
	return strconv.FormatInt(int64(b), 10) + "B"
}

// ParseBytes reads a size: K, M and G (and KiB, MiB, GiB) are powers of 1024,
// KB, MB and GB are decimal, B is bytes. The unit is required.
func ParseBytes(text string) (Bytes, error) {
	num, unit := splitUnit(text)
	for _, u := range sizeUnits {
		if u.suffix == unit {
			b, err := parseMultiple(text, num, u.size)
			if err != nil {
				return 0, fmt.Errorf("size %w", err)
			}
			return b, nil
		}
	}
	if unit == "" {
		return 0, fmt.Errorf("size %q has no unit: write B, K, M, G (powers of 1024), KB, MB, GB (decimal), as in %q", text, text+"B")
	}
	return 0, fmt.Errorf("size %q has unknown unit %q: allowed are B, K, M, G, KiB, MiB, GiB, KB, MB, GB", text, unit)
}

// UnmarshalText lets configuration files hold sizes.
func (b *Bytes) UnmarshalText(t []byte) (err error) { *b, err = ParseBytes(string(t)); return }

// MarshalText writes the form that [ParseBytes] reads.
func (b Bytes) MarshalText() ([]byte, error) {
	for _, u := range sizeUnits[:4] {
		if b != 0 && b%u.size == 0 {
			return []byte(strconv.FormatInt(int64(b/u.size), 10) + u.suffix), nil
		}
	}
	return []byte(strconv.FormatInt(int64(b), 10) + "B"), nil
}
