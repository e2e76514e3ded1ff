package trioml

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// options are those of a job on the command line.
type options struct {
	blocks, grads, outSrc int
	group, timeout, next  string
	ports                 []string
}

// JobOptions returns the options of a job that a running switch is asked for.
func (System) JobOptions() job.RuntimeOptions { return &options{} }

// Describe says what a job is.
func (*options) Describe() (text string, examples []string) {
	return `the PFEs that have the hosts aggregate, and where these are several, the
top-level PFE above them. Results go to a multicast group, by the ports of the
sources. With --pfe the whole job is on that PFE; then sources may be any src_ids,
if --ports says where results go.`, []string{
			"--id 2 --sources 0-5",
			"--id 3 --sources 0-2 --block-cnt-max 512 --block-grad-max 256",
			"--id 4 --sources 7,9 --pfe pfe1 --ports et-0-0-0,et-0-0-1",
		}
}

// Register adds the options.
func (o *options) Register(flags *pflag.FlagSet) {
	flags.IntVar(&o.blocks, "block-cnt-max", 0, fmt.Sprintf("concurrent blocks on each PFE, at most %d (default %d)", program.MaxJobBlocks, program.DefaultBlockMax))
	flags.IntVar(&o.grads, "block-grad-max", 0, fmt.Sprintf("gradients a block, at most %d (default %[1]d)", wire.MaxGrads))
	flags.StringVar(&o.timeout, "block-exp", "", fmt.Sprintf("how long a block waits for its sources, as 20ms; a top-level PFE waits %d times as long (default that of the PFE)", topPatience))
	flags.StringVar(&o.group, "group", "", "multicast group of the results (default 239.255.0.ID)")
	flags.StringSliceVar(&o.ports, "ports", nil, "ports that results leave by, or PFEs (default: those of the sources)")
	flags.IntVar(&o.outSrc, "out-src-id", 0, "with --pfe or --next: src_id of its results (default with --pfe: 200 and the index of the PFE)")
	flags.StringVar(&o.next, "next", "", "router address of the switch that aggregates above this one: results go there, and those of the group are forwarded to the ports")
}

// Request makes the job of the options.
func (o *options) Request(common job.RuntimeRequest, given func(string) bool) (any, error) {
	if !given("sources") {
		return nil, job.ErrNoSources
	}
	r := Request{ID: common.ID, Sources: common.Sources, BlockMax: o.blocks, GradMax: o.grads, Ports: o.ports}
	var err error
	if r.Timeout, err = o.blockExp(); err != nil {
		return nil, err
	}
	if o.group != "" {
		if r.Group, err = netip.ParseAddr(o.group); err != nil {
			return nil, fmt.Errorf("--group %q: it must be an IPv4 multicast address, as 239.255.0.2", o.group)
		}
	}
	if o.next != "" {
		if r.Next, err = netip.ParseAddr(o.next); err != nil {
			return nil, fmt.Errorf("--next %q: it must be the IPv4 router address of another switch, as 10.255.0.1", o.next)
		}
	}
	if given("out-src-id") {
		if common.PFE == "" && o.next == "" {
			return nil, fmt.Errorf("--out-src-id %d: it belongs to one PFE, or to a switch below another: add --pfe or --next", o.outSrc)
		}
		r.OutSrc = &o.outSrc
	}
	return r, nil
}

// blockExp reads the timeout of a job; zero: that of the PFE.
func (o *options) blockExp() (units.Duration, error) {
	if o.timeout == "" {
		return 0, nil
	}
	d, err := units.ParseDuration(o.timeout)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("--block-exp %q: it must be a time above 0, as 20ms", o.timeout)
	}
	return d, nil
}

// listed writes src_ids as people do.
func listed(ids []uint8) string {
	words := make([]string, len(ids))
	for i, s := range ids {
		words[i] = strconv.Itoa(int(s))
	}
	return strings.Join(words, ",")
}
