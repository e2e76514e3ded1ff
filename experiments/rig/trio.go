package rig

import (
	"encoding/binary"
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
)

// The addresses of rigs.
var (
	Router = netip.AddrFrom4([4]byte{10, 0, 0, 254})
	group  = netip.AddrFrom4([4]byte{239, 0, 0, 1})
)

func Worker(w int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(w + 1)}) }

// TrioUp is the flow of a worker's packets, TrioDown that of results.
func TrioUp(w int) inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, byte(w)}, DstMAC: inet.MAC{2, 1}, Src: Worker(w), Dst: Router,
		SrcPort: wire.Port, DstPort: wire.Port,
	}
}

func TrioDown() inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 1}, DstMAC: inet.MulticastMAC(group), Src: Router, Dst: group,
		SrcPort: wire.Port, DstPort: wire.Port,
	}
}

// JobID is the id of every job of a rig.
const JobID = 1

// Trio is the program of one PFE, whose packets are made and whose results
// are taken apart here.
type Trio struct {
	Prog *reference.Program
	now  units.Time
	Out  []TrioResult
	eff  sansio.Effects
	eth  []byte
}

// TrioResult is a result packet and when it left.
type TrioResult struct {
	At   units.Time
	H    wire.Header
	Sums []int32
}

// NewTrio returns a PFE with one job, whose results leave by port 0 unless it
// says otherwise.
func NewTrio(cfg program.Config, job program.Job) (*Trio, error) {
	job.ID, job.Out = JobID, TrioDown()
	if job.To == nil {
		job.To = []sansio.Port{0}
	}
	cfg.Node, cfg.Jobs = "pfe", []program.Job{job}
	p, err := reference.New(cfg)
	if err != nil {
		return nil, err
	}
	return &Trio{Prog: p, eth: inet.UDPHeader(TrioUp(0))}, nil
}

// Send hands over one packet with these gradients and returns the results that
// left at once.
func (r *Trio) Send(h wire.Header, grads ...int32) []TrioResult {
	h.Grads = uint16(len(grads))
	body := r.header(h)
	for _, g := range grads {
		body = binary.BigEndian.AppendUint32(body, uint32(g))
	}
	return r.handle(body, 0)
}

// SendPadded hands over one packet whose gradients are only counted.
func (r *Trio) SendPadded(h wire.Header, pad int) { r.handle(r.header(h), pad) }

func (r *Trio) header(h wire.Header) []byte {
	h.Job, h.SrcCnt = JobID, 1
	b := make([]byte, wire.HeaderLen)
	h.Put(b)
	return b
}

func (r *Trio) handle(body []byte, pad int) []TrioResult {
	inet.SetUDPBody(r.eth, len(body)+pad)
	before := len(r.Out)
	r.Prog.Handle(r.now, []sansio.Arrival{{Train: sansio.Train{Header: r.eth, Body: body, Pad: pad}}}, &r.eff)
	r.collect()
	return r.Out[before:]
}

// Advance lets time pass and runs the timer threads when they are due; it calls
// at for each instant at which one was.
func (r *Trio) Advance(to units.Time, at func(units.Time)) []TrioResult {
	before := len(r.Out)
	for d := r.Prog.NextDeadline(); d <= to; d = r.Prog.NextDeadline() {
		r.now = d
		if at != nil {
			at(d)
		}
		r.Prog.Expire(d, &r.eff)
		r.collect()
	}
	r.now = to
	return r.Out[before:]
}

func (r *Trio) collect() {
	for _, s := range r.eff.Sends {
		for i := range s.Train.Frames() {
			payload := s.Train.Payload(i)
			h, _ := wire.ParsePadded(payload, s.Train.Pad)
			res := TrioResult{At: r.now, H: h}
			for b := payload[wire.HeaderLen:]; len(b) >= 4; b = b[4:] {
				res.Sums = append(res.Sums, int32(binary.BigEndian.Uint32(b)))
			}
			r.Out = append(r.Out, res)
		}
	}
	r.eff.Reset()
}

func (r *Trio) Count(name string) int { return Count(r.Prog.Counters(), name) }

// Count returns the counter of that name.
func Count(list []sansio.Count, name string) int {
	for _, c := range list {
		if c.Name == name {
			return int(c.N)
		}
	}
	return 0
}

func Sources(n int) (out []uint8) {
	for s := range n {
		out = append(out, uint8(s))
	}
	return out
}

// Value is what source s sends in rigs: such that every set of sources has a sum
// of its own, even with one of them twice.
func Value(s int) int32 {
	v := int32(1)
	for range s {
		v *= 3
	}
	return v
}

// SumOf is the sum over n sources.
func SumOf(n int) (sum int32) {
	for s := range n {
		sum += Value(s)
	}
	return sum
}
