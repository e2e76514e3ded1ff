package chip

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/program/filter"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// pfeRules checks what the paper says of the machine, on small Microcode programs.
func pfeRules() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.pfe", Title: "rules of a Trio PFE: the filter of §3.2, one word under many threads, additions all over a memory, the order of a flow",
		Switch: []claims.Switch{claims.SwitchPFE},
		Claims: []claims.ID{"trio.s3.2.filter-app", "trio.s2.3.rmw-serialises", "trio.s6.3.rmw-rate", "trio.s2.1.reorder"},
		Quick:  "a tenth of the packets",
		Run:    experiment.Steps(pfeFilter, pfeOneWord, pfeAdds, pfeOrder),
	}
}

// pfeDriver drives one PFE with any program, and takes down what leaves.
type pfeDriver struct {
	*trio.PFE
	program *isa.Program
	feed    sansiotest.Feed
	sent    [][]byte // payloads
}

func newPFEDriver(name, source string, cfg trio.Config) (*pfeDriver, error) {
	p, err := microcode.Compile(name, source)
	if err != nil {
		return nil, err
	}
	cfg.Node, cfg.Program = "pfe", p
	cfg.NextHops = []trio.NextHop{{Index: 0, To: []sansio.Port{0}}}
	pfe, err := trio.New(cfg)
	d := &pfeDriver{PFE: pfe, program: p}
	d.feed = sansiotest.Feed{Machine: pfe, Sent: func(_ units.Time, s *sansio.Send) {
		for n := range s.Train.Frames() {
			d.sent = append(d.sent, bytes.Clone(s.Train.Payload(n)))
		}
	}}
	return d, err
}

// arrive hands over a frame after a time.
func (d *pfeDriver) arrive(after units.Duration, t sansio.Train) {
	d.feed.Arrive(d.feed.Now.Add(after), sansio.Arrival{Train: t})
}

// pfeFilter sends packets of the three types to the paper's example, in random
// order and of random lengths.
func pfeFilter(f *experiment.Findings, e *experiment.Env) error {
	d, err := newPFEDriver(filter.File, filter.Source(), trio.Config{})
	if err != nil {
		return err
	}
	base, ok := d.program.Symbol("DROP_CNT_BASE")
	if !ok {
		return fmt.Errorf("%s has no DROP_CNT_BASE", filter.File)
	}
	rnd := e.Seed.Stream("trio.pfe/filter")
	var packets, octets [3]uint64 // non-IP, options, passes
	wrong := 0
	for range e.Trials(3000) {
		kind := rnd.IntN(3)
		header := filterPacket(kind)
		body := make([]byte, rnd.IntN(1400))
		before := len(d.sent)
		d.arrive(0, sansio.Train{Header: header, Body: body})
		if passed := len(d.sent) > before; passed != (kind == 2) {
			wrong++
		}
		packets[kind]++
		octets[kind] += uint64(len(header) + len(body))
	}
	badCounters := 0
	for kind := range 2 {
		p, b, fault := d.Memory().Counter(mem.Addr(base.Value) + mem.Addr(2*kind))
		if fault != mem.NoFault || p != packets[kind] || b != octets[kind] {
			badCounters++
		}
	}
	f.Set("trio.s3.2.filter-app", claims.NumberParts(map[string]float64{"wrong_verdicts": float64(wrong), "wrong_counters": float64(badCounters)}))
	return nil
}

// filterPacket returns the headers of a packet: 0 is no IP packet, 1 one with
// options, 2 one without.
func filterPacket(kind int) []byte {
	h := inet.UDPHeader(rig.TrioUp(0))
	switch kind {
	case 0:
		h = h[:inet.EtherLen]
		h[12], h[13] = 0x08, 0x06 // ARP
	case 1:
		h[inet.EtherLen] = 0x46
	}
	return h
}

// hammer adds 1 to one word as often as the packet's second byte of payload times 16
// says, without waiting in between.
const hammer = `
register u32 left;
lmem u32 one[1] @ 0;
virtual u8 *times = HEAD_START + 42;
sram word[1];
packet entry start;
start:
begin
    left = *times << 4;
    one[0] = 1;
end
again:
begin
    const : was = left;
    async MemAdd32(word, 0, one, 4);
    left = left - 1;
    if (was > 1) goto again;
end
begin
    XtxnWait();
end
begin
    Drop(0);
    exit;
end
`

