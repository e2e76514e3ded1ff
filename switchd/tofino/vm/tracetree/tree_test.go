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
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// rig is one way to run a program, in two pipes.
type rig struct {
	code    *vm.Code
	pipes   [2]*vm.Pipe
	runners [2]*Runner // nil: the plain machine
	pass    *vm.Pass
	k, from vm.Packet
	v       vm.Verdict
}

func newRig(t fataler, p *fit.Program, fast bool) *rig {
	code, err := vm.Compile(p)
	if err != nil {
		t.Fatalf("%v", err)
	}
	r := &rig{code: code, pass: code.NewPass()}
	for i := range r.pipes {
		r.pipes[i] = code.NewPipe(i, rng.Root(1).Stream(fmt.Sprint(i)))
		if fast {
			r.runners[i] = Attach(r.pipes[i])
		}
	}
	return r
}

// ingress takes a packet through the ingress of the second pipe and returns what leaves.
func (r *rig) ingress(packet []byte) ([]byte, vm.Reason) {
	r.k.Set(nil, packet, 0)
	reason := r.pass.Ingress(r.pipes[1], &r.k, &vm.In{Port: 5, Time: 7_000_000}, &r.v)
	return whole(&r.k), reason
}

func whole(k *vm.Packet) []byte { return append(bytes.Clone(k.Front()), k.Tail()...) }

// twins are the same program with trees and without.
type twins struct {
	fataler
	*drawn
	fast, slow *rig
	next       vm.EntryID
	unread     bool // nobody reads metadata behind a pass
}

// A tree does what the instructions of the control do, whatever the program, the
// packets, and the changes of tables between them.
func TestTreesDoTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("programs")
		steps, packets := rapid.IntRange(4, 12).Draw(t, "steps"), rapid.IntRange(50, 150).Draw(t, "packets")
		for range 3 {
			runTwins(t, s, steps, packets)
		}
	})
}

// Every kind of step comes up in drawn programs.
func TestProgramsHaveEveryStep(t *testing.T) {
	seen := map[stepOp]int{}
	s := rng.Root(1).Stream("programs")
	for range 200 {
		runTwins(t, s, 12, 50).count(seen)
		if len(seen) > int(stepEnd) {
			return
		}
	}
	for op := range stepEnd + 1 {
		if seen[op] == 0 {
			t.Errorf("step %d has never come up: %v", op, seen)
		}
	}
}

// runTwins holds both ways to run a program against each other.
func runTwins(t fataler, s *rng.Stream, steps, packets int) *twins {
	p, placed := drawProgram(s, steps)
	w := &twins{
		fataler: t, drawn: &drawn{Stream: s, p: p, pool: []uint64{s.Uint64(), s.Uint64()}}, next: 1 << 20,
		fast: newRig(t, placed, true), slow: newRig(t, placed, false),
	}
	for range packets {
		w.packet(w.IntN(2))
		if w.one(25) {
			w.change(w.IntN(2))
		}
	}
	for pipe := range w.fast.pipes {
		w.counters(pipe)
	}
	return w
}

// count counts the steps of trees.
func (w *twins) count(seen map[stepOp]int) {
	for _, r := range w.fast.runners {
		for i := range r.trees {
			for _, st := range r.trees[i].steps {
				seen[st.op]++
			}
		}
	}
}

// packet takes one through the ingress and the egress of a pipe.
func (w *twins) packet(pipe int) {
	w.Helper()
	in := w.bytes(w.p.Ingress.Parser)
	front := w.IntN(len(in) + 1)
	for _, r := range []*rig{w.fast, w.slow} {
		if r.k.Set(in, nil, 0); front%3 == 0 {
			r.from.Set(in, nil, 0)
			r.k.SetCopy(&r.from, front)
		}
	}
	told := &vm.In{Port: uint16(w.value(9)), Time: units.Time(w.value(20)), Resubmitted: w.one(4), Resubmit: w.value(16)}
	reason := w.fast.pass.Ingress(w.fast.pipes[pipe], &w.fast.k, told, &w.fast.v)
	if other := w.slow.pass.Ingress(w.slow.pipes[pipe], &w.slow.k, told, &w.slow.v); reason != other {
		w.Fatalf("%q, plain %q", reason, other)
	}
	w.same(pipe, reason)
	if reason != vm.OK {
		return
	}
	if w.fast.v != w.slow.v {
		w.Fatalf("%+v, plain %+v", w.fast.v, w.slow.v)
	}
	out := &vm.Out{Port: uint16(w.value(9)), RID: uint16(w.value(16)), Copy: w.one(2), Mirrored: uint16(w.value(10)),
		Depth: uint32(w.value(19))}
	dropped, reason := w.fast.pass.Egress(w.fast.pipes[pipe], &w.fast.k, out)
	if drop, other := w.slow.pass.Egress(w.slow.pipes[pipe], &w.slow.k, out); reason != other || dropped != drop {
		w.Fatalf("%v %q, plain %v %q", dropped, reason, drop, other)
	}
	w.same(pipe, reason)
}

