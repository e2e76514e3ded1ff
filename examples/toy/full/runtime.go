package full

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/strictjson"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/plan"
)

// request is a job that a running switch is asked for.
type request struct {
	ID      int   `json:"id"`
	Sources []int `json:"sources"`          // hosts of the switch by number
	Values  int   `json:"values,omitempty"` // of a block; zero: defaultValues
}

// Protocol names what the jobs speak.
func (System) Protocol() string { return Protocol }

// LayOut lays a job that is asked for over the one engine of a switch.
func (System) LayOut(sw *plan.Switch, _ int, text json.RawMessage) (control.Layout, error) {
	r := request{Values: defaultValues}
	if err := strictjson.Decode(text, &r); err != nil {
		return control.Layout{}, dataplane.Refuse(dataplane.RefusedDocument, "give id, sources, values", "%v", err)
	}
	to, err := r.ports(sw)
	if err != nil {
		return control.Layout{}, err
	}
	j := newJob(sw, uint8(r.ID), r.Values, to)
	t := dataplane.Table{Columns: []dataplane.Column{{Key: "workers", Name: "workers"}, {Key: "ports", Name: "ports"}, {Key: "group", Name: "results to"}}}
	t.Add(dataplane.Int(len(to)), dataplane.Text(control.PortNames(sw, to)), dataplane.Text(plan.Group(uint16(r.ID)).String()))
	return control.Layout{ID: r.ID, Name: "switch.job.added", Parts: []control.Part{{Document: &j, Table: t}}}, nil
}

// ports checks a request, and returns the ports of its sources.
func (r *request) ports(sw *plan.Switch) (to []sansio.Port, err error) {
	if refusal := control.CheckID(r.ID); refusal != nil {
		return nil, refusal
	}
	if len(r.Sources) == 0 {
		return nil, dataplane.Refuse(dataplane.RefusedNoSources, "name hosts of the switch", "job %d has no sources", r.ID)
	}
	if r.Values < 1 || r.Values > maxValues {
		return nil, dataplane.Refuse(dataplane.RefusedDocument, fmt.Sprintf("use 1 to %d", maxValues), "job %d: %d values in a block", r.ID, r.Values)
	}
	for _, host := range r.Sources {
		port, err := control.HostPort(sw, r.ID, host, "name hosts of the switch")
		if err != nil {
			return nil, err
		}
		if slices.Contains(to, sansio.Port(port.Index)) {
			return nil, dataplane.Refuse(dataplane.RefusedSource, "name it once", "job %d names source %d twice", r.ID, host)
		}
		to = append(to, sansio.Port(port.Index))
	}
	return to, nil
}

// JobOptions returns the options of "inalab switch job add" for jobs of the toy.
func (System) JobOptions() job.RuntimeOptions { return &options{} }

type options struct{ values int }

func (*options) Describe() (text string, examples []string) {
	return "the job takes the UDP port 49399 + ID, and its packets have --values values.", []string{"--id 2 --sources 0,1 --values 500"}
}

func (o *options) Register(flags *pflag.FlagSet) {
	flags.IntVar(&o.values, "values", defaultValues, fmt.Sprintf("values of a block, 1 to %d", maxValues))
}

func (o *options) Request(common job.RuntimeRequest, given func(string) bool) (any, error) {
	if !given("sources") {
		return nil, job.ErrNoSources
	}
	return request{ID: common.ID, Sources: common.Sources, Values: o.values}, nil
}
