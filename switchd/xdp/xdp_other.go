//go:build !linux || !(386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64)

package xdp

import "github.com/inalab/inalab/switchd/program/xagg"

// Aggregator is not available here; see [Load].
type Aggregator struct{}

// Load returns [ErrUnsupported].
func Load(Options) (*Aggregator, error) { return nil, ErrUnsupported }

// Attach returns [ErrUnsupported].
func (*Aggregator) Attach(string, Mode) (Mode, error) { return Probe, ErrUnsupported }

// Reconfigure returns [ErrUnsupported].
func (*Aggregator) Reconfigure(xagg.Config) error { return ErrUnsupported }

// Tally returns [ErrUnsupported].
func (*Aggregator) Tally() (t xagg.Tally, err error) { return t, ErrUnsupported }

// Sum returns [ErrUnsupported].
func (*Aggregator) Sum(uint32) (e xagg.Element, err error) { return e, ErrUnsupported }

// Result returns [ErrUnsupported].
func (*Aggregator) Result(uint32) (e xagg.Element, err error) { return e, ErrUnsupported }

// Sums returns [ErrUnsupported].
func (*Aggregator) Sums(uint32, []xagg.Element) error { return ErrUnsupported }

// Results returns [ErrUnsupported].
func (*Aggregator) Results(uint32, []xagg.Element) error { return ErrUnsupported }

// Drain returns [ErrUnsupported].
func (*Aggregator) Drain(list []xagg.Check) ([]xagg.Check, error) { return list, ErrUnsupported }

// Lost returns [ErrUnsupported].
func (*Aggregator) Lost(list []uint32, _ xagg.Check) ([]uint32, error) { return list, ErrUnsupported }

// Close does nothing.
func (*Aggregator) Close() error { return nil }

// Cost returns [ErrUnsupported].
func (*Aggregator) Cost() (c Cost, err error) { return c, ErrUnsupported }

// ProbeFeatures returns [ErrUnsupported] for all.
func ProbeFeatures(string, string) Features {
	e := ErrUnsupported
	return Features{e, e, e, e, e, e}
}
