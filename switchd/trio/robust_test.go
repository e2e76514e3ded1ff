package trio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
)

// anyValue draws the content of a register that XTXNs take arguments from: what
// is right for some of them, and what is right for none.
func anyValue(t *rapid.T) uint64 {
	return rapid.SampledFrom([]uint64{
		0, 1, 2, 7, 8, 14, 42, 64, 60, 256, 512, 1214, 1215, 1279, 65535, 1 << 17, 1<<24 - 1, 1 << 24, 1<<32 - 1, 1 << 40, ^uint64(0),
	}).Draw(t, "value")
}

// anyProgram draws a program that sends XTXNs with arguments from registers. It
// may loop.
func anyProgram(t *rapid.T) *isa.Program {
	p := &isa.Program{Name: "any.mc", Entries: []isa.Entry{{Target: 0}, {Kind: isa.EntryTimer, Name: "tick", Target: 0}}}
	anyTables(p)
	for i := range p.Image.Registers {
		p.Image.Registers[i] = anyValue(t)
	}
	register := func() uint8 { return uint8(rapid.IntRange(0, isa.Registers-1).Draw(t, "register")) }
	n := rapid.IntRange(1, 12).Draw(t, "instructions")
	for i := range n {
		x := isa.XTXN(rapid.IntRange(1, int(isa.NumXTXN)-1).Draw(t, "xtxn"))
		spec, _ := x.Spec()
		issue := isa.Issue{XTXN: x, Async: spec.Async && rapid.Bool().Draw(t, "async")}
		for _, a := range spec.Args {
			switch {
			case a.Kind == isa.ArgFields, a.Kind == isa.ArgRoutes:
				issue.Args = append(issue.Args, isa.Const(0))
			case a.Kind == isa.ArgFilter:
				issue.Args = append(issue.Args, isa.Const(1))
			case a.Bits == isa.RegisterBits:
				issue.Args = append(issue.Args, isa.WholeReg(register()))
			default:
				issue.Args = append(issue.Args, isa.LowReg(register()))
			}
		}
		if spec.Reply != "" {
			issue.Reply = isa.WholeReg(register())
		}
		in := isa.Instruction{Issues: []isa.Issue{issue}, Next: []isa.Branch{{Jump: isa.Goto, Target: i + 1}}}
		if rapid.IntRange(0, 3).Draw(t, "branch") == 0 {
			in.Next = append([]isa.Branch{{When: isa.LowReg(register()), Jump: isa.Goto,
				Target: rapid.IntRange(0, n).Draw(t, "target")}}, in.Next...)
		}
		p.Instructions = append(p.Instructions, in)
	}
	p.Instructions = append(p.Instructions, isa.Instruction{Next: []isa.Branch{{Jump: isa.Exit}}})
	return p
}

// anyTables gives a program a list of fields, of which one may be outside of local memory, a
// route table, a filter, and entries for events of which a counter is one.
func anyTables(p *isa.Program) {
	at := isa.LMEM{Base: isa.LowReg(3), Bit: 5, Width: 50}
	p.Fields = []isa.FieldList{{Name: "F", Fields: []isa.Field{{Place: isa.WholeReg(4)}, {Place: at}}}}
	p.Symbols = []isa.Symbol{{Name: "C", Kind: isa.SymbolCounter, Value: 2, Size: 16 * 32, Len: 32}}
	p.Entries = append(p.Entries, isa.Entry{Kind: isa.EntryEvent, Name: "go"},
		isa.Entry{Kind: isa.EntryStatistics, Name: "C", Every: 1}, isa.Entry{Kind: isa.EntryStatistics, Name: "D", Every: 7, Bytes: true})
	p.Symbols = append(p.Symbols, isa.Symbol{Name: "D", Kind: isa.SymbolCounter, Value: 2, Size: 16 * 64, Len: 64})
	p.Tables = []isa.Table{{Name: "R", Kind: isa.TableRoutes, Len: 4}, {Name: "A", Kind: isa.TableFilter, Len: 4}}
}

// Whatever a program does and a frame contains, the PFE goes on, gives back all
// that it lent, and every packet has one fate.
func TestNoProgramBreaksThePFE(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prog := anyProgram(t)
		var in []sansio.Arrival
		for range rapid.IntRange(1, 6).Draw(t, "packets") {
			if rapid.Bool().Draw(t, "raw") {
				frame := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "frame")
				in = append(in, sansio.Arrival{Port: -1, Train: sansio.NewTrain(frame, 0, sansio.ChecksumAsIs)})
			} else {
				in = append(in, anyPacket(t, 10))
			}
		}
		var before *bench
		for _, timing := range []*Timing{nil, timed(), timed()} {
			b := newBench(t, Config{
				Program: prog, Timing: timing, Instructions: 200, PPEs: 16, Threads: 1, Queue: 3, PacketMemory: 64 * units.KiB,
				Timers: []Timer{{Name: "tick", Period: units.Millisecond, Threads: 3}},
			})
			b.at(us).handle(in...)
			if err := b.p.Raise(b.now, "go", 5, &b.eff); err != nil {
				t.Fatal(err)
			}
			b.collect()
			b.at(2 * ms)
			checkFates(t, b, len(in))
			if timing != nil && before != nil {
				if diff := cmp.Diff(before.p.Counters(), b.p.Counters()); diff != "" {
					t.Errorf("two runs differ: %s", diff)
				}
				if diff := cmp.Diff(frames(before.out), frames(b.out)); diff != "" {
					t.Errorf("two runs differ: %s", diff)
				}
			}
			if timing != nil {
				before = b
			}
		}
	})
}

func checkFates(t *rapid.T, b *bench, packets int) {
	s := b.p.Snapshot()
	fates := map[string]uint64{}
	for _, w := range s.Work {
		fates[w.Fate] = w.Inside.N
	}
	started := fates["consumed"] + fates["created"] + fates["forwarded"] + fates["dropped"]
	if lost := b.count(DropQueue) + b.count(DropMemory); started+lost != uint64(packets) {
		t.Errorf("%d packets: %v and %d lost on arrival", packets, fates, lost)
	}
	if n := b.count(CountForwarded); n != fates["forwarded"] {
		t.Errorf("%d packets forwarded, and %d threads have done so", n, fates["forwarded"])
	}
	if n := b.count(CountConsumed); n != fates["consumed"]+fates["created"] {
		t.Errorf("%d packets consumed, and %v", n, fates)
	}
	if s.PacketMemory != 0 || s.Flows != 0 || s.Reorder != 0 || s.InUse.Now != 0 || s.Queue.Now != 0 {
		t.Errorf("left behind: %v of packet memory, %d flows, %d held, %d threads, %d queued", s.PacketMemory, s.Flows, s.Reorder,
			s.InUse.Now, s.Queue.Now)
	}
}
