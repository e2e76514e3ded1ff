package control

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/forward"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// Switch is what requests are about; a chassis is one.
type Switch interface {
	Plan() *plan.Switch
	PFEs() []string // names, by index
	Engine(pfe int) dataplane.Engine
	PortTable(pfe, limit int) dataplane.Table
	Programs(pfe int) []dataplane.Running // all that run there, the system's first
	SetValue(now units.Time, pfe int, program string, w dataplane.Write) (dataplane.Written, error)
	RaiseEvent(now units.Time, pfe int, program, event string, value uint32) error
	AddJob(now units.Time, pfe int, d dataplane.Document) (uint8, error)
	RemoveJob(now units.Time, pfe int, id uint8) (dataplane.Removed, error)
	Forget(now units.Time, pfe int) (engines, blocks int) // negative: all PFEs
	SetGroups(job uint8, groups []forward.Group) error
	DropGroups(job uint8)
	ReadLinks() []chassis.LinkReading
	SetLink(now units.Time, port int, inbound bool, spec topo.LinkSpec) error
	// Reload replaces a program; a negative pfe is all that have it.
	Reload(pfe int, program, file, text string) ([]dataplane.Replaced, error)
}

// Dispatch does what a request asks for. It has no state of its own, and is to be
// called where the switch may be: on its goroutine, between its calls. jobs lays out the
// jobs that are asked for; nil: the switch takes none.
func Dispatch(now units.Time, sw Switch, jobs Layouter, r Request) Response {
	out := Response{Version: Version, Switch: sw.Plan().Name}
	err := dispatch(now, sw, jobs, r, &out)
	if err == nil {
		return out
	}
	out = Response{Version: Version, Switch: out.Switch, Error: err.Error(), Fault: FaultRequest}
	if refusal := (*dataplane.Refusal)(nil); errors.As(err, &refusal) {
		out.Fault, out.Reason = FaultRefused, refusal.Reason
	}
	return out
}

func dispatch(now units.Time, sw Switch, jobs Layouter, r Request, out *Response) error {
	if err := r.check(); err != nil {
		return err
	}
	pfe := -1
	if r.PFE != "" {
		var err error
		if pfe, err = findPFE(sw, r.PFE); err != nil {
			return err
		}
	}
	switch r.Op {
	case OpShow:
		return show(now, sw, pfe, r, out)
	case OpAddJob:
		return addJob(now, sw, jobs, pfe, r, out)
	case OpRemoveJob:
		return removeJob(now, sw, pfe, *r.ID, out)
	case OpDrop:
		return changeDrops(sw, pfe, r.Drop.set, out)
	case OpClearDrop:
		return changeDrops(sw, pfe, clearDrops, out)
	case OpForget:
		return forget(now, sw, pfe, out)
	case OpSet:
		return set(now, sw, pfe, r, out)
	case OpReplace:
		return replace(sw, pfe, r.Source, out)
	case OpRaise:
		return raise(now, sw, pfe, r, out)
	case OpEvents:
		return errNoEvents
	case OpLinks:
		out.At, out.Links = now, sw.ReadLinks()
		return nil
	case OpSetLink:
		return r.Link.set(now, sw)
	}
	return fmt.Errorf("unknown operation %q: allowed are %s", r.Op, list([]Op{OpShow, OpAddJob, OpRemoveJob, OpDrop, OpClearDrop, OpForget, OpSet, OpReplace, OpRaise, OpEvents, OpLinks, OpSetLink}))
}

// check finds fields that are missing, and those that belong to another operation.
func (r *Request) check() error {
	type field struct {
		name  string
		given bool
		op    Op
	}
	if ops := []Op{OpShow, OpSet, OpRaise}; r.Program != "" && !slices.Contains(ops, r.Op) {
		return fmt.Errorf("operation %q takes no program: that is for %s", r.Op, list(ops))
	}
	for _, f := range []field{
		{"view", r.View != "", OpShow}, {"limit", r.Limit != 0, OpShow}, {"job", r.Job != nil, OpAddJob}, {"protocol", r.Protocol != "", OpAddJob}, {"id", r.ID != nil, OpRemoveJob},
		{"drop", r.Drop != nil, OpDrop}, {"name", r.Name != "", OpShow}, {"set", r.Set != nil, OpSet}, {"source", r.Source != nil, OpReplace}, {"raise", r.Raise != nil, OpRaise}, {"since", r.Since != nil, OpEvents},
		{"link", r.Link != nil, OpSetLink},
	} {
		switch {
		case f.given && f.op != r.Op:
			return fmt.Errorf("operation %q takes no %s: that is for %q", r.Op, f.name, f.op)
		case !f.given && f.op == r.Op && !slices.Contains([]string{"limit", "drop", "protocol", "name", "since"}, f.name):
			return fmt.Errorf("operation %q lacks its %s", r.Op, f.name)
		}
	}
	if r.Limit < 0 || r.Limit > MaxRows {
		return fmt.Errorf("limit of %d rows: 1 to %d are possible, or 0 for %d", r.Limit, MaxRows, DefaultRows)
	}
	return nil
}

