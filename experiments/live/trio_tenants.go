package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	triomlsystem "github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// twoTrioJobs is two jobs in one PFE (Trio §4, Fig 9).
func twoTrioJobs() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.s4.multi-job", Title: "two Trio-ML jobs in one PFE at the same time, one of them above both of its caps",
		Switch: []claims.Switch{claims.SwitchMicrocode},
		Claims: []claims.ID{"trio.s4.multi-job"},
		Live:   true, Quick: "4 of 12 iterations of the job above its caps",
		Run: onLab(runTenants),
	}
}

// The two jobs, with ids in their order. Both call their workers sources 0 to 2, and their blocks by the
// same numbers, so that the job's id alone keeps them apart.
const (
	freeID   = 1
	cappedID = 2

	tenantGrads    = 256
	tenantBlockMax = 60                      // block_cnt_max of the second; its tensor has some 98 blocks
	tenantTimeout  = 200 * units.Millisecond // far above what a busy machine adds
	tenantPace     = 12                      // iterations of the first in one of the second, roughly

	intruder  = 6  // host without a job
	intrusion = 32 // packets of each kind that it sends
)

// tenants lays the jobs over a rack of seven hosts. The link of h0, of the second
// job, is slow, so that blocks pile up that wait for it. The windows of that job
// are twice its cap: what comes above it is lost, and the protocol sends nothing
// again. Its run ends nevertheless where a tensor has at most twice as many blocks
// as the cap. The first half of them always finds room. When the last worker's
// packet of another block comes, all of the first half are done, so that fewer
// blocks than the cap can be open beside it, and it finds room as well: the block
// ages out with those that it has.
func tenants(e *experiment.Env, virtual bool) (*job.Set, error) {
	n := experiment.Cut(e, 12, 4)
	run := liveRun{
		topology: "rack", hosts: 7, mtu: testbed.MTU, rate: testbed.Gigabit100, scale: slowScale, slow: 4, model: untimed(), batch: 1,
	}
	free := triomlsystem.System{Grads: tenantGrads, Window: 16 * slowScale, Timeout: tenantTimeout}
	capped := free
	capped.Window, capped.BlockMax, capped.GradMax = 2*tenantBlockMax*slowScale, tenantBlockMax, tenantGrads
	lay := func(id int, sys triomlsystem.System, iterations int, on ...int) func(*job.Spec) {
		return func(s *job.Spec) {
			s.System, s.Iterations, s.On, s.Virtual, s.Seed = sys, iterations, on, virtual, e.Seed+rng.Root(id) // other tensors
		}
	}
	return run.layTogether(e, lay(freeID, free, tenantPace*n, 3, 4, 5), lay(cappedID, capped, n, 0, 1, 2))
}

func runTenants(ctx context.Context, l *lab) (experiment.Findings, error) {
	set, err := tenants(l.env, false)
	if err != nil {
		return experiment.Findings{}, err
	}
	s, err := l.together(ctx, "two jobs in one PFE", set, func(lab *netns.Lab) error { return intrude(lab, set.Plan()) })
	if err != nil {
		return experiment.Findings{}, err
	}
	if s.seen.Job(cappedID).Dropped[program.DropTooManyGrads] == 0 {
		return experiment.Findings{}, errors.New("no packet above block_grad_max was dropped, though some were sent")
	}
	return s.findings(l)
}

// intrude sends, from a host without a job, packets in the name of the second job
// with a gradient more than its cap, for blocks that it does not have, and packets
// of a job that nobody knows.
func intrude(lab *netns.Lab, p *plan.Plan) error {
	to := netip.AddrPortFrom(p.Switches[0].Router, wire.Port)
	return lab.Do(p.Hosts[intruder].Name, func() error {
		conn, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(to))
		if err != nil {
			return fmt.Errorf("sending from %s: %w", p.Hosts[intruder].Name, err)
		}
		for i := range uint32(intrusion) {
			for _, h := range []wire.Header{
				{Job: cappedID, Block: 1<<20 + i, SrcCnt: 1, Grads: tenantGrads + 1}, {Job: cappedID + 1, Block: i, SrcCnt: 1, Grads: tenantGrads},
			} {
				b := make([]byte, wire.HeaderLen+4*int(h.Grads))
				h.Put(b)
				if _, err := conn.Write(b); err != nil {
					return errors.Join(fmt.Errorf("sending from %s: %w", p.Hosts[intruder].Name, err), conn.Close())
				}
			}
		}
		return conn.Close()
	})
}

