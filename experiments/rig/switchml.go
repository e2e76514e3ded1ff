package rig

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
)

// Elements are the values a packet of rigs.
const Elements = 64

// Port is the UDP port of workers.
const Port = 4711

func SwitchMLUp(w int) inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, byte(w)}, DstMAC: inet.MAC{2, 1}, Src: Worker(w), Dst: Router,
		SrcPort: Port, DstPort: wire.Port,
	}
}

// SwitchMLConfig is a switch with a job of n workers.
func SwitchMLConfig(n, slots int) program.Config {
	j := program.Job{ID: 1, Elements: Elements, Slots: slots}
	for w := range n {
		j.Workers = append(j.Workers, program.Worker{MAC: inet.MAC{2, 0, 0, 0, byte(w >> 8), byte(w)}, Addr: Worker(w), Port: sansio.Port(w)})
	}
	return program.Config{Node: "tor", Router: Router, Jobs: []program.Job{j}}
}

// SwitchML is what aggregates in one switch, the reference program or an emulated
// chip, whose packets are made and whose results are taken apart here.
type SwitchML struct {
	prog   sansio.Machine
	eff    sansio.Effects
	ups    [][]byte // header of each worker's packets
	Ports  int      // that workers share; zero: each has its own
	body   []byte
	answer []SwitchMLResult
}

// SwitchMLResult is a packet to one worker; all its values are as the first.
type SwitchMLResult struct {
	To    int
	Value int32
}

func NewSwitchML(n, slots int) (*SwitchML, error) {
	p, err := reference.New(SwitchMLConfig(n, slots))
	if err != nil {
		return nil, err
	}
	return NewSwitchMLOn(p, n), nil
}

// NewSwitchMLOn returns a rig of what aggregates for n workers.
func NewSwitchMLOn(m sansio.Machine, n int) *SwitchML {
	r := &SwitchML{prog: m, body: make([]byte, wire.HeaderLen+4*Elements)}
	for w := range n {
		h := inet.UDPHeader(SwitchMLUp(w))
		inet.SetUDPBody(h, len(r.body))
		r.ups = append(r.ups, h)
	}
	return r
}

// Send hands over a packet of worker w, all of whose values are v, and returns
// what left, valid until the next call.
func (r *SwitchML) Send(w int, set uint8, slot int, v int32) ([]SwitchMLResult, error) {
	wire.Header{Type: wire.TypeConsume, Size: 1, Set: set, Slot: uint16(slot)}.Put(r.body)
	for i := wire.HeaderLen; i < len(r.body); i += 4 {
		binary.BigEndian.PutUint32(r.body[i:], uint32(v))
	}
	port := sansio.Port(w)
	if r.Ports > 0 {
		port = sansio.Port(w % r.Ports)
	}
	r.prog.Handle(0, []sansio.Arrival{{Port: port, Train: sansio.Train{Header: r.ups[w], Body: r.body}}}, &r.eff)
	defer r.eff.Reset()
	r.answer = r.answer[:0]
	for _, s := range r.eff.Sends {
		values := s.Train.Payload(0)[wire.HeaderLen:]
		first := values[:4]
		for ; len(values) > 0; values = values[4:] {
			if !slices.Equal(values[:4], first) {
				return nil, fmt.Errorf("a result holds different sums of equal values")
			}
		}
		r.answer = append(r.answer, SwitchMLResult{int(s.To[0]), int32(binary.BigEndian.Uint32(first))})
	}
	return r.answer, nil
}

// Part is what worker w sends of a chunk, such that every sum tells what it is of.
func Part(w int, chunk int8) int32 { return Value(w) + 100*int32(chunk) }
