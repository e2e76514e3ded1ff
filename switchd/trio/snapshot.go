package trio

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Snapshot is what a PFE has done and what it is doing. Asking changes nothing.
// In instant mode nothing takes time: spans are zero and no thread is in use.
type Snapshot struct {
	Node    string     `json:"node"`
	Program string     `json:"program"`
	At      units.Time `json:"at_ps"` // of the latest call

	PPEs     int   `json:"ppes"`
	Threads  int   `json:"threads"`   // of all PPEs
	InUse    Level `json:"in_use"`    // threads
	Queue    Level `json:"queue"`     // packets that wait for a thread
	Reorder  int   `json:"reorder"`   // packets that wait for earlier ones of their flow
	Flows    int   `json:"flows"`     // with packets inside
	PPEsBusy []int `json:"ppes_busy"` // PPEs by number of threads in use

	PacketMemory units.Bytes `json:"packet_memory"` // in use
	PacketLimit  units.Bytes `json:"packet_limit"`

	Wait    Latency     `json:"wait"`              // for a thread
	Work    []WorkStat  `json:"work"`              // by what became of it
	Sent    Latency     `json:"sent"`              // from arrival to output, of packets that were forwarded
	Created Latency     `json:"created"`           // from the arrival that caused them to output, of created packets
	Most    uint64      `json:"most_instructions"` // of one thread
	XTXNs   []XTXNStat  `json:"xtxns"`
	Timers  []TimerStat `json:"timers"`
	Events  []EventStat `json:"events,omitempty"`

	Memory MemoryStat `json:"memory"`
}

// MemoryStat is the shared memory and its engines.
type MemoryStat struct {
	Records  int         `json:"records"`  // in the hash table
	Room     int         `json:"room"`     // records that it can hold
	Resident units.Bytes `json:"resident"` // of the host, for what was written
	Requests mem.Stats   `json:"requests"` // timed mode
	Engines  []mem.Load  `json:"engines"`  // by bank; timed mode
	Hash     mem.Load    `json:"hash"`     // timed mode
}

// WorkStat is the threads that had one fate.
type WorkStat struct {
	Fate         string  `json:"fate"`
	Inside       Latency `json:"inside"` // from arrival, or start of a timer's run, to the end of the thread
	Instructions uint64  `json:"instructions"`
}

// XTXNStat is the XTXNs of one kind.
type XTXNStat struct {
	Name   string     `json:"name"`
	Module isa.Module `json:"module"`
	N      uint64     `json:"n"`
}

// TimerStat is one timer.
type TimerStat struct {
	Timer
	TimerCounts
	Next units.Time `json:"next_ps"` // start of a thread
}

// EventStat is one entry for events.
type EventStat struct {
	Entry  string `json:"entry"`           // such as "event restart"
	Every  uint64 `json:"every,omitempty"` // of a counter: at which multiples
	Unit   string `json:"unit,omitempty"`  // of these: packets or bytes
	Raised uint64 `json:"raised"`          // events, those that were lost included
}

// Snapshot returns what is measured.
func (p *PFE) Snapshot() Snapshot {
	s := Snapshot{
		Node: p.cfg.Node, Program: p.cfg.Program.Name, At: p.now, PPEs: p.cfg.PPEs, Threads: p.cfg.PPEs * p.cfg.Threads,
		InUse: p.stats.threads.withMean(p.now), Queue: p.stats.queue.withMean(p.now), PacketMemory: p.packetMemory(), PacketLimit: p.cfg.PacketMemory,
		Wait: p.stats.wait, Sent: p.stats.sent[0], Created: p.stats.sent[1], Most: p.stats.most,
	}
	h := p.memory.Hash()
	s.Memory = MemoryStat{Records: h.Len(), Room: h.Cap(), Resident: p.memory.Resident()}
	if c := p.clock; c != nil {
		s.Memory.Requests = c.engines.Stats()
		s.Memory.Engines, s.Memory.Hash = c.engines.Loads(p.now)
		s.Reorder, s.Flows = c.reorder.held, len(c.reorder.flows)
		s.PPEsBusy = make([]int, p.cfg.Threads+1)
		for _, n := range c.ppes.busy {
			s.PPEsBusy[n]++
		}
	}
	p.list(&s)
	return s
}

// list adds what there is one of for each fate, XTXN and timer.
func (p *PFE) list(s *Snapshot) {
	for f := range NumFates {
		if l := p.stats.inside[f]; l.N > 0 {
			s.Work = append(s.Work, WorkStat{f.String(), l, p.stats.instructions[f]})
		}
	}
	for x, n := range p.stats.xtxns {
		if spec, ok := isa.XTXN(x).Spec(); ok && n > 0 {
			s.XTXNs = append(s.XTXNs, XTXNStat{spec.Name, spec.Module, n})
		}
	}
	for i := range p.timers.list {
		t := &p.timers.list[i]
		s.Timers = append(s.Timers, TimerStat{t.Timer, t.TimerCounts, t.next(p)})
	}
	for i := range p.sources {
		s.Events = append(s.Events, p.sources[i].stat())
	}
}

// Instructions returns how many instructions all threads have executed that have
// ended.
func (p *PFE) Instructions() (n uint64) {
	for _, i := range p.stats.instructions {
		n += i
	}
	return n
}
