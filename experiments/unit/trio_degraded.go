package unit

import (
	"fmt"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/nodes/gradient"
	host "github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/reports/claims"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// trioDegraded runs six workers of which one to five sleep. The results must
// reach all six, sleepers too, be flagged degraded and count who contributed;
// what workers make of them is held against the mean of the contributors'
// floats.
func trioDegraded(f *experiment.Findings, e *experiment.Env) error {
	const n = 6
	wrong, without, results, worst := 0, 0, 0, 0.0
	pfe, err := rig.NewTrioPFE(fewRecords)
	if err != nil {
		return err
	}
	for missing := 1; missing < n; missing++ {
		for first := range n { // who sleeps: that many, from this one on
			asleep := func(w int) bool { return (w-first+n)%n < missing }
			s, err := newSleepers(e, pfe, n, asleep)
			if err != nil {
				return err
			}
			if _, err := s.net.Run(units.Time(units.Second) - 1); err != nil {
				return err
			}
			for w := range n {
				if !s.hosts[w].Done() && !s.cores[w].Complete(0) { // a sleeper has them, and takes them when it wakes up
					without++
				}
			}
			if _, err := s.net.Run(units.Never - 1); err != nil { // sleepers wake up and take their means
				return err
			}
			wrong += s.wrongHeaders(n - missing)
			worst = max(worst, s.worst(asleep, n-missing))
			results += len(s.seen)
		}
	}
	m := claims.NumberParts(map[string]float64{"wrong_fields": float64(wrong), "workers_without_result": float64(without), "error_over_bound": worst})
	f.Set("trio.s5.degraded-result", m.Noting("%d results reached workers of jobs with 1 to 5 of 6 missing; errors are of means in float64", results))
	return nil
}

// sleepers is a PFE and its workers, some of which sleep for a second, in
// memory.
type sleepers struct {
	net   sansiotest.Network
	hosts []*sansiotest.Host
	cores []*host.Core
	rec   []*sansiotest.Recorder
	seen  []wire.Header // of the results on all wires
	bad   int           // frames on them that are no results
}

const sleepersTensor, sleepersGrads = 200, 50

func newSleepers(e *experiment.Env, on rig.TrioPFE, n int, asleep func(w int) bool) (*sleepers, error) {
	s := &sleepers{}
	job := rig.TrioJob(n, rig.Ports(n)...)
	job.BlockMax = fewBlocks
	pfe, err := on.Engine(program.Config{Node: "pfe", Jobs: []program.Job{job}})
	if err != nil {
		return nil, err
	}
	id := s.net.Add(pfe)
	stream := e.Seed.Stream("trio.protocol/degraded")
	for w := range n {
		rec := &sansiotest.Recorder{}
		core, err := host.New(host.Config{
			Node: fmt.Sprint("w", w), Job: rig.TrioID, Source: uint8(w), Tensor: sleepersTensor, Grads: sleepersGrads, Flow: rig.TrioUp(w), Results: rig.TrioDown(),
			Recorder: rec,
		})
		if err != nil {
			return nil, err
		}
		grad := make([]float32, sleepersTensor)
		for i := range grad {
			grad[i] = float32(stream.Uniform(-1, 1))
		}
		h := &sansiotest.Host{Core: core, Tensors: [][]float32{grad}}
		if asleep(w) {
			h.Ready = func(int) units.Time { return units.Time(units.Second) }
		}
		s.net.Connect(s.net.Add(h), 0, id, sansio.Port(w), nil, &sansiotest.Wire{Drop: s.listen})
		s.hosts, s.cores = append(s.hosts, h), append(s.cores, core)
		s.rec = append(s.rec, rec)
	}
	return s, nil
}

// listen notes a result on its way to a worker; none is lost.
func (s *sleepers) listen(frame sansio.Train) bool {
	h, problem := wire.Parse(frame.Body)
	if problem != wire.OK {
		s.bad++
	}
	s.seen = append(s.seen, h)
	return false
}

// wrongHeaders counts results that are not flagged degraded or do not count the
// contributors, and those that are too few or too many.
func (s *sleepers) wrongHeaders(contributors int) int {
	wrong := s.bad + max(0, s.want()-len(s.seen), len(s.seen)-s.want())
	for _, h := range s.seen {
		if !h.Degraded || int(h.SrcCnt) != contributors || h.AgeOp != wire.AgeTimeout {
			wrong++
		}
	}
	return wrong
}

// want is the number of results on all wires: each block to each worker, once.
func (s *sleepers) want() int { return len(s.hosts) * sleepersTensor / sleepersGrads }

// worst returns the largest error of a mean as a fraction of the bound, in which
// each contributor is off by half a unit of 1/f. The division is done again in
// float64 from what the core says it was given: the float32 that it hands to
// training has a rounding of its own, and must be the nearest to that.
func (s *sleepers) worst(asleep func(int) bool, contributors int) (worst float64) {
	k := float64(contributors)
	for i := range sleepersTensor {
		exact := 0.0
		for w, h := range s.hosts {
			if !asleep(w) {
				exact += float64(h.Tensors[0][i])
			}
		}
		bound := k / (2 * gradient.DefaultFactor * k)
		for w, h := range s.hosts {
			mean := float64(s.rec[w].In[0][i]) / (gradient.DefaultFactor * k)
			if h.Means[0][i] != float32(mean) {
				return math.Inf(1)
			}
			worst = max(worst, math.Abs(mean-exact/k)/bound)
		}
	}
	return worst
}
