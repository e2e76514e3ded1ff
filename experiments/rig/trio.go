package rig

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// TrioID is the id of every job of Trio-ML.
const TrioID = 1

// TrioUp is the flow of a worker's packets of Trio-ML.
func TrioUp(w int) inet.Flow { return Up(w, wire.Port, wire.Port) }

// TrioDown is the flow of results.
func TrioDown() inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 1}, DstMAC: inet.MulticastMAC(group), Src: Router, Dst: group, SrcPort: wire.Port, DstPort: wire.Port,
	}
}

// TrioJob returns a job of sources 0 to n-1, whose results leave by ports.
func TrioJob(n int, to ...sansio.Port) program.Job {
	job := program.Job{ID: TrioID, Out: TrioDown(), To: to}
	for s := range n {
		job.Sources = append(job.Sources, uint8(s))
	}
	return job
}

// TrioPacket returns a packet of source h.Source with these gradients.
func TrioPacket(h wire.Header, grads ...int32) sansio.Train {
	h.Grads = uint16(len(grads))
	t := TrioLengths(h)
	for _, g := range grads {
		t.Body = binary.BigEndian.AppendUint32(t.Body, uint32(g))
	}
	t.Unstored = 0
	return t
}

// TrioLengths returns a packet whose gradients, h.Grads of them, are only counted.
func TrioLengths(h wire.Header) sansio.Train {
	h.Job, h.SrcCnt = TrioID, 1
	t := sansio.Train{Header: inet.UDPHeader(TrioUp(int(h.Source))), Body: make([]byte, wire.HeaderLen), Unstored: 4 * int(h.Grads)}
	h.Put(t.Body)
	inet.SetUDPBody(t.Header, len(t.Body)+t.Unstored)
	return t
}

// Trio is one PFE, the reference program or Microcode on an emulated one.
type Trio struct {
	sansiotest.Feed
	Prog TrioProgram
	Out  []TrioResult
}

// TrioProgram is what aggregates in a PFE.
type TrioProgram interface {
	sansio.Machine
	OpenBlocks() int
	Counters() []sansio.Count
}

// TrioResult is a result packet and when it left.
type TrioResult struct {
	At   units.Time
	H    wire.Header
	Sums []int32
}

// NewTrio returns a PFE that runs the reference program, with a job of n sources and at most
// so many blocks open; zero is the default.
func NewTrio(cfg program.Config, n, blocks int) (*Trio, error) {
	p, err := reference.New(withTrioJob(cfg, n, blocks))
	return newTrio(p), err
}

func withTrioJob(cfg program.Config, n, blocks int) program.Config {
	job := TrioJob(n, 0)
	job.BlockMax = blocks
	cfg.Node, cfg.Jobs = "pfe", []program.Job{job}
	return cfg
}

func newTrio(p TrioProgram) *Trio {
	r := &Trio{Prog: p}
	r.Feed = sansiotest.Feed{Machine: p, Sent: r.take}
	return r
}

// TrioPFE makes emulated PFEs that run Trio-ML in Microcode, without time.
type TrioPFE struct {
	program  *isa.Program
	memory   mem.Config
	Observer trio.Observer // is told what threads do; nil: nobody
}

// NewTrioPFE compiles the program, for PFEs with room for so many records of blocks and
// jobs.
func NewTrioPFE(records int) (TrioPFE, error) {
	p, err := microcode.Compile()
	return TrioPFE{program: p, memory: mem.Config{Records: records}}, err
}

// TimerPart returns what a timer's thread has been started for: a part of the table, and which
// of its runs it is.
func TimerPart(t *vm.Thread) (part, run int) {
	w := t.Register(isa.WorkRegister)
	return int(w >> 48), int(uint32(w))
}

// Engine returns a PFE with the jobs of a configuration.
func (p TrioPFE) Engine(cfg program.Config) (*microcode.Engine, error) {
	return microcode.New(cfg, microcode.Options{Program: p.program, Memory: p.memory, Observer: p.Observer})
}

// Trio is [NewTrio] with Microcode.
func (p TrioPFE) Trio(cfg program.Config, n, blocks int) (*Trio, error) {
	e, err := p.Engine(withTrioJob(cfg, n, blocks))
	if err != nil {
		return nil, err
	}
	return newTrio(e), nil
}

// Send hands over one packet.
func (r *Trio) Send(t sansio.Train) { r.Arrive(r.Now, sansio.Arrival{Train: t}) }

func (r *Trio) take(at units.Time, s *sansio.Send) {
	for i := range s.Train.Frames() {
		payload := s.Train.Payload(i)
		h, _ := wire.ParseUnstored(payload, s.Train.Unstored)
		res := TrioResult{At: at, H: h}
		for b := payload[wire.HeaderLen:]; len(b) >= 4; b = b[4:] {
			res.Sums = append(res.Sums, int32(binary.BigEndian.Uint32(b)))
		}
		r.Out = append(r.Out, res)
	}
}
