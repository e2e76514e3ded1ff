package switchml

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inalab/inalab/harness/job"
	program "github.com/inalab/inalab/switchd/program/switchml"
)

// options are those of a job on the command line.
type options struct {
	elements, slots int
	workers         []string
}

// elementsByDefault is the packet of the larger program.
const elementsByDefault = 256

// JobOptions returns the options of a job that a running switch is asked for.
func (System) JobOptions() job.RuntimeOptions { return &options{} }

// Describe says what a job is.
func (*options) Describe() (text string, examples []string) {
	return `the job takes --slots of the switch's pool in each set, and its packets
have --elements values. Ranks are in the order of the sources. A client that takes an
interface over, with another address, is told by --worker, one for each rank, in place
of --sources. In a chassis the PFEs of the workers' ports aggregate, and the top-level
PFE above them; the workers of a job are all at one switch, other than those of a run.`, []string{
			"--id 2 --sources 0-3 --slots 512",
			"--id 3 --slots 128 --elements 64 --worker 10.1.0.9,02:00:00:00:00:00,p0",
		}
}

// Register adds the options.
func (o *options) Register(flags *pflag.FlagSet) {
	flags.IntVar(&o.slots, "slots", 0, fmt.Sprintf("its part of the pool, 1 to %d (required there)", program.MaxSlots))
	flags.IntVar(&o.elements, "elements", elementsByDefault, "values a packet, 64 or 256, or 32 by the reference program")
	flags.StringArrayVar(&o.workers, "worker", nil, "address, MAC and port of a worker, as 10.1.0.9,02:00:00:00:00:00,p0; once for each rank")
}

// Request makes the job of the options.
func (o *options) Request(common job.RuntimeRequest, given func(string) bool) (any, error) {
	switch {
	case !given("sources") && !given("worker"):
		return nil, job.ErrNoSources
	case !given("slots"):
		other := "elements"
		if given("worker") {
			other = "worker"
		}
		return nil, fmt.Errorf("--%s is of jobs of %s, which take a part of the pool: add --slots, 1 to %d", other, program.Protocol, program.MaxSlots)
	case given("sources") && given("worker"):
		return nil, errors.New("--sources and --worker: tell the workers in one way")
	}
	r := Request{ID: common.ID, Sources: common.Sources, SwitchML: &RequestedSlots{Elements: o.elements, Slots: o.slots}}
	for _, text := range o.workers {
		w, err := parseWorker(text)
		if err != nil {
			return nil, fmt.Errorf("--worker %q: %w", text, err)
		}
		r.SwitchML.Workers = append(r.SwitchML.Workers, w)
	}
	return r, nil
}

// parseWorker reads "10.1.0.9,02:00:00:00:00:00,p0".
func parseWorker(text string) (w RequestedWorker, err error) {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return w, errors.New("write ADDRESS,MAC,PORT")
	}
	if w.Addr, err = netip.ParseAddr(parts[0]); err != nil {
		return w, fmt.Errorf("%q is no IPv4 address", parts[0])
	}
	if _, err := parseMAC(parts[1]); err != nil {
		return w, err
	}
	w.MAC, w.Port = parts[1], parts[2]
	return w, nil
}
