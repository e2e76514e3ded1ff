package pipeline

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// The program fits: tags in stage 2, bitmaps in stage 3, values in stages 4 to 12.
func TestProgramFits(t *testing.T) {
	placed, err := fit.Place(Program(bareConfig(), Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for register, stage := range map[string]int{"quarters": 1, "stamp0": 2, "stamp1": 2, "bitmap": 3, "counter": 4, "exponent0": 4, "exponent1": 4} {
		id, _ := placed.FindRegister(register)
		if got := placed.Registers[id].Stages[0]; got != stage {
			t.Errorf("register %s is in stage %d, want %d", register, got, stage)
		}
	}
	id, _ := placed.FindRegister("values")
	if s := placed.Registers[id].Stages; s[0] != 4 || s[len(s)-1] != fit.Stages {
		t.Errorf("values are in stages %v", s)
	}
	golden.Equal(t, "fit.txt", placed.String())
}

// There is no room for 34 values in each half: the 36 stateful ALUs from stage 4 on
// hold a counter, two exponents and 33 values.
func TestTooManyValues(t *testing.T) {
	p := Program(bareConfig(), Options{})
	for i := range p.Registers {
		if r := &p.Registers[i]; r.Name == "values" {
			r.Copies = lanes + 2
		}
	}
	for i := range p.Headers {
		if h := &p.Headers[i]; strings.HasPrefix(h.Name, "d") {
			h.Fields[0].Count = lanes + 2
		}
	}
	for i := range p.Tables {
		if p.Tables[i].Name == "values" {
			p.Tables[i].Copies = lanes + 2
		}
	}
	_, err := fit.Place(p)
	if err == nil {
		t.Fatal("34 values of each half fit")
	}
	for _, r := range fit.Refusals(err) {
		if r.Rule != fit.ALUs.Rule() {
			t.Errorf("%v", r)
		}
	}
}

// What is shown of a chip in use.
func TestViews(t *testing.T) {
	c := newChip(t, oneJob(256, 2, 3), Options{Ports: 8})
	for w := range 3 {
		c.send(packetOf(w, 0, 256))
	}
	v := packetOf(2, 0, 256)
	v.slot = 1
	c.send(v)
	c.send(packetOf(1, 0, 256))
	var b strings.Builder
	for _, view := range c.e.Views() {
		table := c.e.View(0, view, 100)
		if view == tofino.ViewPorts || view == dataplane.ViewResources { // long, and tested where they are made
			if len(table.Rows) == 0 {
				t.Errorf("view %s is empty", view)
			}
			table.Columns, table.Rows = nil, nil
			table.Notes = table.Notes[max(0, len(table.Notes)-1):]
		}
		b.WriteString(string(view) + "\n")
		show(&b, table)
	}
	golden.Equal(t, "views.txt", b.String())
	if got := c.e.View(0, dataplane.ViewThreads, 1); len(got.Columns) != 0 {
		t.Errorf("a chip shows threads: %+v", got)
	}
}

func show(b *strings.Builder, t dataplane.Table) {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	b.WriteString("  " + strings.Join(names, " | ") + "\n")
	for _, row := range t.Rows {
		var words []string
		for _, v := range row {
			words = append(words, v.String())
		}
		b.WriteString("  " + strings.Join(words, " | ") + "\n")
	}
	for _, n := range t.Notes {
		b.WriteString("  " + n + "\n")
	}
}

// BenchmarkPlace is how long it takes to place the programs.
func BenchmarkPlace(b *testing.B) {
	for name, o := range map[string]Options{"udp": {}, "half": {Half: true}, "rdma": {RDMA: true}} {
		p := Program(bareConfig(), o)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := fit.Place(p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
