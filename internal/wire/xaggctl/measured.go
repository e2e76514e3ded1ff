package xaggctl

import (
	"encoding/binary"
	"math"

	"github.com/inalab/inalab/internal/units"
)

// Lengths of the bodies in bytes, and limits, which keep sums and shares within 64 bits.
const (
	LoadLen      = 28
	TimesLen     = 16
	MaxMemory    = units.Bytes(1) << 62
	MaxBandwidth = units.Rate(1) << 56 // 72 Pbit/s
	MaxTime      = units.Duration(1) << 61
)

// Load is what a server has to spare, without what XAgg uses on it (XAgg §V).
type Load struct {
	Used, Total units.Bytes // memory
	Bandwidth   units.Rate  // idle, bit/s
	Cores       uint32      // idle
}

// Times is how long an iteration took a worker (XAgg §V).
type Times struct {
	Training units.Duration // t1
	Transfer units.Duration // t2
}

func (l *Load) append(b []byte) []byte {
	be := binary.BigEndian
	b = be.AppendUint64(b, uint64(l.Used))
	b = be.AppendUint64(b, uint64(l.Total))
	b = be.AppendUint64(b, uint64(l.Bandwidth))
	return be.AppendUint32(b, l.Cores)
}

func (l *Load) read(b []byte) Problem {
	if len(b) != LoadLen {
		return BadLength
	}
	be := binary.BigEndian
	used, total, rate, cores := be.Uint64(b), be.Uint64(b[8:]), be.Uint64(b[16:]), be.Uint32(b[24:])
	if max(used, total) > uint64(MaxMemory) || rate > uint64(MaxBandwidth) || cores > math.MaxInt32 {
		return BadLoad
	}
	*l = Load{Used: units.Bytes(used), Total: units.Bytes(total), Bandwidth: units.Rate(rate), Cores: cores}
	return OK
}

func (t *Times) append(b []byte) []byte {
	be := binary.BigEndian
	b = be.AppendUint64(b, uint64(t.Training))
	return be.AppendUint64(b, uint64(t.Transfer))
}

func (t *Times) read(b []byte) Problem {
	if len(b) != TimesLen {
		return BadLength
	}
	be := binary.BigEndian
	training, transfer := be.Uint64(b), be.Uint64(b[8:])
	if max(training, transfer) > uint64(MaxTime) {
		return BadTime
	}
	*t = Times{Training: units.Duration(training), Transfer: units.Duration(transfer)}
	return OK
}
