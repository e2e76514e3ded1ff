package switchml

import (
	"encoding/json"
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml/rpc"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/internal/wire/switchmlproto"
	"github.com/inalab/inalab/switchd/daemon"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	switchmlsession "github.com/inalab/inalab/switchd/program/switchml/session"
	"github.com/inalab/inalab/topo/plan"
)

// Service is the system as a lab offers it to clients of a user's own.
type Service struct {
	System
	Patience units.Duration // of Barrier and Broadcast; zero: switchmlsession.DefaultPatience
}

// serviceConfig is the configuration of the gRPC service.
type serviceConfig struct {
	Slots    int // of each set, for each job; zero: all that a switch has
	Patience units.Duration
}

// Serving returns the program of a switch without jobs, which clients set up.
func (s Service) Serving(sw *plan.Switch, seed rng.Root) (job.Serving, error) {
	if s.Pipe.Pipeline && len(sw.Ports) > pipeline.MaxPorts {
		return job.Serving{}, fmt.Errorf("%s has %d ports, and the %d of one pipe serve workers (SwitchML §5): take fewer hosts, or the reference program", sw.Name, len(sw.Ports), pipeline.MaxPorts)
	}
	c := program.Config{Node: sw.Name, Router: sw.Router, MAC: inet.MAC(sw.MAC), Faithful: s.Faithful}
	return job.Serving{
		Program: s.Pipe.config(c, sw, seed), Config: serviceConfig{s.Slots, s.Patience},
		Port: switchmlproto.Port, FramesFrom: wire.Port,
	}, nil
}

// NewService makes the gRPC service of the public client.
func (System) NewService(config json.RawMessage, sw *plan.Switch, jobs daemon.Jobs) (daemon.Service, error) {
	cfg, err := job.Decode[serviceConfig](config)
	if err != nil {
		return nil, err
	}
	machine := switchmlsession.Config{Switch: sw.Name, MAC: inet.MAC(sw.MAC), Addr: sw.Router, Slots: cfg.Slots, Patience: cfg.Patience}
	for _, n := range sw.Neighbors {
		machine.Hosts = append(machine.Hosts, switchmlsession.Host{MAC: inet.MAC(n.MAC), Addr: n.Addr, Port: sansio.Port(n.Port)})
	}
	return rpc.New(machine, jobs)
}
