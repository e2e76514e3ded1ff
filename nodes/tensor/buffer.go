package tensor

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/reuse"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/nodes/gradient"
)

// Config describes the tensor of one worker.
type Config struct {
	Workers  int // whose tensors are summed
	Fixed    gradient.Fixed
	Recorder gradient.Recorder // may be nil
}

// Buffer holds the values of one worker's tensor: the integers that it
// contributes, and the sums so far as they go over the wire.
type Buffer struct {
	Sum []byte // big-endian

	cfg   Config
	q     []int32
	sat   int
	spare reuse.List[memory]
}

// memory is that of one generation.
type memory struct {
	q   []int32
	sum []byte
}

func newMemory(values int) memory {
	return memory{reuse.Touched[int32](values), reuse.Touched[byte](wordLen * values)}
}

// NewBuffer returns a buffer of so many values.
func NewBuffer(cfg Config, values int) Buffer {
	m := newMemory(values)
	b := Buffer{cfg: cfg, q: m.q, Sum: m.sum}
	b.spare.Free(newMemory(values))
	return b
}

// Quantise starts the sums with a gradient of at least as many values as the
// buffer has, and returns how many of them saturated.
func (b *Buffer) Quantise(grad []float32) (saturated int) {
	b.sat = b.cfg.Fixed.Quantise(b.q, grad[:len(b.q)])
	b.Load(b.q)
	return b.sat
}

// Load starts the sums with integers, of which the buffer keeps no other copy:
// the generation ends with Sums, not with Finish.
func (b *Buffer) Load(q []int32) { vec.PutBE(b.Sum, q[:len(b.q)]) }

// Merge takes a part of a message: it is added, or else replaces what is there.
func (b *Buffer) Merge(p Part, theirs []byte, add bool) {
	mine := b.Sum[p.Lo:p.Hi]
	if add {
		vec.AddBE(mine, theirs)
	} else {
		copy(mine, theirs)
	}
}

// Sums returns the sums as integers, valid until the next generation starts.
func (b *Buffer) Sums() []int32 {
	vec.GetBE(b.q, b.Sum)
	return b.q
}

// Finish hands the tensors of a complete generation to the function that it
// returns, and takes others: the function may be called at any time before the
// generation is Returned, once, on any goroutine. It writes the means.
func (b *Buffer) Finish(gen int) (result.Outcome, func(mean []float32)) {
	q, sum, cfg := b.q, b.Sum, b.cfg
	b.spare.Lend(memory{q, sum})
	next, ok := b.spare.Take()
	if !ok {
		next = newMemory(len(q))
	}
	b.q, b.Sum = next.q, next.sum
	return result.Outcome{Contributed: true, Saturated: b.sat}, func(mean []float32) {
		if cfg.Recorder != nil {
			cfg.Recorder.Sent(gen, q)
		}
		vec.GetBE(q, sum)
		if cfg.Recorder != nil {
			cfg.Recorder.Delivered(gen, q)
		}
		cfg.Fixed.Mean(mean[:len(q)], q, cfg.Workers)
	}
}

// Returned takes the memory of the next n generations back whose means have been written.
func (b *Buffer) Returned(n int) { b.spare.Returned(n) }
