package unit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// automaton is a machine as a table: its states, and what it does in each with each
// input. An entry is made when it is first asked for, by taking a new machine to that
// state.
type automaton struct {
	host   int // worker that it is; -1: the switch
	frames *frames
	fresh  func(eff *sansio.Effects) (sansio.Machine, error) // with what it sends first
	judge  func(sansio.Machine) (taken int, right bool)
	first  []int32 // frames sent first
	states []machineState
	ids    map[string]int32 // by what a machine holds
}

// machineState is a state, and the inputs that lead there from the start.
type machineState struct {
	way   []int32
	next  []reaction // by input, from timeout on
	armed bool       // a timer runs
	taken int        // results
	right bool       // the sums of these
}

// reaction is the state after an input, and the frames sent.
type reaction struct {
	known bool
	state int32
	sent  []int32
}

// timeout is the input of a timer that expires; the others are frames.
const timeout = -1

// frames numbers the frames of all machines.
type frames struct {
	list []frame
	ids  map[frame]int32
}

// frame is one on the link of a worker, either way.
type frame struct {
	host         int
	header, body string
}

// take numbers what a machine sends: a worker on its link, the switch by its ports.
func (x *frames) take(host int, eff *sansio.Effects) (ids []int32) {
	for _, s := range eff.Sends {
		for _, port := range s.To {
			f := frame{host, string(s.Train.Header), string(s.Train.Body)}
			if host < 0 {
				f.host = int(port)
			}
			id, ok := x.ids[f]
			if !ok {
				id = int32(len(x.list))
				x.list, x.ids[f] = append(x.list, f), id
			}
			ids = append(ids, id)
		}
	}
	eff.Reset()
	return ids
}

// start makes the first state.
func (a *automaton) start() error {
	var eff sansio.Effects
	m, err := a.fresh(&eff)
	if err != nil {
		return err
	}
	a.states, a.ids = nil, map[string]int32{}
	a.first = a.frames.take(a.host, &eff)
	a.number(m, nil)
	return nil
}

// number returns the state that a machine is in.
func (a *automaton) number(m sansio.Machine, way []int32) int32 {
	var b strings.Builder
	s := machineState{way: way, armed: m.NextDeadline() != units.Never, right: true}
	fmt.Fprint(&b, s.armed)
	hold(&b, reflect.ValueOf(m), map[uintptr]bool{})
	id, ok := a.ids[b.String()]
	if !ok {
		if a.judge != nil {
			s.taken, s.right = a.judge(m)
		}
		id = int32(len(a.states))
		a.states, a.ids[b.String()] = append(a.states, s), id
	}
	return id
}

// react returns what the machine does in a state with an input.
func (a *automaton) react(state, input int32) reaction {
	s := &a.states[state]
	for len(s.next) <= int(input-timeout) {
		s.next = append(s.next, reaction{})
	}
	if r := s.next[input-timeout]; r.known {
		return r
	}
	var eff sansio.Effects
	m, _ := a.fresh(&eff) // as it was at the start
	now := units.Time(0)
	way := append(slices.Clone(s.way), input)
	for _, in := range way {
		eff.Reset()
		if in == timeout {
			now = m.NextDeadline()
			m.Expire(now, &eff)
			continue
		}
		f := &a.frames.list[in]
		m.Handle(now, []sansio.Arrival{{Port: sansio.Port(f.host), Train: sansio.Train{Header: []byte(f.header), Body: []byte(f.body)}}}, &eff)
	}
	r := reaction{known: true, sent: a.frames.take(a.host, &eff), state: a.number(m, way)}
	a.states[state].next[input-timeout] = r
	return r
}

// Types and fields that no step asks for: counts, the time, timers beside the one that
// runs, headers and room for values that are made once. Without them a machine has a
// finite number of states.
var (
	unaskedTypes = []reflect.Type{
		reflect.TypeFor[sansio.Tally](), reflect.TypeFor[switchml.Counts](), reflect.TypeFor[units.Time](), reflect.TypeFor[sansio.Timers](),
	}
	unaskedFields = []string{"expiries", "retransmits", "templates", "words"}
)

// hold writes down all that a value holds, hidden or not, but for what is unasked. Maps
// and functions stay as they were made.
func hold(b *strings.Builder, v reflect.Value, seen map[uintptr]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return
		}
		seen[v.Pointer()] = true
		hold(b, v.Elem(), seen)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); !slices.Contains(unaskedTypes, f.Type) && !slices.Contains(unaskedFields, f.Name) {
				hold(b, v.Field(i), seen)
			}
		}
	case reflect.Slice, reflect.Array:
		fmt.Fprint(b, v.Len(), "[")
		for i := range v.Len() {
			hold(b, v.Index(i), seen)
		}
	case reflect.Interface:
		hold(b, v.Elem(), seen)
	case reflect.Func, reflect.Map, reflect.Invalid:
	default:
		fmt.Fprint(b, v, " ")
	}
}
