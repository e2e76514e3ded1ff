package live

import (
	"testing"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// Runs of XAgg can be laid out; this takes no privileges.
func TestXAggRunsAreLaidOut(t *testing.T) {
	lab := newTestLab(t)
	for _, quick := range []bool{true, false} {
		lab.env.Quick = quick
		runs := append(append(xaggTestbedRuns(), fig21Runs()...), reallocateRun(lab.env), asynchronyRun())
		for _, r := range runs {
			if j, err := r.job(lab.env); err != nil || len(j.Hosts()) != r.hosts {
				t.Errorf("%s: %v", r.name, err)
			}
		}
	}
}

func TestWindowsCountWhatWorkersSend(t *testing.T) {
	a, b := trace.NewLog(1), trace.NewLog(1)
	send := func(l *trace.Log, node string, at ...units.Time) {
		for _, at := range at {
			l.Event(&trace.Event{At: at, Kind: trace.Sent, Node: node})
		}
	}
	ms := units.Time(units.Millisecond)
	send(a, "h0", 5*ms, 6*ms, 40*ms)
	send(b, "h1", 14*ms, 15*ms)
	line := units.Rate(8 * int64(xaggFrame) * 1000) // a frame in a millisecond
	got := windows([]*trace.Log{a, b}, line, 10*units.Millisecond)
	if len(got) != 3 || got[0].workers["h0"] != 2 || got[0].workers["h1"] != 1 || got[1].workers["h1"] != 1 || len(got[2].workers) != 0 {
		t.Fatalf("windows %+v", got)
	}
	if u := got[0].used; u < 0.299 || u > 0.301 {
		t.Errorf("3 ms of 10 are %v", u)
	}
}

func TestSentBytesAreParsed(t *testing.T) {
	const text = "Inter-|   Receive                                                |  Transmit\n" +
		" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n" +
		"    lo: 1 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0\n  eth0:11 2 0 0 0 0 0 0 77 4 0 0 0 0 0 0\n"
	if n, err := parseSent([]byte(text), "eth0"); err != nil || n != 77 {
		t.Errorf("%v, %v; want 77", n, err)
	}
	if _, err := parseSent([]byte(text), "eth1"); err == nil {
		t.Error("an interface that is not there has no error")
	}
}

// Two hosts that send 1000 bytes a millisecond each, read at other times.
func TestRatesOfSamples(t *testing.T) {
	var a, b []sentSample
	for i := range 101 {
		at := int64(i) * 1_000_000
		a, b = append(a, sentSample{at, float64(1000 * i)}), append(b, sentSample{at + 300_000, float64(1000 * i)})
	}
	rates := ratesOf(map[string][]sentSample{"h0": a, "h1": b}, 10_000_000, 10*units.Millisecond, 0.25)
	if len(rates) != 6 {
		t.Fatalf("%d rates up to 75 ms, want 6: %v", len(rates), rates)
	}
	for _, r := range rates {
		if r < 15.99e6 || r > 16.01e6 {
			t.Errorf("%v bit/s, want 16 Mbit/s", r)
		}
	}
}
