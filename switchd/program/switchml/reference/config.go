package reference

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
)

// MaxSlots is the capacity of the public switch program, slots of each set.
const MaxSlots = 8192

// MaxWorkers is how many workers a job may have: the bits of a [trace.Mask]. The
// public switch program has 32.
const MaxWorkers = 256

// DefaultID is the id of a job that is given by fields of Config.
const DefaultID = 1

// Config describes the program of one switch, or of one pipeline of a switch.
type Config struct {
	Node   string // name in trace events
	Router netip.Addr
	MAC    inet.MAC

	// A single job, DefaultID, may be given here; all zero: it is not.
	Elements int      `json:",omitempty"`
	Slots    int      `json:",omitempty"`
	Workers  []Worker `json:",omitempty"`

	Jobs []Job `json:",omitempty"` // from the start; others come and go at run time
	Pool int   `json:",omitempty"` // slots of each set, for all jobs; zero: MaxSlots

	// Faithful is Algorithm 3 as it is printed, without the check for late packets:
	// right only where no packet of a worker is overtaken by one of its next phase.
	Faithful bool `json:",omitempty"`

	Trace trace.Sink `json:"-"` // nil: no events
}

// Job is one job of a switch, which may be a part of a larger one: then its workers
// are those of this switch, or further switches.
type Job struct {
	ID         uint8
	Session    uint64 `json:",omitempty"` // what its clients call it, for tables
	Elements   int    // values a packet: 64 or 256 (§5)
	Slots      int    // its part of the pool, in each set; packets count them from 0
	Workers    []Worker
	NumWorkers int `json:",omitempty"` // zero: those; with fewer of them, packets are dropped

	// FirstByte is the job byte of its first packets; zero is that of the public
	// client. Packet ids count up from there.
	FirstByte uint8 `json:",omitempty"`

	Parent *Parent `json:",omitempty"` // nil: sums are results
}

// Worker is a member of a job: a host, or a switch with a part of the job.
type Worker struct {
	ID   uint8 `json:",omitempty"` // in masks of events; all zero: their places
	MAC  inet.MAC
	Addr netip.Addr
	Port sansio.Port // port of the chassis that leads to it

	// UDP is the port that its packets come to; zero: wire.Port, as hosts send. By
	// address and UDP port a worker is known, so that a switch can be one for
	// several jobs.
	UDP uint16 `json:",omitempty"`
}

// Parent is the switch that a job's sums go up to (§7), where this one is a worker.
type Parent struct {
	MAC  inet.MAC
	Addr netip.Addr  // its router address
	Port sansio.Port // port of the chassis that leads to it
	UDP  uint16      `json:",omitempty"` // port that packets go to; zero: wire.Port
	Self netip.Addr  // address by which it knows this switch; zero: Router
}

func (w *Worker) udp() uint16 { return portOr(w.UDP) }

func (u *Parent) udp() uint16 { return portOr(u.UDP) }

func portOr(port uint16) uint16 {
	if port == 0 {
		return wire.Port
	}
	return port
}

// single returns the job that fields give; ok is false where there is none.
func (c *Config) single() (j Job, ok bool) {
	j = Job{ID: DefaultID, Elements: c.Elements, Slots: c.Slots, Workers: c.Workers}
	return j, c.Elements != 0 || c.Slots != 0 || len(c.Workers) > 0
}

// jobs returns all jobs from the start.
func (c *Config) jobs() []Job {
	if j, ok := c.single(); ok {
		return append([]Job{j}, c.Jobs...)
	}
	return c.Jobs
}

// validate reports what is wrong with any one thing; what jobs do to one another
// shows as they are added.
func (c *Config) validate() error {
	var errs []error
	if !c.Router.Is4() {
		errs = append(errs, fmt.Errorf("router address %v: it must be an IPv4 address", c.Router))
	}
	if c.Pool < 0 || c.Pool > MaxSlots {
		errs = append(errs, fmt.Errorf("pool of %d slots: 1 to %d are possible, or 0 for that", c.Pool, MaxSlots))
	}
	if j, ok := c.single(); ok {
		errs = append(errs, j.validate())
	}
	for i := range c.Jobs {
		if err := c.Jobs[i].validate(); err != nil {
			errs = append(errs, fmt.Errorf("job %d: %w", c.Jobs[i].ID, err))
		}
	}
	return errors.Join(errs...)
}

func (j *Job) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if j.Elements != 64 && j.Elements != 256 {
		fault("%d elements a packet: the switch program has variants for 64 and 256", j.Elements)
	}
	if j.Slots < 1 || j.Slots > MaxSlots {
		fault("pool of %d slots: 1 to %d are possible", j.Slots, MaxSlots)
	}
	if n := len(j.Workers); n < 1 || n > MaxWorkers {
		fault("%d workers: 1 to %d are possible", n, MaxWorkers)
	}
	if j.NumWorkers != 0 && (j.NumWorkers < len(j.Workers) || j.NumWorkers > MaxWorkers) {
		fault("%d of %d workers: it cannot have more than it is made for, or than %d", len(j.Workers), j.NumWorkers, MaxWorkers)
	}
	errs = append(errs, j.validateWorkers()...)
	if u := j.Parent; u != nil && (!u.Addr.Is4() || u.Self.IsValid() && !u.Self.Is4()) {
		fault("parent at %v knows this switch as %v: both must be IPv4 addresses", u.Addr, u.Self)
	}
	return errors.Join(errs...)
}

func (j *Job) validateWorkers() (errs []error) {
	numbered := j.numbered()
	for i := range j.Workers {
		w := &j.Workers[i]
		if !w.Addr.Is4() {
			errs = append(errs, fmt.Errorf("address %v of worker %d: it must be an IPv4 address", w.Addr, i))
		}
		for k := range j.Workers[:i] {
			v := &j.Workers[k]
			if v.Addr == w.Addr && v.udp() == w.udp() {
				errs = append(errs, fmt.Errorf("workers %d and %d share an address, %v", k, i, w.Addr))
			}
			if numbered && v.ID == w.ID {
				errs = append(errs, fmt.Errorf("workers %d and %d share an id, %d", k, i, w.ID))
			}
		}
	}
	return errs
}

// numbered reports whether workers have ids of their own.
func (j *Job) numbered() bool {
	for i := range j.Workers {
		if j.Workers[i].ID != 0 {
			return true
		}
	}
	return false
}

// idOf returns the bit of the worker at a place.
func (j *Job) idOf(place int) uint8 {
	if j.numbered() {
		return j.Workers[place].ID
	}
	return uint8(place)
}

// complete reports whether all workers are there.
func (j *Job) complete() bool { return j.NumWorkers <= len(j.Workers) }
