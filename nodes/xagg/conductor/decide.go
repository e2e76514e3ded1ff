package conductor

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/xagg/manager"
)

// begin makes the first tree.
func (c *Conductor) begin(now units.Time) error {
	star, err := c.star()
	if err != nil {
		return err
	}
	c.tree = star
	switch c.cfg.Mode {
	case Star:
		c.note(now, "all workers send to %s", c.cfg.PS.Name)
		return nil
	case Plan:
		c.shape = waiting
		c.note(now, "the first iteration goes over %s alone, to measure the workers", c.cfg.PS.Name)
		return nil
	}
	c.shape = waiting
	c.build(now)
	if shape, want := c.spread(), "3 3 1"; c.cfg.Mode == Testbed && shape != want {
		return fmt.Errorf("tree %s: workers come out as %q and not as %q: give %d servers the same bandwidth, with cores and memory for it", Testbed, shape, want, testbedServers)
	}
	return nil
}

// star returns the tree in which all workers send to the PS. The error may be of any host.
func (c *Conductor) star() (*manager.Tree, error) {
	var all []manager.Server
	for _, h := range c.of(manager.ServerRole) {
		all = append(all, h.load)
	}
	r := c.request(all)
	r.K = max(2, len(r.Workers)) // one layer
	return manager.Plan(r)
}

// request returns what tree is wanted over some servers.
func (c *Conductor) request(servers []manager.Server) manager.Request {
	r := manager.Request{PS: c.cfg.PS.Name, Servers: servers, Model: c.cfg.Model, K: c.cfg.K}
	for _, h := range c.of(manager.WorkerRole) {
		r.Workers = append(r.Workers, h.times)
	}
	return r
}

// spread returns how many workers each child of the PS has, for the testbed.
func (c *Conductor) spread() string {
	var counts []string
	for _, name := range c.tree.Children(c.tree.PS()) {
		counts = append(counts, fmt.Sprint(max(1, len(c.tree.Children(name)))))
	}
	return strings.Join(counts, " ")
}

// review looks at everything that time or a message may have changed.
func (c *Conductor) review(now units.Time) {
	if c.shape == planned {
		c.fail(now)
	}
	c.plan(now)
	c.issue(now)
}

// plan makes the tree of the next iteration when the times and loads for it are there.
func (c *Conductor) plan(now units.Time) {
	if c.tried || len(c.untimed()) > 0 || len(c.unheard(now)) > 0 {
		return
	}
	c.tried = true
	if c.cfg.Mode == Plan && c.skip(now) {
		return
	}
	c.build(now)
	if c.shape == planned {
		c.change(now)
	}
}

// untimed returns the workers whose times a plan waits for.
func (c *Conductor) untimed() (names []string) {
	for _, h := range c.of(manager.WorkerRole) {
		if c.cfg.Mode == Plan && !h.timed {
			names = append(names, h.Name)
		}
	}
	return names
}

// unheard returns the servers whose first load a plan waits for.
func (c *Conductor) unheard(now units.Time) (names []string) {
	for _, h := range c.of(manager.ServerRole) {
		if c.cfg.Mode == Plan && !h.reported && now < c.silent(h) {
			names = append(names, h.Name)
		}
	}
	return names
}

// skip keeps the star where communication takes little of the time (XAgg §V).
func (c *Conductor) skip(now units.Time) bool {
	workers := c.request(nil).Workers
	if !manager.Skip(workers) {
		return false
	}
	var transfer, total float64
	for i := range workers {
		transfer += float64(workers[i].Transfer)
		total += float64(workers[i].Training) + float64(workers[i].Transfer)
	}
	c.shape = starred
	c.note(now, "all workers go on sending to %s: communication takes %.3g%% of their time, and below 10%% aggregators are not worth it (XAgg §V)", c.cfg.PS.Name, 100*transfer/total)
	return true
}

// build plans a tree, or leaves the star with a note that says why.
func (c *Conductor) build(now units.Time) {
	servers := c.fresh(now)
	tree, err := manager.Plan(c.request(servers))
	if err != nil {
		c.stay(now, strings.ReplaceAll(err.Error(), "\n", "; "))
		return
	}
	_, why := manager.Candidates(servers, c.cfg.Model)
	for _, err := range why {
		c.note(now, "not used: %v", err)
	}
	c.tree, c.shape = tree, planned
	c.grant()
	c.note(now, "the tree is %v, at most %d children a server", tree, tree.K())
	if tree.Note() != "" {
		c.note(now, "%s", tree.Note())
	}
}

// stay notes why the workers go on with the star, once for each reason.
func (c *Conductor) stay(now units.Time, why string) {
	if why != c.lack {
		c.note(now, "all workers send to %s: %s", c.cfg.PS.Name, why)
	}
	c.lack = why
}

// grant notes the bandwidth that servers of the tree got their places for.
func (c *Conductor) grant() {
	for _, name := range c.tree.Servers() {
		h := c.named(name)
		h.granted = h.load.Bandwidth
	}
}

// adjust fits the tree to the latest loads, between iterations.
func (c *Conductor) adjust(now units.Time) {
	change, changed := c.tree.Adjust(c.fresh(now))
	c.grant()
	if !changed {
		return
	}
	for i, name := range change.Out { // Why has a line for each
		h := c.named(name)
		h.left = now >= c.silent(h)
		if why := c.gone(now, h); why != "" {
			c.note(now, "%s left: %s", name, why)
			continue
		}
		c.note(now, "%s", change.Why[i])
	}
	if len(change.In) > 0 {
		c.note(now, "%s joined", strings.Join(change.In, ", "))
	}
	c.note(now, "the tree is %v", c.tree)
	c.change(now)
}

// fail removes servers of the tree that are silent or overloaded.
func (c *Conductor) fail(now units.Time) {
	failed := false
	for _, name := range c.tree.Servers() {
		why := c.fault(now, c.named(name))
		if why == "" {
			continue
		}
		if !c.running {
			c.adjust(now)
			return
		}
		failed = true
		c.remove(now, name, why)
	}
	if failed {
		c.note(now, "the tree is %v", c.tree)
		c.change(now)
	}
}

// remove takes a server of the tree out of it in mid-iteration.
func (c *Conductor) remove(now units.Time, name, why string) {
	parent := c.tree.Parent(name)
	change, err := c.tree.Fail(name, why)
	if err != nil {
		panic(fmt.Sprintf("conductor: a server of the tree cannot fail: %v", err))
	}
	for _, why := range change.Why {
		c.note(now, "%s", why)
	}
	c.note(now, "%s send all of iteration %d again, to %s", strings.Join(change.Resend, ", "), c.iteration, parent)
	c.named(name).left = now >= c.silent(c.named(name))
}
