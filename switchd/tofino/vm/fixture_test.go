package vm_test

import (
	"bytes"
	"testing"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
	"github.com/inalab/inalab/switchd/tofino/vm/tracetree"
)

// bench is a pipe, and one with trace trees. Both do everything, and have to do the same.
type bench struct {
	tb    fataler
	code  *vm.Code
	modes [2]mode
}

// mode is one way to run a program.
type mode struct {
	pipe *vm.Pipe
	pass *vm.Pass
	k    vm.Packet
	v    vm.Verdict
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func newBench(tb fataler, p *ir.Program) *bench {
	tb.Helper()
	placed, err := fit.Place(p)
	if err != nil {
		tb.Fatalf("placing: %v", err)
	}
	code, err := vm.Compile(placed)
	if err != nil {
		tb.Fatalf("compiling: %v", err)
	}
	b := &bench{tb: tb, code: code}
	for i := range b.modes {
		b.modes[i] = mode{pipe: code.NewPipe(1, rng.Root(1).Stream("test")), pass: code.NewPass()}
	}
	tracetree.Attach(b.modes[1].pipe)
	return b
}

// same fails unless both modes have the same result.
func same[T comparable](b *bench, what string, do func(m *mode) T) T {
	b.tb.Helper()
	plain, fast := do(&b.modes[0]), do(&b.modes[1])
	if plain != fast {
		b.tb.Fatalf("%s: %v, with trace trees %v", what, plain, fast)
	}
	return plain
}

// set gives both modes a packet of which so many bytes are its own.
func (b *bench) set(packet []byte, front int) {
	for i := range b.modes {
		if m := &b.modes[i]; front < len(packet) {
			var from vm.Packet
			from.Set(packet, nil, 0)
			m.k.SetCopy(&from, front)
		} else {
			m.k.Set(packet, nil, 0)
		}
	}
}

// packet returns the packet as it is.
func (b *bench) packet() []byte {
	b.tb.Helper()
	return []byte(same(b, "packet", func(m *mode) string { return string(whole(&m.k)) }))
}

// pass takes the packet through the ingress.
func (b *bench) pass(in vm.In) vm.Reason {
	b.tb.Helper()
	reason := same(b, "reason", func(m *mode) vm.Reason { return m.pass.Ingress(m.pipe, &m.k, &in, &m.v) })
	b.packet()
	return reason
}

func (b *bench) verdict() vm.Verdict {
	b.tb.Helper()
	return same(b, "verdict", func(m *mode) vm.Verdict { return m.v })
}

// ingress runs a packet through the ingress and returns what leaves.
func (b *bench) ingress(packet []byte) ([]byte, vm.Reason) {
	b.tb.Helper()
	b.set(packet, len(packet))
	reason := b.pass(vm.In{Port: 5, Time: 7_000_000})
	return b.packet(), reason
}

// ok is ingress for a packet that has to come through.
func (b *bench) ok(packet ...byte) []byte {
	b.tb.Helper()
	out, reason := b.ingress(packet)
	if reason != vm.OK {
		b.tb.Fatalf("packet %x: %s", packet, reason)
	}
	b.verdict()
	return out
}

func (b *bench) field(name string) uint64 {
	b.tb.Helper()
	f, err := b.code.Field(name)
	if err != nil {
		b.tb.Fatalf("%v", err)
	}
	return same(b, name, func(m *mode) uint64 { return m.pass.Field(f) })
}

func (b *bench) valid(h fit.HeaderID) bool {
	b.tb.Helper()
	return same(b, "valid", func(m *mode) bool { return m.pass.Valid(h) })
}

func (b *bench) expect(name string, want uint64) {
	b.tb.Helper()
	if got := b.field(name); got != want {
		b.tb.Fatalf("%s is %#x, want %#x", name, got, want)
	}
}

// do does something to both pipes, and returns what went wrong, in words.
func (b *bench) do(change func(p *vm.Pipe) error) string {
	b.tb.Helper()
	return same(b, "error", func(m *mode) string {
		if err := change(m.pipe); err != nil {
			return err.Error()
		}
		return ""
	})
}

// remove takes an entry out of a table of both pipes; false: it is not there.
func (b *bench) remove(id fit.TableID, entry vm.EntryID) bool {
	b.tb.Helper()
	return same(b, "delete", func(m *mode) bool { return m.pipe.Delete(id, entry) })
}

// read returns an entry of a register.
func (b *bench) read(r vm.Register, index int) (lo, hi uint32) {
	b.tb.Helper()
	got := same(b, r.Name, func(m *mode) (out [2]uint32) {
		var err error
		if out[0], out[1], err = m.pipe.Read(r, index); err != nil {
			b.tb.Fatalf("%v", err)
		}
		return out
	})
	return got[0], got[1]
}

func whole(k *vm.Packet) []byte { return append(bytes.Clone(k.Front()), k.Tail()...) }

// header returns a header of fields "name", bits.
func header(name string, fields ...ir.Field) ir.Header { return ir.Header{Name: name, Fields: fields} }

func field(name string, bits int) ir.Field { return ir.Field{Name: name, Bits: bits} }

// meta returns the metadata field "meta.name".
func meta(name string, bits int) ir.Field { return ir.Field{Name: name, Bits: bits} }

// program returns one that extracts headers, does one action, and writes the
// headers again.
func program(headers []ir.Header, metadata []ir.Field, do ...ir.Op) *ir.Program {
	var names []string
	for _, h := range headers {
		names = append(names, h.Name)
	}
	return &ir.Program{
		Name: "test", Headers: headers, Metadata: metadata,
		Actions: []ir.Action{{Name: "act", Do: do}},
		Tables:  []ir.Table{{Name: "t", Actions: []string{"act"}, Default: "act"}},
		Ingress: ir.Gress{Parser: []ir.State{{Name: "start", Extract: names, Next: ir.Accept}}, Control: []ir.Step{{Apply: "t"}},
			Deparse: names},
	}
}

func equal(tb testing.TB, got []byte, want ...byte) {
	tb.Helper()
	if !bytes.Equal(got, want) {
		tb.Fatalf("%x, want %x", got, want)
	}
}

// ones returns a mask of n bits.
func ones(n int) uint64 { return 1<<n - 1 }
