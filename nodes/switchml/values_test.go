package switchml_test

import (
	"encoding/binary"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchml"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
)

// halfSwitch is the 16-bit mode of a switch (§4.6) around the program for 32
// bits: a table turns binary16 into fixed point on the way in, another turns sums
// into binary16 on the way out. Packets of 128 binary16 are, inside, of 256 int32
// of which the last half is zero.
type halfSwitch struct{ *reference.Program }

const halfWords = 64 // of a packet: 128 values

func (s *halfSwitch) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	var inside []sansio.Arrival
	for _, a := range in {
		for f := range a.Train.Frames() {
			frame := a.Train.Frame(f, nil)
			body := make([]byte, wire.HeaderLen+1024)
			copy(body, frame.Body[:wire.HeaderLen])
			body[0] = body[0]&^7 | 3
			for i := range 2 * halfWords {
				v, _ := gradient.HalfToFixed(binary.BigEndian.Uint16(frame.Body[wire.HeaderLen+2*i:]))
				binary.BigEndian.PutUint32(body[wire.HeaderLen+4*i:], uint32(v))
			}
			inside = append(inside, sansio.Arrival{Port: a.Port, Train: resize(frame, body)})
		}
	}
	var out sansio.Effects
	s.Program.Handle(now, inside, &out)
	for _, send := range out.Sends {
		for f := range send.Train.Frames() {
			frame := send.Train.Frame(f, nil)
			body := make([]byte, wire.HeaderLen+4*halfWords)
			copy(body, frame.Body[:wire.HeaderLen])
			body[0] = body[0]&^7 | 1
			for i := range 2 * halfWords {
				v := int32(binary.BigEndian.Uint32(frame.Body[wire.HeaderLen+4*i:]))
				binary.BigEndian.PutUint16(body[wire.HeaderLen+2*i:], gradient.FixedToHalf(v))
			}
			eff.Send(append([]sansio.Port(nil), send.To...), resize(frame, body))
		}
	}
}

// resize gives a frame another payload.
func resize(frame sansio.Train, body []byte) sansio.Train {
	return sansio.NewTrain(append(fit(frame.Header, len(body)), body...), 0, sansio.ChecksumAsIs)
}

// fit returns the headers of a frame for a payload of n bytes.
func fit(header []byte, n int) []byte {
	ip, udp := inet.IPv4(header[inet.EtherLen:]), inet.UDP(header[inet.EtherLen+inet.IPv4Len:])
	out := inet.UDPHeader(inet.Flow{Src: ip.Src(), Dst: ip.Dst(), SrcPort: udp.SrcPort(), DstPort: udp.DstPort()})
	inet.SetUDPBody(out, n)
	sansio.FillPartial(out, n)
	return out
}

// runHalf runs workers with binary16 on such a switch.
func runHalf(t rapid.TB, p params) *rig {
	t.Helper()
	p.host = func(c *switchml.Config) { c.Values = switchml.Half }
	r := newRig(t, p)
	job := program.Job{ID: 1, Elements: 256, Slots: p.slots}
	for w := range p.n {
		job.Workers = append(job.Workers, program.Worker{MAC: inet.MAC{2, 0, 0, 0, byte(w >> 8), byte(w)}, Addr: workerAddr(w), Port: sansio.Port(w)})
	}
	inside, err := reference.New(program.Config{Node: "tor", Router: routerAddr(), Jobs: []program.Job{job}})
	if err != nil {
		t.Fatal(err)
	}
	r.net = sansiotest.Network{}
	sw := r.net.Add(&halfSwitch{inside})
	for w, h := range r.hosts {
		r.net.Connect(r.net.Add(h), 0, sw, sansio.Port(w), r.up[w], r.down[w])
	}
	mustBeDone(t, r)
	return r
}

