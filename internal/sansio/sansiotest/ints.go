package sansiotest

import (
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// IntCore is a host core that reduces tensors of int32 as well.
type IntCore interface {
	Core
	BeginInts(now units.Time, gen int, q []int32, eff *sansio.Effects)
	Sums() []int32
	Counters() []sansio.Count
}

// Ints reduces tensors of int32 with a core where a [Host] has floats. Like a
// benchmark, it does not call Finish of the core.
type Ints struct {
	IntCore
	Tensor func(gen int) []int32
	Got    [][]int32 // sums, by generation
}

// Begin begins the integers in place of the floats.
func (c *Ints) Begin(now units.Time, gen int, _ []float32, eff *sansio.Effects) {
	c.BeginInts(now, gen, c.Tensor(gen), eff)
}

// Finish keeps the sums.
func (c *Ints) Finish(int) (result.Outcome, func([]float32)) {
	c.Got = append(c.Got, slices.Clone(c.Sums()))
	return result.Outcome{}, func([]float32) {}
}
