package chassis

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/forward"
	"github.com/inalab/inalab/topo/plan"
)

// Plan returns the switch as it was planned. It is not to be changed.
func (c *Chassis) Plan() *plan.Switch { return &c.cfg.Switch }

// PFEs returns the names of the forwarding engines, by index: "engine" alone on a
// switch without chassis.
func (c *Chassis) PFEs() []string {
	names := make([]string, len(c.pfes))
	for i := range names {
		names[i] = c.cfg.pfeName(i)
	}
	return names
}

// Engine returns the engine that the system has on a PFE; nil where it has none.
func (c *Chassis) Engine(pfe int) dataplane.Engine {
	if e := c.pfes[pfe].system; e != nil {
		return e.Engine
	}
	return nil
}

// AddJob gives a job to the engine of a PFE, as [dataplane.Managed] says. It must
// not be called within Handle or Expire.
func (c *Chassis) AddJob(now units.Time, pfe int, d dataplane.Document) (uint8, error) {
	m, err := c.managed(pfe)
	if err != nil {
		return 0, err
	}
	id, err := m.AddJob(now, d)
	if err != nil {
		return 0, err
	}
	if err := c.learnPorts(c.pfes[pfe].system); err != nil {
		_, undo := m.RemoveJob(now, id)
		return 0, dataplane.Refuse(dataplane.RefusedPorts, fixPorts, "job %d on %s: %v", id, c.engineName(pfe), join(err, undo))
	}
	c.refresh(pfe)
	return id, nil
}

// join says what failed when taking back failed, too.
func join(err, undo error) error {
	if undo == nil {
		return err
	}
	return fmt.Errorf("%w, and it could not be taken back: %w", err, undo)
}

// RemoveJob takes a job from the engine of a PFE, likewise.
func (c *Chassis) RemoveJob(now units.Time, pfe int, id uint8) (dataplane.Removed, error) {
	m, err := c.managed(pfe)
	if err != nil {
		return dataplane.Removed{}, err
	}
	removed, err := m.RemoveJob(now, id)
	c.refresh(pfe)
	return removed, err
}

// jobGroup is a multicast group of a job that came at run time.
type jobGroup struct {
	job  uint8
	addr netip.Addr
}

// SetGroups has the multicast groups of a job forwarded from now on, until [Chassis.DropGroups]. An
// error is a [*dataplane.Refusal]. It must not be called within Handle or Expire.
func (c *Chassis) SetGroups(job uint8, groups []forward.Group) error {
	c.DropGroups(job)
	for _, g := range groups {
		if i := slices.IndexFunc(c.groups, func(o jobGroup) bool { return o.addr == g.Addr }); i >= 0 {
			other := c.groups[i].job
			c.DropGroups(job)
			return dataplane.Refuse(dataplane.RefusedResult, "remove that job first, or take another id", "job %d: group %v is that of job %d on %s", job, g.Addr, other, c.cfg.Switch.Name)
		}
		if err := c.plane.SetGroup(g); err != nil {
			c.DropGroups(job)
			return dataplane.Refuse(dataplane.RefusedPorts, fixPorts, "job %d on %s: %v", job, c.cfg.Switch.Name, err)
		}
		c.groups = append(c.groups, jobGroup{job, g.Addr})
	}
	return nil
}

// DropGroups ends what SetGroups began for a job.
func (c *Chassis) DropGroups(job uint8) {
	c.groups = slices.DeleteFunc(c.groups, func(g jobGroup) bool {
		if g.job == job {
			c.plane.DropGroup(g.addr)
		}
		return g.job == job
	})
}

func (c *Chassis) managed(pfe int) (dataplane.Managed, error) {
	m, ok := c.Engine(pfe).(dataplane.Managed)
	if !ok {
		return nil, dataplane.Refuse(dataplane.RefusedUnsupported, "choose a PFE whose program takes jobs", "%s runs no program that can be managed", c.engineName(pfe))
	}
	return m, nil
}

// Forget has all engines that can, or those of one PFE where pfe is not negative, lose what
// they remember ([dataplane.Forgetful]). It returns how many engines did, and how many
// blocks were open in them. It must not be called within Handle or Expire.
func (c *Chassis) Forget(now units.Time, pfe int) (engines, blocks int) {
	for _, e := range c.engines {
		f, ok := e.Engine.(dataplane.Forgetful)
		if !ok || pfe >= 0 && e.pfe != pfe {
			continue
		}
		engines++
		blocks += f.Forget(now)
		e.part.next = e.NextDeadline()
	}
	return engines, blocks
}

// refresh asks an engine for its deadline, which may have changed outside its turn.
func (c *Chassis) refresh(pfe int) {
	e := c.pfes[pfe].system
	e.part.next = e.NextDeadline()
}
