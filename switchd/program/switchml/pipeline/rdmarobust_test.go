package pipeline

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// A faithful program has neither rule, in the chip as in the reference. (Of 256 values it
// would misread one half, as the public program does over UDP.)
func TestFaithfulRDMA(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := []switchml.Job{rdmaDocument(1, 0, rapid.IntRange(1, 3).Draw(t, "workers"), 64, rapid.IntRange(1, 4).Draw(t, "packets of a message"), 2)}
		cfg := rdmaConfig(jobs...)
		cfg.Faithful = true
		w := newRDMATwin(t, cfg, Options{})
		x := newRDMATraffic(t, jobs)
		x.trusting, x.ordered = true, true // of an overtaken message the reference would count by its tags
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			x.step(w.give)
		}
		if want, got := w.ref.Counters(), ours(w.e.Counters()); !slices.Equal(want, got) {
			t.Fatalf("counters %v of the chip, %v of the reference program", got, want)
		}
	})
}

// plain is packet i of a message whose values are all v.
func plain(doc *switchml.Job, rank, q, i int, psn roce.PSN, set uint32, v int32) *write {
	return &write{doc: doc, rank: rank, q: q, i: i, psn: psn, set: set, value: func(int) int32 { return v }}
}

// Both rules that the paper is silent on, and what comes without them.
func TestRulesOfRDMA(t *testing.T) {
	for _, faithful := range []bool{false, true} {
		doc := rdmaDocument(1, 0, 2, 64, 2, 1)
		for w := range doc.Workers {
			doc.Workers[w].RDMA.PSNs[0] = 100
		}
		cfg := rdmaConfig(doc)
		cfg.Faithful = faithful
		w := newRDMATwin(t, cfg, Options{})
		send := func(rank, psn int, set uint32, packets ...int) (out []sent) {
			for _, i := range packets {
				out = append(out, w.give(plain(&doc, rank, 0, i, roce.PSN(psn+i), set, 1).arrival())...)
			}
			return out
		}
		send(0, 100, 0, 0, 1)
		send(1, 100, 0, 0, 1)
		send(0, 102, 1, 0, 1)
		send(1, 102, 1, 0, 1)
		send(1, 100, 0, 0) // overtaken by the next
		out := send(0, 104, 0, 0)
		if dropped := w.count(switchml.DropRDMASequence); (dropped == 1) == faithful || (len(out) == 2) != faithful {
			t.Errorf("faithful %v: %d dropped as out of sequence, %d packets leave", faithful, dropped, len(out))
		}
		if faithful {
			continue
		}
		send(1, 104, 0, 0, 1)
		if out := send(0, 104, 0, 1); len(out) != 2 {
			t.Errorf("%d packets leave where the message goes on", len(out))
		}
		send(1, 110, 0, 0) // worker 1 is answered again, and is not at packet 1
		if out := send(0, 106, 0, 0, 1); len(out) != 2 || w.count(switchml.CountRDMAHeldBack) != 0 {
			t.Errorf("%d packets leave, %d held back", len(out), w.count(switchml.CountRDMAHeldBack))
		}
		w.agree()
	}
}

// While one worker is answered from the start, another completes a slot further on: that
// result does not go on with the first one's message and is held back from it.
func TestHeldBack(t *testing.T) {
	doc := rdmaDocument(1, 0, 2, 64, 3, 1)
	w := newRDMATwin(t, rdmaConfig(doc), Options{})
	next := []roce.PSN{roce.PSN(doc.Workers[0].RDMA.PSNs[0]), roce.PSN(doc.Workers[1].RDMA.PSNs[0])}
	send := func(rank, i int) []sent {
		out := w.give(plain(&doc, rank, 0, i, next[rank], 0, 1).arrival())
		next[rank] = next[rank].Add(1)
		return out
	}
	for i := range 3 {
		send(0, i)
	}
	send(1, 0)
	send(1, 1)
	send(0, 0) // again: worker 0 is sent packet 0
	if out := send(1, 2); len(out) != 1 || out[0].port != 1 || w.count(switchml.CountRDMAHeldBack) != 1 {
		t.Errorf("%d packets leave, %d held back: want the last one to worker 1 alone", len(out), w.count(switchml.CountRDMAHeldBack))
	}
	w.agree()
}

