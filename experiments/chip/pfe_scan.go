package chip

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/microcode/vm"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Scans of a table, by one thread and by N, on the emulated PFE. The large table is that
// of Trio §5: as many blocks of a job as a window can have.
const (
	largeTable   = 65535
	longBlocks   = 2000 // of packetGrads, of which the building of results shows
	scanInterval = program.DefaultTimeout
	scanEnds     = 100 * units.Second // no scan takes as long
)

// tableScan is one table and a number of timer threads that share it:
//
//	from 0 to T     one source of two sends its packet of every block
//	from T to 2T    the records of a part are referenced when its thread starts, which
//	                so finds nothing to do
//	after 2T        nobody has sent: the next threads send every block as it is
type tableScan struct {
	trio.NopObserver
	blocks, grads, threads int
	instruction            units.Duration // what one takes; zero: what the machine says
	visited                bool           // the run ends when all have been visited

	visits, ageing threadTimes
	records        int         // that the threads of the first came by
	began          map[int]int // parts whose thread has aged blocks
}

// threadTimes is how long threads were at work, from the instant at which the timer
// fires to their end.
type threadTimes struct {
	n         int
	sum, most units.Duration
}

func (t *threadTimes) add(d units.Duration) {
	t.n++
	t.sum += d
	t.most = max(t.most, d)
}

func (t *threadTimes) mean() units.Duration { return t.sum / units.Duration(max(t.n, 1)) }

// The runs of each part, by what the threads find; the one before is of packets that
// still come.
const (
	visitRun = 1
	agingRun = 2 // or later, where the first visit has not come to its end by then
)

// start is when the thread of a part is started.
func (s *tableScan) start(part, run int) units.Time {
	const period = units.Time(scanInterval)
	return period*units.Time(run) + period*units.Time(part)/units.Time(s.threads)
}

// touch references the records of a part of a table, as packets of their blocks would.
func touch(h *mem.Table, part, parts int) {
	at := mem.Scanned{}
	for !at.End {
		if at, _ = h.Scan(uint32(part), uint32(parts), at.Next); at.Found {
			h.Lookup(at.Key)
		}
	}
}

// Scanned counts a record that a thread of the first round comes by.
func (s *tableScan) Scanned(_ units.Time, t *vm.Thread, _ mem.Scanned) {
	if _, run := rig.TimerPart(t); run == visitRun {
		s.records++
	}
}

// Ended notes how long a timer's thread was at work.
func (s *tableScan) Ended(now units.Time, t *vm.Thread, f trio.Fate) {
	if f != trio.TimerRun {
		return
	}
	part, run := rig.TimerPart(t)
	took := now.Sub(s.start(part, run))
	if run == visitRun {
		s.visits.add(took)
	}
	if _, again := s.began[part]; run >= agingRun && !again && !s.visited {
		s.began[part] = run
		s.ageing.add(took)
	}
}

// run fills the table and lets it age.
func (s *tableScan) run(m *Machine) error {
	s.began = map[int]int{}
	at := *m
	s.instruction = cmp.Or(s.instruction, m.timing.Instruction)
	at.timing.Instruction = s.instruction
	job := rig.TrioJob(2, 0)
	job.BlockMax = s.blocks
	engine, err := at.load(program.Config{Timeout: scanInterval, Threads: s.threads, Jobs: []program.Job{job}}, s)
	if err != nil {
		return err
	}
	d := sansiotest.Feed{Machine: engine}
	gap := units.Time(scanInterval) * 3 / 4 / units.Time(s.blocks)
	for b := range uint32(s.blocks) {
		d.Arrive(units.Time(b)*gap, trioPacket(0, b, s.grads))
	}
	for part := range s.threads {
		d.Until(s.start(part, visitRun) - 1)
		touch(engine.Memory().Hash(), part, s.threads)
	}
	if n := engine.OpenBlocks(); n != s.blocks {
		return fmt.Errorf("%d of %d blocks are open when their last part is scanned: %v", n, s.blocks, engine.Counters())
	}
	for !s.done(engine) && d.Now < units.Time(scanEnds) {
		d.Until(d.Now.Add(scanInterval))
	}
	return s.complete(engine)
}

// done reports whether nothing is left to be measured.
func (s *tableScan) done(e *microcode.Engine) bool {
	if s.visited {
		return s.visits.n == s.threads
	}
	return e.OpenBlocks() == 0 && s.ageing.n == s.threads
}

// complete reports what is missing for times to mean anything.
func (s *tableScan) complete(e *microcode.Engine) error {
	if !s.done(e) {
		return fmt.Errorf("%d blocks, %d timer threads: after %v %d threads have visited all, %d have aged theirs, and %d blocks are open: %v",
			s.blocks, s.threads, scanEnds, s.visits.n, s.ageing.n, e.OpenBlocks(), e.Counters())
	}
	if s.records != s.blocks+1 {
		return fmt.Errorf("%d timer threads came by %d records, of %d blocks and their job", s.threads, s.records, s.blocks)
	}
	return nil
}

