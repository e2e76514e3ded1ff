package tracetree

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// result is what a pass has left of one packet.
type result struct {
	reason  vm.Reason
	bytes   []byte
	verdict vm.Verdict
	dropped bool
	fields  []uint64
	valid   []bool
}

// read returns what is left after a pass.
func read(code *vm.Code, s *vm.Pass, k *vm.Packet, reason vm.Reason) (r result) {
	r.reason, r.bytes = reason, whole(k)
	if reason != vm.OK {
		return r
	}
	for f := range code.Program().Fields {
		r.fields = append(r.fields, s.Field(fit.FieldID(f)))
	}
	for h := range code.Program().Headers {
		r.valid = append(r.valid, s.Valid(fit.HeaderID(h)))
	}
	return r
}

// batch is a group and what becomes of its packets.
type batch struct {
	rig     *rig
	g       *vm.Group
	packets []*vm.Packet
	results []result
	order   []int
}

func (b *batch) Passed(from, to int, reason vm.Reason) {
	for i := from; i < to; i++ {
		var v vm.Verdict
		dropped := false
		if s := b.g.Select(i); reason == vm.OK && b.g.Side() == fit.Ingress {
			b.g.Verdict(&v)
			b.results[i] = read(b.rig.code, s, b.packets[i], reason)
		} else {
			dropped = reason == vm.OK && b.g.Dropped(i)
			b.results[i] = read(b.rig.code, s, b.packets[i], reason)
		}
		b.results[i].verdict, b.results[i].dropped = v, dropped
		b.order = append(b.order, i)
	}
}

// drawnPackets are packets of one length each, of which some differ from others in one byte.
func (w *twins) drawnPackets() (out [][]byte) {
	for range 2 + w.IntN(30) {
		p := w.bytes(w.p.Ingress.Parser)
		if len(out) > 0 && !w.one(3) {
			p = bytes.Clone(out[w.IntN(len(out))])
			if len(p) > 0 && w.one(2) {
				p[w.IntN(len(p))] ^= byte(1 << w.IntN(8))
			}
		}
		out = append(out, p)
	}
	return out
}

// group takes packets through both halves of a pipe, together and alone.
func (w *twins) group(pipe int) {
	w.Helper()
	in := &vm.In{Port: uint16(w.value(9)), Time: units.Time(w.value(20)), Resubmitted: w.one(4), Resubmit: w.value(16)}
	frames := w.drawnPackets()
	b := &batch{rig: w.fast, g: w.fast.code.NewGroup(len(frames))}
	seed := rng.Root(w.Uint64())
	stream := func(side fit.Side, i int) *rng.Stream { return seed.Stream(fmt.Sprint(side, i)) }
	alone := make([]vm.Packet, len(frames))
	for i, f := range frames {
		k := &vm.Packet{}
		k.Set(f, nil, 0)
		b.packets = append(b.packets, k)
		alone[i].Set(f, nil, 0)
	}
	w.together(b, w.fast.pipes[pipe], fit.Ingress, func(i int) { b.g.AddIngress(b.packets[i], in, stream(fit.Ingress, i)) })
	var want []result
	for i := range alone {
		w.slow.pipes[pipe].Reseed(stream(fit.Ingress, i))
		var v vm.Verdict
		reason := w.slow.pass.Ingress(w.slow.pipes[pipe], &alone[i], in, &v)
		r := read(w.slow.code, w.slow.pass, &alone[i], reason)
		if reason == vm.OK {
			r.verdict = v
		}
		want = append(want, r)
	}
	w.equal(b, want)
	w.sameState(pipe)

	out := &vm.Out{Port: uint16(w.value(9)), RID: uint16(w.value(16)), Copy: w.one(2), Depth: uint32(w.value(19))}
	w.together(b, w.fast.pipes[pipe], fit.Egress, func(i int) { b.g.AddEgress(b.packets[i], out, stream(fit.Egress, i)) })
	want = want[:0]
	for i := range alone {
		w.slow.pipes[pipe].Reseed(stream(fit.Egress, i))
		dropped, reason := w.slow.pass.Egress(w.slow.pipes[pipe], &alone[i], out)
		r := read(w.slow.code, w.slow.pass, &alone[i], reason)
		r.dropped = dropped
		want = append(want, r)
	}
	w.equal(b, want)
	w.sameState(pipe)
}

