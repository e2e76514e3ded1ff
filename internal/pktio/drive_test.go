package pktio_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/pktiotest"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

const us = units.Time(units.Microsecond)

// script is a machine that does what its functions say and keeps a transcript.
type script struct {
	handle   func(now units.Time, in []sansio.Arrival, eff *sansio.Effects)
	expire   func(now units.Time, eff *sansio.Effects)
	deadline units.Time
	events   []string
	ended    bool
}

func (m *script) note(what string, now units.Time) {
	m.events = append(m.events, what+" "+now.String())
}

func (m *script) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	m.note("handle", now)
	if m.handle != nil {
		m.handle(now, in, eff)
	}
}

func (m *script) Expire(now units.Time, eff *sansio.Effects) {
	m.note("expire", now)
	m.deadline = units.Never
	if m.expire != nil {
		m.expire(now, eff)
	}
}

func (m *script) NextDeadline() units.Time { return m.deadline }

func (m *script) done() bool { return m.ended }

// virtual runs m on a device that moves its clock, so that no test waits.
func virtual(t *testing.T, m *script, deliver func(*pktiotest.Device), change func(*pktio.DriveConfig)) (pktio.Report, *pktiotest.Device, error) {
	t.Helper()
	clock := &pktiotest.Clock{}
	dev := pktiotest.New(2, clock)
	if deliver != nil {
		deliver(dev)
	}
	cfg := pktio.DriveConfig{Machine: m, Device: dev, Clock: clock, Done: m.done}
	if change != nil {
		change(&cfg)
	}
	report, err := pktio.Drive(t.Context(), cfg)
	return report, dev, err
}

func expect(t *testing.T, m *script, want ...string) {
	t.Helper()
	if !slices.Equal(m.events, want) {
		t.Errorf("events %q, want %q", m.events, want)
	}
}

func frame(s string) sansio.Train { return sansio.Train{Header: []byte(s)} }

