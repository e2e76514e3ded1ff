package microcode

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
	"github.com/inalab/inalab/switchd/trio/mem"
)

func compiledAdvanced(t rapid.TB) *isa.Program {
	t.Helper()
	p, err := CompileAdvanced()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// roomy is small with room for the tables of the advanced program.
func roomy() mem.Config {
	m := small()
	m.SRAM *= 2
	return m
}

func newAdvancedPair(t rapid.TB, prog *isa.Program, cfg trioml.Config, s trioml.Stragglers) *pair {
	t.Helper()
	p := &pair{t: t}
	var err error
	cfg.Trace = &p.told[0]
	if p.ref, err = reference.NewAdvanced(cfg, s); err != nil {
		t.Fatal(err)
	}
	cfg.Trace = &p.told[1]
	if p.mc, err = NewAdvanced(cfg, s, Options{Program: prog, Memory: roomy()}); err != nil {
		t.Fatal(err)
	}
	return p
}

// fromPFE makes a frame that comes by the fabric, as far as its time to live allows.
func fromPFE(payload []byte, ttl uint8) sansio.Arrival {
	a := arrival(payload)
	a.Port = dataplane.Fabric(2)
	ip := inet.IPv4(a.Train.Header[inet.EtherLen:])
	ip.SetTTL(ttl)
	ip.UpdateChecksum()
	return a
}

func noticeOf(n wire.Notice) []byte {
	b := make([]byte, wire.HeaderLen)
	n.Put(b)
	return b
}

// relayed gives both a frame of another PFE and returns what they send.
func (p *pair) relayed(a sansio.Arrival) string {
	p.t.Helper()
	for i, e := range p.engines() {
		own := a
		own.Train.Header, own.Train.Body = bytes.Clone(a.Train.Header), bytes.Clone(a.Train.Body)
		e.Handle(p.now, []sansio.Arrival{own}, &p.effs[i])
	}
	return p.compare(fmt.Sprintf("%v by %v: %x", p.now, a.Port, a.Train.Body))
}

// The advanced Microcode does what the advanced reference does: it takes the same
// sources for stragglers, tells and relays the same, and waits for the same.
func TestAdvancedSameAsReference(t *testing.T) {
	prog := compiledAdvanced(t)
	rapid.Check(t, func(t *rapid.T) {
		wide := testJob(2, 2)
		wide.Sources = []uint8{0, 3, 64, 130, 255}
		jobs := []trioml.Job{rapid.SampledFrom([]trioml.Job{testJob(1, 3), wide}).Draw(t, "job")}
		cfg := trioml.Config{
			Node: "pfe", Jobs: jobs, Threads: 1, Peers: []sansio.Port{31, 70, 4095},
			Late: rapid.SampledFrom([]trioml.LatePolicy{"", trioml.LateStale, trioml.LateNaive}).Draw(t, "late"),
			Age:  rapid.SampledFrom([]trioml.AgePolicy{trioml.AgePerBlock, trioml.AgeAbsent}).Draw(t, "age"),
		}
		s := trioml.Stragglers{
			Look:           units.Duration(rapid.SampledFrom([]int64{int64(7 * ms), int64(25 * ms), int64(100 * ms)}).Draw(t, "look")),
			PermanentAfter: rapid.IntRange(1, 3).Draw(t, "permanent after"),
		}
		p := newAdvancedPair(t, prog, cfg, s)
		d := &drawn{job: jobs, blocks: 1, size: 5, gen: uint16(rapid.SampledFrom([]int{0, 65534}).Draw(t, "generation"))}
		if cfg.Age == trioml.AgePerBlock {
			d.blocks = 3
		}
		for range rapid.IntRange(1, 80).Draw(t, "packets") {
			p.advance(p.now + units.Time(rapid.SampledFrom([]int64{0, 0, 0, 0, int64(ms), int64(21 * ms), int64(60 * ms)}).Draw(t, "pause")))
			if rapid.IntRange(0, 5).Draw(t, "notice") == 0 {
				p.relayed(d.notice(t))
				continue
			}
			p.handle(d.payload(t))
		}
		p.advance(p.now + 300*ms)
	})
}

// notice draws a notice of another PFE, or something that resembles one.
func (d *drawn) notice(t *rapid.T) sansio.Arrival {
	b := noticeOf(wire.Notice{
		Job: rapid.SampledFrom([]uint8{d.job[0].ID, d.job[0].ID, 7}).Draw(t, "job of a notice"), Gen: d.gen + 1,
		Source: rapid.Byte().Draw(t, "source of a notice"), Change: uint8(rapid.IntRange(0, 15).Draw(t, "change")), Strikes: 3,
	})
	a := fromPFE(b, rapid.SampledFrom([]uint8{64, 2, 1, 0}).Draw(t, "time to live"))
	switch rapid.IntRange(0, 6).Draw(t, "resembling") {
	case 0:
		a.Port = rapid.SampledFrom([]sansio.Port{3, 30, 32, 63, 69, 71, 6, 4095, 4096, 8191}).Draw(t, "port of a host")
	case 4, 5:
		a.Port = rapid.SampledFrom([]sansio.Port{31, 70, 4095}).Draw(t, "port of a switch")
	case 1:
		b[4] = 0
	case 2:
		a = fromPFE(append(b, 0), 64)
	case 3:
		a.Port = dataplane.Served
	}
	return a
}

// What the fabric's ports are to the program is what they are to the chassis.
func TestPortsOfTheFabric(t *testing.T) {
	s, ok := compiledAdvanced(t).Symbol("FABRIC")
	if !ok || sansio.Port(s.Value) != dataplane.Fabric(0) {
		t.Errorf("FABRIC is %d, want %d", s.Value, dataplane.Fabric(0))
	}
}

// A notice of a PFE below goes to the workers as it came but for the generation,
// which is that of this PFE, and one hop less to live. Others are dropped.
func TestNoticesAreRelayed(t *testing.T) {
	p := newAdvancedPair(t, compiledAdvanced(t), trioml.Config{Node: "top", Threads: 1, Jobs: []trioml.Job{testJob(1, 2)}, Peers: []sansio.Port{70}}, trioml.Stragglers{})
	n := wire.Notice{Job: 1, Source: 5, Change: wire.AgePermanent, Strikes: 3, Gen: 4}
	heard := func(a sansio.Arrival) (out []wire.Notice, ttl uint8) {
		t.Helper()
		p.mc.Handle(p.now, []sansio.Arrival{a}, &p.effs[1])
		for _, s := range p.effs[1].Sends {
			got, ok := wire.ParseNotice(s.Train.Payload(0))
			if !ok || len(s.To) != 1 || s.To[0] != 9 {
				t.Fatalf("sent to %v: % x", s.To, s.Train.Body)
			}
			out, ttl = append(out, got), inet.IPv4(s.Train.Header[inet.EtherLen:]).TTL()
		}
		p.effs[1].Reset()
		return out, ttl
	}
	want := func(n wire.Notice, ttl uint8) {
		t.Helper()
		got, hops := heard(fromPFE(noticeOf(n), 9))
		if len(got) != 1 || got[0] != n || hops != ttl {
			t.Errorf("notices %+v with %d hops to live, want %+v and %d", got, hops, n, ttl)
		}
	}
	want(n, 8) // before a generation was seen here, it stays that of below
	p.mc.Handle(0, []sansio.Arrival{arrival(packet(wire.Header{Job: 1, Gen: 7, SrcCnt: 1}, 1))}, &p.effs[1])
	if got, _ := heard(fromPFE(noticeOf(n), 9)); len(got) != 1 || got[0].Gen != 7 || got[0].Source != 5 {
		t.Errorf("notices %+v, want one of generation 7", got)
	}
	peer := fromPFE(noticeOf(n), 9)
	peer.Port = 70
	if got, hops := heard(peer); len(got) != 1 || hops != 8 {
		t.Errorf("notices %+v of another switch, with %d hops to live", got, hops)
	}
	worker := fromPFE(noticeOf(n), 9)
	worker.Port = 3
	for name, a := range map[string]sansio.Arrival{"of a worker": worker, "at the end of its life": fromPFE(noticeOf(n), 1)} {
		if got, _ := heard(a); len(got) != 0 {
			t.Errorf("a notice %s is relayed: %+v", name, got)
		}
	}
	if got := shared(p.mc); !strings.Contains(got, "trioml-notices-relayed 3\n") || !strings.Contains(got, "trioml-no-gradients 2\n") {
		t.Errorf("counters\n%s", got)
	}
}

// Where blocks else wait for everybody, each for a timeout, none waits any longer
// for a source that is out of service; when it sends again, all do.
func TestBlocksDoNotWaitForPermanentStragglers(t *testing.T) {
	cfg := trioml.Config{Node: "pfe", Threads: 1, Jobs: []trioml.Job{testJob(0, 3)}}
	p := newAdvancedPair(t, compiledAdvanced(t), cfg, trioml.Stragglers{PermanentAfter: 2})
	send := func(block uint32, sources ...uint8) (sent string) {
		for _, s := range sources {
			sent = p.handle(packet(wire.Header{Block: block, Source: s, SrcCnt: 1}, 1, 2))
		}
		return sent
	}
	// away sends blocks without source 1 until it is out of service, two looks later.
	away := func(from uint32) {
		t.Helper()
		for block := from; block < from+2; block++ {
			if got := send(block, 0, 2); got != "" {
				t.Fatalf("%v: a block does not wait for source 1: %s", p.now, got)
			}
			p.advance(p.now + 100*ms)
		}
		if got := p.mc.Absent(0); got != (trace.Mask{0b010}) || p.mc.Strikes(0, 1) != 2 {
			t.Fatalf("%v: blocks do not wait for %v, source 1 has %d strikes", p.now, got, p.mc.Strikes(0, 1))
		}
		if got := send(from+2, 0, 2); !strings.Contains(got, "Degraded:true") || !strings.Contains(got, "AgeOp:0") {
			t.Fatalf("%v: without source 1 a block is sent as %q, want degraded and not aged", p.now, got)
		}
	}
	p.advance(1 * ms)
	away(0)
	if send(3, 0, 1) != "" || p.mc.Remembers() {
		t.Error("source 1 is heard, and a block does not wait for source 2")
	}
	if got := send(3, 2); !strings.Contains(got, "Degraded:false") {
		t.Errorf("a block of all sources is sent as %q", got)
	}
	p.advance(301 * ms)
	if n := p.mc.Strikes(0, 1); n != 0 {
		t.Errorf("source 1 is back, with %d strikes", n)
	}
	if r, _ := p.mc.Job(0); r.Absent {
		t.Error("threads look for absent sources where there are none")
	}
	away(4)
}

// A source that is heard once more while it is out of service is waited for until
// the next look, and not for ever.
func TestAStrayPacketOfAPermanentStraggler(t *testing.T) {
	cfg := trioml.Config{Node: "pfe", Threads: 1, Jobs: []trioml.Job{testJob(0, 2)}}
	p := newAdvancedPair(t, compiledAdvanced(t), cfg, trioml.Stragglers{PermanentAfter: 1})
	send := func(source uint8, block uint32) string {
		return p.handle(packet(wire.Header{Block: block, Source: source, SrcCnt: 1}, 1))
	}
	p.advance(1 * ms)
	send(0, 0)
	p.advance(100 * ms)
	send(1, 1) // alone
	if got := send(0, 2); got != "" {
		t.Errorf("a block does not wait for a source that was heard: %s", got)
	}
	p.advance(200 * ms)
	if got := send(0, 3); got == "" {
		t.Error("a block waits for a source that is out of service")
	}
}

// A job that comes at run time is looked at, whatever its id; one that takes the id
// of another starts without its strikes.
func TestJobsThatComeLaterAreClassified(t *testing.T) {
	for _, id := range []uint8{0, 1, 200, 255} {
		p := newAdvancedPair(t, compiledAdvanced(t), trioml.Config{Node: "pfe", Threads: 1, Jobs: []trioml.Job{testJob(3, 2)}}, trioml.Stragglers{PermanentAfter: 2})
		doc := testJob(id, 2)
		for range 2 {
			for _, e := range p.managed() {
				if _, err := e.AddJob(p.now, &doc); err != nil {
					t.Fatal(err)
				}
			}
			if n := p.mc.Strikes(id, 1); n != 0 {
				t.Errorf("job %d starts with %d strikes", id, n)
			}
			for block := range uint32(2) {
				p.handle(packet(wire.Header{Job: id, Block: block, SrcCnt: 1}, 1))
				p.advance(p.now + 200*ms)
			}
			if n := p.mc.Strikes(id, 1); n != 2 {
				t.Errorf("job %d: source 1 has %d strikes, want 2", id, n)
			}
			for _, e := range p.managed() {
				if _, err := e.RemoveJob(p.now, id); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func (p *pair) managed() [2]dataplane.Managed { return [2]dataplane.Managed{p.ref, p.mc} }
