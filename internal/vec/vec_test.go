package vec

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// input is one call: the bits of the operands, and how far each slice starts
// behind an aligned address (bytes for byte slices, elements for the others).
type input struct {
	dst, src       []uint32
	a              uint32 // bits of the float32 factor
	dstOff, srcOff int
}

// variants are all under test, and the package functions as one more.
func variants() []Impl {
	return append(Variants(), Impl{
		Name:  "package",
		addBE: AddBE, addSatBE: AddSatBE, putBE: PutBE, getBE: GetBE, axpy: Axpy,
		quantise: Quantise, mean: Mean, maxMagnitude: MaxMagnitude,
	})
}

// op runs one operation on arenas and says what each element must be.
type op struct {
	name string
	run  func(t rapid.TB, v *Impl, in input) []uint32
	want func(d, s, a uint32) uint32
}

func ops() []op {
	return []op{
		{"AddBE", runAddBE, wantAdd},
		{"AddSatBE", runAddSatBE, wantAddSat},
		{"PutBE", runPutBE, wantCopy},
		{"GetBE", runGetBE, wantCopy},
		{"Axpy", runAxpy, wantAxpy},
	}
}

func runAddBE(t rapid.TB, v *Impl, in input) []uint32 {
	dst, src := newWire(in.dst, in.dstOff), newWire(in.src, in.srcOff)
	v.AddBE(dst.body, src.body)
	src.mustHold(t, in.src)
	return dst.read(t)
}

func runAddSatBE(t rapid.TB, v *Impl, in input) []uint32 {
	t.Helper()
	dst, src := newWire(in.dst, in.dstOff), newWire(in.src, in.srcOff)
	said := v.AddSatBE(dst.body, src.body)
	src.mustHold(t, in.src)
	out := dst.read(t)
	if end := slices.Contains(out, 0x7fffffff) || slices.Contains(out, 0x80000000); said != end {
		t.Fatalf("%s AddSatBE reports %v of %#x", v.Name, said, out)
	}
	return out
}

func runPutBE(t rapid.TB, v *Impl, in input) []uint32 {
	dst, src := newWire(in.dst, in.dstOff), newHost(asInt32, in.src, in.srcOff)
	v.PutBE(dst.body, src.body)
	src.mustHold(t, in.src)
	return dst.read(t)
}

func runGetBE(t rapid.TB, v *Impl, in input) []uint32 {
	dst, src := newHost(asInt32, in.dst, in.dstOff), newWire(in.src, in.srcOff)
	v.GetBE(dst.body, src.body)
	src.mustHold(t, in.src)
	return dst.read(t)
}

func runAxpy(t rapid.TB, v *Impl, in input) []uint32 {
	dst, src := newHost(asFloat32, in.dst, in.dstOff), newHost(asFloat32, in.src, in.srcOff)
	v.Axpy(dst.body, math.Float32frombits(in.a), src.body)
	src.mustHold(t, in.src)
	return dst.read(t)
}

func check(t rapid.TB, v *Impl, o op, in input) {
	t.Helper()
	want := make([]uint32, len(in.dst))
	for i := range want {
		want[i] = o.want(in.dst[i], in.src[i], in.a)
	}
	if diff := cmp.Diff(want, o.run(t, v, in)); diff != "" {
		t.Fatalf("%s %s, a=%#x dst=%#x src=%#x (-want +got):\n%s", v.Name, o.name, in.a, in.dst, in.src, diff)
	}
}

func TestEveryVariantMatchesTheOracle(t *testing.T) {
	for _, v := range variants() {
		for _, o := range ops() {
			t.Run(v.Name+"/"+o.name, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { check(t, &v, o, drawInput(t)) })
			})
		}
	}
}

// Every length up to three turns of the widest loop, so that each way through
// the unrolled, single and masked parts is taken whatever rapid draws.
func TestEveryLength(t *testing.T) {
	for _, v := range variants() {
		for _, o := range ops() {
			t.Run(v.Name+"/"+o.name, func(t *testing.T) {
				for n := range 200 {
					in := input{a: math.Float32bits(-1.5), dstOff: n % 4, srcOff: n / 4 % 4}
					for i := range n {
						in.dst = append(in.dst, uint32(i+1)*0x9e3779b9)
						in.src = append(in.src, uint32(i+1)*0x85ebca6b)
					}
					check(t, &v, o, in)
				}
			})
		}
	}
}

// Every special value meets every other one, in all lanes.
func TestExtremes(t *testing.T) {
	var in input
	for _, d := range special {
		for _, s := range special {
			in.dst, in.src = append(in.dst, d), append(in.src, s)
		}
	}
	for _, v := range variants() {
		for _, o := range ops() {
			t.Run(v.Name+"/"+o.name, func(t *testing.T) {
				for _, a := range special {
					in.a = a
					check(t, &v, o, in)
				}
			})
		}
	}
}