// together takes the packets of a batch through one half of a pipe.
func (w *twins) together(b *batch, p *vm.Pipe, side fit.Side, add func(i int)) {
	w.Helper()
	b.results, b.order = make([]result, len(b.packets)), b.order[:0]
	b.g.Begin(p, side)
	for i := range b.packets {
		add(i)
	}
	b.g.Run(b)
	for i, n := range b.order {
		if i != n {
			w.Fatalf("packets end in the order %v", b.order)
		}
	}
	if len(b.order) != len(b.packets) {
		w.Fatalf("%d of %d packets have ended", len(b.order), len(b.packets))
	}
}

func (w *twins) equal(b *batch, want []result) {
	w.Helper()
	for i, r := range want {
		got := b.results[i]
		if got.reason != r.reason || !bytes.Equal(got.bytes, r.bytes) || got.verdict != r.verdict || got.dropped != r.dropped {
			w.Fatalf("side %v, packet %d of %d together: %q %v\n%x\n%+v, alone: %q %v\n%x\n%+v", b.g.Side(), i, len(want), got.reason, got.dropped, got.bytes, got.verdict,
				r.reason, r.dropped, r.bytes, r.verdict)
		}
		if !w.unread && !slices.Equal(got.fields, r.fields) || !slices.Equal(got.valid, r.valid) {
			w.Fatalf("side %v, packet %d of %d together: fields %x %v, alone %x %v", b.g.Side(), i, len(want), got.fields, got.valid, r.fields, r.valid)
		}
	}
}

// sameState compares registers and counters.
func (w *twins) sameState(pipe int) {
	w.Helper()
	a, b := w.fast, w.slow
	for i := range a.code.Program().Registers {
		id := fit.RegisterID(i)
		if got, want := a.pipes[pipe].Memory(id), b.pipes[pipe].Memory(id); !bytes.Equal(got, want) {
			w.Fatalf("register %s together\n%x, alone\n%x", a.code.Program().Registers[i].Name, got, want)
		}
	}
	w.counters(pipe)
}

// Packets that take a pass together do what each does alone, packet by packet, whatever the program,
// the packets, and the changes of tables between groups: the plain machine is the oracle, with trees and without.
func TestGroupsDoTheSame(t *testing.T) {
	sameInGroups(t, 0xe8, 10, false) // an input of a register that nine bytes hold
	rapid.Check(t, func(t *rapid.T) {
		sameInGroups(t, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(4, 12).Draw(t, "steps"), false)
	})
}

// So they do where nobody reads metadata behind a pass, but for that metadata: packets, verdicts, registers and counters are
// the same, and some constants are written by no step.
func TestUnreadMetadataChangesNothingElse(t *testing.T) {
	steps := map[bool]int{}
	both := func(t fataler, seed uint64, n int) {
		for _, unread := range []bool{false, true} {
			w, seen := sameInGroups(t, seed, n, unread), map[stepOp]int{}
			if w.fast.runners[0] != nil {
				w.count(seen)
			}
			steps[unread] += seen[stepConst]
		}
	}
	for seed := range uint64(20) {
		both(t, seed, 8)
	}
	if steps[true] >= steps[false] {
		t.Fatalf("%d steps write constants where nobody reads them behind a pass, else %d", steps[true], steps[false])
	}
	rapid.Check(t, func(t *rapid.T) { both(t, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(4, 12).Draw(t, "steps")) })
}

// sameInGroups draws a program of some steps, and takes groups through it.
func sameInGroups(t fataler, seed uint64, steps int, unread bool) *twins {
	s := rng.Root(seed).Stream("groups")
	p, placed := drawProgram(s, steps)
	w := &twins{
		fataler: t, drawn: &drawn{Stream: s, p: p, pool: []uint64{s.Uint64(), s.Uint64()}}, next: 1 << 20,
		fast: newRig(t, placed, s.IntN(5) > 0), slow: newRig(t, placed, false), unread: unread,
	}
	for _, r := range w.fast.runners {
		if r != nil && unread {
			r.Unread = func(fit.Side, *vm.Verdict, func(fit.FieldID) (uint64, bool)) ([]fit.FieldID, bool) { return nil, true }
		}
	}
	for range 15 {
		w.group(w.IntN(2))
		if w.one(4) {
			w.change(w.IntN(2))
		}
	}
	return w
}
