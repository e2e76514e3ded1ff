package groups

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

// storm draws what becomes of messages: lost (a share by their kind), repeated, delayed.
func storm(t *rapid.T) func(m *message) []units.Duration {
	loss := map[string]uint64{}
	for _, kind := range []string{"data", "end of group", "done", "report"} {
		loss[kind] = rapid.Uint64Range(0, 70).Draw(t, kind+" lost in percent")
	}
	seed := rapid.Uint64Min(1).Draw(t, "network")
	draw := func(n uint64) uint64 {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		return seed % n
	}
	return func(m *message) []units.Duration {
		kind := "report"
		switch {
		case m.done:
			kind = "done"
		case m.data != nil && m.data.Ends:
			kind = "end of group"
		case m.data != nil:
			kind = "data"
		}
		delay := func() units.Duration { return units.Duration(draw(uint64(maxDelay))) }
		switch {
		case draw(100) < loss[kind]:
			return nil
		case draw(8) == 0:
			return []units.Duration{delay(), delay()}
		}
		return []units.Duration{delay()}
	}
}

// Whatever is lost, repeated and overtaken ends with all packets there. With a settling time above
// the reordering, an index is asked for only as often as it or a report of it was lost.
func TestEverythingArrives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{
			Packets: rapid.Uint32Range(1, 60).Draw(t, "packets"),
			Group:   rapid.Uint32Range(1, 16).Draw(t, "group"),
			Settle:  rapid.SampledFrom([]units.Duration{0, maxDelay}).Draw(t, "settle"),
			Again:   2*maxDelay + 61*packet,
		}
		r, err := newRig(c, rapid.IntRange(1, 3).Draw(t, "senders"))
		if err != nil {
			t.Fatal(err)
		}
		r.fate = storm(t)
		if err := r.run(); err != nil {
			t.Fatal(err)
		}
		for h := range r.send {
			if !r.recv.Complete(Host(h)) {
				t.Fatalf("sender %d is finished, and not complete at the receiver", h)
			}
			for _, i := range slices.Sorted(indexes(r.asks[h])) {
				if asks, excuses := r.asks[h][i], r.excuses[h][i]; c.Settle > 0 && asks > excuses {
					t.Fatalf("packet %d of sender %d was asked for %d times, and lost %d times", i, h, asks, excuses)
				}
			}
		}
	})
}

func indexes(m map[uint32]int) func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		for i := range m {
			if !yield(i) {
				return
			}
		}
	}
}

