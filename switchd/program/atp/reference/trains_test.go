package reference

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
)

// A train whose frames go on as they came is sent on as it is.
func TestUnchangedTrainsAreNotCopied(t *testing.T) {
	b := newBench(t, first(1, 3))
	for name, in := range map[string]sansio.Arrival{
		"parameters":     arrival(param(1), param(2), param(3)),
		"of another job": arrival(grad(0, 1).job(7), grad(0, 2).job(7).marked(), grad(0, 3).job(7)),
		"floats":         arrival(grad(0, 1).flags(wire.Overflow), grad(0, 2).flags(wire.Overflow)),
		"unstored":       arrival(param(1).unstoredValues(), param(2).unstoredValues()),
	} {
		b.e.Handle(0, []sansio.Arrival{in}, &b.eff)
		if s := b.eff.Sends; len(s) != 1 || s[0].Train.Frames() != in.Train.Frames() ||
			&s[0].Train.Body[0] != &in.Train.Body[0] || !bytes.Equal(s[0].Train.Header, in.Train.Header) {
			t.Errorf("%s: %+v are sent", name, s)
		}
		b.eff.Reset()
	}
}

// The sums of a train are one train, and so are collisions, and what goes on as it came between.
func TestSumsLeaveAsTrains(t *testing.T) {
	b := newBench(t, first(1, 2), first(2, 2))
	two := func(w int, seq uint32) pkt { return grad(w, seq).fans(2, 2).at(uint16(seq)) }
	b.send(two(0, 1), two(0, 2), two(0, 3), two(0, 4).job(2), two(0, 5).job(2))
	in := arrival(two(1, 1), two(1, 2), two(1, 3), two(1, 6).flags(wire.Overflow), two(1, 7).flags(wire.Overflow), two(1, 4), two(1, 5))
	b.e.Handle(0, []sansio.Arrival{in}, &b.eff)
	var frames []int
	for _, s := range b.eff.Sends {
		frames = append(frames, s.Train.Frames())
	}
	if !slices.Equal(frames, []int{3, 2, 2}) {
		t.Errorf("trains of %d frames, want 3 sums, 2 with floats, 2 that collided", frames)
	}
	if got, want := fmt.Sprint(b.collect(1)), "[11/10 e =3 11/10 e =3 11/10 e =3 10/10 o =2 10/10 o =2 10/10 rce =2 10/10 rce =2]"; got != want {
		t.Errorf("%s goes on, want %s", got, want)
	}
}

// What is no packet of ATP goes on as it came, and is counted.
func TestOddPackets(t *testing.T) {
	whole := arrival(grad(0, 1))
	frameOf := func(change func(h []byte, body []byte) ([]byte, []byte)) sansio.Train {
		h, body := change(slices.Clone(whole.Train.Header), slices.Clone(whole.Train.Body))
		return sansio.Train{Header: h, Body: body}
	}
	for name, c := range map[string]struct {
		counter string
		train   sansio.Train
	}{
		"short":   {"atp-truncated", frameOf(func(h, b []byte) ([]byte, []byte) { inet.SetUDPBody(h, len(b)-4); return h, b[:len(b)-4] })},
		"long":    {"atp-oversized", frameOf(func(h, b []byte) ([]byte, []byte) { inet.SetUDPBody(h, len(b)+4); return h, append(b, 0, 0, 0, 0) })},
		"trailer": {"atp-oversized", frameOf(func(h, b []byte) ([]byte, []byte) { return h, append(b, 0, 0, 0, 0) })},
		"shorter by UDP": {"atp-oversized", frameOf(func(h, b []byte) ([]byte, []byte) {
			inet.UDP(h[inet.EtherLen+inet.IPv4Len:]).SetLen(inet.UDPLen + wire.HeaderLen)
			return h, b
		})},
		"no header": {"atp-short-header", frameOf(func(h, b []byte) ([]byte, []byte) { inet.SetUDPBody(h, 15); return h, b[:15] })},
		"nothing":   {"atp-short-header", frameOf(func(h, b []byte) ([]byte, []byte) { inet.SetUDPBody(h, 0); return h, b[:0] })},
		"options": {"atp-ip-options-passed", frameOf(func(h, b []byte) ([]byte, []byte) {
			h = slices.Insert(h, inet.EtherLen+inet.IPv4Len, 1, 1, 1, 1)
			ip := inet.IPv4(h[inet.EtherLen:])
			ip[0] = 0x46
			ip.SetTotalLen(ip.TotalLen() + 4)
			ip.UpdateChecksum()
			return h, b
		})},
		"fragment": {"ip-fragment", frameOf(func(h, b []byte) ([]byte, []byte) { h[inet.EtherLen+6] = 0x20; return h, b })},
	} {
		b := newBench(t, first(1, 3))
		b.e.Handle(0, []sansio.Arrival{{Port: dataplane.Inbound(0), Train: c.train}}, &b.eff)
		if s := b.eff.Sends; len(s) != 1 || !bytes.Equal(s[0].Train.Header, c.train.Header) || !bytes.Equal(s[0].Train.Body, c.train.Body) {
			t.Errorf("%s: %+v are sent", name, s)
		}
		if got := b.count(c.counter); got != 1 || b.state() != "" {
			t.Errorf("%s: %s is %d; aggregators %q", name, c.counter, got, b.state())
		}
	}
}

