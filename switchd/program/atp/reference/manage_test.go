package reference

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
)

// Jobs come and go. What one that went has left is freed by age; its packets pass.
func TestJobsComeAndGo(t *testing.T) {
	b := newBenchOf(t, atp.Config{Aggregators: 8, Age: units.Millisecond, Jobs: []atp.Job{first(1, 3)}})
	two := first(2, 2)
	if id, err := b.e.AddJob(0, &two); err != nil || id != 2 {
		t.Fatalf("job %d: %v", id, err)
	}
	b.run([]step{
		{grad(0, 5), "", "2: 1.5 1 n1"},
		{grad(0, 5).job(2).fans(2, 2).at(3), "", "2: 1.5 1 n1, 3: 2.5 1 n1"},
		{grad(1, 5).job(2).fans(2, 2).at(3), "11/10 e =3", "2: 1.5 1 n1, 3: 2.5 11 n2"},
	})
	out, err := b.e.RemoveJob(0, 1)
	if err != nil || out.OpenBlocks != 1 || sansio.CountOf(out.Counters, "atp-aggregated") != 1 {
		t.Fatalf("removed %+v, %v", out, err)
	}
	if !b.e.Remembers() {
		t.Error("an aggregator in use is not remembered")
	}
	b.now = units.Time(2 * units.Millisecond)
	b.run([]step{
		{grad(1, 5), "10/10 =2", "2: 1.5 1 n1, 3: 2.5 11 n2"},
		{grad(0, 6).job(2).fans(2, 2), "1/10 rce =1", "2: 1.5 1 n1, 3: 2.5 11 n2"},
		{param(6).paramOf(2), "0/0 a =99", "3: 2.5 11 n2"},
		{param(5).paramOf(2).at(3), "0/0 a =99", ""},
	})
	if b.e.Remembers() {
		t.Error("nothing is remembered, it says")
	}
	var r *dataplane.Refusal
	if _, err := b.e.AddJob(0, &two); !errors.As(err, &r) || r.Reason != dataplane.RefusedIDTaken {
		t.Errorf("job 2 again: %v", err)
	}
}

// A job that is set up finds nothing of an earlier one of its id, whose numbers may be its own.
func TestIDsAreUsedAgain(t *testing.T) {
	b := newBench(t, first(1, 3), first(2, 2))
	b.send(grad(0, 5), grad(0, 6).job(2).fans(2, 2).at(3))
	if _, err := b.e.RemoveJob(0, 1); err != nil {
		t.Fatal(err)
	}
	again := first(1, 3)
	if _, err := b.e.AddJob(0, &again); err != nil {
		t.Fatal(err)
	}
	b.run([]step{
		{grad(0, 5).val(50), "", "2: 1.5 1 n1, 3: 2.6 1 n1"},
		{grad(1, 5), "", "2: 1.5 11 n2, 3: 2.6 1 n1"},
		{grad(2, 5), "111/10 e =55", "2: 1.5 111 n3, 3: 2.6 1 n1"},
	})
	b.wantCounts(map[atp.Counter]uint64{atp.Forgotten: 1})
}

// All state may vanish at any time (§3.1): after some packets of a sum, after all, at either level, with the jobs.
func TestForget(t *testing.T) {
	t.Run("between the packets of a sum", func(t *testing.T) {
		b := newBench(t, first(1, 3))
		b.send(grad(0, 5), grad(1, 5))
		if n := b.e.Forget(0); n != 1 || b.e.Remembers() {
			t.Errorf("forgot %d aggregators", n)
		}
		b.run([]step{
			{grad(2, 5), "", "2: 1.5 100 n1"}, // reserves anew, and is never complete
			{grad(0, 5).resend(), "101/10 re =4", ""},
			{grad(1, 5).resend(), "10/10 re =2", ""},
			{grad(2, 5).resend(), "100/10 re =3", ""},
		})
	})
	t.Run("when the sum has left", func(t *testing.T) {
		b := newBench(t, first(1, 3))
		b.send(grad(0, 5), grad(1, 5), grad(2, 5))
		b.e.Forget(0)
		b.run([]step{
			{grad(1, 5).resend(), "10/10 re =2", ""},
			{grad(1, 5), "", "2: 1.5 10 n1"}, // a late copy
			{param(5), "0/0 a =99", ""},
		})
	})
	t.Run("at the second level", func(t *testing.T) {
		b := newBench(t, second(1))
		b.send(rackSum(0, 5), rackSum(1, 5))
		b.e.Forget(0)
		b.run([]step{
			{rackSum(2, 5), "", "2: 1.5 100 n1"},
			{rackSum(1, 5).resend(), "11/10 re =20", ""},
			{rackSum(2, 5).resend(), "1/100 re =30", ""},
			{rackSum(0, 5).resend(), "1/1 re =10", ""},
		})
	})
	t.Run("its jobs too", func(t *testing.T) {
		b := newBench(t, first(1, 3))
		b.send(grad(0, 5))
		if _, err := b.e.RemoveJob(0, 1); err != nil {
			t.Fatal(err)
		}
		b.run([]step{
			{grad(1, 5), "10/10 =2", "2: 1.5 1 n1"},
			{grad(2, 5).resend(), "100/10 r =3", "2: 1.5 1 n1"},
		})
	})
	t.Run("all of several jobs", func(t *testing.T) {
		b := newBench(t, first(1, 3), first(2, 2))
		b.send(grad(0, 5), grad(0, 6).at(4), grad(0, 5).job(2).fans(2, 2).at(5))
		if n := b.e.Forget(0); n != 3 || b.state() != "" {
			t.Errorf("forgot %d aggregators, and not %q", n, b.state())
		}
		if one, two := b.count("atp/1/atp-aggregators-forgotten"), b.count("atp/2/atp-aggregators-forgotten"); one != 2 || two != 1 {
			t.Errorf("forgotten are %d of job 1, %d of job 2", one, two)
		}
	})
}

