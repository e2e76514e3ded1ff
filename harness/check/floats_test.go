package check

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/nodes/gradient"
)

// mixed is what three workers recorded of one generation, some of it as float32.
type mixed struct {
	tensors
	out, in [][]gradient.Floats
}

func (m mixed) SentFloats(w, _ int) ([]gradient.Floats, error)      { return m.out[w], nil }
func (m mixed) DeliveredFloats(w, _ int) ([]gradient.Floats, error) { return m.in[w], nil }

func run(lo int, v ...float32) gradient.Floats { return gradient.Floats{Lo: lo, Values: v} }

const most, least = math.MaxInt32, math.MinInt32

// overflowing is a tensor of five elements in blocks of two, of which elements 2 and 3 went as
// float32. Their sums depend on the order: 1e8 + 3 + 3 is 100000008 or 1e8, as 1e8 has no room for 3.
func overflowing() mixed {
	sums := []int32{6, most - 1, 0, 0, least + 1}
	out := mixed{
		tensors: tensors{sent: [][]int32{{1, most - 3, most, 1, least + 2}, {2, 1, 1, 2, -2}, {3, 1, 1, 3, 1}}, delivered: [][]int32{sums, sums, sums}},
		out:     [][]gradient.Floats{{run(2, 1e8), run(3, 0.1)}, {run(2, 3, 0.2)}, {run(2, 3, 0.3)}},
	}
	a, b := float32(1e8), float32(0.1)
	for _, v := range []float32{3, 3} {
		a += v
	}
	for _, v := range []float32{0.2, 0.3} {
		b += v
	}
	for range 3 {
		out.in = append(out.in, []gradient.Floats{run(3, b), run(2, a)})
	}
	return out
}

var overflowShape = Job{Workers: 3, Generations: 1, Elements: 5, Block: 2, Saturates: true}