// A packet of one set does not go on with a message of the other, though its place is the
// next one: a card would take both for one message. Here hosts that do not conform bring it
// about; TestLostPassesJoinNoMessages shows it of those that do.
func TestSetsAreNotJoined(t *testing.T) {
	doc := rdmaDocument(1, 0, 2, 64, 2, 1)
	w := newRDMATwin(t, rdmaConfig(doc), Options{})
	next := []roce.PSN{roce.PSN(doc.Workers[0].RDMA.PSNs[0]), roce.PSN(doc.Workers[1].RDMA.PSNs[0])}
	send := func(rank int, set uint32, packets ...int) (out []sent) {
		for _, i := range packets {
			out = append(out, w.give(plain(&doc, rank, 0, i, next[rank], set, 1).arrival())...)
			next[rank] = next[rank].Add(1)
		}
		return out
	}
	send(1, 1, 0, 1)
	send(0, 1, 0) // complete
	send(1, 0, 0)
	if out := send(0, 0, 0); len(out) != 2 {
		t.Fatalf("%d packets begin messages of set 0, want 2", len(out))
	}
	if out := send(0, 1, 0, 1); len(out) != 0 || w.count(switchml.CountRDMAHeldBack) != 2 {
		t.Errorf("%d packets leave, %d held back: want none that goes on with set 0, and 2", len(out), w.count(switchml.CountRDMAHeldBack))
	}
	w.agree()
}

// A wrong ICRC is a counted drop where that is asked for, and else taken.
func TestICRCIsChecked(t *testing.T) {
	for _, check := range []bool{true, false} {
		doc := rdmaDocument(1, 0, 1, 64, 1, 1)
		cfg := rdmaConfig(doc)
		cfg.CheckICRC = check
		w := newRDMATwin(t, cfg, Options{})
		a := plain(&doc, 0, 0, 0, roce.PSN(doc.Workers[0].RDMA.PSNs[0]), 0, 5).arrival()
		a.Train.Body[len(a.Train.Body)-1] ^= 1
		out := w.give(a)
		if (len(out) == 0) != check || (w.count(switchml.DropRDMAICRC) == 1) != check {
			t.Errorf("check %v: %d packets leave; %v", check, len(out), w.e.Counters())
		}
		w.agree()
	}
}

// Whatever hosts of one job send, and whenever it is removed and comes again: to another
// job nothing changes.
func TestRDMAJobsAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := []switchml.Job{rdmaDocument(1, 0, 2, 64, 2, 2), rdmaDocument(2, 2, 2, rapid.SampledFrom([]int{64, 256}).Draw(t, "elements"), 2, 2)}
		both, alone := newRDMATwin(t, rdmaConfig(jobs...), Options{}), newRDMATwin(t, rdmaConfig(jobs[1]), Options{})
		noise, quiet := newRDMATraffic(t, jobs[:1]), newRDMATraffic(t, jobs[1:])
		for _, h := range noise.hosts { // they have other numbers each time the job comes
			h.doc = &jobs[0]
		}
		give := func(a sansio.Arrival) []sent {
			want := alone.handle(0, cloneArrival(a))
			got := both.give(a)
			for i := range got {
				got[i].port -= 2 // ports of the second job
			}
			for i := range want {
				want[i].port -= 2
			}
			if !slices.EqualFunc(want, got, func(a, b sent) bool { return a.port == b.port && bytes.Equal(a.frame, b.frame) }) {
				t.Fatalf("another job changes what leaves:\n%s", difference(got, want))
			}
			return got
		}
		noise.trusting = true
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "whose") {
			case 0:
				both.replace(t, &jobs[0])
			case 1, 2, 3:
				noise.step(both.give)
			case 4:
				both.give(noise.stray())
			default:
				quiet.step(give)
			}
		}
		quiet.heal(3, give)
	})
}