// Events tell the life of a number.
func TestEvents(t *testing.T) {
	b := newBench(t, first(1, 3), first(2, 2))
	b.send(grad(0, 5), grad(0, 5), grad(1, 5), grad(2, 5), grad(1, 6), grad(1, 5).resend(), grad(1, 5).resend(), grad(1, 7), param(7), param(7).by(3))
	var got []string
	for _, e := range b.events {
		s := string(e.Kind) + " w" + string('0'+rune(e.Source)) + " of " + dataplane.MaskText(e.Mask)
		if e.Note != "" {
			s += " (" + e.Note + ")"
		}
		if e.Node != "tor" || e.Job != 1 || e.Count != e.Mask.Len() || e.Gen != 0 || e.Block < 5 || e.Block > 7 {
			t.Errorf("%+v", e)
		}
		got = append(got, s)
	}
	want := []string{
		"block-opened w0 of 0", "contribution w0 of 0", "dropped w0 of  (atp-duplicate)", "contribution w1 of 0-1", "contribution w2 of 0-2", "block-sent w2 of 0-2",
		"collided w1 of  (job 1 number 5)", "block-sent w1 of 0-2", "freed w0 of 0-2 (resend)", "passed-on w1 of ",
		"block-opened w1 of 1", "contribution w1 of 1", "freed w0 of 1 (parameter packet)", "dropped w0 of  (atp-forged-parameters)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("events\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Without a sink nothing is told, and nothing goes otherwise.
func TestNobodyToTell(t *testing.T) {
	b := newBench(t, first(1, 3))
	e, err := New(atp.Config{Aggregators: 8, Jobs: []atp.Job{first(1, 3)}})
	if err != nil {
		t.Fatal(err)
	}
	quiet := &bench{t: t, e: e}
	for _, p := range []pkt{grad(0, 5), grad(0, 5), grad(1, 6), grad(1, 5), grad(2, 5), grad(0, 5).resend(), param(5), param(5).by(1), grad(0, 9).flags(wire.EdgeSwitch)} {
		if got, want := quiet.send(p), b.send(p); got != want {
			t.Errorf("%q goes on, want %q", got, want)
		}
	}
	if e.Forget(0); e.Traced() || len(b.events) == 0 {
		t.Error("events")
	}
}

var _ trace.Sink = (*bench)(nil)

// A configuration that cannot be is refused by name.
func TestNewRefuses(t *testing.T) {
	for want, cfg := range map[string]atp.Config{
		"configuring atp on tor: 70000 aggregators: 0 to 65536 are possible": {Aggregators: 70000},
		"configuring atp on tor: id-taken: there is a job 1 on tor":          {Jobs: []atp.Job{first(1, 2), first(1, 3)}},
		"job 2 has no parameter server":                                      {Jobs: []atp.Job{{ID: 2}}},
	} {
		cfg.Node = "tor"
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The view of jobs counts packets of each, and says when the latest came.
func TestViewOfJobs(t *testing.T) {
	b := newBench(t, first(1, 3), first(2, 2))
	b.now = units.Time(3 * units.Microsecond)
	b.send(grad(0, 5).marked(), grad(1, 6), grad(0, 5).fans(1, 1), grad(1, 7).resend(), grad(1, 5), grad(2, 5))
	v := b.e.View(units.Time(5*units.Microsecond), dataplane.ViewJobs, 10)
	var got []string
	for _, r := range v.Rows {
		s := ""
		for i, c := range v.Columns {
			s += c.Key + "=" + r[i].String() + " "
		}
		got = append(got, strings.TrimSpace(s))
	}
	want := []string{
		"job=1 servers=1 sources=3 first=3 second= aggregators=1 packets=6 aggregated=3 results=1 collisions=1 resends=1 marks=1 refused=1 idle_us=2",
		"job=2 servers=1 sources=2 first=2 second= aggregators=0 packets=0 aggregated=0 results=0 collisions=0 resends=0 marks=0 refused=0 idle_us=",
	}
	if !slices.Equal(got, want) {
		t.Errorf("jobs\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Values that clipped are counted once for each aggregator.
func TestSaturatedIsCounted(t *testing.T) {
	b := newBench(t, first(1, 3))
	b.send(grad(0, 5).val(1<<30), grad(1, 5).val(1<<30), grad(2, 5).val(1), grad(0, 6).at(3).val(5), grad(1, 6).at(3).val(-5), grad(2, 6).at(3).val(1<<31-2))
	b.wantCounts(map[atp.Counter]uint64{atp.Saturated: 1, atp.Results: 2})
}
