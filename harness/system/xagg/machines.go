package xagg

import (
	"encoding/json"
	"errors"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
	agent "github.com/inalab/inalab/nodes/xaggd"
	elements "github.com/inalab/inalab/switchd/program/xagg"
)

// hostConfig describes the machine of a host: exactly one of the agents.
type hostConfig struct {
	Worker  *agent.WorkerConfig `json:",omitempty"`
	Server  *agent.ServerConfig `json:",omitempty"`
	Root    *agent.RootConfig   `json:",omitempty"`
	Store   Store               `json:",omitempty"`
	Virtual bool                `json:",omitempty"` // elements are the twin, in memory
	Iface   string              // that XDP is attached to
	Busy    *busy               `json:",omitempty"` // of a server
}

// NewCore makes a worker, with the elements that results come to.
func (System) NewCore(config json.RawMessage, rec gradient.Recorder, sink trace.Sink) (worker.Collective, error) {
	cfg, err := job.Decode[hostConfig](config)
	if err != nil {
		return nil, err
	}
	if cfg.Worker == nil {
		return nil, errors.New("the configuration of a worker of xagg has none")
	}
	cfg.Worker.Recorder, cfg.Worker.Trace = rec, sink
	f, err := cfg.front(cfg.Worker.Store())
	if err != nil {
		return nil, err
	}
	w, err := agent.NewWorker(*cfg.Worker, f.store)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &core{IntegerCollective: w, host: f.host(w)}, nil
}

// NewServer makes a server or the parameter server.
func (System) NewServer(config json.RawMessage, sink trace.Sink) (job.Server, error) {
	cfg, err := job.Decode[hostConfig](config)
	if err != nil {
		return nil, err
	}
	switch {
	case cfg.Server != nil:
		cfg.Server.Trace = sink
		s, err := behind(cfg, cfg.Server.Store(), func(s agent.Store) (*agent.Server, error) { return agent.NewServer(*cfg.Server, s) })
		if err != nil || cfg.Busy == nil {
			return s, err
		}
		return &burdened{server: s, busy: *cfg.Busy}, nil
	case cfg.Root != nil:
		cfg.Root.Trace = sink
		return behind(cfg, cfg.Root.Store(), func(s agent.Store) (*agent.Root, error) { return agent.NewRoot(*cfg.Root, s) })
	}
	return nil, errors.New("the configuration of a server of xagg has none")
}

// behind makes the agent of a server, and its elements.
func behind[A job.Server](cfg hostConfig, c elements.Config, make func(agent.Store) (A, error)) (*server, error) {
	f, err := cfg.front(c)
	if err != nil {
		return nil, err
	}
	a, err := make(f.store)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &server{agent: a, host: f.host(a)}, nil
}

// core is a worker on its host.
type core struct {
	worker.IntegerCollective
	host
}

// server is a server on its host.
type server struct {
	agent job.Server
	host
}

// Decisions returns what the management plane decided, of the parameter server, and why elements are not
// in the kernel.
func (s *server) Decisions() (out []result.Decision) {
	if s.why != "" {
		out = append(out, result.Decision{Text: "elements are in the process, and packets go by a socket: " + s.why})
	}
	if r, ok := s.agent.(*agent.Root); ok {
		for _, n := range r.Notes() {
			out = append(out, result.Decision{At: n.At, Text: n.Text})
		}
	}
	return out
}

// Handle gives what arrived to the host.
func (c *core) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	c.host.Handle(now, in, eff)
}

// Expire does what is due.
func (c *core) Expire(now units.Time, eff *sansio.Effects) { c.host.Expire(now, eff) }

// NextDeadline returns when Expire must be called.
func (c *core) NextDeadline() units.Time { return c.host.NextDeadline() }

// Counters returns those of the agent and of its elements.
func (c *core) Counters() []sansio.Count { return c.host.counters(c.IntegerCollective.Counters()) }

// Counters returns those of the agent and of its elements.
func (s *server) Counters() []sansio.Count { return s.host.counters(s.agent.Counters()) }
