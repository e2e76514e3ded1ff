package rig

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
)

// Elements are the values of a packet of SwitchML, unless a rig says otherwise.
const Elements = 64

// SwitchMLUp is the flow of a worker's packets of SwitchML.
func SwitchMLUp(w int) inet.Flow { return Up(w, 4711, wire.Port) }

// SwitchMLJob returns a job of workers from a number on, at the ports of these numbers
// modulo the ports that there are.
func SwitchMLJob(id uint8, first, n, slots, ports int) program.Job {
	j := program.Job{ID: id, Elements: Elements, Slots: slots}
	for w := first; w < first+n; w++ {
		j.Workers = append(j.Workers, program.Worker{ID: uint8(w), MAC: mac(w), Addr: Worker(w), Port: sansio.Port(w % ports)})
	}
	return j
}

// SwitchMLConfig returns a switch with jobs.
func SwitchMLConfig(jobs ...program.Job) program.Config {
	return program.Config{Node: "tor", Router: Router, Jobs: jobs}
}

// SwitchML is what aggregates in one switch, the reference program or an emulated chip.
type SwitchML struct {
	sansiotest.Feed
	Elements int              // of a packet
	Got      []SwitchMLResult // since the last packet was sent
	Last     units.Time       // when the latest of them left
	Err      error            // a result that holds different sums of equal values

	ports int      // that workers share
	ups   [][]byte // headers of the workers' packets
	body  []byte
}

// SwitchMLResult is a packet to one worker; all its values are as the first.
type SwitchMLResult struct {
	To    int
	Value int32
}

// NewSwitchML returns the pipeline with a job of n workers.
func NewSwitchML(n, slots int) (*SwitchML, error) {
	p, err := pipeline.New(SwitchMLConfig(SwitchMLJob(1, 0, n, slots, n)), pipeline.Options{Ports: n})
	return NewSwitchMLOn(p, n, n, Elements), err
}

// NewSwitchMLOn returns a rig of what aggregates for n workers at so many ports.
func NewSwitchMLOn(m sansio.Machine, n, ports, elements int) *SwitchML {
	r := &SwitchML{Elements: elements, ports: ports, body: make([]byte, wire.HeaderLen+4*elements)}
	r.Feed = sansiotest.Feed{Machine: m, Sent: r.take}
	for w := range n {
		h := inet.UDPHeader(SwitchMLUp(w))
		inet.SetUDPBody(h, len(r.body))
		r.ups = append(r.ups, h)
	}
	return r
}

// PacketTime is the time of a packet on a link.
func (r *SwitchML) PacketTime(rate units.Rate) units.Duration {
	return rate.TimeToSend(units.Bytes(len(r.ups[0])+len(r.body)) + units.EthernetFraming)
}

// Send hands over the packet of worker w for a slot in a phase, from 0, all of whose
// values are v. It returns what left at once, valid until the next packet.
func (r *SwitchML) Send(w, slot, phase int, v int32) []SwitchMLResult {
	r.Got = r.Got[:0]
	size, _ := wire.SizeOf(r.Elements)
	wire.Header{Type: wire.TypeConsume, Size: size, PacketID: uint32(phase), Set: uint8(phase & 1), Slot: uint16(slot)}.Put(r.body)
	for i := wire.HeaderLen; i < len(r.body); i += 4 {
		binary.BigEndian.PutUint32(r.body[i:], uint32(v))
	}
	r.Arrive(r.Now, sansio.Arrival{Port: sansio.Port(w % r.ports), Train: sansio.Train{Header: r.ups[w], Body: r.body}})
	return r.Got
}

func (r *SwitchML) take(at units.Time, s *sansio.Send) {
	for i := range s.Train.Frames() {
		values := s.Train.Payload(i)[wire.HeaderLen:]
		if !bytes.Equal(values[4:], values[:len(values)-4]) {
			r.Err = errors.New("a result holds different sums of equal values")
		}
		for _, port := range s.To {
			r.Got = append(r.Got, SwitchMLResult{int(port), int32(binary.BigEndian.Uint32(values))})
		}
	}
	r.Last = at
}

// Part is what worker w sends of a chunk, such that every sum tells what it is of.
func Part(w, chunk int) int32 { return Value(w) + 100*int32(chunk) }
