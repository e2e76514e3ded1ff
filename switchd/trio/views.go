package trio

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Views lists what can be seen of a PFE, whatever its program.
func (p *PFE) Views() []dataplane.View {
	return []dataplane.View{dataplane.ViewThreads, dataplane.ViewMemory, dataplane.ViewResources}
}

// View returns a view. Levels and latencies say nothing in instant mode, where no
// thread takes time.
func (p *PFE) View(_ units.Time, v dataplane.View, limit int) (t dataplane.Table) {
	switch v {
	case dataplane.ViewThreads:
		t = p.viewThreads()
	case dataplane.ViewMemory:
		t = p.viewMemory()
	case dataplane.ViewResources:
		t = p.viewResources()
	}
	t.Cut(limit)
	return t
}

// spanColumns follow what a distribution of times is of.
var spanColumns = []dataplane.Column{
	{Key: "n", Name: "times"},
	{Key: "mean_us", Name: "mean", Unit: "us"},
	{Key: "p50_us", Name: "p50", Unit: "us", Spare: 2},
	{Key: "p99_us", Name: "p99", Unit: "us"},
	{Key: "max_us", Name: "most", Unit: "us"},
}

func (l *Latency) values(timed bool) []dataplane.Value {
	out := make([]dataplane.Value, len(spanColumns))
	out[0] = dataplane.Int(l.N)
	if timed && l.N > 0 {
		for i, d := range []units.Duration{l.Mean(), l.Quantile(0.5), l.Quantile(0.99), l.Max} {
			out[1+i] = dataplane.Micros(d)
		}
	}
	return out
}

// threadColumns are those of the view: levels first, then times.
var threadColumns = append([]dataplane.Column{
	{Key: "what", Name: "what"},
	{Key: "now", Name: "now"},
	{Key: "most", Name: "most"},
	{Key: "mean", Name: "mean"},
	{Key: "limit", Name: "of"},
}, append(spanColumns, dataplane.Column{Key: "instructions", Name: "instructions"})...)

// threadTable collects rows of the view of threads.
type threadTable struct {
	dataplane.Table
	timed bool
}

func (t *threadTable) level(what string, l Level, limit int) {
	row := make([]dataplane.Value, len(threadColumns))
	row[0], row[4] = dataplane.Text(what), dataplane.Int(limit)
	if t.timed {
		row[1], row[2], row[3] = dataplane.Int(l.Now), dataplane.Int(l.Max), dataplane.Real(l.Mean)
	}
	t.Add(row...)
}

func (t *threadTable) spans(what string, l *Latency, instructions dataplane.Value) {
	row := make([]dataplane.Value, len(threadColumns))
	row[0] = dataplane.Text(what)
	copy(row[5:], l.values(t.timed))
	row[len(row)-1] = instructions
	t.Add(row...)
}

// only adds a row with one value.
func (t *threadTable) only(what, key string, v dataplane.Value) {
	row := make([]dataplane.Value, len(threadColumns))
	row[0] = dataplane.Text(what)
	for i, c := range threadColumns {
		if c.Key == key {
			row[i] = v
		}
	}
	t.Add(row...)
}

func (p *PFE) viewThreads() dataplane.Table {
	s := p.Snapshot()
	t := threadTable{Table: dataplane.Table{Columns: threadColumns}, timed: p.clock != nil}
	t.level(fmt.Sprintf("threads of %d PPEs in use", s.PPEs), s.InUse, s.Threads)
	t.level("packets that wait for a thread", s.Queue, p.cfg.Queue)
	t.spans("wait for a thread", &s.Wait, dataplane.Value{})
	for i := range s.Work {
		t.spans("threads: "+s.Work[i].Fate, &s.Work[i].Inside, dataplane.Int(s.Work[i].Instructions))
	}
	t.spans("packets sent on", &s.Sent, dataplane.Value{})
	t.spans("packets created", &s.Created, dataplane.Value{})
	for _, x := range s.XTXNs {
		t.only("XTXN "+x.Name, "n", dataplane.Int(x.N))
	}
	for _, timer := range s.Timers {
		t.only("threads of timer "+timer.Name+", every "+timer.Period.String(), "limit", dataplane.Int(timer.Threads))
	}
	if !t.timed {
		t.Notes = append(t.Notes, "threads take no time here: one runs at a time, to its end")
	}
	return t.Table
}

