package rig

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
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

// Trio is the reference program of one PFE.
type Trio struct {
	sansiotest.Feed
	Prog *reference.Program
	Out  []TrioResult
}

// TrioResult is a result packet and when it left.
type TrioResult struct {
	At   units.Time
	H    wire.Header
	Sums []int32
}

// NewTrio returns a PFE with a job of n sources and at most so many blocks open; zero
// is the default.
func NewTrio(cfg program.Config, n, blocks int) (*Trio, error) {
	job := TrioJob(n, 0)
	job.BlockMax = blocks
	cfg.Node, cfg.Jobs = "pfe", []program.Job{job}
	p, err := reference.New(cfg)
	r := &Trio{Prog: p}
	r.Feed = sansiotest.Feed{Machine: p, Sent: r.take}
	return r, err
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
