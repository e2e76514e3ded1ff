package trio

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/mem"
)

func memoryColumns(timed bool) []dataplane.Column {
	out := []dataplane.Column{
		{Key: "what", Name: "what"},
		{Key: "used", Name: "used"},
		{Key: "size", Name: "of"},
		{Key: "unit", Name: "unit"},
	}
	if timed {
		out = append(out,
			dataplane.Column{Key: "served", Name: "served"},
			dataplane.Column{Key: "waited", Name: "of these waited"},
			dataplane.Column{Key: "busy_us", Name: "busy", Unit: "us"},
			dataplane.Column{Key: "wait_us", Name: "waits", Unit: "us"})
	}
	return out
}

func (p *PFE) viewMemory() dataplane.Table {
	s, l := p.Snapshot(), p.memory.Layout()
	t := sheet{dataplane.Table{Columns: memoryColumns(p.clock != nil)}}
	sram, dram := p.programMemory()
	t.room("SRAM that the program declares", units.Bytes(sram), l.SRAM.Bytes())
	t.room("DRAM that the program declares", units.Bytes(dram), l.DRAM.Bytes())
	t.room("SRAM and DRAM that were written to", s.Memory.Resident, l.SRAM.Bytes()+l.DRAM.Bytes()+l.Records.Bytes())
	t.row("records of the hash table", cell{"used", dataplane.Int(s.Memory.Records)}, cell{"size", dataplane.Int(s.Memory.Room)},
		cell{"unit", dataplane.Text("records")})
	t.room("packet memory", s.PacketMemory, s.PacketLimit)
	if p.clock == nil {
		t.Notes = append(t.Notes, "memory takes no modelled time here: its banks and engines are not simulated")
		return t.Table
	}
	for i, e := range s.Memory.Engines {
		t.load(fmt.Sprintf("RMW engine %d", i), e)
	}
	t.load("hash unit", s.Memory.Hash)
	return t.Table
}

// room adds a row of bytes, in the largest unit of which there is room for a
// hundred.
func (t *sheet) room(what string, used, size units.Bytes) {
	unit, name := units.Bytes(1), "B"
	for _, u := range []struct {
		unit units.Bytes
		name string
	}{{units.KiB, "KiB"}, {units.MiB, "MiB"}, {units.GiB, "GiB"}} {
		if size >= 100*u.unit {
			unit, name = u.unit, u.name
		}
	}
	in := func(n units.Bytes) dataplane.Value { return dataplane.Real(float64(n) / float64(unit)) }
	t.row(what, cell{"used", in(used)}, cell{"size", in(size)}, cell{"unit", dataplane.Text(name)})
}

func (t *sheet) load(what string, l mem.Load) {
	t.row(what, cell{"served", dataplane.Int(l.Served)}, cell{"waited", dataplane.Int(l.Waited)},
		cell{"busy_us", dataplane.Micros(l.Busy)}, cell{"wait_us", dataplane.Micros(l.Wait)})
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