// drawTrain draws packets that can be one train: of one sender, with one mark.
func drawTrain(t *rapid.T) []pkt {
	var all []pkt
	sender := rapid.IntRange(0, 3).Draw(t, "sender")
	ce, id, unstored := rapid.IntRange(0, 3).Draw(t, "marked") == 0, rapid.SampledFrom([]uint16{0, 0, 7, 65534}).Draw(t, "id"), rapid.IntRange(0, 5).Draw(t, "unstored") == 0
	for range rapid.IntRange(1, 6).Draw(t, "frames") {
		seq := rapid.Uint32Range(0, 5).Draw(t, "number")
		p := grad(sender, seq)
		if sender == 3 {
			p = param(seq)
		}
		p = p.at(rapid.Uint16Range(0, 3).Draw(t, "index")).val(rapid.SampledFrom([]int32{1, 5, -7, 1 << 30, -1 << 31}).Draw(t, "value")).withID(id)
		p.h.Flags |= wire.Flags(rapid.SampledFrom([]wire.Flags{0, 0, 0, 0, wire.Resend, wire.ECN, wire.Overflow, wire.EdgeSwitch}).Draw(t, "flags"))
		if rapid.IntRange(0, 4).Draw(t, "job") == 0 {
			p.h.Job = 2
		}
		if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
			p = p.fans(1, 2)
		}
		if ce {
			p = p.marked()
		}
		if unstored {
			p = p.unstoredValues()
		}
		all = append(all, p)
	}
	return all
}

// A machine behaves the same whether frames come alone or in trains, and in one call or several. It
// changes nothing of what arrived, which others may share.
func TestTrainsChangeNothing(t *testing.T) {
	jobs := func() []atp.Job {
		two := first(2, 3)
		two.Servers[0].Addr = serverAddr(1)
		return []atp.Job{first(1, 3), two}
	}
	rapid.Check(t, func(t *rapid.T) {
		cfg := atp.Config{Aggregators: 3, Jobs: jobs()}
		whole, single := newBenchOf(t, cfg), newBenchOf(t, cfg)
		whole.eff.Keeping = rapid.Bool().Draw(t, "keeping")
		for range rapid.IntRange(1, 12).Draw(t, "batches") {
			var batch []sansio.Arrival
			var before [][]byte
			var want []frame
			for range rapid.IntRange(1, 3).Draw(t, "trains") {
				a := arrival(drawTrain(t)...)
				batch = append(batch, a)
				before = append(before, slices.Concat(a.Train.Header, a.Train.Body))
				for i := range a.Train.Frames() {
					single.e.Handle(0, []sansio.Arrival{{Port: a.Port, Train: a.Train.Frame(i, nil)}}, &single.eff)
					at, _ := dataplane.IsInbound(a.Port)
					want = append(want, single.frames(at)...)
				}
			}
			whole.e.Handle(0, batch, &whole.eff)
			for i, a := range batch {
				if !bytes.Equal(before[i], slices.Concat(a.Train.Header, a.Train.Body)) {
					t.Fatal("what arrived has changed")
				}
			}
			got := whole.anyFrames()
			if !slices.EqualFunc(got, want, sameFrame) {
				t.Fatalf("trains: %v\nalone: %v", got, want)
			}
			if whole.state() != single.state() {
				t.Fatalf("aggregators of trains %q, alone %q", whole.state(), single.state())
			}
		}
		if got, want := whole.e.Counters(), single.e.Counters(); !slices.Equal(got, want) {
			t.Fatalf("counters of trains %v, alone %v", got, want)
		}
	})
}

func sameFrame(a, b frame) bool {
	return bytes.Equal(a.header, b.header) && bytes.Equal(a.payload, b.payload) && a.unstored == b.unstored
}

// anyFrames takes apart sends by whatever port.
func (b *bench) anyFrames() (out []frame) {
	b.t.Helper()
	for _, s := range b.eff.Sends {
		for i := range s.Train.Frames() {
			f := s.Train.Frame(i, nil)
			out = append(out, b.frame(&f))
		}
	}
	b.eff.Reset()
	return out
}

// The codepoint of a mark is taken off with it, and the headers below stay as they were otherwise.
func TestHeadersBelow(t *testing.T) {
	b := newBench(t, first(1, 3))
	in := arrival(grad(0, 5).at(9).marked().withID(77))
	b.e.Handle(0, []sansio.Arrival{in}, &b.eff)
	got := b.frames(0)[0]
	want := slices.Clone(in.Train.Header)
	inet.IPv4(want[inet.EtherLen:]).SetECN(inet.ECT0)
	inet.IPv4(want[inet.EtherLen:]).UpdateChecksum()
	if !bytes.Equal(got.header, want) {
		t.Errorf("headers % x, want % x", got.header, want)
	}
}