// Without loss a gradient costs two messages of control (XAgg §IV-D).
func TestNoLossCostsNoReports(t *testing.T) {
	r, err := newRig(Config{Packets: 10000, Settle: maxDelay}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	if r.control != 2 {
		t.Errorf("%d messages of control, want done and complete", r.control)
	}
}

// Fig 5: packet 2048 has [1025, 2048] checked, and what lacks there is asked for.
func TestPaperExample(t *testing.T) {
	there := func(h Host, i uint32) bool { return i >= 1025 && i != 1026 && i != 2000 }
	r, err := NewReceiver(Config{Packets: 8200}, []Host{0}, there)
	if err != nil {
		t.Fatal(err)
	}
	r.Checked(0, 0, 2048)
	if e := r.Events(); len(e) != 1 || !slices.Equal(e[0].Lost, []uint32{1026, 2000}) {
		t.Errorf("asked for %v", e)
	}
	if lost, checked := r.Losses(0); lost != 2 || checked != 1024 {
		t.Errorf("%d of %d packets lost", lost, checked)
	}
	r.Checked(1, 0, 8192) // nothing lacks
	if e := r.Events(); e != nil {
		t.Errorf("asked for %v", e)
	}
	if lost, checked := r.Losses(0); lost != 0 || checked != 1024 {
		t.Errorf("%d of %d packets lost in the next period", lost, checked)
	}
}

// The final checks find each a loss of its own kind: in the tail, in a group without an end packet,
// in the lost list (XAgg §IV-D).
func TestFinalChecks(t *testing.T) {
	const n = 2050
	lacks := map[uint32]bool{2049: true, 1024: true, 1500: true}
	r, err := NewReceiver(Config{Packets: n}, []Host{3}, func(_ Host, i uint32) bool { return !lacks[i] })
	if err != nil {
		t.Fatal(err)
	}
	at := units.Time(0)
	r.Checked(at, 3, 2048)
	_ = r.Events() // the report on 1500 is lost
	at = at.Add(DefaultAgain)
	r.Done(at, 3)
	e := r.Events()
	if len(e) != 1 || !slices.Equal(e[0].Lost, []uint32{1024, 1500, 2049}) || r.Complete(3) {
		t.Fatalf("asked for %v", e)
	}
	clear(lacks)
	r.Checked(at, 3, 1024)
	r.Checked(at, 3, 2049)
	if r.Events() != nil || r.Complete(3) {
		t.Error("complete before the last group of the lost list")
	}
	r.Expire(at.Add(DefaultAgain))
	if e := r.Events(); len(e) != 1 || !e[0].Complete || !r.Complete(3) {
		t.Errorf("events %v at the end", e)
	}
	r.Done(at, 3)
	if e := r.Events(); len(e) != 1 || !e[0].Complete {
		t.Errorf("events %v for a word that is repeated", e)
	}
}

func TestSender(t *testing.T) {
	s, err := NewSender(Config{Packets: 5, Group: 2})
	if err != nil {
		t.Fatal(err)
	}
	var got []Packet
	take := func(n int) {
		for range n {
			if p, ok := s.Next(7); ok {
				got = append(got, p)
			}
		}
	}
	take(4)
	s.Report(2, []uint32{1, 3, 5, 0, 6}) // 5 is not sent yet
	s.Report(2, []uint32{1, 3})
	s.Report(1, []uint32{3, 2}) // overtaken
	take(9)
	want := []Packet{{1, false, false}, {2, true, false}, {3, false, false}, {4, true, false},
		{1, false, true}, {3, false, true}, {2, true, true}, {5, true, false}}
	if !slices.Equal(got, want) {
		t.Errorf("sent %v, want %v", got, want)
	}
	if d := s.Drops(); d != (SenderDrops{BadIndex: 3, Repeated: 1}) {
		t.Errorf("drops %+v", d)
	}
	if !s.Expire(7) || s.Expire(8) || s.NextDeadline() != units.Time(7).Add(DefaultAgain) {
		t.Errorf("the end is due at %v", s.NextDeadline())
	}
	s.Complete()
	if _, ok := s.Next(9); ok || !s.Finished() || s.NextDeadline() != units.Never {
		t.Error("a complete sender goes on")
	}
}

func TestRefusals(t *testing.T) {
	for want, call := range map[string]func() error{
		"gradient of 0 packets":   func() error { _, err := NewSender(Config{}); return err },
		"must not be negative":    func() error { _, err := NewSender(Config{Packets: 1, Again: -1}); return err },
		"sender with host bit 32": func() error { _, err := NewReceiver(Config{Packets: 1}, []Host{32}, nil); return err },
		"sender with host bit 1":  func() error { _, err := NewReceiver(Config{Packets: 1}, []Host{1, 1}, nil); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	r, err := NewReceiver(Config{Packets: 4}, []Host{1}, func(Host, uint32) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	r.Checked(0, 2, 1)
	r.Checked(0, 200, 1)
	r.Checked(0, 1, 0)
	r.Checked(0, 1, 5)
	r.Done(0, 0)
	if d := r.Drops(); d != (Drops{Stranger: 3, BadIndex: 2}) || r.Events() != nil {
		t.Errorf("drops %+v", d)
	}
}

// Where a whole gradient is lost, the questions for it do not come all at once, and again and again while
// it is on its way.
func TestQuestionsAreBounded(t *testing.T) {
	const packets = 528 << 20 / 1024 // VGG16's 528 MB (XAgg §VI-C), by 256 values
	there := newSet(packets)
	r, err := NewReceiver(Config{Packets: packets}, []Host{3}, func(_ Host, i uint32) bool { return there.has(i) })
	if err != nil {
		t.Fatal(err)
	}
	r.Done(0, 3)
	now, rounds := units.Time(0), 0
	for ; !r.Complete(3); rounds++ {
		events := r.Events()
		if len(events) > MaxReports || len(events) == 0 {
			t.Fatalf("%d questions at %v, and at most %d are to leave at a time", len(events), now, MaxReports)
		}
		for _, e := range events {
			for _, i := range e.Lost {
				there.add(i)
			}
		}
		r.Done(now.Add(DefaultAgain/2), 3)
		if more := r.Events(); len(more) > 1 || len(more) == 1 && !more[0].Complete {
			t.Fatalf("%d questions more before it is time", len(more))
		}
		now = max(now.Add(DefaultAgain), r.NextDeadline())
		r.Expire(now)
	}
	if least := packets / (MaxReports * MaxReport); rounds < least || rounds > least+2 {
		t.Errorf("%d rounds, and %d are enough", rounds, least+1)
	}
}
