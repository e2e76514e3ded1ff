package chip

import (
	"errors"
	"fmt"
	"strings"

	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// placedProgram is the program of one pipe where fit has put it.
func placedProgram(workers int) (*fit.Program, error) {
	cfg := rig.SwitchMLConfig(job(1, 0, workers, 1))
	return fit.Place(pipeline.Program(cfg, pipeline.Options{}))
}

// MemoryUse is what a pool takes of the memory of one pipe, in blocks.
type MemoryUse struct {
	slots       int
	registers   int // of the pool alone, with the spare block that each register has
	available   int
	whole       int // of the program with all its tables and the whole pool
	alus        fit.Use
	valueBytes  int // of the registers of values, in all pipes
	bitmapBytes int // of those of seen, in the pipe that has them
}

// Percent is the share of the SRAM of one pipe.
func (m MemoryUse) Percent() float64 { return 100 * float64(m.registers) / float64(m.available) }

// String says what the pool takes.
func (m MemoryUse) String() string {
	return fmt.Sprintf("%d slots take %d of %d SRAM blocks of a pipe; all %d slots with every table %d; the program takes %d of %d stateful ALUs, whatever the pool",
		m.slots, m.registers, m.available, switchml.MaxSlots, m.whole, m.alus.Used, m.alus.Available)
}

// MemoryShare reads what the placed program takes, and counts the blocks of its
// registers if they had entries for a part of the pool.
func MemoryShare(slots int) (MemoryUse, error) {
	p, err := placedProgram(1)
	if err != nil {
		return MemoryUse{}, err
	}
	m := MemoryUse{slots: slots}
	for _, s := range p.Resources().Stages {
		m.whole += s.Uses[fit.SRAM].Used
		m.available += s.Uses[fit.SRAM].Available
		m.alus.Used += s.Uses[fit.ALUs].Used
		m.alus.Available += s.Uses[fit.ALUs].Available
	}
	const block = fit.SRAMWord * fit.SRAMWords
	for i := range p.Registers {
		r := &p.Registers[i]
		bits := r.Size / switchml.MaxSlots * slots * r.Lanes * r.Bits
		m.registers += r.Copies * ((bits+block-1)/block + fit.SpareBlocks)
		switch r.Name {
		case "values":
			m.valueBytes = r.Copies * bits / 8 * pipelines
		case "bitmap":
			m.bitmapBytes = bits / 8
		}
	}
	if m.valueBytes == 0 || m.bitmapBytes == 0 || m.registers >= m.whole {
		return m, fmt.Errorf("the placed program has %d blocks, and %d of registers: its registers are not those that were expected", m.whole, m.registers)
	}
	return m, nil
}

// job is one of workers from a number on, at the ports of the chip.
func job(id uint8, first, workers, slots int) switchml.Job {
	return rig.SwitchMLJob(id, first, workers, slots, pipeline.MaxPorts)
}

// PoolUse is what jobs do with the pool of one pipeline.
type PoolUse struct {
	Slots   int    // of the two jobs
	Shared  int    // sums that hold another job's values, or are not there
	Refused string // what a third job is told
}

// SharedPool gives the whole pool to two jobs, whose workers take turns on each slot
// number, and asks for one slot more.
func SharedPool() (out PoolUse, err error) {
	const half = switchml.MaxSlots / 2
	cfg := rig.SwitchMLConfig(job(1, 0, 2, half), job(2, 2, 2, half))
	e, err := pipeline.New(cfg, pipeline.Options{})
	if err != nil {
		return out, err
	}
	out.Slots = 2 * half
	r := rig.NewSwitchMLOn(e, 4, pipeline.MaxPorts, rig.Elements)
	value := func(w, slot int) int32 { return int32(10_000*(w+1) + slot) }
	for _, w := range []int{0, 2, 1, 3} { // both jobs have every slot open before one is complete
		for slot := range half {
			got := r.Send(w, slot, 0, value(w, slot))
			if w%2 == 0 {
				out.Shared += len(got)
				continue
			}
			if want := value(w-1, slot) + value(w, slot); len(got) != 2 || got[0].Value != want || got[1].Value != want {
				out.Shared++
			}
		}
	}
	third := cfg
	third.Jobs = append(third.Jobs[:2:2], job(3, 4, 1, 1))
	out.Refused, err = refusal(third)
	return out, errors.Join(err, r.Err)
}

// refusal returns why a chip does not take jobs; that it does is an error.
func refusal(cfg switchml.Config) (string, error) {
	_, err := pipeline.New(cfg, pipeline.Options{})
	var r *dataplane.Refusal
	last := fmt.Sprintf("job %d", cfg.Jobs[len(cfg.Jobs)-1].ID)
	if !errors.As(err, &r) || r.Reason != dataplane.RefusedNoRoom || !strings.Contains(r.Error(), last) {
		return "", fmt.Errorf("%s does not fit the pool, and what it is told is: %v", last, err)
	}
	return "One slot more is refused: " + r.Error() + ".", nil
}