// replace removes a job from both programs and adds it again.
func (w *rdmaTwin) replace(t rapid.TB, doc *switchml.Job) {
	t.Helper()
	for _, p := range []dataplane.Managed{w.ref, w.e} {
		if _, err := p.RemoveJob(0, uint8(doc.ID)); err != nil {
			t.Fatal(err)
		}
		if _, err := p.AddJob(0, doc); err != nil {
			t.Fatal(err)
		}
	}
}

// What a chip has no room for, or another program is for, is refused by name.
func TestRefusedRDMAJobs(t *testing.T) {
	w := newRDMATwin(t, rdmaConfig(rdmaDocument(1, 0, 2, 256, 1, 4)), Options{})
	udp := rdmaDocument(2, 4, 1, 64, 1, 1)
	udp.RDMA, udp.Workers[0].RDMA = nil, nil
	many := rdmaDocument(3, 4, 8, 64, 1, 1100)
	many.Slots = 1100
	for _, c := range []struct {
		doc  switchml.Job
		says string
	}{
		{udp, "speaks RoCE alone: use RdmaSession"},
		{many, "it has 8800 queue pairs, and 8184 of 8192 are left"},
		{rdmaDocument(4, 1, 1, 64, 1, 1), "is in job 1"},
	} {
		if _, err := w.e.AddJob(0, &c.doc); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("job %d: %v, want %q", c.doc.ID, err, c.says)
		}
	}
	fits := rdmaDocument(5, 4, 8, 64, 1, 50) // nothing is left of those refused
	if _, err := w.e.AddJob(0, &fits); err != nil {
		t.Error(err)
	}
	if _, err := New(bareConfig(), Options{RDMA: true, Half: true}); err == nil {
		t.Error("a program for RoCE and 16-bit floats")
	}
	if _, err := newRDMA(rdmaConfig(udp), Options{}); err == nil {
		t.Error("a job of UDP clients")
	}
}

// A job that lacks workers holds its place, and drops what its workers send.
func TestRDMAJobThatLacksWorkers(t *testing.T) {
	doc := rdmaDocument(1, 0, 2, 64, 2, 1)
	doc.Workers = doc.Workers[:1]
	w := newRDMATwin(t, rdmaConfig(doc), Options{})
	for i := range 2 {
		w.give(plain(&doc, 0, 0, i, roce.PSN(doc.Workers[0].RDMA.PSNs[0]).Add(i), 0, 1).arrival())
	}
	if w.count(switchml.DropIncomplete) != 2 {
		t.Errorf("counters %v", w.e.Counters())
	}
	w.agree()
}

// A packet that the drop simulator loses on its way out has a PSN, as one that a wire loses.
func TestLossTakesAPSN(t *testing.T) {
	doc := rdmaDocument(1, 0, 1, 64, 3, 1)
	w := newRDMATwin(t, rdmaConfig(doc), Options{})
	var psns []roce.PSN
	for i := range 3 {
		probability := 0.0
		if i == 1 {
			probability = 1
		}
		if err := w.e.SetDrop(0, Leaving, probability); err != nil {
			t.Fatal(err)
		}
		a := plain(&doc, 0, 0, i, roce.PSN(doc.Workers[0].RDMA.PSNs[0]).Add(i), 0, 1).arrival()
		for _, s := range w.handle(0, a) {
			var p roce.Packet
			p.Read(s.frame[42:], 0)
			psns = append(psns, p.PSN)
		}
	}
	if !slices.Equal(psns, []roce.PSN{0, 2}) || w.count(switchml.DropDeparture) != 1 {
		t.Errorf("PSNs %v leave", psns)
	}
}
