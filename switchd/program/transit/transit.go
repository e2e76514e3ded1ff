// Package transit lists the programs that frames pass on their way through a PFE. A
// chassis makes their engines by these names.
package transit

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/inalab/inalab/internal/strictjson"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/filter"
	"github.com/inalab/inalab/switchd/program/police"
	"github.com/inalab/inalab/switchd/program/telemetry"
)

// Program is a program by its name.
type Program struct {
	Name        string
	Description string // in a line
	// NewEngine makes the engine of a PFE from the JSON of its configuration; none is the
	// zero value.
	NewEngine func(config json.RawMessage) (dataplane.Engine, error)
}

// All returns the programs, in the order of lists.
func All() []Program {
	return []Program{
		{"filter", "the filtering example: IPv4 packets without options pass (Trio §3.2)", maker(filter.New)},
		{"telemetry", "heavy hitters, reported by a timer thread (Trio §7)", maker(telemetry.New)},
		{"police", "a policer for each sender, against floods (Trio §7)", maker(police.New)},
	}
}

// maker makes engines from the JSON of their configuration, of which nothing is passed over.
func maker[C any, E dataplane.Engine](newEngine func(C) (E, error)) func(json.RawMessage) (dataplane.Engine, error) {
	return func(config json.RawMessage) (dataplane.Engine, error) {
		var cfg C
		if len(config) > 0 {
			if err := strictjson.Decode(config, &cfg); err != nil {
				return nil, fmt.Errorf("reading a %T: %w", cfg, err)
			}
		}
		e, err := newEngine(cfg)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
}

// NewEngine makes the engine of a PFE from the configuration of its program; sink may be
// nil.
type NewEngine = func(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error)

// Maker returns what makes the engines of a switch by the names of their programs: those
// of a system as newEngine does, and those of the programs here.
func Maker(system string, newEngine NewEngine) func(string, json.RawMessage, trace.Sink) (dataplane.Engine, error) {
	return func(name string, config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
		if name == system && newEngine != nil {
			return newEngine(config, sink)
		}
		var names []string
		for _, p := range All() {
			if p.Name == name {
				return p.NewEngine(config)
			}
			names = append(names, p.Name)
		}
		return nil, fmt.Errorf("program of %q beside that of %q: allowed are %s%s", name, system, strings.Join(names, ", "), suggest.DidYouMean(name, names))
	}
}