// sixteen holds the results of 16-bit values against floats, of blocks of twice as
// many values as there are words: allowed(f, top) is how far a mean may be off.
func (r *rig) sixteen(t rapid.TB, allowed func(top float64) float64) {
	t.Helper()
	const block = 2 * elements
	for g := range r.gens {
		for lo := 0; lo < r.tensor; lo += block {
			e := gradient.ExponentNone
			for _, h := range r.hosts {
				e = max(e, gradient.Exponent(h.Tensors[g][lo:min(lo+block, r.tensor)]))
			}
			limit := allowed(math.Ldexp(1, int(e)))
			for i := lo; i < min(lo+block, r.tensor); i++ {
				exact := 0.0
				for _, h := range r.hosts {
					exact += float64(h.Tensors[g][i]) / float64(r.n)
				}
				for w, h := range r.hosts {
					if got := float64(h.Means[g][i]); math.Abs(got-exact) > limit {
						t.Fatalf("worker %d, generation %d, element %d: mean %v, want %v within %v", w, g, i, got, exact, limit)
					}
				}
			}
		}
	}
}

// Two values of 16 bits in an int32 need nothing of the switch: the sums are those
// of the quantised tensors to the last bit, and half the packets cross.
func TestFixed16(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.host = func(c *switchml.Config) { c.Values = switchml.Fixed16 }
		rate := rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "loss")
		stream := rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("loss")
		p.drop = func(int, bool, sansio.Train) bool { return stream.Bernoulli(rate) }
		r := newRig(t, p)
		mustBeDone(t, r)
		for g := range r.gens {
			for i := range r.tensor {
				sum := int32(0)
				for w := range r.n {
					sum += r.rec[w].Out[g][i]
				}
				for w := range r.n {
					if got := r.rec[w].In[g][i]; got != sum {
						t.Fatalf("worker %d, generation %d, element %d: sum %d, want %d", w, g, i, got, sum)
					}
				}
			}
		}
		// A unit is 2^e n/(2^15-n); rounding costs a mean half of one, and float32 half an ulp.
		n := float64(r.n)
		r.sixteen(t, func(top float64) float64 { return top * (n/(1<<15-n)/2 + 0x1p-24) })
		blocks := (r.tensor + 2*elements - 1) / (2 * elements)
		if got := r.up[0].Frames - count(r.cores[0], switchml.CountRetransmits); got != r.gens*(blocks+min(r.slots, blocks)) {
			t.Fatalf("%d packets for %d blocks of 128 values", got, blocks)
		}
	})
}

// binary16 through a switch that converts: a value is rounded to 11 bits, and so is
// the sum.
func TestHalf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		rate := rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "loss")
		stream := rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("loss")
		p.drop = func(int, bool, sansio.Train) bool { return stream.Bernoulli(rate) }
		r := runHalf(t, p)
		r.sixteen(t, func(top float64) float64 { return top * (0x1p-12 + 0x1p-11 + 0x1p-24) })
		for w := range r.n {
			if got := count(r.cores[w], switchml.CountUnfit); got != 0 {
				t.Fatalf("worker %d: %d sums are no number", w, got)
			}
		}
	})
}

// "f is set to (2^31-1)/(n 2^m)" (§4.6) lets n values of 2^m wrap the sum, on the
// wire and in the mean; with the bound of App E and with rounding down they do not.
func TestSection46WrapsOnTheWire(t *testing.T) {
	for rule, right := range map[gradient.Rule]bool{"": true, gradient.AppendixE: true, gradient.Floor: true, gradient.Section46: false} {
		p := params{n: 4, tensor: 2 * elements, slots: 1, gens: 1, host: func(c *switchml.Config) { c.Scaling = rule }}
		r := newRig(t, p)
		for _, h := range r.hosts {
			for i := range h.Tensors[0] {
				h.Tensors[0][i] = 0.25
			}
		}
		mustBeDone(t, r)
		mean := float64(r.hosts[0].Means[0][7])
		if got := math.Abs(mean-0.25) < 1e-6; got != right {
			t.Errorf("%s: mean of four times 0.25 is %v", rule, mean)
		}
		if !right && r.rec[0].In[0][7] != math.MinInt32 {
			t.Errorf("%s: sum %d, want one that wrapped", rule, r.rec[0].In[0][7])
		}
	}
}
