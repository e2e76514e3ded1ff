package figure

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// place returns where a value is along the axis. Logarithms are taken here, and
// what draws sees linear axes only: it would leave room for the label of a
// logarithmic axis where that is not.
func (a *Axis) place(v float64) float64 {
	if a.Scale == Linear {
		return v
	}
	return math.Log10(v)
}

// extent is the part of an axis that is shown.
type extent struct{ low, high float64 }

func nothing() extent { return extent{math.Inf(1), math.Inf(-1)} }

func (e *extent) add(values ...float64) {
	for _, v := range values {
		e.low, e.high = min(e.low, v), max(e.high, v)
	}
}

// same is the difference, as a share of the larger, below which two values are
// drawn as one.
const same = 1e-9

// margin is what is left free at each end, as a share of the axis.
const margin = 0.04

// padded widens what the data take, so that none are on the frame. Nothing at
// all becomes 0 to 1 or 1 to 10.
func (a *Axis) padded(e extent) extent {
	e.add(a.Ticks...)
	if a.Zero {
		e.add(0)
	}
	if a.Scale != Linear {
		return e.paddedLog()
	}
	if e.low > e.high {
		e = extent{0, 1}
	}
	pad := margin * (e.high - e.low)
	if largest := max(math.Abs(e.low), math.Abs(e.high)); largest == 0 {
		pad = margin
	} else if e.high-e.low < same*largest {
		pad = margin * largest
	}
	out := extent{e.low - pad, e.high + pad}
	if a.Zero && e.low == 0 {
		out.low = 0
	}
	if a.Zero && e.high == 0 {
		out.high = 0
	}
	return out
}

func (e extent) paddedLog() extent {
	if e.low > e.high {
		e = extent{1, 10}
	}
	factor := math.Pow(e.high/e.low, margin)
	if e.high-e.low < same*e.high {
		factor = 1.5
	}
	return extent{e.low / factor, e.high * factor}
}

// ticks returns where numbers and strokes stand on an axis of a length.
func (a *Axis) ticks(e extent, length, spacing vg.Length) plot.ConstantTicks {
	most := max(2, int(length/spacing))
	switch {
	case a.Ticks != nil:
		return a.given()
	case a.Scale == Log10:
		if t := decades(e, most); len(t) > 0 {
			return t
		}
	case a.Scale == Log2:
		if t := doublings(e, most); len(t) > 0 {
			return t
		}
	}
	return even(e, most)
}

func (a *Axis) given() (out plot.ConstantTicks) {
	for i, v := range a.Ticks {
		t := plot.Tick{Value: v, Label: number(v)}
		if i < len(a.Names) {
			t.Label = a.Names[i]
		}
		out = append(out, t)
	}
	return out
}

// even returns ticks at the multiples of a round step, at most so many.
func even(e extent, most int) (out plot.ConstantTicks) {
	step, decimals := roundStep((e.high - e.low) / float64(most))
	for i := math.Ceil(e.low / step); i <= math.Floor(e.high/step); i++ {
		out = append(out, plot.Tick{Value: i * step, Label: multiple(i, step, decimals)})
	}
	return out
}

// multiple writes a multiple of a step, with the digits that tell it from the
// next.
func multiple(i, step float64, decimals int) string {
	const longest = 9 // characters, then a power of ten is shorter
	if i == 0 {
		return "0"
	}
	if label := strconv.FormatFloat(i*step, 'f', decimals, 64); len(label) <= longest {
		return label
	}
	return strconv.FormatFloat(i*step, 'g', 3+int(math.Log10(math.Abs(i))), 64)
}

// roundStep returns the least of 1, 2, 2.5 and 5 times a power of ten that is no
// less than x, and how many decimals its multiples have.
func roundStep(x float64) (step float64, decimals int) {
	exp := int(math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 2, 2.5, 5, 10} {
		if step = f * math.Pow(10, float64(exp)); step >= x*(1-1e-9) {
			switch f {
			case 2.5:
				return step, max(0, 1-exp)
			case 10:
				return step, max(0, -exp-1)
			}
			break
		}
	}
	return step, max(0, -exp)
}

// decades returns the powers of ten, between them 2 and 5 where there is room,
// and strokes at the other multiples; nil where there are fewer than two numbers.
func decades(e extent, most int) plot.ConstantTicks {
	first, last := int(math.Floor(math.Log10(e.low))), int(math.Ceil(math.Log10(e.high)))
	each := 1 + (last-first)/most
	between := 3*math.Log10(e.high/e.low) <= float64(most)
	var out plot.ConstantTicks
	labels := 0
	for exp := first; exp <= last; exp++ {
		for m := 1; m < 10; m++ {
			v := float64(m) * math.Pow(10, float64(exp))
			if v < e.low || v > e.high {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 && exp%each == 0 || (m == 2 || m == 5) && between {
				t.Label = number(v)
				labels++
			}
			out = append(out, t)
		}
	}
	if labels < 2 {
		return nil
	}
	return out
}

// doublings returns the powers of two; nil where there are fewer than two.
func doublings(e extent, most int) (out plot.ConstantTicks) {
	first, last := int(math.Ceil(math.Log2(e.low))), int(math.Floor(math.Log2(e.high)))
	each := 1 + (last-first)/most
	for exp := first; exp <= last; exp++ {
		t := plot.Tick{Value: math.Pow(2, float64(exp))}
		if exp%each == 0 {
			t.Label = number(t.Value)
			if exp > 16 {
				t.Label = "2^" + strconv.Itoa(exp)
			}
		}
		out = append(out, t)
	}
	if (last-first)/each < 1 {
		return nil
	}
	return out
}

// number writes a value with the digits that it has, at most six.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
