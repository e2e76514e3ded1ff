package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/program/filter"
	"github.com/inalab/inalab/switchd/program/police"
	"github.com/inalab/inalab/switchd/program/telemetry"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
)

// microcodeProgram is a Microcode program that comes with inalab.
type microcodeProgram struct {
	name, about  string
	file, source string
	aggregates   bool // it is Trio-ML, or more, and can be measured on its packets
}

// microcodePrograms lists them in the order of help texts.
func microcodePrograms() []microcodeProgram {
	own := func(name, about string, s microcode.Source, aggregates bool) microcodeProgram {
		return microcodeProgram{name, about, s.File, s.Text, aggregates}
	}
	return []microcodeProgram{
		own("trioml", "Trio-ML: aggregation and straggler mitigation (Trio §4, §5)", microcode.TrioML(), true),
		own("advanced", "Trio-ML that tells temporary from permanent stragglers (§5)", microcode.Advanced(), true),
		{"filter", "the filtering example (§3.2)", filter.File, filter.Source(), false},
		{"telemetry", "heavy hitters, reported by a timer thread (§7)", telemetry.File, telemetry.Source(), false},
		{"police", "a policer for each sender, against floods (§7)", police.File, police.Source(), false},
	}
}

// isOwn reports whether a program is none of these, but in a file.
func isOwn(name string) bool {
	return !slices.ContainsFunc(microcodePrograms(), func(p microcodeProgram) bool { return p.name == name })
}

// measuredGrads are packets of the sizes of Trio Fig 15.
var measuredGrads = []int{64, 256, 512, 1024}

// measureMicrocode prints how many instructions the threads of Trio-ML execute.
func measureMicrocode(w io.Writer, name string, p *isa.Program) error {
	aggregates := func(known microcodeProgram) bool { return known.name == name && known.aggregates }
	if !slices.ContainsFunc(microcodePrograms(), aggregates) {
		return nil
	}
	loop, err := microcode.TailLoop(p)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nmeasured, instructions of a packet's thread on an idle PFE; per gradient: of packets in between\n")
	fmt.Fprintf(w, "      %-10s %14s %14s %14s %16s\n", "gradients", "creates block", "in between", "completes it", "per gradient")
	for _, n := range measuredGrads {
		c, err := microcode.Measure(p, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "      %-10d %14d %14d %14d %16.3f\n", c.Grads, c.First, c.Next, c.Last, float64(c.Next)/float64(c.Grads))
	}
	_, err = fmt.Fprintf(w, "      the loop over the tail: %.4f instructions per gradient\n", loop)
	return err
}
