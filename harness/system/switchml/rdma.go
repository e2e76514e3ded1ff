package switchml

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/nodes/switchmlrdma"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/topo/plan"
)

// rdmaElements are the values of a packet.
const rdmaElements = 256

// rdmaQPN is the number of a host's first queue pair. Numbers 0 and 1 are for
// management (InfiniBand architecture); the rest is for the card to choose (assumed).
const rdmaQPN = 0x100

func (s System) packets() int { return cmp.Or(s.Packets, switchmlrdma.DefaultPackets) }

// queues returns how many messages are on their way, at least one.
func (s System) queues(j *job.Job) int { return max(1, s.scaled(j)/s.packets()) }

// layoutRDMA puts the pool into the one switch.
func (s System) layoutRDMA(j *job.Job) (job.Layout, error) {
	if err := j.OneEngine(); err != nil {
		return job.Layout{}, err
	}
	if n := len(j.Hosts()); n > program.MaxRanks {
		return job.Layout{}, fmt.Errorf("%s aggregates for %d workers at most, and topology %s has %d: give the job fewer hosts", s.Name(), program.MaxRanks, j.Plan.Name, n)
	}
	if err := s.checkTimeout(j); err != nil {
		return job.Layout{}, err
	}
	q, m := s.queues(j), s.packets()
	sw := &j.Plan.Switches[0]
	c := program.Config{
		Node: sw.Name, Router: sw.Router, MAC: inet.MAC(sw.MAC), Jobs: []program.Job{s.record(j)}, Faithful: s.Faithful, CheckICRC: j.Virtual,
	}
	programs := [][]any{{c}}
	pipe, notes, err := s.Pipe.choose(j, programs)
	if err != nil {
		return job.Layout{}, err
	}
	l := job.Layout{
		Programs: pipe.wrap(j, programs), Notes: slices.Concat(notes, s.poolNote(j, q*m), s.timeoutNote(j)),
		Timeout: s.resends(j), TimeoutRule: s.timeoutRule(j), Cautions: s.poolCaution(j),
		Port: roce.Port, Packet: rdmaFrame(0, m) - inet.EtherLen, Window: q * m, Time: s.timeRDMA(j, pipe), Block: m * rdmaElements,
	}
	for i, h := range j.Hosts() {
		l.Cores = append(l.Cores, s.coreRDMA(j, i, &h))
	}
	return l, nil
}

// record is the job at the switch.
func (s System) record(j *job.Job) program.Job {
	hosts, q := j.Hosts(), s.queues(j)
	out := program.Job{
		ID: j.ID, Elements: rdmaElements, Slots: q * s.packets(), NumWorkers: len(hosts),
		RDMA: &program.RDMA{MessageBytes: 4 * rdmaElements * s.packets()},
	}
	for i := range hosts {
		h, own := &hosts[i], &program.Queues{RKey: rdmaKey(i)}
		for k := range q {
			own.QPNs, own.PSNs = append(own.QPNs, rdmaQPN+uint32(k)), append(own.PSNs, 0)
		}
		out.Workers = append(out.Workers, program.Worker{ID: uint8(i), MAC: inet.MAC(h.MAC), Addr: h.Addr.Addr(), Port: sansio.Port(h.SwitchPort), RDMA: own})
	}
	return out
}

// rdmaKey is that of a worker's memory: any number does, of which each has its own.
func rdmaKey(worker int) uint32 { return 0x1000 + uint32(worker) }

func (s System) coreRDMA(j *job.Job, i int, h *plan.Host) switchmlrdma.Config {
	return switchmlrdma.Config{
		Node: h.Name, Workers: len(j.Hosts()), Tensor: j.Params, Elements: rdmaElements, Packets: s.packets(), Queues: s.queues(j), Job: j.ID,
		Flow: j.ToSwitch(h, roce.Port, roce.Port),
		QPN:  rdmaQPN, PeerQPN: program.QPN(i, 0), Key: rdmaKey(i), PeerKey: program.PoolRKey,
		Timeout: s.timeout(j), NoRetransmit: !s.Retransmit, CheckICRC: j.Virtual, Integers: j.Elements > 0, Sample: j.Sample,
	}
}

// rdmaFrame returns the bytes of packet i of a message, without framing.
func rdmaFrame(i, packets int) int {
	p := roce.Packet{Opcode: roce.Write(i, packets)}
	return inet.UDPHeaders + p.Headers() + 4*rdmaElements + roce.ICRCLen
}

// timeRDMA is one crossing of every message: the blocks, and one message with an
// exponent only for each queue pair. Packets are answered one by one, so that the
// last one's way down is that of a packet. A pool too small for the round trip waits
// for every result before the queue pair's next message.
func (s System) timeRDMA(j *job.Job, pipe Pipe) units.Duration {
	m, queues, k := s.packets(), s.queues(j), s.packets()*rdmaElements
	blocks := (j.Params + k - 1) / k
	var message units.Duration
	for i := range m {
		message += j.FrameTime(1, rdmaFrame(i, m))
	}
	last := rdmaFrame(m-1, m)
	after := j.Latency(last) + j.FrameTime(1, last)
	line := message*units.Duration(blocks+min(queues, blocks)) + after
	trip := message + after + 2*(j.Host.Latency+j.Host.Frame) + pipe.takes(rdmaElements)
	return max(line, trip*units.Duration((blocks+queues-1)/queues+1))
}
