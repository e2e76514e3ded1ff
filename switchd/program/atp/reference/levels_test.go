package reference

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
)

// third is a job of six levels, of which the switch is the third: below it are a switch of workers 0 and 1 by
// port 5, and worker 2 by port 6.
func third() atp.Job {
	s := atp.Server{Addr: serverAddr(1), Ports: []sansio.Port{serverPort}}
	s.Upper = []atp.Level{{Sources: []atp.Source{
		{Bit: 0, Ports: []sansio.Port{5}, Name: "below", Workers: []uint8{0, 1}},
		{Bit: 1, Ports: []sansio.Port{6}, Name: "w2", Workers: []uint8{2}},
	}}}
	return atp.Job{ID: 1, Levels: 6, Servers: []atp.Server{s}}
}

// deep is a packet of source b at [third].
func deep(b int, seq uint32) pkt {
	p := rackSum(0, seq)
	p.h.Bitmaps, p.h.FanIns = [2]uint32{3, 1}, [2]uint8{2, 1}
	if b == 1 {
		p.h.Bitmaps[0], p.h.FanIns[0] = 1, 1
	}
	p.h.Upper = wire.Upper{Levels: 6, Level: 2, Bitmaps: [4]uint32{1 << b, 1, 1, 1}, FanIns: [4]uint8{2, 1, 1, 1}}
	p.port, p.value = sansio.Port(5+b), int32(10*(1+b))
	return p
}

func (p pkt) level(next uint8) pkt   { p.h.Upper.Level = next; return p }
func (p pkt) levels(n uint8) pkt     { p.h.Upper.Levels = n; return p }
func (p pkt) third(bits uint32) pkt  { p.h.Upper.Bitmaps[0] = bits; return p }
func (p pkt) thirdFan(fan uint8) pkt { p.h.Upper.FanIns[0] = fan; return p }

func deepParam(seq uint32) pkt {
	p := param(seq)
	p.h.Upper = wire.Upper{Levels: 6, FanIns: [4]uint8{1, 1, 1, 1}}
	return p
}

// A switch of the third level adds what comes to it as the second does: a resend it does not merge. What collides
// there goes on past the next level, as a resend.
func TestThirdLevel(t *testing.T) {
	newBench(t, third()).run([]step{
		{deep(0, 1), "", "2: 1.1 1 n1"},
		{deep(0, 1), "", "2: 1.1 1 n1"},                           // a copy
		{deep(1, 1), "1/1/11/1/1/1 to 3 e =30", "2: 1.1 11 n2"},   // whole
		{deep(0, 2), "11/1/1/1/1/1 to 3 rce =10", "2: 1.1 11 n2"}, // collides
		{deepParam(1), "0/0/0/0/0/0 to 0 a =99", ""},              // frees
		{deep(0, 3), "", "2: 1.3 1 n1"},
		{deep(1, 3).resend(), "1/1/10/1/1/1 to 3 re =20", ""}, // is not merged, and frees
		{deep(0, 4).resend(), "11/1/1/1/1/1 to 3 re =10", ""}, // reserves none
	})
}

// What is on its way to another level, or of another number of levels, is none of the switch's; forged headers are
// counted by reason.
func TestOtherLevels(t *testing.T) {
	b := newBench(t, third())
	b.run([]step{
		{deep(0, 1).level(1), "11/1/1/1/1/1 to 1 e =10", ""},
		{deep(0, 1).level(3), "11/1/1/1/1/1 to 3 e =10", ""},
		{deep(0, 1).level(6), "11/1/1/1/1/1 to 6 e =10", ""},
		{deep(0, 1).by(6), "11/1/1/1/1/1 to 2 e =10", ""},     // worker 2 is no switch
		{deep(0, 1).third(3), "11/1/11/1/1/1 to 2 e =10", ""}, // of all, before the switch
	})
	b.wantCounts(map[atp.Counter]uint64{atp.NotHere: 5, atp.Reserved: 0})
	b.run([]step{
		{deep(0, 1).thirdFan(3), "11/1/1/1/1/1 to 3 re =10", ""}, // goes on for the server to add
		{deep(0, 1).levels(5), "11/1/1/1/1 to 2 e =10", ""},
		{deepParam(1).levels(5), "0/0/0/0/0 to 0 a =99", ""},
		{param(1), "0/0 a =99", ""},
		{rackSum(0, 1).by(5), "1/1 e =10", ""}, // two levels
	})
	b.wantCounts(map[atp.Counter]uint64{atp.BadFanIn: 1})
	if n := b.count(atp.CountLevels); n != 4 {
		t.Errorf("%d packets of other levels", n)
	}
	b.send(deep(0, 1).level(0), deep(0, 1).level(7), deep(0, 1).third(0))
	for name, want := range map[string]uint64{string(wire.BadLevel): 2, string(wire.NoWorker): 1} {
		if n := b.count(name); n != want {
			t.Errorf("%s: %d, want %d", name, n, want)
		}
	}
	base := newBench(t, first(1, 3))
	base.run([]step{{deep(0, 1), "11/1/1/1/1/1 to 2 e =10", ""}})
	if n := base.count(atp.CountLevels); n != 1 {
		t.Errorf("a job of two levels: %d packets of others", n)
	}
}

// Jobs whose levels contradict each other are refused.
func TestRefusedLevels(t *testing.T) {
	for name, change := range map[string]func(*atp.Job){
		"more levels than headers have": func(j *atp.Job) { j.Levels = wire.MaxLevels + 1 },
		"fewer than none":               func(j *atp.Job) { j.Levels = -1 },
		"a part beyond the levels":      func(j *atp.Job) { j.Levels = 2 },
		"two parts":                     func(j *atp.Job) { j.Servers[0].Levels[0] = j.Servers[0].Upper[0] },
		"two parts above":               func(j *atp.Job) { j.Servers[0].Upper = append(j.Servers[0].Upper, j.Servers[0].Upper[0]) },
	} {
		j := third()
		change(&j)
		if r := j.Check(); r == nil || r.Reason != dataplane.RefusedLevels {
			t.Errorf("%s: %v", name, r)
		}
	}
	j := third()
	if r := j.Check(); r != nil {
		t.Errorf("refused: %v", r)
	}
	j.Servers[0].Upper[0].Sources = make([]atp.Source, 33)
	if r := j.Check(); r == nil || r.Reason != dataplane.RefusedManySources {
		t.Errorf("33 sources: %v", r)
	}
}

// The table of jobs has the fan-ins of all levels that some job has, and that of bitmaps says the level.
func TestViewsOfLevels(t *testing.T) {
	b := newBench(t, third())
	b.send(deep(0, 1))
	jobs := b.e.View(b.now, dataplane.ViewJobs, 10)
	for i, c := range jobs.Columns {
		want := map[string]string{"fan-in 2": "2", "workers": "3"}[c.Name]
		if got := jobs.Rows[0][i].String(); want != "" && got != want {
			t.Errorf("%s: %s, want %s", c.Name, got, want)
		}
	}
	if n := len(jobs.Columns); n != 18 {
		t.Errorf("%d columns", n)
	}
	if got := b.e.View(b.now, dataplane.ViewBitmap, 10).Rows[0][3].String(); got != "2" {
		t.Errorf("level %s", got)
	}
	slots := b.e.View(b.now, dataplane.ViewSlots, 10)
	if got := slots.Rows[0][5].String(); got != "2" {
		t.Errorf("missing workers %q", got)
	}
}
