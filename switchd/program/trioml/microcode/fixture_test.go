package microcode

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
	"github.com/inalab/inalab/switchd/trio/mem"
)

var (
	_ dataplane.Engine  = (*Engine)(nil)
	_ dataplane.Watched = (*Engine)(nil)
	_ dataplane.Managed = (*Engine)(nil)
)

const ms = units.Time(units.Millisecond)

func compiled(t rapid.TB) *isa.Program {
	t.Helper()
	p, err := Compile()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// small is a memory that takes little room.
func small() mem.Config { return mem.Config{SRAM: units.MiB, DRAM: 3 * units.GiB, Records: 256} }

// smallFor is small, with the adds that a program is compiled for.
func smallFor(p *isa.Program) mem.Config {
	c := small()
	c.AddBytes = p.Adds()
	return c
}

// everyWidth is Trio-ML for each reading of the width of an add (trio.add-width).
func everyWidth(t rapid.TB) (out []*isa.Program) {
	t.Helper()
	for _, n := range []int{isa.AddBytes, 8, isa.MaxAddBytes} {
		p, err := CompileFor(isa.Machine{AddBytes: n})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func resultFlow() inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, 1}, DstMAC: inet.MAC{1, 0, 0x5e, 0, 0, 7},
		Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("239.0.0.7"), SrcPort: wire.Port, DstPort: wire.Port,
	}
}

// testJob has sources 0 to n-1 and results on port 9. Several of them have room in a
// small memory.
func testJob(id uint8, n int) trioml.Job {
	j := trioml.Job{ID: id, Out: resultFlow(), To: []sansio.Port{9}, OutSource: 99, BlockMax: 64}
	for s := range n {
		j.Sources = append(j.Sources, uint8(s))
	}
	return j
}

// packet builds the UDP payload of a contribution.
func packet(h wire.Header, grads ...int32) []byte {
	h.Grads = uint16(len(grads))
	b := make([]byte, wire.HeaderLen)
	h.Put(b)
	for _, g := range grads {
		b = binary.BigEndian.AppendUint32(b, uint32(g))
	}
	return b
}

// arrival wraps a payload into a frame.
func arrival(payload []byte) sansio.Arrival {
	flow := resultFlow()
	flow.Src, flow.Dst = netip.MustParseAddr("10.0.0.2"), netip.MustParseAddr("10.0.0.1")
	header := inet.UDPHeader(flow)
	inet.SetUDPBody(header, len(payload))
	return sansio.Arrival{Train: sansio.Train{Header: header, Body: payload}}
}

// sent are the frames of the effects as text, one a line, sorted: a visit of the
// table meets its records in no order that matters.
func sent(t rapid.TB, eff *sansio.Effects) string {
	t.Helper()
	var lines []string
	for _, s := range eff.Sends {
		for i := range s.Train.Frames() {
			f := s.Train.Frame(i, nil)
			h, problem := wire.ParseUnstored(f.Body, f.Unstored)
			if _, notice := wire.ParseNotice(f.Body); problem != wire.OK && !notice {
				t.Fatalf("a result is no packet of Trio-ML: %s", problem)
			}
			lines = append(lines, fmt.Sprintf("to %v gen %5d block %d: %+v header %x body %x pad %d sum %d", s.To, h.Gen, h.Block, h, f.Header, f.Body[wire.HeaderLen:], f.Unstored, f.Checksum))
		}
	}
	eff.Reset()
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// shared are the counters that both programs have.
func shared(e dataplane.Engine) string {
	var b strings.Builder
	for _, c := range e.Counters() {
		if strings.HasPrefix(c.Name, "trioml-") && !strings.HasSuffix(c.Name, "-bytes") {
			fmt.Fprintf(&b, "%s %d\n", c.Name, c.N)
		}
	}
	return b.String()
}

func open(e dataplane.Watched) string {
	list := e.Open(1 << 20)
	slices.SortFunc(list, func(a, b dataplane.OpenBlock) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Block, b.Block))
	})
	return fmt.Sprint(list)
}

