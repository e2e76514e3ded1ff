package unit

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/reports/claims"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
)

// switchmlProtocol checks rules of SwitchML on the pipeline, and on hosts with one; the states of a slot
// are explored on the reference program.
func switchmlProtocol() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.protocol", Title: "rules of SwitchML on the program of a switch and on hosts",
		Switch: []claims.Switch{claims.SwitchReference, claims.SwitchPipeline},
		Claims: []claims.ID{
			"switchml.s4.3.order-free", "switchml.s4.4.implicit-coordination", "switchml.appA.example", "switchml.s4.5.one-shadow-enough",
		},
		Quick: "a tenth of the random trials",
		Run:   experiment.Steps(orderFree, implicitCoordination, appendixA, oneShadow),
	}
}

// orderFree sends the packets of a slot in every order, of values that wrap too.
func orderFree(f *experiment.Findings, e *experiment.Env) (err error) {
	stream := e.Seed.Stream("switchml.protocol/order")
	same, orders := true, 0
	var chips [mostInOrder + 1]*slotChip // by the workers that they serve
	for n := 2; n <= mostInOrder; n++ {
		if chips[n], err = newSlotChip(n); err != nil {
			return err
		}
	}
	for range e.Trials(100) {
		n := 2 + stream.IntN(mostInOrder-1)
		values, sum := make([]int32, n), int32(0)
		for w := range values {
			values[w] = int32(stream.Uint64())
			sum += values[w]
		}
		perm(n, func(order []int) {
			ok, problem := chips[n].inOrder(order, values, sum)
			same, orders, err = same && ok, orders+1, cmp.Or(err, problem)
		})
		if err != nil {
			return err
		}
	}
	f.Set("switchml.s4.3.order-free", claims.Bool(same).RanOn(claims.SwitchPipeline).Noting("%d orders of 2 to 5 packets, values of all of int32", orders))
	return nil
}

// mostInOrder is the most workers whose packets come in every order.
const mostInOrder = 5

// slotChip is an emulated pipeline, whose slots are used one after the other.
type slotChip struct {
	*rig.SwitchML
	used int
}

func newSlotChip(workers int) (*slotChip, error) {
	e, err := pipeline.New(rig.SwitchMLConfig(rig.SwitchMLJob(1, 0, workers, chipSlots, workers)), pipeline.Options{})
	return &slotChip{SwitchML: rig.NewSwitchMLOn(e, workers, workers, rig.Elements)}, err
}

const chipSlots = 16

// inOrder reports whether packets in an order give every worker that sum, once.
func (r *slotChip) inOrder(order []int, values []int32, sum int32) (bool, error) {
	slot, phase := r.used%chipSlots, r.used/chipSlots
	r.used++
	for i, w := range order {
		out := r.Send(w, slot, phase, values[w])
		if i < len(order)-1 {
			if len(out) > 0 {
				return false, nil
			}
			continue
		}
		for to, res := range out {
			if res != (rig.SwitchMLResult{To: to, Value: sum}) {
				return false, nil
			}
		}
		return len(out) == len(order), r.Err
	}
	return false, r.Err
}

// implicitCoordination listens to workers that lose packets, and counts those
// whose slot or set is not that of their block.
func implicitCoordination(f *experiment.Findings, e *experiment.Env) error {
	stream := e.Seed.Stream("switchml.protocol/slots")
	wrong, packets, trials := 0, 0, e.Trials(100)
	for range trials {
		workers, tensor, slots := 2+stream.IntN(3), 1+stream.IntN(3000), 1+stream.IntN(16)
		n := rig.NewSwitchMLNet(workers, tensor, slots)
		n.Heard = func(w int, up bool, h wire.Header, v int32) bool {
			if up {
				packets++
				b := int(v-int32(w)) / 1000 // BlockValue
				if int(h.Slot) != b%slots || int(h.Set) != b/slots%2 {
					wrong++
				}
			}
			return stream.Bernoulli(0.05)
		}
		if err := n.Run(); err != nil {
			return err
		}
	}
	m := claims.Number(float64(wrong))
	f.Set("switchml.s4.4.implicit-coordination", m.RanOn(claims.SwitchPipeline).Noting("of %d packets of 2 to 4 workers, 1 to 16 slots, 5%% lost; slot and set follow from the offset alone, so they are the same at all workers", packets))
	return nil
}

// appendixAActions are what the switch does in App A, in our words, with the
// packets that it sends where it sends them: chunk 1 is at offset off, chunk 2 at
// off+k*s.
var appendixAActions = []string{
	"w1 chunk 1 added",    // t0
	"w2 chunk 1 added",    // t1
	"w1 chunk 1 ignored",  // t4; what w3 sent at t2 was lost at t3
	"w2 chunk 1 ignored",  // t5
	"w3 chunk 1 added",    // t6
	"chunk 1 complete",    //
	"result to w1 lost",   // t7
	"result to w2",        // t9
	"result to w3",        // t10
	"w1 chunk 1 answered", // t8
	"result to w1",        // t11
	"w2 chunk 2 added",    // t12
	"w3 chunk 2 added",    // t13
	"w1 chunk 2 added",    // t14
	"chunk 2 complete",    // t15
}

// appendixA runs the example of App A: its losses, at such delays that timeouts
// come in its order.
func appendixA(f *experiment.Findings, _ *experiment.Env) error {
	var log actions
	first := map[string]bool{}
	once := func(what string) bool { // whether this is the first time
		defer func() { first[what] = true }()
		return !first[what]
	}
	n := rig.NewSwitchMLNet(3, 2*rig.Elements, 1)
	n.Sink, n.Up, n.Down = &log, 50*units.Microsecond, 800*units.Microsecond
	n.Ready = func(w int) units.Time { return units.Time(w) * units.Time(100*units.Microsecond) } // t0, t1, t2
	n.Heard = func(w int, up bool, _ wire.Header, _ int32) bool {
		if up {
			return w == 2 && once("from w3") // t3
		}
		if w == 0 && once("to w1") { // t7
			log = append(log, "result to w1 lost")
			return true
		}
		log = append(log, fmt.Sprintf("result to w%d", w+1))
		return false
	}
	if err := n.Run(); err != nil {
		return err
	}
	wrong := 0
	for i, want := range appendixAActions {
		if i >= len(log) || log[i] != want {
			wrong++
		}
	}
	f.Set("switchml.appA.example", claims.Number(float64(wrong)).RanOn(claims.SwitchPipeline).Noting("of %d actions up to t15, of the program and three hosts", len(appendixAActions)))
	return nil
}

// actions writes down what a switch does.
type actions []string

// Event implements [trace.Sink]. The id of a packet is the number of its chunk.
func (a *actions) Event(ev *trace.Event) {
	who := fmt.Sprintf("w%d chunk %d ", ev.Source+1, ev.Gen)
	switch {
	case ev.Kind == trace.Contribution:
		*a = append(*a, who+"added")
	case ev.Kind == trace.Dropped && ev.Note == program.DropDuplicate:
		*a = append(*a, who+"ignored")
	case ev.Kind == trace.BlockSent && ev.Note == program.CountAnswered:
		*a = append(*a, who+"answered")
	case ev.Kind == trace.BlockSent:
		*a = append(*a, fmt.Sprintf("chunk %d complete", ev.Gen))
	default:
		*a = append(*a, who+string(ev.Kind)+" "+ev.Note)
	}
}
