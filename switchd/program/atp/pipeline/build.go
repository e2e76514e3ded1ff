package pipeline

import (
	"math/bits"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// Sizes of tables; all assumed.
const (
	maxJobs    = 256
	maxSources = 16384 // entries of a level: two for each source of a job and server, and port of its
	maxWays    = 8192  // entries of parameter packets: four for each server and port
)

// tick is the unit of ages: bits 16 to 47 of a time in nanoseconds. Half of their range is 39
// hours, so that what lies within it never looks young again.
const (
	tickBits = 16
	tick     = units.Nanosecond << tickBits
)

// builder makes the program.
type builder struct {
	p           ir.Program
	aggregators int
	age         units.Duration
	mark        int // cells of a queue from which packets are marked; 0: none are
}

// halves is how many entries control registers have: one for each half of an aggregator, first
// all first halves. A register has one at least.
func (b *builder) halves() int { return 2 * max(b.aggregators, 1) }

// entryBits is how many bits name an entry.
func (b *builder) entryBits() int { return bits.Len(uint(b.halves() - 1)) }

// program returns the program.
func (b *builder) program() *ir.Program {
	b.p = ir.Program{Name: "atp", Headers: headers(), Metadata: metadata(), Registers: b.registers()}
	b.arrive()
	b.aggregate()
	b.values()
	b.verdicts()
	b.refusals()
	b.p.Ingress = ir.Gress{
		Parser: parser(), Control: b.control(),
		Deparse: []string{"md", "eth", "ipv4", "udp", "atp", "done", "d"},
	}
	b.p.Egress = b.egress()
	return &b.p
}

// control joins the steps. A packet for which this switch has something to do gets to its half; of
// any other it is found out why.
func (b *builder) control() []ir.Step {
	roles := when(compare("atp.ack", ir.Equal, ir.C(1)), apply(tableParameters),
		when(compare("atp.edge", ir.Equal, ir.C(0)), apply(tableLevels[0]), apply(tableLevels[1])))
	fresh := append(apply("start", "half", tableJobs), roles...)
	marked := compare("meta.known", ir.Equal, ir.C(1))
	marked.And = compare("ipv4.ecn", ir.Equal, ir.C(codepointCE))
	here := compare("meta.op", ir.NotEqual, ir.C(opNone))
	here.And = compare("meta.says", ir.Equal, ir.F("meta.fan"))
	here.And.And = compare("atp.index", ir.Less, ir.C(uint64(b.aggregators)))
	work := append(apply("own"), when(compare("meta.owner", ir.NotEqual, ir.C(0)), b.inside(), nil)...)
	work = append(work, when(valid("md"), apply("finish"), apply("judge"))...)
	work = append(work, when(compare("meta.way", ir.NotEqual, ir.C(wayNone)), apply("values"), nil)...) // last: see package tracetree
	arrived := append(fresh, when(marked, apply("unmark"), nil)...)
	return append(
		when(valid("md"), apply("resume"), when(valid("d"), arrived, nil)),
		when(here, work, b.refused())...,
	)
}

// inside are the steps on a half that is the packet's or is freed.
func (b *builder) inside() []ir.Step {
	steps := apply("bitmap", "ecn", "counter", "classify")
	steps = append(steps, when(compare("meta.mark", ir.Equal, ir.C(1)), apply("marked"), nil)...)
	steps = append(steps, when(compare("meta.count", ir.Less, ir.F("meta.full")), nil, apply("complete"))...)
	same := valid("md")
	same.And = compare("meta.set", ir.Equal, ir.F("md.set"))
	return append(steps, when(same, apply("same"), nil)...)
}

// recirculation is the port by which packets with sums come back.
var recirculation = uint64(tofino.Recirculation(0))