// pfeOneWord lets many threads add to one word at once. One engine serves it, at two
// clocks an addition (Trio §6.3).
func pfeOneWord(f *experiment.Findings, e *experiment.Env) error {
	const perPacket = 16 * 255
	threads := e.Trials(1000)
	few, err := pfeHammer(e, 10)
	if err != nil {
		return err
	}
	many, err := pfeHammer(e, threads)
	if err != nil {
		return err
	}
	adds := float64(threads * perPacket)
	rate := adds / many.took.Seconds()
	const engine = 1e9 / 2 // additions a second of one engine
	f.Set("trio.s2.3.rmw-serialises", claims.Group(map[string]claims.Measured{
		"lost_updates":     claims.Number(adds - float64(many.sum)),
		"rate_over_engine": claims.Number(rate / engine),
		"queue_grows":      claims.Bool(many.wait > few.wait),
	}).Noting("an engine performs an addition when it serves it, so that none can be lost in this model; an addition waits %v with %d threads, and %v with 10", many.wait, threads, few.wait))
	return nil
}

// pfeBlow is what became of a word under many threads.
type pfeBlow struct {
	took, wait units.Duration // wait: mean of an addition, for the engine
	sum        uint64
}

// pfeHammer runs so many threads at once.
func pfeHammer(e *experiment.Env, threads int) (b pfeBlow, err error) {
	m := NewMachine(e)
	m.timing.Instruction = trio.Cycle // fast threads, so that the engine is what they wait for
	d, err := newPFEDriver("hammer.mc", hammer, trio.Config{Timing: &m.timing, PPEs: m.PPEs, Threads: m.Threads, Memory: m.Memory})
	if err != nil {
		return b, err
	}
	for w := range threads {
		d.arrive(0, sansio.Train{Header: inet.UDPHeader(rig.TrioUp(w % 250)), Body: []byte{255}})
	}
	d.feed.Drain()
	word, _ := d.program.Symbol("word")
	sum, fault := d.Memory().Load(mem.Addr(word.Value))
	if fault != mem.NoFault {
		return b, fmt.Errorf("reading the word: %v", fault)
	}
	r := d.Snapshot().Memory.Requests
	b = pfeBlow{took: d.feed.Now.Sub(0), wait: r.Wait / units.Duration(max(r.Requests, 1)), sum: sum >> 32} // the first half of the word
	return b, nil
}

// spin forwards a packet after as many turns as its first byte of payload says.
const spin = `
register u32 left;
virtual u8 *times = HEAD_START + 42;
packet entry start;
start:
begin
    left = *times;
end
turn:
begin
    const : was = left;
    left = left - 1;
    if (was > 1) goto turn;
end
begin
    Forward(0);
    exit;
end
`

// pfeEnds notes the numbers of packets in the order in which their threads forward
// them.
type pfeEnds struct {
	trio.NopObserver
	order []uint32
}

// Sent notes a packet.
func (o *pfeEnds) Sent(_ units.Time, t *vm.Thread, _ bool) {
	const number = isa.HeadStart + inet.UDPHeaders + 2
	o.order = append(o.order, binary.BigEndian.Uint32(t.LMEM[number:]))
}

// pfeOrder gives packets of some flows random service times.
func pfeOrder(f *experiment.Findings, e *experiment.Env) error {
	const flows = 5
	m := NewMachine(e)
	ends := &pfeEnds{}
	d, err := newPFEDriver("spin.mc", spin, trio.Config{Timing: &m.timing, PPEs: m.PPEs, Threads: m.Threads, Memory: m.Memory, Observer: ends})
	if err != nil {
		return err
	}
	rnd := e.Seed.Stream("trio.pfe/order")
	n := e.Trials(20000)
	for i := range n {
		body := []byte{byte(1 + rnd.IntN(255)), byte(rnd.IntN(flows)), 0, 0, 0, 0}
		binary.BigEndian.PutUint32(body[2:], uint32(i))
		header := inet.UDPHeader(rig.TrioUp(int(body[1])))
		inet.SetUDPBody(header, len(body))
		d.arrive(200*units.Nanosecond, sansio.Train{Header: header, Body: body})
	}
	d.feed.Drain()
	if len(d.sent) != n {
		return fmt.Errorf("%d of %d packets left the PFE", len(d.sent), n)
	}
	var last [flows]uint32
	inversions := 0
	for _, body := range d.sent {
		flow, number := body[1], binary.BigEndian.Uint32(body[2:])
		if number < last[flow] {
			inversions++
		}
		last[flow] = number
	}
	overtook := 0
	for i := 1; i < len(ends.order); i++ {
		if ends.order[i] < ends.order[i-1] {
			overtook++
		}
	}
	f.Set("trio.s2.1.reorder", claims.NumberParts(map[string]float64{"inversions": float64(inversions), "finished_out_of_order": float64(overtook)}))
	return nil
}
