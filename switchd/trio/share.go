package trio

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Several programs on one PFE. Each is a [PFE] of its own to its caller: it has its packets in
// transit, its next hops, its timers, and its part of the shared memory, in which addresses
// count from the beginning of the part. With time, they share the machine: PPEs and threads,
// the dispatch queue, packet memory, the read-modify-write engines, the hash unit.
//
//	program A --> [ LMEM  registers ] --+--> engines, hash unit --> memory of A
//	program B --> [ any free thread ] --+                      +--> memory of B

// resident is a PFE, or an engine that embeds one.
type resident interface{ loaded() *PFE }

func (p *PFE) loaded() *PFE { return p }

// Share has p run on the machine of other engines of the same PFE, in the order in which they
// came; those of other kinds do not count. Where one of them has time, p has its time and its
// threads, whatever the configuration says. It is called once, before anything else, and
// refuses a part of the shared memory for which there is no room.
func (p *PFE) Share(others []dataplane.Engine) error {
	var programs []*PFE
	for _, o := range others {
		if r, ok := o.(resident); ok {
			programs = append(programs, r.loaded())
		}
	}
	if len(programs) == 0 {
		return nil
	}
	if err := p.checkRoom(programs); err != nil {
		return err
	}
	i := slices.IndexFunc(programs, func(o *PFE) bool { return o.clock != nil })
	if i < 0 {
		return nil
	}
	host := programs[i]
	p.clock = &clock{machine: host.clock.machine, reorder: newReorder()}
	p.delayAdds()
	p.cfg.PPEs, p.cfg.Threads, p.cfg.Queue, p.cfg.PacketMemory = host.cfg.PPEs, host.cfg.Threads, host.cfg.Queue, host.cfg.PacketMemory
	p.clock.members = append(p.clock.members, p)
	return nil
}

// Retire takes p from its machine: it is not called again. Its threads end at their next step,
// and free their part of the machine.
func (p *PFE) Retire() {
	p.retired = true
	if c := p.clock; c != nil {
		for i := range c.adding {
			if c.adding[i].owner == p {
				c.adding[i].settle()
				c.adding[i] = adding{}
			}
		}
		p.clock.members = slices.DeleteFunc(p.clock.members, func(o *PFE) bool { return o == p })
	}
}

// checkRoom reports for which memory there is no room beside other programs.
func (p *PFE) checkRoom(others []*PFE) error {
	limit := [...]units.Bytes{mem.SRAM: mem.DefaultSRAM, mem.DRAM: mem.DefaultDRAM}
	limit[mem.SRAM] = max(limit[mem.SRAM], others[0].cfg.Memory.SRAM)
	limit[mem.DRAM] = max(limit[mem.DRAM], others[0].cfg.Memory.DRAM)
	need := p.claims()
	var errs []error
	for region, have := range limit {
		var taken units.Bytes
		var holders []string
		for _, o := range others {
			n := o.claims()[region]
			taken += n
			holders = append(holders, fmt.Sprintf("%s %v", o.cfg.Program.Name, n))
		}
		if taken+need[region] > have {
			errs = append(errs, fmt.Errorf("program %s needs %v of %v, and of %v others of the PFE have %v: use less memory or fewer hash records, or run it on another PFE",
				p.cfg.Program.Name, need[region], mem.Region(region), have, holders))
		}
	}
	return errors.Join(errs...)
}

// claims returns what a program takes of the shared memory, by region: what it declares, and
// its hash records.
func (p *PFE) claims() (out [2]units.Bytes) {
	l := p.memory.Layout()
	out[p.cfg.Memory.RecordsIn] += l.Records.Bytes()
	for _, s := range p.cfg.Program.Symbols {
		if !s.Kind.Shared() {
			continue
		}
		region := mem.SRAM
		if mem.Addr(s.Value) >= mem.DRAMBase {
			region = mem.DRAM
		}
		out[region] += units.Bytes(s.Size)
	}
	return out
}

// packetMemory returns what packets of all programs of the PFE take of the packet memory.
func (p *PFE) packetMemory() (n units.Bytes) {
	if p.clock == nil || p.retired {
		return p.used
	}
	for _, member := range p.clock.members {
		n += member.used
	}
	return n
}
