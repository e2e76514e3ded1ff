package sansiotest

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/rng"
)

// Recorder keeps what a core says it sent and was given, by generation. It is a
// gradient.Recorder, and panics where it is told of a generation twice. The zero
// value is ready.
type Recorder struct{ Out, In map[int][]int32 }

// Sent keeps a copy of a quantised tensor.
func (r *Recorder) Sent(gen int, q []int32) { keep(&r.Out, gen, q) }

// Delivered keeps a copy of the sums.
func (r *Recorder) Delivered(gen int, sums []int32) { keep(&r.In, gen, sums) }

func keep(list *map[int][]int32, gen int, values []int32) {
	if *list == nil {
		*list = map[int][]int32{}
	}
	if _, twice := (*list)[gen]; twice {
		panic(fmt.Sprintf("sansiotest: a core tells generation %d twice", gen))
	}
	(*list)[gen] = slices.Clone(values)
}

// Tensors returns a worker's gradients, by generation: n elements each, uniform
// from -1 to 1 times a scale. Workers have different ones, and the same in every run.
func Tensors(seed rng.Root, worker, gens, n int, scale func(gen, i int) float64) [][]float32 {
	stream := seed.Stream("tensor")
	for range worker {
		stream.Uint64()
	}
	out := make([][]float32, gens)
	for g := range out {
		out[g] = make([]float32, n)
		for i := range out[g] {
			out[g][i] = float32(stream.Uniform(-1, 1) * scale(g, i))
		}
	}
	return out
}
