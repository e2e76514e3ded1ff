package trace

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

func drawEvent(rt *rapid.T, at int) Event {
	e := Event{
		At: units.Time(at), Kind: rapid.SampledFrom([]Kind{Sent, BlockSent, Dropped}).Draw(rt, "kind"),
		Node: rapid.SampledFrom([]string{"", "h0", "mx480/pfe1"}).Draw(rt, "node"), Job: rapid.Byte().Draw(rt, "job"),
		Gen: rapid.Uint32().Draw(rt, "gen"), Block: rapid.Uint32().Draw(rt, "block"), Source: rapid.Byte().Draw(rt, "source"),
		Count: rapid.IntRange(0, 1000).Draw(rt, "count"), Index: rapid.Uint16().Draw(rt, "index"), Degraded: rapid.Bool().Draw(rt, "degraded"),
		Note: rapid.SampledFrom([]string{"", "late"}).Draw(rt, "note"),
	}
	for i := range e.Mask {
		e.Mask[i] = rapid.Uint64().Draw(rt, "mask")
	}
	return e
}

// What is kept is the first half and the latest half, in order and unchanged,
// here and in the file; events from before the epoch stay behind.
func TestLogKeepsTheFirstAndTheLatest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const limit = 2 * chunkLen
		n := rapid.SampledFrom([]int{0, 1, 100, limit - 1, limit, limit + 1, limit + limit/2, 3*limit + 77}).Draw(rt, "events")
		l := NewLog(1)
		pattern := drawEvent(rt, 0)
		var all []Event
		for i := range n {
			e := pattern
			e.At, e.Block = units.Time(10*i), uint32(i)
			all = append(all, e)
			l.Event(&e)
		}
		want := all
		if n > limit {
			want = slices.Concat(all[:limit/2], all[n-limit/2:])
		}
		if got := kept(l); !slices.Equal(want, got) {
			rt.Fatalf("%d of %d events kept, want %d, or in another order", len(got), n, len(want))
		}
		if int(l.Lost()) != n-len(want) {
			rt.Errorf("%d lost of %d", l.Lost(), n)
		}
		if last, ok := l.Last(); ok != (n > 0) || ok && last != all[n-1] {
			rt.Errorf("last event %+v, %v", last, ok)
		}
		before := rapid.IntRange(0, len(want)).Draw(rt, "before the epoch")
		checkFile(rt, l, want, before)
	})
}

// kept returns the events that are kept, in the order in which they came.
func kept(l *Log) (events []Event) {
	for i := range l.Len() {
		events = append(events, l.at(i))
	}
	return events
}

func checkFile(rt *rapid.T, l *Log, want []Event, before int) {
	epoch := units.Time(0)
	if before > 0 {
		epoch = want[before-1].At + 1
	}
	var file bytes.Buffer
	if err := l.Write(&file, epoch); err != nil {
		rt.Fatal(err)
	}
	text := file.Bytes()
	back, err := Read(&file)
	if err != nil {
		rt.Fatal(err)
	}
	shifted := slices.Clone(want[before:])
	for i := range shifted {
		shifted[i].At -= epoch
	}
	if got := kept(back); !slices.Equal(shifted, got) || back.Lost() != l.Lost() {
		rt.Fatalf("read back %d events and %d lost, want %d and %d", len(got), back.Lost(), len(shifted), l.Lost())
	}
	if len(shifted) > 0 {
		if _, err := Read(bytes.NewReader(text[:len(text)-1])); err == nil {
			rt.Error("a file that was cut off was read")
		}
	}
}

// Logs of several nodes come out as one, in order of time.
func TestMergedIsInOrderOfTime(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		logs := []*Log{NewLog(1), NewLog(1), NewLog(1)}
		var want []Event
		for i, l := range logs {
			at := 0
			for range rapid.IntRange(0, 20).Draw(rt, "events") {
				at += rapid.IntRange(0, 3).Draw(rt, "gap")
				e := Event{At: units.Time(at), Source: uint8(i), Kind: Sent}
				l.Event(&e)
				want = append(want, e)
			}
		}
		slices.SortStableFunc(want, func(a, b Event) int { return int(a.At - b.At) })
		if diff := cmp.Diff(want, slices.Collect(Merged(logs)), cmpopts.EquateEmpty()); diff != "" {
			rt.Errorf("merged (-want +got):\n%s", diff)
		}
	})
}

func TestReadRefusesWhatItDidNotWrite(t *testing.T) {
	for _, text := range []string{"", "no head", "{}\n", `{"version":2,"entries":-1,"limit":1,"names":[""]}` + "\n", `{"version":1,"entries":0,"limit":1,"names":[""]}` + "\n"} {
		if _, err := Read(bytes.NewReader([]byte(text))); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestJoin(t *testing.T) {
	a, b := NewLog(1), NewLog(1)
	if Join(nil, nil) != nil || Join(nil, a) != Sink(a) {
		t.Error("nothing, or one alone, is wrapped")
	}
	Join(a, nil, b).Event(&Event{Kind: Sent})
	if a.Len() != 1 || b.Len() != 1 {
		t.Errorf("%d and %d events", a.Len(), b.Len())
	}
}

// However many notes there are, kinds and nodes have names, and the file can be read.
func TestLogWithMoreNotesThanNames(t *testing.T) {
	l := NewLog(1)
	for i := range 2 * maxNotes {
		l.Event(&Event{Kind: Collided, Node: "tor", Note: fmt.Sprintf("job 255 number %d", 1<<23+i)})
	}
	l.Event(&Event{Kind: Freed, Node: "leaf"})
	if last, _ := l.Last(); last.Kind != Freed || last.Node != "leaf" {
		t.Errorf("last event %+v", last)
	}
	var file bytes.Buffer
	if err := l.Write(&file, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(&file); err != nil {
		t.Error(err)
	}
}

// Who reads a log now and then gets every event that was kept until then, in order and once, and
// is told how many were not.
func TestSince(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := NewLog(1)
		var next, read, lost, given uint64
		last := units.Time(-1)
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			for range rapid.SampledFrom([]int{0, 1, 1000, 3 * chunkLen}).Draw(rt, "events") {
				l.Event(&Event{At: units.Time(given), Kind: Sent})
				given++
			}
			most := rapid.SampledFrom([]int{1, 1000, 100_000}).Draw(rt, "most")
			list, to, missing := l.Since(next, most)
			lost, read = lost+missing, read+uint64(len(list))
			if to-next != missing+uint64(len(list)) || len(list) > most {
				rt.Fatalf("%d events and %d lost from %d to %d", len(list), missing, next, to)
			}
			if len(list) < most && to != given {
				rt.Fatalf("read to %d of %d, with room for more", to, given)
			}
			for _, e := range list {
				if e.At <= last {
					rt.Fatalf("event %d came after event %d", e.At, last)
				}
				last = e.At
			}
			next = to
		}
		if l.Taken() != given || lost+read != next || lost > 0 && given <= 2*chunkLen {
			rt.Errorf("%d taken of %d, %d read and %d lost of %d", l.Taken(), given, read, lost, next)
		}
	})
}
