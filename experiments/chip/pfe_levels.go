package chip

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
	"github.com/inalab/inalab/switchd/microcode/isa"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Two levels of PFEs, three servers on each of the lower (Trio §6.1).
const (
	lowerPFEs     = 2
	lowerServers  = 3
	lowerSource   = 200 // src_id of lower PFE 0 at the top
	levelsTimeout = program.DefaultTimeout
	// levelsPhases are starts of the packets within levelsSpan, in which every timer
	// here comes round; prime, so that no two meet the timers alike. Assumed.
	levelsPhases = 29
	levelsSpan   = 12 * levelsTimeout
	levelsStride = 11 // of the phases between the levels; any that is not near 1
)

// RecoveryPackets are sent back to back by servers that recover from a straggler.
const RecoveryPackets = 20

// levelsRecords is more than there are blocks.
const levelsRecords = 256

// upperTimeouts are those of the top, in timeouts of the level below: the choices of
// ambiguity trio.hier-timeout, and the same timeout on both.
var upperTimeouts = []int{1, 2, 3, 4}

// silences are the servers, from the first on, that do not send.
var silences = []int{1, lowerServers}

// levelRig is a chassis of two levels with one block after the other under way.
//
//	3 servers --> lower PFE 0 --\
//	                             top --> all servers
//	3 servers --> lower PFE 1 --/
//
// Links and PFEs take no time, so that all that passes is the timers'.
type levelRig struct {
	upper, silent int // timeout of the top, in those below; servers without packets
	prog          *isa.Program
	age           program.AgePolicy

	lower   [lowerPFEs]sansiotest.Feed
	top     sansiotest.Feed
	ahead   units.Duration // the clock of the top, of those below: their timers start when they do
	start   units.Time
	results int
	short   int       // results without a server that has sent
	last    []float64 // timeouts from the packets to the last result, of each phase
}

// run sends the blocks at every phase.
func (l *levelRig) run(ctx context.Context) error {
	for phase := range levelsPhases {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.build(); err != nil {
			return err
		}
		l.start = units.Time(levelsSpan + levelsSpan*units.Duration(phase)/levelsPhases)
		l.ahead = levelsTimeout * units.Duration(l.upper*(phase*levelsStride%levelsPhases)) / levelsPhases
		before := l.results
		l.send()
		l.wait()
		if n := l.results - before; n != RecoveryPackets {
			return fmt.Errorf("%d of %d results: %v", n, RecoveryPackets, l.top.Machine.(*microcode.Engine).Counters())
		}
	}
	return nil
}

// build makes new PFEs.
func (l *levelRig) build() error {
	var above []uint8
	for i := range l.lower {
		var own []uint8
		for k := range lowerServers {
			own = append(own, uint8(i*lowerServers+k))
		}
		source := uint8(lowerSource + i)
		above = append(above, source)
		e, err := l.pfe(levelsTimeout, program.Job{Sources: own, OutSource: source})
		if err != nil {
			return err
		}
		l.lower[i] = sansiotest.Feed{Machine: e, Sent: func(at units.Time, s *sansio.Send) {
			l.top.Arrive(at.Add(l.ahead), sansio.Arrival{Port: sansio.Port(i), Train: s.Train})
		}}
	}
	e, err := l.pfe(levelsTimeout*units.Duration(l.upper), program.Job{Sources: above})
	l.top = sansiotest.Feed{Machine: e, Sent: l.result}
	return err
}

func (l *levelRig) pfe(timeout units.Duration, j program.Job) (*microcode.Engine, error) {
	j.ID, j.Out, j.To, j.BlockMax = rig.TrioID, rig.TrioDown(), []sansio.Port{0}, levelsRecords-1
	return microcode.New(
		program.Config{Node: "pfe", Timeout: timeout, Age: l.age, Jobs: []program.Job{j}},
		microcode.Options{Program: l.prog, Memory: mem.Config{Records: levelsRecords}},
	)
}

// send has every server that is not silent send its packets.
func (l *levelRig) send() {
	for block := range uint32(RecoveryPackets) {
		for w := l.silent; w < lowerPFEs*lowerServers; w++ {
			l.lower[w/lowerServers].Arrive(l.start, trioPacket(w, block, packetGrads))
		}
	}
}

// wait lets time pass until no block is open. At one instant the lower level is first.
func (l *levelRig) wait() {
	for {
		at := units.Never
		for i := range l.lower {
			at = min(at, l.lower[i].Machine.NextDeadline())
		}
		top := l.top.Machine.NextDeadline()
		switch {
		case top < at.Add(l.ahead):
			l.top.Until(top)
		case at == units.Never:
			return
		default:
			for i := range l.lower {
				l.lower[i].Until(at)
			}
		}
	}
}

// result takes a result of the top.
func (l *levelRig) result(at units.Time, s *sansio.Send) {
	for n := range s.Train.Frames() {
		h, _ := wire.ParseUnstored(s.Train.Payload(n), s.Train.Unstored)
		if int(h.SrcCnt) < lowerPFEs*lowerServers-l.silent {
			l.short++
		}
		l.results++
		if l.results%RecoveryPackets == 0 {
			l.last = append(l.last, float64(at.Sub(l.start)-l.ahead)/float64(levelsTimeout))
		}
	}
}

// LevelTimeouts sweeps the timeout of the upper level: too short a one sends blocks
// without servers that have sent, a long one has the others wait where all servers of
// a PFE are silent.
func LevelTimeouts(ctx context.Context, e *experiment.Env, f *experiment.Findings) error {
	prog, err := microcode.Compile()
	if err != nil {
		return err
	}
	e.Note("timeouts of two levels of PFEs")
	age := program.AgePolicy(e.Reading("trio.close-to-ideal"))
	t := claims.Table{
		ID: "trio.hier-timeout", Title: "Two levels of PFEs by the timeout of the upper one (ambiguity trio.hier-timeout)",
		Columns: []claims.Column{
			{Name: "upper timeout", Unit: "lower ones"}, {Name: "silent"}, {Name: "results without a server that sent", Unit: "%"},
			{Name: "least", Unit: "timeouts"}, {Name: "median", Unit: "timeouts"}, {Name: "most", Unit: "timeouts"},
		},
		Notes: []string{
			fmt.Sprintf("%d packets of each of %d servers on %d PFEs at once, over %d phases of the timers, those of the levels against each other too. Time: until the last result, in timeouts of the lower level, %v.",
				RecoveryPackets, lowerPFEs*lowerServers, lowerPFEs, levelsPhases, levelsTimeout),
			"A PFE of the lower level that waits for one of its servers ages its part after one to two timeouts; the upper level must not have given up on it by then.",
		},
	}
	for _, upper := range upperTimeouts {
		for _, silent := range silences {
			l := levelRig{upper: upper, silent: silent, prog: prog, age: age}
			if err := l.run(ctx); err != nil {
				return fmt.Errorf("upper timeout of %d lower ones, %d silent: %w", upper, silent, err)
			}
			t.Add(l.row()...)
		}
	}
	f.Tables = append(f.Tables, t)
	return nil
}

func (l *levelRig) row() []render.Cell {
	who := fmt.Sprintf("%d of %d servers of a PFE", l.silent, lowerServers)
	if l.silent == lowerServers {
		who = "all servers of a PFE"
	}
	median, _ := stat.Quantile(l.last, 0.5)
	return []render.Cell{
		render.Int(l.upper), render.Text(who), render.Percent(float64(l.short) / float64(l.results)),
		render.Number(slices.Min(l.last), 2), render.Number(median, 2), render.Number(slices.Max(l.last), 2),
	}
}