// sorted is a view of blocks, sorted by job and block.
func sorted(t dataplane.Table) string {
	slices.SortFunc(t.Rows, func(a, b []dataplane.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return fmt.Sprint(t)
}

// pair is both programs under one configuration.
type pair struct {
	t    rapid.TB
	ref  *reference.Program
	mc   *Engine
	effs [2]sansio.Effects
	told [2]events // since the last comparison
	now  units.Time
	log  []string
}

func newPair(t rapid.TB, prog *isa.Program, cfg trioml.Config) *pair {
	t.Helper()
	p := &pair{t: t}
	var err error
	cfg.Trace = &p.told[0]
	if p.ref, err = reference.New(cfg); err != nil {
		t.Fatal(err)
	}
	cfg.Trace = &p.told[1]
	if p.mc, err = New(cfg, Options{Program: prog, Memory: smallFor(prog)}); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *pair) engines() [2]dataplane.Engine { return [2]dataplane.Engine{p.ref, p.mc} }

// handle gives both a packet and returns what they send.
func (p *pair) handle(payload []byte) string {
	p.t.Helper()
	for i, e := range p.engines() {
		e.Handle(p.now, []sansio.Arrival{arrival(bytes.Clone(payload))}, &p.effs[i])
	}
	h, _ := wire.Parse(payload)
	return p.compare(fmt.Sprintf("%v packet %+v", p.now, h))
}

// advance runs the timer threads of both up to a time.
func (p *pair) advance(to units.Time) (out []string) {
	p.t.Helper()
	for {
		d := min(p.ref.NextDeadline(), p.mc.NextDeadline())
		if d > to {
			p.now = to
			return out
		}
		p.now = d
		for i, e := range p.engines() {
			e.Expire(d, &p.effs[i])
		}
		out = append(out, p.compare(fmt.Sprintf("%v timers", d)))
	}
}

// compare wants both to have sent the same and to be the same now.
func (p *pair) compare(what string) string {
	p.t.Helper()
	p.log = append(p.log, what)
	want, got := sent(p.t, &p.effs[0]), sent(p.t, &p.effs[1])
	if want != got {
		p.fail("sends", want, got)
	}
	p.same("open blocks", open(p.ref), open(p.mc))
	p.same("number of blocks", p.ref.OpenBlocks(), p.mc.OpenBlocks())
	p.same("memory of the absent", p.ref.Remembers(), p.mc.Remembers())
	p.same("jobs", p.ref.View(p.now, dataplane.ViewJobs, 300), p.mc.View(p.now, dataplane.ViewJobs, 300))
	p.same("blocks", sorted(p.ref.View(p.now, dataplane.ViewBlocks, 300)), sorted(p.mc.View(p.now, dataplane.ViewBlocks, 300)))
	p.sameRecords()
	p.same("counters", shared(p.ref), shared(p.mc))
	p.same("events", p.told[0].byBlock(), p.told[1].byBlock())
	p.told = [2]events{}
	return got
}

// held is a block record, and what is kept of the block elsewhere.
type held struct {
	Job  uint8
	Ref  bool
	Sums string
	BlockRecord
}

// sameRecords wants both to hold the same of each block, byte for byte, and to have
// ended as many of each job.
func (p *pair) sameRecords() {
	p.t.Helper()
	var want, got []held
	for b := range p.ref.Blocks() {
		h := held{Job: b.Job, Ref: b.Ref, Sums: fmt.Sprintf("%x", b.Sums), BlockRecord: BlockRecord{
			Block: b.Block, Gen: b.Gen, BlockExp: trioml.Exp(b.Left),
			AgeOp: b.AgeOp, Final: b.Final, Degraded: b.Degraded, StartTime: b.Start,
			Workers: b.Workers, Grads: b.Grads, Ready: true, RcvdCnt: uint8(b.Sources), RcvdMask: b.Received,
		}}
		if b.Unstored {
			h.Sums = fmt.Sprintf("%x", make([]byte, 4*b.Grads))
		}
		h.JobCtx, _ = p.mc.Memory().Hash().Peek(key(b.Job, JobBlock))
		want = append(want, h)
	}
	for job, r := range p.mc.Blocks() {
		h := held{Job: job, Ref: p.mc.Memory().Hash().Referenced(key(job, r.Block)), Sums: fmt.Sprintf("%x", p.mc.Sums(r)), BlockRecord: r}
		h.Aggr = 0
		got = append(got, h)
	}
	for _, list := range [][]held{want, got} {
		slices.SortFunc(list, func(a, b held) int { return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Block, b.Block)) })
	}
	p.same("block records", want, got)
	for id := range 256 {
		j, _ := p.mc.Job(uint8(id))
		p.same("number of ended blocks", p.ref.Ended(uint8(id)), int(j.BlockTotalCnt))
	}
}

func (p *pair) same(what string, want, got any) {
	p.t.Helper()
	if !reflect.DeepEqual(want, got) {
		p.fail(what, want, got)
	}
}

func (p *pair) fail(what string, want, got any) {
	p.t.Helper()
	p.t.Fatalf("%s: reference\n%v\nMicrocode\n%v\nafter\n%s", what, want, got, strings.Join(p.log, "\n"))
}

func TestCompiles(t *testing.T) {
	if _, err := Compile(); err != nil {
		t.Error(err)
	}
	if _, err := CompileAdvanced(); err != nil {
		t.Error(err)
	}
}