func TestDriveMeetsDeadlinesAndArrivalsInOrder(t *testing.T) {
	m := &script{deadline: 20 * us}
	m.handle = func(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
		eff.Send([]sansio.Port{1}, in[0].Train) // borrowed from the device
	}
	m.expire = func(now units.Time, _ *sansio.Effects) {
		if m.deadline = 50 * us; now >= 50*us {
			m.deadline, m.ended = units.Never, true
		}
	}
	report, dev, err := virtual(t, m, func(d *pktiotest.Device) {
		d.Deliver(10*us, sansio.Arrival{Port: 0, Train: frame("a")})
		d.Deliver(30*us, sansio.Arrival{Port: 0, Train: frame("b")})
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, m, "handle 10us", "expire 20us", "handle 30us", "expire 50us")
	if sent := dev.Sent(); len(sent) != 2 || string(sent[1].Train.Header) != "b" || sent[1].To[0] != 1 {
		t.Errorf("sent %v", sent)
	}
	if report.Rounds != 4 || report.Lateness != (pktio.Lateness{Count: 2}) {
		t.Errorf("report %+v", report)
	}
}

func TestDriveReportsLateness(t *testing.T) {
	clock := &pktiotest.Clock{}
	clock.Set(7 * us)
	m := &script{deadline: 2 * us}
	m.expire = func(units.Time, *sansio.Effects) { m.ended = true }
	report, err := pktio.Drive(t.Context(), pktio.DriveConfig{Machine: m, Device: pktiotest.New(1, clock), Clock: clock, Done: m.done})
	if err != nil {
		t.Fatal(err)
	}
	five := 5 * units.Microsecond
	if report.Lateness != (pktio.Lateness{Count: 1, P50: five, P95: five, P99: five, Max: five}) {
		t.Errorf("lateness %+v", report.Lateness)
	}
}

// Effects are carried out as duty 4 of package sansio says: sends, then
// computes, then samples, all before the next call.
func TestDriveCarriesOutEffectsInOrder(t *testing.T) {
	ran := make(chan struct{})
	m := &script{deadline: us}
	m.expire = func(now units.Time, eff *sansio.Effects) {
		if m.deadline = 9 * us; now >= 9*us {
			m.ended = true
			return
		}
		eff.Samples = append(eff.Samples, result.Sample{Iteration: 3})
		eff.Computes = append(eff.Computes, sansio.Compute{Start: now, Until: 9 * us, Run: func() { close(ran) }})
		eff.Send([]sansio.Port{0}, frame("x"))
	}
	var samples, sentBefore int
	var dev *pktiotest.Device
	_, _, err := virtual(t, m, func(d *pktiotest.Device) { dev = d }, func(cfg *pktio.DriveConfig) {
		cfg.OnSamples = func(s []result.Sample) error {
			<-ran // the compute has been started, and runs beside the loop
			samples, sentBefore = samples+s[0].Iteration, len(dev.Sent())
			return nil
		}
	})
	if err != nil || samples != 3 || sentBefore != 1 {
		t.Errorf("samples %d after %d sends, error %v", samples, sentBefore, err)
	}
}

func TestDriveJoinsComputesBeforeTheMachineGoesOn(t *testing.T) {
	release := make(chan struct{})
	var result int
	m := &script{deadline: us}
	m.expire = func(now units.Time, eff *sansio.Effects) {
		if now >= 5*us {
			m.events = append(m.events, strings.Repeat("x", result)) // a race, unless joined
			m.ended = true
			return
		}
		m.deadline = 5 * us
		eff.Computes = append(eff.Computes, sansio.Compute{Start: now, Until: 5 * us, Run: func() { <-release; result = 3 }})
	}
	arrive := func(d *pktiotest.Device) { d.Deliver(3*us, sansio.Arrival{Train: frame("a")}) }
	m.handle = func(units.Time, []sansio.Arrival, *sansio.Effects) { close(release) } // before Until the loop runs on
	report, _, err := virtual(t, m, arrive, nil)
	if err != nil || report.Overruns != (pktio.Overruns{}) {
		t.Errorf("report %+v, error %v", report, err)
	}
	expect(t, m, "expire 1us", "handle 3us", "expire 5us", "xxx")
}

func TestDriveReportsOverruns(t *testing.T) {
	clock := &pktiotest.Clock{}
	m := &script{deadline: us}
	m.expire = func(now units.Time, eff *sansio.Effects) {
		if now >= 5*us {
			m.ended = true
			return
		}
		m.deadline = 5 * us
		late := func() { clock.Set(25 * us) }
		eff.Computes = append(eff.Computes, sansio.Compute{Start: now, Until: 5 * us, Run: late})
	}
	report, err := pktio.Drive(t.Context(), pktio.DriveConfig{Machine: m, Device: pktiotest.New(1, clock), Clock: clock, Done: m.done})
	if err != nil {
		t.Fatal(err)
	}
	if report.Overruns != (pktio.Overruns{Count: 1, Max: 20 * units.Microsecond}) {
		t.Errorf("overruns %+v", report.Overruns)
	}
	expect(t, m, "expire 1us", "expire 25us") // now is read again after the join
}

func TestDriveStartsComputesAtTheirStart(t *testing.T) {
	clock := &pktiotest.Clock{}
	var started units.Time
	m := &script{deadline: us}
	m.expire = func(now units.Time, eff *sansio.Effects) {
		if now >= 50*us {
			m.ended = true
			return
		}
		m.deadline = 50 * us
		run := func() { started = clock.Now() }
		eff.Computes = append(eff.Computes, sansio.Compute{Start: 20 * us, Until: 50 * us, Run: run},
			sansio.Compute{Start: 90 * us, Until: 99 * us, Run: func() { t.Error("ran after the end") }})
	}
	_, err := pktio.Drive(t.Context(), pktio.DriveConfig{Machine: m, Device: pktiotest.New(1, clock), Clock: clock, Done: m.done})
	if err != nil || started < 20*us {
		t.Errorf("started at %v, error %v", started, err)
	}
}

func TestDriveSettlesAfterDone(t *testing.T) {
	m := &script{deadline: units.Never}
	m.handle = func(units.Time, []sansio.Arrival, *sansio.Effects) { m.ended = true }
	_, _, err := virtual(t, m, func(d *pktiotest.Device) {
		for at := range units.Time(5) {
			d.Deliver((10+10*at)*us, sansio.Arrival{Train: frame("a")})
		}
	}, func(cfg *pktio.DriveConfig) { cfg.Settle = 25 * time.Microsecond })
	if err != nil {
		t.Fatal(err)
	}
	expect(t, m, "handle 10us", "handle 20us", "handle 30us")
}

func TestDriveEndsCleanlyWithItsContext(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	m := &script{deadline: 0}
	m.expire = func(units.Time, *sansio.Effects) { cancel() } // then it waits without limit
	clock := pktio.NewClock(pktio.MonotonicNow())
	report, err := pktio.Drive(ctx, pktio.DriveConfig{Machine: m, Device: pktiotest.New(1, nil), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if report.Lateness.Count != 1 || report.BusyShare < 0 || report.BusyShare > 1 {
		t.Errorf("report %+v", report)
	}
	for i := 0; runtime.NumGoroutine() > goroutines; i++ {
		if runtime.Gosched(); i > 1e6 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
		}
	}
}

func TestDriveReturnsErrors(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		deliver func(*pktiotest.Device)
		change  func(*pktio.DriveConfig)
		want    string
	}{
		"receive": {deliver: func(d *pktiotest.Device) { d.Break(broken) }, want: "receive: broken"},
		"samples": {change: func(c *pktio.DriveConfig) { c.OnSamples = func([]result.Sample) error { return broken } }, want: "store samples: broken"},
		"device":  {change: func(c *pktio.DriveConfig) { c.Device = nil }, want: "drive: no device"},
		"machine": {change: func(c *pktio.DriveConfig) { c.Machine = nil }, want: "drive: no machine"},
		"clock":   {change: func(c *pktio.DriveConfig) { c.Clock = nil }, want: "drive: no clock"},
		"settle":  {change: func(c *pktio.DriveConfig) { c.Settle = -1 }, want: "drive: settle -1ns is negative: it must be zero or more"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &script{deadline: us}
			m.expire = func(_ units.Time, eff *sansio.Effects) { eff.Samples = append(eff.Samples, result.Sample{}) }
			if _, _, err := virtual(t, m, test.deliver, test.change); err == nil || err.Error() != test.want {
				t.Errorf("error %q, want %q", err, test.want)
			}
		})
	}
}

// An error in sending must not leave a compute running behind.
func TestDriveJoinsComputesAfterAnError(t *testing.T) {
	finished := false
	m := &script{deadline: us}
	var dev *pktiotest.Device
	m.expire = func(now units.Time, eff *sansio.Effects) {
		eff.Computes = append(eff.Computes, sansio.Compute{Start: now, Until: units.Never, Run: func() { finished = true }})
		dev.Break(errors.New("gone"))
	}
	if _, _, err := virtual(t, m, func(d *pktiotest.Device) { dev = d }, nil); err == nil || err.Error() != "receive: gone" {
		t.Errorf("error %v", err)
	}
	if !finished {
		t.Error("Drive returned before a compute had ended")
	}
}
