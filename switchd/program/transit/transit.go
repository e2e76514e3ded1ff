// Package transit lists the programs that frames pass on their way through a PFE. A
// chassis makes their engines by these names.
package transit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/strictjson"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/filter"
	"github.com/inalab/inalab/switchd/program/police"
	"github.com/inalab/inalab/switchd/program/telemetry"
	"github.com/inalab/inalab/switchd/program/user"
)

// Program is a program by its name.
type Program struct {
	Name        string
	Description string // in a line
	// NewEngine makes the engine of a PFE from the JSON of its configuration; none is the
	// zero value.
	NewEngine func(config json.RawMessage) (dataplane.Engine, error)
	Reports   *Reports // nil: it sends none
}

// Reports are what a program tells a collector, each in a packet of UDP.
type Reports struct {
	// Address returns a configuration with the addressing of reports, and the front-panel
	// ports by which they leave.
	Address func(config json.RawMessage, collector inet.Flow, by []sansio.Port) (json.RawMessage, error)
	Read    dataplane.ReadReport
}

// All returns the programs, in the order of lists.
func All() []Program {
	return []Program{
		{"filter", "the filtering example: IPv4 packets without options pass (Trio §3.2)", maker(filter.New), nil},
		{"telemetry", "heavy hitters, reported by a timer thread (Trio §7)", maker(telemetry.New), &Reports{
			Address: addresser((*telemetry.Config).ReportTo),
			Read: func(payload []byte) (dataplane.Report, bool) {
				r, ok := telemetry.ParseReport(payload)
				return dataplane.Report(r.Pair), ok
			},
		}},
		{"police", "a policer for each sender, against floods (Trio §7)", maker(police.New), nil},
	}
}

// Find returns the program of a name.
func Find(name string) (Program, bool) {
	all := All()
	if i := slices.IndexFunc(all, func(p Program) bool { return p.Name == name }); i >= 0 {
		return all[i], true
	}
	return Program{}, false
}

// Names returns the names of programs that are as wanted, in the order of lists.
func Names(wanted func(Program) bool) (names []string) {
	for _, p := range All() {
		if wanted(p) {
			names = append(names, p.Name)
		}
	}
	return names
}

// maker makes engines from the JSON of their configuration, of which nothing is passed over.
func maker[C any, E dataplane.Engine](newEngine func(C) (E, error)) func(json.RawMessage) (dataplane.Engine, error) {
	return func(config json.RawMessage) (dataplane.Engine, error) {
		cfg, err := decode[C](config)
		if err != nil {
			return nil, err
		}
		e, err := newEngine(cfg)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
}

// addresser sets the addressing of reports in configurations.
func addresser[C any](set func(*C, inet.Flow, []sansio.Port)) func(json.RawMessage, inet.Flow, []sansio.Port) (json.RawMessage, error) {
	return func(config json.RawMessage, collector inet.Flow, by []sansio.Port) (json.RawMessage, error) {
		cfg, err := decode[C](config)
		if err != nil {
			return nil, err
		}
		set(&cfg, collector, by)
		return json.Marshal(cfg)
	}
}

// decode reads a configuration; none is the zero value.
func decode[C any](config json.RawMessage) (cfg C, err error) {
	if len(config) > 0 {
		if err := strictjson.Decode(config, &cfg); err != nil {
			return cfg, fmt.Errorf("reading a %T: %w", cfg, err)
		}
	}
	return cfg, nil
}

// NewEngine makes the engine of a PFE from the configuration of its program; sink may be
// nil.
type NewEngine = func(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error)

// Maker returns what makes the engines of a switch by the names of their programs: those
// of a system as newEngine does, those of a user's own programs ([user.System], of a [user.Config]),
// and those of the programs here.
func Maker(system string, newEngine NewEngine) func(string, json.RawMessage, trace.Sink) (dataplane.Engine, error) {
	return func(name string, config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
		if name == system && newEngine != nil {
			return newEngine(config, sink)
		}
		if name == user.System {
			return maker(user.New)(config)
		}
		if p, ok := Find(name); ok {
			return p.NewEngine(config)
		}
		names := Names(func(Program) bool { return true })
		return nil, fmt.Errorf("program of %q beside that of %q: allowed are %s, and %q with a program of one's own%s", name, system, strings.Join(names, ", "), user.System, suggest.DidYouMean(name, names))
	}
}
