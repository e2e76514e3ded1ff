package experiments

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
	rigRouter = netip.AddrFrom4([4]byte{10, 0, 0, 254})
	rigGroup  = netip.AddrFrom4([4]byte{239, 0, 0, 1})
)

func rigWorker(w int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(w + 1)}) }

// trioUp is the flow of a worker's packets, trioDown that of results.
func trioUp(w int) inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, byte(w)}, DstMAC: inet.MAC{2, 1}, Src: rigWorker(w), Dst: rigRouter,
		SrcPort: wire.Port, DstPort: wire.Port,
	}
}

func trioDown() inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 1}, DstMAC: inet.MulticastMAC(rigGroup), Src: rigRouter, Dst: rigGroup,
		SrcPort: wire.Port, DstPort: wire.Port,
	}
}

// rigJob is the id of every job of a rig.
const rigJob = 1

// trioRig is the program of one PFE, whose packets are made and whose results
// are taken apart here.
type trioRig struct {
	prog *reference.Program
	now  units.Time
	out  []trioResult
	eff  sansio.Effects
	eth  []byte
}

// trioResult is a result packet and when it left.
type trioResult struct {
	at   units.Time
	h    wire.Header
	sums []int32
}

// newTrioRig returns a PFE with one job, whose results leave by port 0 unless it
// says otherwise.
func newTrioRig(cfg program.Config, job program.Job) (*trioRig, error) {
	job.ID, job.Out = rigJob, trioDown()
	if job.To == nil {
		job.To = []sansio.Port{0}
	}
	cfg.Node, cfg.Jobs = "pfe", []program.Job{job}
	p, err := reference.New(cfg)
	if err != nil {
		return nil, err
	}
	return &trioRig{prog: p, eth: inet.UDPHeader(trioUp(0))}, nil
}

// send hands over one packet with these gradients and returns the results that
// left at once.
func (r *trioRig) send(h wire.Header, grads ...int32) []trioResult {
	h.Grads = uint16(len(grads))
	body := r.header(h)
	for _, g := range grads {
		body = binary.BigEndian.AppendUint32(body, uint32(g))
	}
	return r.handle(body, 0)
}

// sendPadded hands over one packet whose gradients are only counted.
func (r *trioRig) sendPadded(h wire.Header, pad int) { r.handle(r.header(h), pad) }

func (r *trioRig) header(h wire.Header) []byte {
	h.Job, h.SrcCnt = rigJob, 1
	b := make([]byte, wire.HeaderLen)
	h.Put(b)
	return b
}

func (r *trioRig) handle(body []byte, pad int) []trioResult {
	inet.SetUDPBody(r.eth, len(body)+pad)
	before := len(r.out)
	r.prog.Handle(r.now, []sansio.Arrival{{Train: sansio.Train{Header: r.eth, Body: body, Pad: pad}}}, &r.eff)
	r.collect()
	return r.out[before:]
}

// advance lets time pass and runs the timer threads when they are due; it calls
// at for each instant at which one was.
func (r *trioRig) advance(to units.Time, at func(units.Time)) []trioResult {
	before := len(r.out)
	for d := r.prog.NextDeadline(); d <= to; d = r.prog.NextDeadline() {
		r.now = d
		if at != nil {
			at(d)
		}
		r.prog.Expire(d, &r.eff)
		r.collect()
	}
	r.now = to
	return r.out[before:]
}

func (r *trioRig) collect() {
	for _, s := range r.eff.Sends {
		for i := range s.Train.Frames() {
			payload := s.Train.Payload(i)
			h, _ := wire.ParsePadded(payload, s.Train.Pad)
			res := trioResult{at: r.now, h: h}
			for b := payload[wire.HeaderLen:]; len(b) >= 4; b = b[4:] {
				res.sums = append(res.sums, int32(binary.BigEndian.Uint32(b)))
			}
			r.out = append(r.out, res)
		}
	}
	r.eff.Reset()
}

func (r *trioRig) count(name string) int { return countOf(r.prog.Counters(), name) }

// countOf returns the counter of that name.
func countOf(list []sansio.Count, name string) int {
	for _, c := range list {
		if c.Name == name {
			return int(c.N)
		}
	}
	return 0
}