// ScanTimes measures on the emulated PFE what one thread takes for a large table, and
// what each of N does that share it.
func ScanTimes(ctx context.Context, e *experiment.Env, f *experiment.Findings) error {
	m, err := NewTrio(e)
	if err != nil {
		return err
	}
	most := m.timing.Instruction
	if !e.Varied {
		s, err := newSolver()
		if err != nil {
			return err
		}
		if most, err = s.most(m); err != nil {
			return err
		}
	}
	all := tableScans(e.Quick || e.Varied, most)
	if e.Varied {
		all = slices.DeleteFunc(all, func(s tableScan) bool { return s.instruction != 0 })
	}
	for i := range all {
		e.Note("scan of %d records by %d threads", all[i].blocks, all[i].threads)
		if err := errors.Join(ctx.Err(), all[i].run(&m)); err != nil {
			return err
		}
	}
	f.Tables = append(f.Tables, scanTable(all))
	f.Set("trio.s5.single-thread-insufficient", scanMeasured(all))
	return nil
}

// scanMeasured is what the claim is about: pairs of one thread and of N with the same
// instructions, that which is as assumed first, and behind it the ends.
func scanMeasured(all []tableScan) claims.Measured {
	m := scanPair(all[:2]).On(Model).
		Noting("the longest thread of a table whose records are all referenced, with %d ns an instruction", all[0].instruction/units.Nanosecond)
	for pair := all[2:]; len(pair) >= 2 && pair[0].blocks == all[0].blocks; pair = pair[2:] {
		m = m.Over(claims.End{At: fmt.Sprintf("%d ns an instruction", pair[0].instruction/units.Nanosecond), Measured: scanPair(pair)})
	}
	return m
}

// scanPair holds one thread and N against each other, and the one against the interval.
func scanPair(pair []tableScan) claims.Measured {
	one, shared := pair[0].visits.most, pair[1].visits.most
	return claims.NumberParts(map[string]float64{
		"per_thread_ratio": float64(shared) * float64(pair[1].threads) / float64(one), "single_over_interval": float64(one) / float64(scanInterval),
	})
}

// tableScans are one thread and N that share the large table, with instructions as assumed
// and at both ends of what they may take, and a table whose blocks take time to send.
func tableScans(short bool, most units.Duration) (all []tableScan) {
	const n = program.DefaultThreads
	all = []tableScan{{blocks: largeTable, grads: 1, threads: 1, visited: short}, {blocks: largeTable, grads: 1, threads: n, visited: short}}
	for _, end := range []units.Duration{trio.InstructionLeast, most} {
		for _, threads := range []int{1, n} {
			all = append(all, tableScan{blocks: largeTable, grads: 1, threads: threads, visited: true, instruction: end})
		}
	}
	return append(all, tableScan{blocks: longBlocks, grads: packetGrads, threads: 1, visited: short}, tableScan{blocks: longBlocks, grads: packetGrads, threads: n})
}

func scanTable(all []tableScan) claims.Table {
	t := claims.Table{
		ID: "trio.s5.single-thread-insufficient", Title: "Time of a timer thread for its part of the table",
		Columns: []claims.Column{
			{Name: "blocks"}, {Name: "gradients"}, {Name: "threads"}, {Name: "instruction", Unit: "ns"}, {Name: "that find"},
			{Name: "mean", Unit: "ms"}, {Name: "longest", Unit: "ms"}, {Name: "longest over the interval"},
		},
		Notes: []string{
			"From the instant at which the timer fires to the end of the thread. The interval is 10 ms (Trio §6.1).",
			"Where all records are referenced a thread reads no record, so that it does not matter in which memory they are. Where all have aged it builds a result of each.",
			"A thread that takes longer than the interval costs its part the next start: " + trio.DropTimer + ".",
			Model + ".",
		},
	}
	for i := range all {
		s := &all[i]
		for _, round := range []struct {
			find  string
			times *threadTimes
		}{{"all referenced", &s.visits}, {"all aged", &s.ageing}} {
			if round.times.n < s.threads {
				continue
			}
			t.Add(render.Int(s.blocks), render.Int(s.grads), render.Int(s.threads), render.Int(int64(s.instruction/units.Nanosecond)), render.Text(round.find),
				render.Number(round.times.mean().Milliseconds(), 3), render.Number(round.times.most.Milliseconds(), 3),
				render.Number(float64(round.times.most)/float64(scanInterval), 3))
		}
	}
	return t
}
