package pipeline

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
)

// rdmaDocument is a job of n workers from a number on, each with queue pairs for all slots.
func rdmaDocument(id uint8, first, n, elements, packets, queues int) switchml.Job {
	j := switchml.Job{ID: id, Elements: elements, Slots: queues * packets, NumWorkers: n, RDMA: &switchml.RDMA{MessageBytes: 4 * elements * packets}}
	for rank := range n {
		w := first + rank
		own := &switchml.Queues{RKey: uint32(0x7000 + w)}
		for q := range queues {
			own.QPNs = append(own.QPNs, uint32(0x10000*(w+1)+7*q+2))
			own.PSNs = append(own.PSNs, uint32(roce.PSN(100*w+q).Add(-150*(w%2))))
		}
		j.Workers = append(j.Workers, switchml.Worker{ID: uint8(rank), MAC: workerMAC(w), Addr: workerAddr(w), Port: sansio.Port(w % MaxPorts), RDMA: own})
	}
	return j
}

// newRDMA returns a chip with the program for RoCE.
func newRDMA(cfg switchml.Config, o Options) (*Engine, error) {
	o.RDMA = true
	return New(cfg, o)
}

func rdmaConfig(jobs ...switchml.Job) switchml.Config {
	return switchml.Config{Node: "tor", Router: routerAddr(), MAC: switchMAC(), Jobs: jobs, CheckICRC: true}
}

// write is packet i of a message.
type write struct {
	doc    *switchml.Job
	rank   int
	q, i   int
	psn    roce.PSN
	set    uint32
	imm    uint32
	value  func(k int) int32
	change func(*roce.Packet)
}

func (s *write) packets() int { return s.doc.RDMA.MessageBytes / (4 * s.doc.Elements) }

func (s *write) arrival() sansio.Arrival {
	n := s.packets()
	p := roce.Packet{
		Opcode: roce.Write(s.i, n), QueuePair: switchml.QPN(s.rank, s.q), PSN: s.psn, Immediate: s.imm,
		RETH: roce.RETH{Address: uint64(s.q * s.doc.RDMA.MessageBytes), Key: uint32(2*n*s.q) + s.set, Length: uint32(s.doc.RDMA.MessageBytes)},
	}
	if s.change != nil {
		s.change(&p)
	}
	w := &s.doc.Workers[s.rank]
	body := make([]byte, p.Headers()+4*s.doc.Elements+roce.ICRCLen)
	values := p.Put(body)
	for k := range s.doc.Elements {
		binary.BigEndian.PutUint32(values[4*k:], uint32(s.value(k)))
	}
	header := inet.UDPHeader(inet.Flow{SrcMAC: w.MAC, DstMAC: switchMAC(), Src: w.Addr, Dst: routerAddr(), SrcPort: 49152, DstPort: roce.Port})
	inet.SetUDPBody(header, len(body))
	roce.Seal(header, body)
	return sansio.Arrival{Port: w.Port, Train: sansio.Train{Header: header, Body: body}}
}

// rdmaTwin gives the same packets to the reference program and to the chip.
type rdmaTwin struct {
	*chip
	ref    *reference.RDMAProgram
	refEff sansio.Effects
	told   events
}

func newRDMATwin(t rapid.TB, cfg switchml.Config, o Options) *rdmaTwin {
	t.Helper()
	w := &rdmaTwin{chip: &chip{t: t}}
	var err error
	cfg.Trace = &w.told
	if w.ref, err = reference.NewRDMA(cfg); err != nil {
		t.Fatal(err)
	}
	cfg.Trace = &w.events
	if w.e, err = newRDMA(cfg, o); err != nil {
		t.Fatal(err)
	}
	return w
}

// give returns what left both for an arrival, which must be the same.
func (w *rdmaTwin) give(a sansio.Arrival) []sent {
	w.t.Helper()
	mine := cloneArrival(a)
	w.ref.Handle(0, []sansio.Arrival{a}, &w.refEff)
	want := take(0, &w.refEff)
	got := w.handle(0, mine)
	if !slices.EqualFunc(want, got, sameFrame) {
		w.t.Fatalf("%d frames left the chip, %d the reference program:\n%s", len(got), len(want), difference(got, want))
	}
	return got
}

// ours are the counters that both have.
func ours(list []sansio.Count) (out []sansio.Count) {
	for _, c := range list {
		if (strings.HasPrefix(c.Name, "switchml-") || strings.HasPrefix(c.Name, "roce-")) && c.Name != CountAbsorbed {
			out = append(out, c)
		}
	}
	return out
}

// agree holds counters, events and what is open against each other.
func (w *rdmaTwin) agree() {
	w.t.Helper()
	if want, got := w.ref.Counters(), ours(w.e.Counters()); !slices.Equal(want, got) {
		w.t.Fatalf("counters %v of the chip, %v of the reference program", got, want)
	}
	if !slices.Equal(w.told.list, w.events.list) {
		w.t.Fatalf("%s", firstDifference(w.events.list, w.told.list))
	}
	if want, got := w.ref.Open(1<<20), w.e.Open(1<<20); !slices.Equal(want, got) {
		w.t.Fatalf("open messages %+v of the chip, %+v of the reference program", got, want)
	}
	for _, v := range w.ref.Views() {
		want, got := w.ref.View(0, v, 1<<20), w.e.View(0, v, 1<<20)
		if !slices.EqualFunc(want.Rows, got.Rows, slices.Equal) {
			w.t.Fatalf("view %s: %v of the chip, %v of the reference program", v, got.Rows, want.Rows)
		}
	}
}

func firstDifference(got, want []trace.Event) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			text, _ := json.Marshal([]trace.Event{got[i], want[i]})
			return "event of the chip and of the reference program: " + string(text)
		}
	}
	return "more events of one than of the other"
}

// The result of a message is a message to each worker, bytes as the reference sends them.
func TestRDMAMessage(t *testing.T) {
	for _, elements := range []int{64, 256} {
		for _, packets := range []int{1, 2, 4} {
			doc := rdmaDocument(1, 0, 2, elements, packets, 2)
			w := newRDMATwin(t, rdmaConfig(doc), Options{Ports: 4})
			for round := range 3 {
				n := 0
				for rank := range 2 {
					for i := range packets {
						s := write{doc: &doc, rank: rank, q: 1, i: i, set: uint32(round % 2), imm: uint32(0x10500 + rank), value: func(k int) int32 { return int32(k + rank<<8 + i<<16) }}
						s.psn = roce.PSN(doc.Workers[rank].RDMA.PSNs[1]).Add(round*packets + i)
						out := w.give(s.arrival())
						n += len(out)
					}
				}
				if n != 2*packets {
					t.Errorf("%d values, messages of %d: %d packets leave, want %d; %v", elements, packets, n, 2*packets, w.e.Counters())
				}
			}
			w.agree()
		}
	}
}
