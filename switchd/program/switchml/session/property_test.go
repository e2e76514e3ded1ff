package session

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// Jobs of different numbers of workers are set up at once, whatever the order in
// which their workers get to run.
func TestEveryOrderSetsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench(t, 1024)
		var all []*worker
		var jobs [][]*worker
		for i, n := range rapid.SliceOfNDistinct(rapid.IntRange(1, 5), 1, 4, rapid.ID).Draw(t, "workers") {
			jobs = append(jobs, b.job(uint64(100+i), n, 8*i))
			all = append(all, jobs[i]...)
		}
		run(all, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "next") })
		for _, ws := range jobs {
			b.ready(ws)
		}
		if len(b.jobs) != len(jobs) {
			t.Fatalf("%d jobs on the engine, want %d", len(b.jobs), len(jobs))
		}
	})
}

// Some clients die, each at any step. Nobody waits for ever then; and when all
// workers are started again, in any order and while some of the former clients
// still hang, the job is set up: the same one or one with another id.
func TestTheNextJobIsNotWedged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench(t, 0) // every job takes the whole pool
		n := rapid.IntRange(1, 5).Draw(t, "workers")
		old := b.job(7, n, 0)
		choose := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "next") }
		dies := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, n, rapid.ID).Draw(t, "die")
		after := rapid.IntRange(0, 4*n).Draw(t, "steps")
		for range after {
			runOnce(old, choose)
		}
		for _, i := range dies {
			if !old[i].dead {
				old[i].end(nil)
			}
		}
		run(old, choose)
		if rapid.Bool().Draw(t, "patience") {
			b.expire(DefaultPatience)
			run(old, choose)
			for _, w := range old {
				if w.waiting != 0 {
					t.Fatalf("rank %d still waits in its %s", w.rank, w.step)
				}
			}
		}
		for _, w := range old { // whoever started them ends them, soon or late
			if !w.dead {
				w.end(nil)
			}
		}
		id := uint64(7 + rapid.IntRange(0, 1).Draw(t, "id"))
		shift := rapid.IntRange(0, n-1).Draw(t, "shift") // ranks may be dealt anew
		again := b.job(id, n, 0)
		for _, w := range again {
			w.host = (w.rank + shift) % n
		}
		run(again, choose)
		b.ready(again)
		if len(b.jobs) != 1 {
			t.Errorf("%d jobs on the engine", len(b.jobs))
		}
	})
}

// runOnce lets one worker take one step.
func runOnce(ws []*worker, choose func(int) int) {
	var able []*worker
	for _, w := range ws {
		if w.take() {
			able = append(able, w)
		}
	}
	if len(able) > 0 {
		able[choose(len(able))].next()
	}
}

// A client that hangs, in a set-up that another's death has broken, is told; its
// being there does not keep a new set-up from the seats.
func TestAHungClientIsInNobodysWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench(t, 0)
		n := rapid.IntRange(2, 5).Draw(t, "workers")
		choose := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "next") }
		old := b.job(7, n, 0)
		hangs := rapid.IntRange(1, n-1).Draw(t, "hangs")
		old[hangs].script = old[hangs].script[:2] // it never goes on after its first barrier
		run(old, choose)
		for _, w := range old {
			if w.rank != hangs && !w.dead {
				w.end(nil)
			}
		}
		again := b.job(8, n, 8) // other hosts: the old one's interface is still held
		b.pool *= 2
		run(again, choose)
		b.ready(again)
	})
}

