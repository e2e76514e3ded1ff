package experiment

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/reports/claims"
)

// Env is what an experiment may ask for. It is made for one run of one
// experiment, and notes what was asked.
type Env struct {
	Quick     bool
	Varied    bool // a constant is changed: what no result rests on may be left out
	Seed      rng.Root
	Constants *hostmodel.Constants
	Readings  claims.Readings   // of what the papers leave open
	Progress  func(text string) // what the experiment is at; may be nil

	taken map[claims.ID]string // readings that were asked for
}

// Note says what the experiment is at.
func (e *Env) Note(format string, args ...any) {
	if e.Progress != nil {
		e.Progress(fmt.Sprintf(format, args...))
	}
}

// Reading returns the choice that holds for an ambiguity, and notes that the
// experiment depends on it. It panics on one that has no knob.
func (e *Env) Reading(ambiguity claims.ID) string {
	choice, err := e.Readings.Choice(ambiguity)
	if err != nil {
		panic("experiment: " + err.Error())
	}
	if e.taken == nil {
		e.taken = map[claims.ID]string{}
	}
	e.taken[ambiguity] = choice
	return choice
}

// Took reports whether a reading of the ambiguity was asked for.
func (e *Env) Took(ambiguity claims.ID) bool {
	_, ok := e.taken[ambiguity]
	return ok
}

// Taken lists the readings that were asked for: "trio.wake=skip, ...".
func (e *Env) Taken() string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(e.taken)) {
		out = append(out, string(id)+"="+e.taken[id])
	}
	return strings.Join(out, ", ")
}

// Assumed lists the names of the assumed constants that were asked for.
func (e *Env) Assumed() (out []string) {
	for _, c := range e.Constants.Used() {
		if c.Assumed {
			out = append(out, c.Name)
		}
	}
	return out
}

// Trials is how often a random test is run: n times, or a tenth of that in a
// quick run.
func (e *Env) Trials(n int) int { return Cut(e, n, max(1, n/10)) }

// Cut returns what a run is to take: full, or what that is cut to in a quick run.
func Cut[T any](e *Env, full, quick T) T {
	if e.Quick {
		return quick
	}
	return full
}

// Parallel calls work for 0 to n-1, as many at a time as there are processors, and
// joins the errors.
func Parallel(n int, work func(i int) error) error {
	errs, slots := make([]error, n), make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			errs[i] = work(i)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