func (p *PFE) viewMemory() dataplane.Table {
	s := p.Snapshot()
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "what", Name: "what"},
		{Key: "used", Name: "used"},
		{Key: "size", Name: "of"},
		{Key: "unit", Name: "unit"},
		{Key: "served", Name: "served"},
		{Key: "waited", Name: "of these waited"},
		{Key: "busy_us", Name: "busy", Unit: "us"},
		{Key: "wait_us", Name: "waits", Unit: "us"},
	}}
	sram, dram := p.programMemory()
	l := p.memory.Layout()
	room := func(what string, used, size uint64, unit string) {
		t.Add(append([]dataplane.Value{dataplane.Text(what), dataplane.Int(used), dataplane.Int(size), dataplane.Text(unit)}, make([]dataplane.Value, 4)...)...)
	}
	room("SRAM of the program", sram, uint64(l.SRAM.Bytes()), "B")
	room("DRAM of the program", dram, uint64(l.DRAM.Bytes()), "B")
	room("hash table", uint64(s.Memory.Records), uint64(s.Memory.Room), "records")
	room("packet memory", uint64(s.PacketMemory), uint64(s.PacketLimit), "B")
	load := func(what string, l mem.Load) {
		t.Add(append(append([]dataplane.Value{dataplane.Text(what)}, make([]dataplane.Value, 3)...),
			dataplane.Int(l.Served), dataplane.Int(l.Waited), dataplane.Micros(l.Busy), dataplane.Micros(l.Wait))...)
	}
	for i, e := range s.Memory.Engines {
		load(fmt.Sprintf("RMW engine %d", i), e)
	}
	if p.clock == nil {
		t.Notes = append(t.Notes, "memory takes no time here: its engines are not simulated")
		return t
	}
	load("hash unit", s.Memory.Hash)
	return t
}

// programMemory returns the bytes of shared memory that the program declares.
func (p *PFE) programMemory() (sram, dram uint64) {
	for _, s := range p.cfg.Program.Symbols {
		switch {
		case !s.Kind.Shared():
		case s.Value >= isa.DRAMStart:
			dram += s.Size
		default:
			sram += s.Size
		}
	}
	return sram, dram
}

func (p *PFE) viewResources() dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "resource", Name: "resource"}, {Key: "used", Name: "used"}, {Key: "limit", Name: "of"}, {Key: "source", Name: "source of the limit"},
	}}
	n := p.cfg.Program.Totals()
	for _, r := range []struct {
		what        string
		used, limit int
		source      string
	}{
		{"instructions", n.Instructions, isa.MaxProgram, "assumed"},
		{"registers", n.Registers, isa.Registers, "Trio 2.2"},
		{"LMEM bytes of variables", n.LMEMBytes, isa.LMEMBytes, "Trio 2.2"},
		{"call depth", n.CallDepth, isa.CallDepth, "Trio 2.2"},
		{"register reads of an instruction", n.Most.RegisterReads, isa.MaxReads, "Trio 3.1"},
		{"LMEM reads of an instruction", n.Most.LMEMReads, isa.MaxLMEMReads, "Trio 3.1"},
		{"register writes of an instruction", n.Most.RegisterWrites, isa.MaxWrites, "Trio 3.1"},
		{"LMEM writes of an instruction", n.Most.LMEMWrites, isa.MaxWrites, "Trio 3.1"},
		{"conditions of an instruction", n.Most.Conditions, isa.MaxConditions, "assumed"},
		{"moves of an instruction", n.Most.MoveALUs, isa.MaxMoveALUs, "assumed"},
		{"targets of an instruction", n.Most.Targets, isa.MaxTargets, "Trio 2.2"},
	} {
		t.Add(dataplane.Text(r.what), dataplane.Int(r.used), dataplane.Int(r.limit), dataplane.Text(r.source))
	}
	return t
}
