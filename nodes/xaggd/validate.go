package xaggd

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/nodes/xagg/conductor"
	"github.com/inalab/inalab/nodes/xagg/rates"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// resolve puts defaults in the place of zeros.
func (c *Common) resolve() {
	c.Tree = cmp.Or(c.Tree, 1) // as the first of package manager
	c.Values = cmp.Or(c.Values, wire.Values)
	c.LossPeriod = cmp.Or(c.LossPeriod, DefaultLossPeriod)
	c.Poll = cmp.Or(c.Poll, DefaultPoll)
	c.Burst = cmp.Or(c.Burst, DefaultBurst)
	c.Results.Settle = cmp.Or(c.Results.Settle, settlePolls*c.Poll)
	c.Gradients.Packets, c.Results.Packets = c.Fragments, c.Fragments
	c.Gradients.Group, c.Results.Group = cmp.Or(c.Gradients.Group, wire.Group), cmp.Or(c.Results.Group, wire.Group)
}

func (c *WorkerConfig) resolve() {
	c.Fragments = Fragments(c.Tensor, c.Values)
	c.Agents = cmp.Or(c.Agents, DefaultAgents)
	c.Common.resolve()
}

func (c *RootConfig) resolve() {
	c.ResultRate = cmp.Or(c.ResultRate, c.Egress, c.Ingress)
	if c.GroupMAC == (inet.MAC{}) && c.Group.Is4() {
		c.GroupMAC = inet.MulticastMAC(c.Group)
	}
	c.Common.resolve()
}

// validate checks what all agents have, after resolve. The store is checked by its own rules.
func (c *Common) validate(store xagg.Config) error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if err := store.Validate(); err != nil {
		fault("store: %w", err)
	}
	if c.Gradients.Group != wire.Group || c.Results.Group != wire.Group {
		fault("groups of %d and %d packets: the aggregators have groups of %d", c.Gradients.Group, c.Results.Group, wire.Group)
	}
	if c.Poll < 0 || c.Burst < 0 || c.LossPeriod < 0 {
		fault("polling every %v, bursts of %v, loss periods of %v: they must not be negative", c.Poll, c.Burst, c.LossPeriod)
	}
	for _, d := range [...]rates.Delays{c.Initial, c.Update} {
		if d.Root < 0 || d.Server < d.Root || d.Worker < d.Server {
			fault("delays of negotiation of %v at a worker, %v at a server and %v at the root: each holds the next, so that none may be shorter than it or negative", d.Worker, d.Server, d.Root)
		}
	}
	return errors.Join(errs...)
}

// validate checks an address that is sent to.
func (p *Peer) validate(what string) error {
	if !wire.OneHot(p.ID) || !p.Addr.Is4() {
		return fmt.Errorf("%s %q with host id %#x at %v: it needs an id of one bit and an IPv4 address", what, p.Node, p.ID, p.Addr)
	}
	return nil
}

func validateChildren(list []Child) error {
	var errs []error
	for i := range list {
		errs = append(errs, list[i].validate("child"))
	}
	return errors.Join(errs...)
}

func (c *WorkerConfig) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Workers < 1 || c.Worker < 0 || c.Worker >= c.Workers {
		fault("worker %d of %d: workers are counted from 0", c.Worker, c.Workers)
	}
	if c.Tensor < 1 {
		fault("tensor of %d elements: there must be one", c.Tensor)
	}
	if c.Agents < 1 || c.Agents > MaxAgents {
		fault("%d send agents: 1 to %d are possible", c.Agents, MaxAgents)
	}
	if c.Sample.Every < 0 {
		fault("one packet of %d carries values: it must not be negative", c.Sample.Every)
	}
	if f := c.Scaling.Factor; f < 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		fault("scaling factor %v: it must be a positive number, or 0 for the default", f)
	}
	errs = append(errs, c.Parent.validate("parent"), c.Root.validate("root"), c.Common.validate(c.Store()))
	return errors.Join(errs...)
}

func (c *ServerConfig) validate() error {
	errs := []error{c.Root.validate("root"), c.Common.validate(c.Store())}
	if c.Ingress <= 0 || c.Egress <= 0 {
		errs = append(errs, fmt.Errorf("ingress bandwidth of %d and egress bandwidth of %d bit/s: a server needs both", int64(c.Ingress), int64(c.Egress)))
	}
	if c.Reports < 0 {
		errs = append(errs, fmt.Errorf("reports every %v: it must not be negative", c.Reports))
	}
	switch {
	case c.Spare && (c.Parent.ID != 0 || len(c.Children) > 0):
		errs = append(errs, errors.New("a spare server has a place in the tree: give it no parent and children, or let it be none"))
	case !c.Spare:
		errs = append(errs, c.Parent.validate("parent"), validateChildren(c.Children))
	}
	return errors.Join(errs...)
}

func (c *RootConfig) validate() error {
	errs := []error{validateChildren(c.Children), c.Common.validate(c.Store())}
	if c.Iterations < 0 {
		errs = append(errs, fmt.Errorf("%d iterations: give 1 or more, or 0 where nobody knows", c.Iterations))
	}
	if len(c.Workers) == 0 {
		errs = append(errs, errors.New("no workers: results need somebody to go to"))
	}
	for i := range c.Workers {
		errs = append(errs, c.Workers[i].validate("worker"))
	}
	if c.Conductor != nil {
		if _, err := conductor.New(0, *c.Conductor); err != nil {
			errs = append(errs, err)
		}
	}
	if !c.Group.Is4() || !c.Group.IsMulticast() {
		errs = append(errs, fmt.Errorf("group %v of results: it must be an IPv4 multicast address", c.Group))
	}
	return errors.Join(errs...)
}
