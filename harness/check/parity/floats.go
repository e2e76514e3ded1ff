package parity

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/nodes/gradient"
)

// floatKinds are what a worker records of a generation that went as float32.
var floatKinds = []struct {
	name string
	read func(t check.FloatTensors, worker, gen int) ([]gradient.Floats, error)
}{
	{"sent", check.FloatTensors.SentFloats},
	{"delivered", check.FloatTensors.DeliveredFloats},
}

// floats compares what a worker sent and was given as float32: the same elements with the same bits.
func (r *Result) floats(worker, gen int, a, b Run[check.Tensors]) error {
	for _, k := range floatKinds {
		var values [2]map[int]float32
		for i, run := range []Run[check.Tensors]{a, b} {
			t, ok := run.Of.(check.FloatTensors)
			if !ok {
				continue
			}
			list, err := k.read(t, worker, gen)
			if err != nil {
				return fmt.Errorf("reading what worker %d %s as float32 in generation %d of the %s run: %w", worker, k.name, gen, run.Name, err)
			}
			values[i] = byElement(list)
		}
		at := fmt.Sprintf("generation %d, worker %d, %s as float32", gen, worker, k.name)
		r.floatElements(at, Run[map[int]float32]{a.Name, values[0]}, Run[map[int]float32]{b.Name, values[1]})
	}
	return nil
}

// byElement returns the values of floats. Which come first may depend on the clock.
func byElement(list []gradient.Floats) map[int]float32 {
	out := map[int]float32{}
	for _, f := range list {
		for i, v := range f.Values {
			out[f.Lo+i] = v
		}
	}
	return out
}

func (r *Result) floatElements(at string, a, b Run[map[int]float32]) {
	all := map[int]float32{}
	maps.Copy(all, a.Of)
	maps.Copy(all, b.Of)
	for _, i := range slices.Sorted(maps.Keys(all)) {
		x, inA := a.Of[i]
		y, inB := b.Of[i]
		r.Compared++
		switch {
		case !inA || !inB:
			only := a.Name
			if inB {
				only = b.Name
			}
			r.differs("%s, element %d: in the %s run alone", at, i, only)
		case math.Float32bits(x) != math.Float32bits(y):
			r.differs("%s, element %d: %g in the %s run, %g in the %s run", at, i, x, a.Name, y, b.Name)
		}
	}
}
