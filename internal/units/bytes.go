package units

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

var sizes = quantity[Bytes]{
	name: "size", write: "B, K, M, G (powers of 1024), KB, MB, GB (decimal)",
	allowed: "B, K, M, G, KiB, MiB, GiB, KB, MB, GB", usual: "B",
	units: []unit[Bytes]{{"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}, {"B", 1}},
	more: []unit[Bytes]{
		{"G", GiB}, {"M", MiB}, {"K", KiB}, // as in nccl-tests
		{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3},
	},
}

// String writes b in binary units.
func (b Bytes) String() string { return sizes.rounded(b) }

// ParseBytes reads a size: K, M and G (and KiB, MiB, GiB) are powers of 1024,
// KB, MB and GB are decimal, B is bytes. The unit is required.
func ParseBytes(text string) (Bytes, error) { return sizes.parse(text) }

// UnmarshalText lets configuration files hold sizes.
func (b *Bytes) UnmarshalText(t []byte) (err error) { *b, err = ParseBytes(string(t)); return }

// MarshalText writes the form that [ParseBytes] reads.
func (b Bytes) MarshalText() ([]byte, error) {
	if b == 0 {
		return []byte("0B"), nil
	}
	return []byte(sizes.exact(b)), nil
}
