package vm

import (
	"bytes"
	"testing"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// bench is a pipe and its work space.
type bench struct {
	tb   fataler
	code *Code
	pipe *Pipe
	pass *Pass
	k    Packet
	v    Verdict
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func newBench(tb fataler, p *ir.Program, o Options) *bench {
	tb.Helper()
	placed, err := fit.Place(p)
	if err != nil {
		tb.Fatalf("placing: %v", err)
	}
	code, err := Compile(placed, o)
	if err != nil {
		tb.Fatalf("compiling: %v", err)
	}
	return &bench{tb: tb, code: code, pipe: code.NewPipe(1, rng.Root(1).Stream("test")), pass: code.NewPass()}
}

// ingress runs a packet through the ingress and returns what leaves.
func (b *bench) ingress(packet []byte) ([]byte, Reason) {
	b.tb.Helper()
	b.k.Set(nil, packet, 0)
	reason := b.pass.Ingress(b.pipe, &b.k, &In{Port: 5, Time: 7_000_000}, &b.v)
	return whole(&b.k), reason
}

// ok is ingress for a packet that has to come through.
func (b *bench) ok(packet ...byte) []byte {
	b.tb.Helper()
	out, reason := b.ingress(packet)
	if reason != OK {
		b.tb.Fatalf("packet %x: %s", packet, reason)
	}
	return out
}

func (b *bench) field(name string) uint64 {
	b.tb.Helper()
	f, err := b.code.Field(name)
	if err != nil {
		b.tb.Fatalf("%v", err)
	}
	return b.pass.Field(f)
}

func (b *bench) expect(name string, want uint64) {
	b.tb.Helper()
	if got := b.field(name); got != want {
		b.tb.Fatalf("%s is %#x, want %#x", name, got, want)
	}
}

func whole(k *Packet) []byte { return append(bytes.Clone(k.Front()), k.Tail()...) }

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
		Ingress: ir.Gress{Parser: []ir.State{{Name: "start", Extract: names, Next: ir.Accept}}, Control: []ir.Step{{Apply: "t"}}, Deparse: names},
	}
}

func equal(tb testing.TB, got []byte, want ...byte) {
	tb.Helper()
	if !bytes.Equal(got, want) {
		tb.Fatalf("%x, want %x", got, want)
	}
}