func sumsOf(t *testing.T, m Tensors) Result {
	t.Helper()
	got, err := Sums(overflowShape, m, Everybody(3))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestFloatsAreCompared(t *testing.T) {
	if got := sumsOf(t, overflowing()); got != (Result{Checked: 15, Floats: 6}) {
		t.Errorf("got %+v", got)
	}
	if overflowing().in[0][1].Values[0] == float32(1e8+6) {
		t.Error("the example cannot tell an order of additions from another")
	}
	if got := sumsOf(t, overflowing().tensors); got.Wrong != 2*3 || got.Floats != 0 {
		t.Errorf("without a record of floats: got %+v", got)
	}
}

func TestWrongFloatsAreFound(t *testing.T) {
	nan := math.Float32frombits(0x7fc00001)
	for name, c := range map[string]struct {
		spoil func(*mixed)
		wrong uint64
		first string
	}{
		"another order of additions": {func(m *mixed) { m.in[1][1].Values[0] = 3 + 3 + 1e8 }, 1, "worker 1, generation 0, block 1, element 2: delivered 1.0000001e+08, the contributors' sum as float32 is 1e+08"},
		"one bit": {func(m *mixed) {
			m.in[2][0].Values[0] = math.Float32frombits(math.Float32bits(m.in[2][0].Values[0]) ^ 1)
		}, 1, "worker 2, generation 0, block 1, element 3: delivered 0.6"},
		"a zero of the other sign":    {func(m *mixed) { zero(m); m.in[0][0].Values[0] = float32(math.Copysign(0, -1)) }, 1, "element 3: delivered -0"},
		"a contributor sent none":     {func(m *mixed) { m.out[1] = nil }, 6, "element 2: delivered 1e+08 as float32, but only 2 of 3 contributors sent one"},
		"another NaN":                 {func(m *mixed) { nans(m); m.in[0][0].Values[0] = nan }, 1, "element 3: delivered NaN, the contributors' sum as float32 is NaN"},
		"nobody sent any":             {func(m *mixed) { m.out = make([][]gradient.Floats, 3) }, 6, "only 0 of 3"},
		"not delivered":               {func(m *mixed) { m.in[1] = m.in[1][:1] }, 1, "worker 1, generation 0, block 1, element 2: delivered 0 as int32, but the contributors' sum of 2147483649, or one of them, does not fit"},
		"the sum that wrapped":        {func(m *mixed) { m.in[1], m.delivered[1] = m.in[1][:1], wrapped(m) }, 1, "worker 1, generation 0, block 1, element 2: delivered -2147483647 as int32"},
		"a sum at the upper end":      {func(m *mixed) { m.sent[1][1]++; atEnds(m, 1, most) }, 3, "element 1: delivered 2147483647 as int32"},
		"a sum at the lower end":      {func(m *mixed) { m.sent[1][4]--; atEnds(m, 4, least) }, 3, "element 4: delivered -2147483648 as int32"},
		"a contributor at the end":    {func(m *mixed) { m.sent[1][0] = least; m.sent[0][0] = 5; atEnds(m, 0, least+8) }, 3, "element 0: delivered -2147483640 as int32"},
		"an integer beside":           {func(m *mixed) { atEnds(m, 1, 7) }, 3, "element 1: delivered 7, the contributors' sum is 2147483646"},
		"floats, but no record of it": {func(m *mixed) { m.delivered[0] = nil }, 5, "worker 0, generation 0, block 0, element 0: nothing was delivered"},
	} {
		m := overflowing()
		m.delivered = [][]int32{slices.Clone(m.delivered[0]), slices.Clone(m.delivered[0]), slices.Clone(m.delivered[0])}
		c.spoil(&m)
		if got := sumsOf(t, m); got.Checked != 15 || got.Wrong != c.wrong || !strings.Contains(got.First, c.first) {
			t.Errorf("%s: got %+v: want %d wrong, first %q", name, got, c.wrong, c.first)
		}
	}
}

// zero has element 3 sum up to zero.
func zero(m *mixed) { all3(m, 0) }

// nans has it not be a number, stored as machines do.
func nans(m *mixed) { all3(m, math.Float32frombits(notNumber)) }

func all3(m *mixed, v float32) {
	m.out[0][1].Values[0], m.out[1][0].Values[1], m.out[2][0].Values[1] = v, v, v
	for w := range m.in {
		m.in[w][0].Values[0] = v
	}
}

// wrapped is what comes of additions that wrap.
func wrapped(m *mixed) []int32 {
	out := slices.Clone(m.delivered[1])
	out[2] = least + 1
	return out
}

func atEnds(m *mixed, i int, v int32) {
	for w := range m.delivered {
		m.delivered[w][i] = v
	}
}

// Of a protocol that wraps, sums beyond the range are right, and so are those at its ends.
func TestSumsThatWrapAreRight(t *testing.T) {
	m := overflowing()
	m.in, m.delivered = make([][]gradient.Floats, 3), [][]int32{wrapped(&m), wrapped(&m), wrapped(&m)}
	for _, d := range m.delivered {
		d[3] = 6
	}
	wraps := overflowShape
	wraps.Saturates = false
	if got, err := Sums(wraps, m, Everybody(3)); err != nil || got != (Result{Checked: 15}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A damaged record is an error, not a panic.
func TestFloatsBeyondTheTensor(t *testing.T) {
	for name, spoil := range map[string]func(*mixed){
		"sent":      func(m *mixed) { m.out[1] = []gradient.Floats{run(4, 1, 2)} },
		"delivered": func(m *mixed) { m.in[1] = []gradient.Floats{run(-1, 1)} },
	} {
		m := overflowing()
		spoil(&m)
		if _, err := Sums(overflowShape, m, Everybody(3)); err == nil || !strings.Contains(err.Error(), "worker 1 recorded elements") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The stream agrees, over generations with floats and without: nothing stays of one before.
func TestStreamOfFloats(t *testing.T) {
	shape := overflowShape
	shape.Generations = 3
	s := NewStream(shape, Everybody(3))
	for gen := range shape.Generations {
		m := overflowing()
		if gen == 1 {
			for w := range 3 {
				m.sent[w] = []int32{1, 1, 1, 1, 1}
				m.delivered[w] = []int32{3, 3, 3, 3, 3}
			}
			m.out, m.in = make([][]gradient.Floats, 3), make([][]gradient.Floats, 3)
		}
		for w := range 3 {
			r := gradient.Recorders{s.Recorder(w)}
			tell(m.out[w], func(f gradient.Floats) { r.SentFloats(gen, f.Lo, f.Values) })
			tell(m.in[w], func(f gradient.Floats) { r.DeliveredFloats(gen, f.Lo, f.Values) })
			r.Sent(gen, m.sent[w])
			r.Delivered(gen, m.delivered[w])
		}
	}
	if got, err := s.Result(); err != nil || got != (Result{Checked: 45, Floats: 12}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// tell hands over floats in memory that is used again at once.
func tell(list []gradient.Floats, take func(gradient.Floats)) {
	for _, f := range list {
		b := slices.Clone(f.Values)
		take(gradient.Floats{Lo: f.Lo, Values: b})
		clear(b)
	}
}