// same compares what a pass leaves.
func (w *twins) same(pipe int, reason vm.Reason) {
	w.Helper()
	a, b := w.fast, w.slow
	if got, want := whole(&a.k), whole(&b.k); !bytes.Equal(got, want) {
		w.Fatalf("packet\n%x, plain\n%x", got, want)
	}
	for f := range a.code.Program().Fields {
		if got, want := a.pass.Field(fit.FieldID(f)), b.pass.Field(fit.FieldID(f)); got != want && reason == vm.OK {
			w.Fatalf("%s is %#x, plain %#x", a.code.Program().Fields[f].Name, got, want)
		}
	}
	for h := range a.code.Program().Headers {
		if got, want := a.pass.Valid(fit.HeaderID(h)), b.pass.Valid(fit.HeaderID(h)); got != want {
			w.Fatalf("header %d valid: %v, plain %v", h, got, want)
		}
	}
	for i := range a.code.Program().Registers {
		id := fit.RegisterID(i)
		if got, want := a.pipes[pipe].Memory(id), b.pipes[pipe].Memory(id); !bytes.Equal(got, want) {
			w.Fatalf("register %s\n%x, plain\n%x", a.code.Program().Registers[i].Name, got, want)
		}
	}
}

// counters compares what entries have counted.
func (w *twins) counters(pipe int) {
	w.Helper()
	a, b := w.fast, w.slow
	if got, want := a.pipes[pipe].Beyond(), b.pipes[pipe].Beyond(); got != want {
		w.Fatalf("%d accesses beyond a register, plain %d", got, want)
	}
	for i := range a.code.Program().Tables {
		if got, want := a.pipes[pipe].Hits(fit.TableID(i)), b.pipes[pipe].Hits(fit.TableID(i)); !slices.Equal(got, want) {
			w.Fatalf("counters of %s\n%v, plain\n%v", a.code.Program().Tables[i].Name, got, want)
		}
	}
}

// change adds or removes an entry.
func (w *twins) change(pipe int) {
	tables := w.fast.code.Program().Tables
	if len(tables) == 0 {
		return
	}
	id := fit.TableID(w.IntN(len(tables)))
	t := tables[id].Source
	if t.Const || len(t.Keys) == 0 {
		return
	}
	if rows := w.fast.pipes[pipe].Table(id).Rows; len(rows) > 0 && w.one(2) {
		at := pick(w.drawn, rows...).ID
		w.counters(pipe)
		w.fast.pipes[pipe].Delete(id, at)
		w.slow.pipes[pipe].Delete(id, at)
		return
	}
	var bits []int
	for _, k := range tables[id].Keys {
		bits = append(bits, k.Bits)
	}
	e := w.entry(t.Keys, bits)
	a := w.p.Actions[slices.IndexFunc(w.p.Actions, func(a ir.Action) bool { return slices.Contains(t.Actions, a.Name) })]
	e.Action, e.Args = a.Name, w.args(&a)
	var failed [2]error
	for i, r := range []*rig{w.fast, w.slow} {
		entry, err := r.code.Entry(id, e)
		if err != nil {
			w.Fatalf("%v", err)
		}
		failed[i] = r.pipes[pipe].Insert(id, w.next, entry)
	}
	if w.next++; fmt.Sprint(failed[0]) != fmt.Sprint(failed[1]) {
		w.Fatalf("%v, plain %v", failed[0], failed[1])
	}
}

// A tree that is full is begun anew, and nothing else changes.
func TestFullTree(t *testing.T) {
	r := placedRig(t, adder(), true)
	packet := make([]byte, 2+256)
	r.ingress(packet)
	tree := &r.runners[1].trees[fit.Ingress]
	recorded := len(tree.steps)
	tree.steps = append(tree.steps, make([]step, maxSteps)...)
	packet[2] = 2
	if out, reason := r.ingress(packet); reason != vm.OK || out[2+128] != 0 || out[2] != 2 {
		t.Errorf("%q, %x", reason, out)
	}
	if got := len(tree.steps); got != recorded {
		t.Errorf("%d steps, want %d", got, recorded)
	}
}

// bytes draws a packet: headers that a way through a parser extracts, and more.
func (w *twins) bytes(states []ir.State) (b []byte) {
	for at := 0; at >= 0; {
		st := &states[at]
		for _, name := range st.Extract {
			b = w.header(b, name)
		}
		next := st.Next
		if len(st.Cases) > 0 && !w.one(4) {
			next = pick(w.drawn, st.Cases...).Next
		}
		b = append(b, make([]byte, st.Advance)...)
		at = slices.IndexFunc(states, func(s ir.State) bool { return s.Name == next })
	}
	for range w.IntN(100) {
		b = append(b, byte(w.value(8)))
	}
	if w.one(20) {
		b = b[:w.IntN(len(b)+1)]
	}
	return b
}

// header appends one.
func (w *twins) header(b []byte, name string) []byte {
	h := w.p.Headers[slices.IndexFunc(w.p.Headers, func(h ir.Header) bool { return h.Name == name })]
	at := 8 * len(b)
	for _, f := range h.Fields {
		for range max(f.Count, 1) {
			v := w.value(f.Bits)
			for i := range f.Bits {
				if at%8 == 0 {
					b = append(b, 0)
				}
				b[at/8] |= byte(v>>(f.Bits-1-i)&1) << (7 - at%8)
				at++
			}
		}
	}
	return b
}
