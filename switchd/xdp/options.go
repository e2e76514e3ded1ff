package xdp

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// Options say what to load.
type Options struct {
	Config xagg.Config
	// Memory is the most that the elements may take. Zero: so much that 80% of the machine's
	// memory is in use afterwards, as the paper places aggregators (XAgg §V).
	Memory units.Bytes

	onePage bool // take frames of one page alone, as kernels before 5.18 do; for tests

	btf func() error // whether the kernel takes type information; nil: it is asked; for tests
}

// Mode is how a program is attached.
type Mode uint8

// The modes.
const (
	Probe   Mode = iota // native; generic where the driver has no native XDP
	Native              // in the driver, before a packet has an skb
	Generic             // in the kernel's stack, slower, on every device
)

// String returns the mode's name.
func (m Mode) String() string {
	return [...]string{"probe", "native", "generic"}[m]
}

// Errors that callers test. Those of machines that lack something say so ([refusal.Lacking]).
var (
	ErrUnsupported error = refusal("XDP with BTF and spin locks is not available: it needs Linux 5.9 or later with CONFIG_BPF_SYSCALL")
	ErrPermission  error = refusal("loading XDP programs needs root, or CAP_BPF and CAP_NET_ADMIN")
	ErrMemory      error = refusal("the elements do not fit into memory")
	ErrMTU         error = refusal("the MTU is too large for XDP")
	ErrClosed            = errors.New("the aggregator is closed")
)

// refusal is an error of a machine that cannot do what is asked of it.
type refusal string

// Error returns the message.
func (r refusal) Error() string { return string(r) }

// Lacking tells whoever runs the process that nothing is wrong but the machine.
func (refusal) Lacking() bool { return true }

// BusyError is an interface that has a program already.
type BusyError struct {
	Iface   string
	Program uint32 // its id in the kernel; 0: unknown
}

// Error says how to look at the program and how to remove it.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%s has an XDP program already (id %d), which is left alone: look at it with `bpftool prog show id %[2]d`, "+
		"remove it with `ip link set dev %[1]s xdp off` or end its owner, or use another interface", e.Iface, e.Program)
}

// Lacking says, as other refusals do, that nothing is wrong but the machine.
func (e *BusyError) Lacking() bool { return true }

// MaxMTU is the largest MTU of a veth's peer with which a program can be attached to the veth in native mode
// before Linux 5.18, which brought frames of several pages: a frame of 14 bytes more, 256 bytes before
// it and the kernel's 320 behind it are on one page of 4096 (drivers/net/veth.c, veth_xdp_set; measured with
// Linux 6.18 on amd64).
const MaxMTU = 3506

// elementHead is the bytes of an element before its values: lock, bitmap, counter, iteration.
const elementHead = 12

// markSize is the bytes of an element's mark.
const markSize = 8

// elementSize returns the bytes of a map's value.
func elementSize(values int) int { return elementHead + 4*values }

// Footprint returns the memory that the elements of a configuration take, in the kernel.
func Footprint(c *xagg.Config) units.Bytes {
	const word = 8 // an array map rounds its values up to this
	each := (elementSize(c.Values)+word-1)/word*word + markSize
	tables := 0
	for _, t := range [...]xagg.Table{c.Sums(), c.Results()} {
		if t.Required != 0 {
			tables++
		}
	}
	return units.Bytes(tables) * units.Bytes(each) * units.Bytes(c.Fragments)
}

// fits compares what a configuration takes with a limit.
func fits(c *xagg.Config, limit units.Bytes) error {
	if need := Footprint(c); need > limit {
		return fmt.Errorf("%w: %d fragments of %d values take %v, and %v may be used: choose a smaller model, "+
			"a server with more memory, or set a higher limit", ErrMemory, c.Fragments, c.Values, need, limit)
	}
	return nil
}