// Whatever is asked, in whatever order: each call is answered once or waits for
// at most the patience; barriers let go as many as they are for, without seats as
// many connections; a rank's k-th broadcast brings the root's k-th value; a refused session changes no job.
func TestAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench(t, 3000) // room for two jobs
		var conns []Conn
		open := map[Call]Conn{}
		t.Repeat(map[string]func(*rapid.T){
			"connect": func(t *rapid.T) {
				if len(conns) < 12 {
					conns = append(conns, b.connect())
				}
			},
			"hangup": func(t *rapid.T) {
				if len(conns) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(conns)-1).Draw(t, "conn")
				c := conns[i]
				conns = append(conns[:i], conns[i+1:]...)
				b.hangup(c)
				for call, of := range open {
					if _, answered := b.answers[call]; of == c && !answered {
						delete(open, call)
					}
				}
			},
			"cancel": func(t *rapid.T) {
				if b.call == 0 {
					t.Skip()
				}
				call := Call(rapid.Uint64Range(1, uint64(b.call)).Draw(t, "call"))
				b.m.Cancel(call)
				b.collect()
				if _, answered := b.answers[call]; !answered {
					delete(open, call)
				}
			},
			"barrier": func(t *rapid.T) {
				c := draw(t, conns)
				n := rapid.IntRange(0, 4).Draw(t, "n")
				before := len(b.order)
				call := b.barrier(c, n)
				open[call] = c
				released, callers := 0, map[Conn]bool{}
				for _, id := range b.order[before:] {
					if b.answers[id].Fault == nil {
						released++
						callers[open[id]] = true
					}
				}
				if b.m.clients[c].cohort == nil && len(callers) != released {
					t.Fatalf("a barrier of %d without seats let %d connections go", n, len(callers))
				}
				if released != 0 && released != n {
					t.Fatalf("a barrier of %d let %d go", n, released)
				}
			},
			"broadcast": func(t *rapid.T) {
				c := draw(t, conns)
				n := rapid.IntRange(1, 4).Draw(t, "n")
				call := b.broadcast(c, rapid.Uint64().Draw(t, "value"), rapid.IntRange(0, n).Draw(t, "rank"), n, 0)
				open[call] = c
			},
			"session": func(t *rapid.T) {
				c := draw(t, conns)
				n := rapid.IntRange(0, 4).Draw(t, "n")
				s := udp(uint64(rapid.IntRange(1, 3).Draw(t, "id")), rapid.IntRange(0, 4).Draw(t, "rank"), n, rapid.IntRange(0, 6).Draw(t, "host"))
				before := maps.Clone(b.jobs)
				if _, f := b.open(c, s); f != nil && f.Kind != NoRoom && !sameJobs(before, b.jobs) {
					t.Fatalf("%v, and jobs %v became %v", f, before, b.jobs)
				}
			},
			"refused": func(t *rapid.T) {
				id := uint8(rapid.IntRange(1, 3).Draw(t, "job"))
				b.m.Refused([]dataplane.JobRefusal{{Job: id, Number: 1, Why: why}})
				b.collect()
			},
			"late": func(t *rapid.T) {
				b.expire(units.Duration(rapid.IntRange(1, 60).Draw(t, "seconds")) * units.Second)
			},
			"": func(t *rapid.T) {
				checkBooks(t, b)
				if next := b.m.NextDeadline(); next != units.Never && next > b.now.Add(DefaultPatience) {
					t.Fatalf("deadline %v at %v", next, b.now)
				}
			},
		})
		b.expire(DefaultPatience)
		for call := range open {
			if _, answered := b.answers[call]; !answered {
				t.Fatalf("call %d is not answered", call)
			}
		}
		for _, c := range conns {
			b.hangup(c)
		}
		if len(b.m.cohorts) != 0 || len(b.m.clients) != 0 {
			t.Fatalf("%d cohorts and %d clients are left behind", len(b.m.cohorts), len(b.m.clients))
		}
	})
}

func draw(t *rapid.T, conns []Conn) Conn {
	if len(conns) == 0 {
		t.Skip()
	}
	return conns[rapid.IntRange(0, len(conns)-1).Draw(t, "conn")]
}

// checkBooks compares the machine's jobs with the engine's: no worker is in two,
// and complete jobs are the same.
func checkBooks(t *rapid.T, b *bench) {
	if len(b.m.jobs) != len(b.jobs) {
		t.Fatalf("%d jobs, on the engine %d", len(b.m.jobs), len(b.jobs))
	}
	seen := map[int]bool{}
	for _, j := range b.m.jobs {
		on, ok := b.jobs[j.doc.ID]
		if !ok || on.Session != j.doc.Session || j.doc.Complete() != on.Complete() {
			t.Fatalf("job %+v, on the engine %+v", j.doc, on)
		}
		for _, w := range j.doc.Workers {
			if seen[int(w.Port)] {
				t.Fatalf("port %d is in two jobs", w.Port)
			}
			seen[int(w.Port)] = true
		}
	}
	if b.used() > switchml.MaxSlots {
		t.Fatalf("%d slots are used", b.used())
	}
}