// leastTurns is how often packets of the jobs must follow one another, so that
// they can be said to be interleaved (assumed).
const leastTurns = 100

// findings judges the run, if it tried what it was to try.
func (s *shared) findings(l *lab) (experiment.Findings, error) {
	capped := s.seen.Job(cappedID)
	switch {
	case s.seen.Turns() < leastTurns:
		return experiment.Findings{}, fmt.Errorf("packets of the two jobs took turns %d times at the PFE: they did not run side by side", s.seen.Turns())
	case capped.Dropped[program.DropBlockCap] == 0:
		return experiment.Findings{}, fmt.Errorf("no packet was dropped for block_cnt_max, with %d blocks open at most: the cap was not tried", capped.MostOpen)
	}
	t := claims.Table{
		ID: "trio.s4.multi-job", Title: fmt.Sprintf("Two trainings of 3 workers in one PFE; %d times a packet followed one of the other job", s.seen.Turns()),
		Columns: []claims.Column{
			{Name: "job"}, {Name: "block_cnt_max"}, {Name: "most blocks open"}, {Name: "packets sent"}, {Name: "landed"}, {Name: "dropped for block_cnt_max"},
			{Name: "dropped for block_grad_max"}, {Name: "dropped for other reasons"}, {Name: "foreign at hosts"}, {Name: "elements checked"}, {Name: "wrong"},
		},
		Notes: []string{"Packets above block_grad_max come from a host without a job. Other reasons are packets of blocks that have been sent without them."},
	}
	for i, j := range s.set.Jobs {
		k, c := s.seen.Job(j.ID), &s.cells[i]
		blockMax := program.DefaultBlockMax
		if j.ID == cappedID {
			blockMax = tenantBlockMax
		}
		t.Add(render.Int(i+1), render.Int(blockMax), render.Int(k.MostOpen), render.Int(s.counted(i, trioml.CountSent)), render.Int(k.Landed), render.Int(k.Dropped[program.DropBlockCap]),
			render.Int(k.Dropped[program.DropTooManyGrads]), render.Int(total(k.Dropped)-k.Dropped[program.DropBlockCap]-k.Dropped[program.DropTooManyGrads]),
			render.Int(s.counted(i, trioml.DropForeign)), render.Int(c.Checked), render.Int(c.Wrong))
	}
	errs, err := s.crossed()
	if err != nil {
		return experiment.Findings{}, err
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	f.Set("trio.s4.multi-job", l.say(claims.NumberParts(map[string]float64{
		"cross_job_errors": float64(errs), "cap_violations": float64(max(0, capped.MostOpen-tenantBlockMax)) + float64(capped.Strange),
	}), slowScale, "a training within its caps beside one above both"))
	return f, nil
}

// crossed counts what jobs did to one another: wrong sums, packets in a job's
// blocks beyond those that its workers sent, results at hosts of the other job, and
// packets of the first job dropped for a cap.
func (s *shared) crossed() (n uint64, err error) {
	for i, j := range s.set.Jobs {
		k, c := s.seen.Job(j.ID), &s.cells[i]
		if c.Checked == 0 {
			return 0, fmt.Errorf("no sum of job %d was checked", j.ID)
		}
		sent := s.counted(i, trioml.CountSent)
		arrived := k.Landed + total(k.Dropped) - k.Dropped[program.DropTooManyGrads]
		n += c.Wrong + max(sent, arrived) - sent + s.counted(i, trioml.DropForeign)
	}
	free := s.seen.Job(freeID)
	return n + free.Dropped[program.DropBlockCap] + free.Dropped[program.DropTooManyGrads] + free.Strange, nil
}

// counted adds up a counter at the hosts of a job.
func (s *shared) counted(i int, name string) (n uint64) {
	for _, h := range s.set.Jobs[i].Hosts() {
		n += counted(&s.cells[i], name, at(h.Name))
	}
	return n
}

// total adds up drops of all reasons.
func total(drops map[string]uint64) (n uint64) {
	for _, k := range drops {
		n += k
	}
	return n
}
