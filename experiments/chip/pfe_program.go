package chip

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
)

// pfeProgram counts the instructions of the Microcode program, and the bytes of its records.
func pfeProgram() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.program", Title: "instructions, header and records of Trio-ML in Microcode",
		Switch:   []claims.Switch{claims.SwitchPFE},
		Claims:   []claims.ID{"trio.s6.3.instr-total", "trio.s6.3.loop-dominates", "trio.s4.header-12B", "trio.a1.jobrec-58B", "trio.a1.blockrec-58B"},
		Predicts: []claims.ID{"trio.s6.3.instr-per-gradient"},
		Quick:    "nothing is cut",
		Run:      runPFEProgram,
	}
}

// Of the paper's packets: gradients in a packet and in its head, and in a chunk of its
// tail (Trio §4, §6.1).
const (
	packetGrads = 1024
	headGrads   = 38
	chunkGrads  = 16
)

func runPFEProgram(_ context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	p, err := microcode.CompileFor(isa.Machine{AddBytes: int(e.Constants.Get("pfe.add-bytes"))})
	if err != nil {
		return f, err
	}
	loop, err := microcode.TailLoop(p)
	if err != nil {
		return f, err
	}
	t := claims.Table{
		ID: "trio.program", Title: "Instructions of a thread of Trio-ML by gradients in its packet, on an idle PFE",
		Columns: []claims.Column{{Name: "gradients"}, {Name: "creates the block"}, {Name: "in between"}, {Name: "completes it"}, {Name: "in between, per gradient"}},
		Notes:   []string{fmt.Sprintf("The loop over the tail takes %.4f instructions a gradient: one reads 64 bytes, and each that adds takes %d and goes on.", loop, p.Adds())},
	}
	for _, n := range []int{64, 128, 256, 512, packetGrads} {
		c, err := microcode.Measure(p, n)
		if err != nil {
			return f, err
		}
		t.Add(render.Int(n), render.Int(c.First), render.Int(c.Next), render.Int(c.Last), render.Number(float64(c.Next)/float64(n), 3))
	}
	f.Tables = append(f.Tables, t)
	counts, err := withoutPolicies(isa.Machine{AddBytes: p.Adds()})
	if err != nil {
		return f, err
	}
	f.Tables = append(f.Tables, policyTable(counts))
	packets, timers := reached(p, isa.EntryPacket), reached(p, isa.EntryTimer)
	f.Set("trio.s6.3.instr-total", claims.Number(float64(p.Totals().Instructions)).
		Noting("%d that threads of packets can come to, and %d those of timers, %d of which both can; %d without policies of our own (table trio.program.policies)", len(packets), len(timers), len(packets)+len(timers)-p.Totals().Instructions, counts[len(policies)]))
	f.Predict("trio.s6.3.instr-per-gradient", claims.Prediction{
		Low: loopOf(isa.MaxAddBytes), High: loop, Model: "instructions of the loop over a tail of 64-byte chunks", Constants: []string{"pfe.add-bytes"},
		Note: "from one XTXN that adds 64 bytes (trio.add-width) to one for each gradient, as our program has it: the paper lists a 32-bit add; an instruction issues one XTXN",
	})
	if err := pfeRecords(&f, p); err != nil {
		return f, err
	}
	return f, pfeLoopShare(&f, p, loop)
}

// reached is the instructions that threads of a kind of entries can come to.
func reached(p *isa.Program, kind isa.EntryKind) map[int]bool {
	seen := map[int]bool{}
	var visit func(at int)
	visit = func(at int) {
		if seen[at] {
			return
		}
		seen[at] = true
		for _, b := range p.Instructions[at].Next {
			switch b.Jump {
			case isa.Goto:
				visit(b.Target)
			case isa.Call:
				visit(b.Target)
				visit(at + 1) // where the called ones return to
			}
		}
	}
	for _, e := range p.Entries {
		if e.Kind == kind {
			visit(e.Target)
		}
	}
	return seen
}

// loopOf is what the loop takes where an XTXN adds so many bytes, up to 64 as reads and
// writes (Trio §2.3): one instruction reads a chunk of 64, and each add is one more.
func loopOf(bytes float64) float64 { return (1 + 64/bytes) / chunkGrads }

// pfeLoopShare holds the loop over the tail against all of a packet's instructions, and
// against the loop that builds the result.
func pfeLoopShare(f *experiment.Findings, p *isa.Program, loop float64) error {
	whole, err := microcode.Measure(p, packetGrads)
	if err != nil {
		return err
	}
	short, err := microcode.Measure(p, packetGrads/2)
	if err != nil {
		return err
	}
	// What a completing packet executes beyond another one, and that grows with the
	// gradients, is building the result and clearing the buffer.
	extra := float64(whole.Last-whole.Next) - float64(short.Last-short.Next)
	result := extra / (packetGrads / 2) * (packetGrads - headGrads)
	tail := loop * (packetGrads - headGrads)
	m := claims.NumberParts(map[string]float64{"tail_loop_pct": 100 * tail / float64(whole.Next), "result_over_tail": result / tail})
	f.Set("trio.s6.3.loop-dominates", m.Noting("of a packet of 1024 gradients; the loops that build a result and clear its buffer, over that which adds a packet's tail"))
	return nil
}