// findPFE returns the index of a PFE by its name or the number in it.
func findPFE(sw Switch, name string) (int, error) {
	names := sw.PFEs()
	for i, n := range names {
		if n == name || n == "pfe"+name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s has no PFE %q: there are %s%s", sw.Plan().Name, name, strings.Join(names, ", "), suggest.DidYouMean(name, names))
}

// concerned returns the PFEs that have an engine, or the one that was named.
func concerned(sw Switch, pfe int) (out []int, err error) {
	names := sw.PFEs()
	for i := range names {
		if sw.Engine(i) != nil && (pfe < 0 || pfe == i) {
			out = append(out, i)
		}
	}
	switch {
	case len(out) > 0:
		return out, nil
	case pfe >= 0:
		return nil, fmt.Errorf("%s runs no program on %s", sw.Plan().Name, names[pfe])
	}
	return nil, fmt.Errorf("%s runs no program: it only forwards", sw.Plan().Name)
}

// addJob sets a job up on every engine it needs, or on none.
func addJob(now units.Time, sw Switch, jobs Layouter, pfe int, r Request, out *Response) error {
	l, err := layOut(sw, jobs, pfe, r)
	if err != nil {
		return err
	}
	if pfe < 0 {
		if err := checkFree(sw, l.ID); err != nil {
			return err
		}
	}
	for n, p := range l.Parts {
		if _, err := sw.AddJob(now, p.PFE, p.Document); err != nil {
			return errors.Join(err, takeBack(now, sw, l.ID, l.Parts[:n]))
		}
	}
	if err := sw.SetGroups(uint8(l.ID), l.Groups); err != nil {
		return errors.Join(err, takeBack(now, sw, l.ID, l.Parts))
	}
	out.Added = &Added{Name: l.Name, Note: l.Note}
	for _, p := range l.Parts {
		out.Added.Tables = append(out.Added.Tables, EngineTable{sw.PFEs()[p.PFE], p.Table})
	}
	return nil
}

// layOut lays out the job of a request.
func layOut(sw Switch, jobs Layouter, pfe int, r Request) (Layout, error) {
	switch {
	case jobs == nil:
		return Layout{}, dataplane.Refuse(dataplane.RefusedUnsupported, "run a system whose jobs come and go", "%s takes no jobs while it runs", sw.Plan().Name)
	case r.Protocol != "" && r.Protocol != jobs.Protocol():
		return Layout{}, dataplane.Refuse(dataplane.RefusedProtocol, fmt.Sprintf("give the options of a job of %s: \"inalab switch job add --help\" lists them", jobs.Protocol()),
			"a job of %s is for another program: %s speaks %s", r.Protocol, sw.Plan().Name, jobs.Protocol())
	}
	return jobs.LayOut(sw.Plan(), pfe, r.Job)
}

// checkFree refuses a job of the whole switch whose id any PFE has: two jobs of
// one id, on PFEs of their own, could not be told apart any more.
func checkFree(sw Switch, id int) error {
	for i, name := range sw.PFEs() {
		w, ok := sw.Engine(i).(dataplane.Watched)
		if ok && w.Sources(uint8(id)) != (trace.Mask{}) {
			return dataplane.RefuseTaken(id, nodeOf(sw, name))
		}
	}
	return nil
}

// nodeOf names an engine as trace events do.
func nodeOf(sw Switch, pfe string) string {
	if sw.Plan().Chassis == nil {
		return sw.Plan().Name
	}
	return sw.Plan().Name + "/" + pfe
}

// takeBack removes what was set up of a job that is refused elsewhere.
func takeBack(now units.Time, sw Switch, id int, parts []Part) error {
	var errs []error
	for _, p := range slices.Backward(parts) {
		if _, err := sw.RemoveJob(now, p.PFE, uint8(id)); err != nil {
			errs = append(errs, fmt.Errorf("take it back from %s: %w", sw.PFEs()[p.PFE], err))
		}
	}
	return errors.Join(errs...)
}

// removeJob takes a job from every engine that has it, the top level last: what
// comes from below for a job that is unknown there would only be counted.
func removeJob(now units.Time, sw Switch, pfe, id int, out *Response) error {
	if r := CheckID(id); r != nil {
		return r
	}
	pfes, err := concerned(sw, pfe)
	if err != nil {
		return err
	}
	if c := sw.Plan().Chassis; c != nil {
		if at := slices.Index(pfes, c.Top); at >= 0 {
			pfes = append(slices.Delete(pfes, at, at+1), c.Top)
		}
	}
	var refused error
	for _, i := range pfes {
		removed, err := sw.RemoveJob(now, i, uint8(id))
		if err != nil {
			refused = err
			continue
		}
		out.Removed = append(out.Removed, Taken{sw.PFEs()[i], removed})
	}
	if len(out.Removed) > 0 {
		sw.DropGroups(uint8(id))
		return nil
	}
	if r := (*dataplane.Refusal)(nil); errors.As(refused, &r) && r.Reason == dataplane.RefusedUnknownJob && len(pfes) > 1 {
		return dataplane.RefuseUnknown(id, sw.Plan().Name)
	}
	return refused
}

// forget has programs lose what they remember.
func forget(now units.Time, sw Switch, pfe int, out *Response) error {
	engines, blocks := sw.Forget(now, pfe)
	if engines == 0 {
		return dataplane.Refuse(dataplane.RefusedForget, "run a system whose switches may lose their state, as ATP's", "no program of %s can lose what it remembers and go on", sw.Plan().Name)
	}
	out.Forgot = &Forgot{Engines: engines, Blocks: blocks}
	return nil
}

func texts[T ~string](words []T) (out []string) {
	for _, w := range words {
		out = append(out, string(w))
	}
	return out
}

func list[T ~string](words []T) string { return strings.Join(texts(words), ", ") }
