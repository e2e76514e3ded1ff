package job

import (
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/switchd/daemon"
	"github.com/inalab/inalab/topo/plan"
)

// Service is a system that a lab without workers offers to clients of a user's own
// ("inalab switch serve").
type Service interface {
	System
	daemon.ServiceMaker
	// Serving returns what the one switch of such a lab runs, without a job at first.
	Serving(sw *plan.Switch, seed rng.Root) (Serving, error)
}

// Serving is a switch that serves clients.
type Serving struct {
	Program    any    // configuration of its program
	Config     any    // of the service
	Port       uint16 // TCP port of the service
	FramesFrom uint16 // as in daemon.ServiceConfig
}
