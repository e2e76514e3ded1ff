package fidelity

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// ran is a virtual run of 4 workers at 500 Mbit/s, with a sample of the time given for each and 10 000
// frames of each host.
func ran(t *testing.T, sys job.System, link topo.LinkSpec, took units.Duration) (*job.Job, *result.Cell) {
	t.Helper()
	s := jobtest.Spec(t, sys, "rack", 4)
	link.Rate = 500 * units.MbitPerSecond
	s.Plan = jobtest.PlanOf(t, "rack", gen.Params{Hosts: 4, Link: link})
	s.Elements, s.Scale, s.Virtual = 0, 200, true
	j := jobtest.New(t, s)
	c := j.Cell()
	c.Fidelity.Verdict = result.Exact
	for w := range 4 {
		c.Samples = append(c.Samples, result.Sample{Worker: w, End: units.Time(took)})
		c.Links = append(c.Links, result.Link{Name: j.Hosts()[w].Name + ":eth0->tor:p0", Frames: 10_000})
	}
	return j, &c
}

var again = switchml.System{Retransmit: true}

func TestHold(t *testing.T) {
	expected := func(j *job.Job) units.Duration { d, _ := j.Expect(); return d }
	for _, c := range []struct {
		name   string
		sys    job.System
		link   topo.LinkSpec
		change func(*job.Job, *result.Cell)
		want   []string // parts of the only caution; none: there is none
	}{
		{"as expected", again, topo.LinkSpec{}, func(*job.Job, *result.Cell) {}, nil},
		{"half as long again", again, topo.LinkSpec{}, func(j *job.Job, c *result.Cell) { took(c, expected(j).Scale(1.5)) }, nil},
		{"longer", again, topo.LinkSpec{}, func(j *job.Job, c *result.Cell) { took(c, expected(j).Scale(1.5)+1) },
			[]string{"an iteration took 240ms, 1.5 times the 160ms expected: no cause is known"}},
		{"longer, as loss explains", again, topo.LinkSpec{Loss: 0.01}, func(j *job.Job, c *result.Cell) { took(c, expected(j).Scale(1.5)+1) }, nil},
		{"longer than loss explains", again, topo.LinkSpec{Loss: 0.01}, func(_ *job.Job, c *result.Cell) { took(c, 10*units.Second) },
			[]string{"an iteration took 10s, 62.5 times the 160ms expected and ", "that loss, stragglers, traffic and changes explain"}},
		{"a byte stream takes longer", ring.System{}, topo.LinkSpec{}, func(j *job.Job, c *result.Cell) { took(c, expected(j).Scale(1.5)+1) }, nil},

		{"a tenth sent again", again, topo.LinkSpec{}, func(_ *job.Job, c *result.Cell) { c.Resent.Packets = 4000 }, nil},
		{"more sent again", again, topo.LinkSpec{}, func(_ *job.Job, c *result.Cell) { c.Resent.Packets = 4001 },
			[]string{"10% of what hosts sent (4001 of 40000 packets) was sent again though none was lost: answers came later than the timeout of 4.576ms"}},
		{"more sent again beside stragglers", again, topo.LinkSpec{}, func(j *job.Job, c *result.Cell) { j.StraggleP, c.Resent.Packets = 0.1, 4001 },
			[]string{"was sent again though none was lost: most likely workers waited for the stragglers, which were asked for, for longer than the timeout of 4.576ms"}},
		{"what loss explains", again, topo.LinkSpec{Loss: 0.01}, func(_ *job.Job, c *result.Cell) { lose(c, 400); c.Resent.Packets = 4*400 + 4000 }, nil},
		{"more than loss explains", again, topo.LinkSpec{Loss: 0.01}, func(_ *job.Job, c *result.Cell) { lose(c, 400); c.Resent.Packets = 4*400 + 4041 },
			[]string{"was sent again, and the loss of 400 explains 1600 at most: answers came later"}},
		{"a byte stream under loss", ring.System{}, topo.LinkSpec{Loss: 0.01}, func(_ *job.Job, c *result.Cell) { lose(c, 1); c.Resent.Packets = 9000 }, nil},
		{"a byte stream whose frames overtake", ring.System{}, topo.LinkSpec{}, func(_ *job.Job, c *result.Cell) { c.Links[0].Reordered = 1; c.Resent.Packets = 9000 }, nil},
		{"a byte stream whose frames come twice", ring.System{}, topo.LinkSpec{}, func(_ *job.Job, c *result.Cell) { c.Links[0].Duplicated = 1; c.Resent.Packets = 9000 }, nil},
		{"both", again, topo.LinkSpec{}, func(_ *job.Job, c *result.Cell) { c.Resent.Packets = 39_000; took(c, units.Second) },
			[]string{"an iteration took 1s, 6.25 times", "97.5% of what hosts sent (39000 of 40000 packets) was sent again"}},
		{"a job that was ended", again, topo.LinkSpec{}, func(_ *job.Job, c *result.Cell) { took(c, units.Second); c.Ended = &result.End{} }, nil},
		{"known before the run", again, topo.LinkSpec{}, func(j *job.Job, _ *result.Cell) { j.Layout.Cautions = []string{"the pool"} }, []string{"the pool"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, cell := ran(t, c.sys, c.link, 0)
			took(cell, expected(j))
			c.change(j, cell)
			Hold(job.Alone(j), j, cell)
			f := cell.Fidelity
			if want := map[bool]string{true: result.Exact, false: result.Caution}[c.want == nil]; f.Verdict != want {
				t.Errorf("verdict %s, want %s: %q", f.Verdict, want, f.Cautions)
			}
			for _, part := range c.want {
				if text := strings.Join(f.Cautions, "\n"); !strings.Contains(text, part) {
					t.Errorf("cautions %q lack %q", text, part)
				}
			}
		})
	}
}

func took(c *result.Cell, d units.Duration) {
	for i := range c.Samples {
		c.Samples[i].End = units.Time(d)
	}
}

// lose has the link of the first host lose so many frames.
func lose(c *result.Cell, n uint64) {
	c.Links[0].Drops = []result.Counter{{Name: result.DropBernoulli, N: n}}
	c.Links[0].Frames -= n
}

// A caution leaves a worse verdict as it is, and stands beside it.
func TestWarn(t *testing.T) {
	for before, after := range map[string]string{
		result.Trusted: result.Caution, result.Exact: result.Caution, result.Caution: result.Caution, result.Busy: result.Busy, result.Invalid: result.Invalid,
	} {
		f := result.Fidelity{Verdict: before, Reasons: []string{"why"}}
		f.Warn()
		if f.Verdict != before || f.Cautions != nil {
			t.Errorf("%s without a caution: %+v", before, f)
		}
		f.Warn("slow")
		if f.Verdict != after || len(f.Cautions) != 1 || (f.Reasons[0] == "why") != (after != result.Caution) {
			t.Errorf("%s with a caution: %+v", before, f)
		}
	}
}

// What slows a live run down may be the machine.
func TestCauseOfALiveRun(t *testing.T) {
	j, c := ran(t, again, topo.LinkSpec{}, units.Second)
	j.Virtual = false
	c.Fidelity = result.Fidelity{Verdict: result.Busy, Reasons: []string{"the processors were 90% busy"}}
	Hold(job.Alone(j), j, c)
	if text := strings.Join(c.Fidelity.Cautions, "\n"); !strings.Contains(text, "the machine was at its limit: the processors were 90% busy") {
		t.Error(text)
	}
}