// One sum at an end of the range is reported wherever it is, and nothing else is.
func TestSaturatedIsReported(t *testing.T) {
	o := op{"AddSatBE", runAddSatBE, wantAddSat}
	for _, v := range variants() {
		for _, d := range special {
			for _, s := range special {
				for n := range 3 {
					for at := range n + 1 {
						in := input{dst: make([]uint32, n+1), src: make([]uint32, n+1)}
						in.dst[at], in.src[at] = d, s
						check(t, &v, o, in) // which compares the report with the sums
					}
				}
			}
		}
	}
}

// A slice may be added to itself.
func TestSameSlice(t *testing.T) {
	want := []int32{2, -4, -2, 0}
	for _, v := range variants() {
		ints := []int32{1, -2, math.MaxInt32, math.MinInt32}
		body := make([]byte, 16)
		v.PutBE(body, ints)
		v.AddBE(body, body)
		got := make([]int32, 4)
		v.GetBE(got, body)
		if !cmp.Equal(want, got) {
			t.Errorf("%s: doubled to %d, want %d", v.Name, got, want)
		}
	}
}

// (1+2^-12)^2 rounds to 1+2^-11, which the sum cancels; a fused multiply-add
// keeps the 2^-24 that the product lost.
func TestAxpyIsNotFused(t *testing.T) {
	const a, d = 1 + 1.0/(1<<12), -(1 + 1.0/(1<<11))
	if fused := math.FMA(a, a, d); fused == 0 {
		t.Fatal("the example cannot tell a fused multiply-add")
	}
	for _, v := range variants() {
		dst, x := make([]float32, 100), make([]float32, 100)
		for i := range dst {
			dst[i], x[i] = d, a
		}
		v.Axpy(dst, a, x)
		if want := make([]float32, 100); !cmp.Equal(want, dst) {
			t.Errorf("%s: Axpy left %g, want zeros", v.Name, dst)
		}
	}
}

func TestWrongLengthsPanicBeforeAWrite(t *testing.T) {
	dst, ints, floats := make([]byte, 12), make([]int32, 3), make([]float32, 3)
	for _, v := range variants() {
		calls := map[string]func(){
			"AddBE unequal":     func() { v.AddBE(dst, []byte{7: 1}) },
			"AddBE part":        func() { v.AddBE(dst[:7], []byte{6: 1}) },
			"AddSatBE unequal":  func() { v.AddSatBE(dst, []byte{7: 1}) },
			"AddSatBE part":     func() { v.AddSatBE(dst[:7], []byte{6: 1}) },
			"PutBE short dst":   func() { v.PutBE(dst[:11], []int32{1, 1, 1}) },
			"PutBE long dst":    func() { v.PutBE(dst, []int32{1, 1}) },
			"GetBE short src":   func() { v.GetBE(ints, []byte{10: 1}) },
			"GetBE long src":    func() { v.GetBE(ints, []byte{12: 1}) },
			"Axpy short":        func() { v.Axpy(floats, 1, []float32{1, 1}) },
			"Axpy long x":       func() { v.Axpy(floats, 1, []float32{1, 1, 1, 1}) },
			"Quantise short":    func() { v.Quantise(ints, []float32{1, 1}, 1) },
			"Quantise long src": func() { v.Quantise(ints, []float32{1, 1, 1, 1}, 1) },
			"Mean short":        func() { v.Mean(floats, []int32{1, 1}, 1) },
			"Mean long src":     func() { v.Mean(floats, []int32{1, 1, 1, 1}, 1) },
		}
		for name, call := range calls {
			if !panics(call) {
				t.Errorf("%s: %s did not panic", v.Name, name)
			}
		}
	}
	if !cmp.Equal(dst, make([]byte, 12)) || !cmp.Equal(ints, make([]int32, 3)) || !cmp.Equal(floats, make([]float32, 3)) {
		t.Errorf("a refused call wrote: %v %v %v", dst, ints, floats)
	}
}

func panics(call func()) (did bool) {
	defer func() { did = recover() != nil }()
	call()
	return false
}

func TestVariantIsTheFirstOfVariants(t *testing.T) {
	vs := Variants()
	if first := vs[0].Name; Variant() != first {
		t.Errorf("Variant() = %q, Variants()[0] is %q", Variant(), first)
	}
	if last := vs[len(vs)-1].Name; last != "go" {
		t.Errorf("the last variant is %q, want the one that runs everywhere", last)
	}
	vs[0] = Impl{Name: "changed"}
	if Variant() == "changed" {
		t.Error("Variants() handed out the table itself")
	}
}

func TestNoAllocation(t *testing.T) {
	dst, src := make([]byte, 1000), make([]byte, 1000)
	ints, floats := make([]int32, 250), make([]float32, 250)
	for _, v := range variants() {
		n := testing.AllocsPerRun(10, func() {
			v.AddBE(dst, src)
			v.AddSatBE(dst, src)
			v.PutBE(dst, ints)
			v.GetBE(ints, src)
			v.Axpy(floats, 2, floats)
			v.Quantise(ints, floats, 2)
			v.Mean(floats, ints, 2)
			v.MaxMagnitude(floats)
		})
		if n != 0 {
			t.Errorf("%s: %v allocations, want none", v.Name, n)
		}
	}
}
