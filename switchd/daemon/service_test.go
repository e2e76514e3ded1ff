package daemon

import (
	"encoding/json"
	"testing"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/plan"
)

// maker is a system that makes engines, and nothing else.
type maker func(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error)

func (m maker) NewEngine(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
	return m(config, sink)
}

// withService is a system with a service that nobody reaches.
type withService struct{ maker }

func (withService) NewService(json.RawMessage, *plan.Switch, Jobs) (Service, error) { return nil, nil }

// What a switch cannot do is refused before it is ready.
func TestBadServiceConfig(t *testing.T) {
	m := newMemory(t)
	w, err := newTraceWriter("")
	if err != nil {
		t.Fatal(err)
	}
	cfg := twoLevels(m.plan)
	cfg.System = "toy"
	d, err := newDaemon(Config{Chassis: cfg, Service: &ServiceConfig{Listen: "192.168.99.1:50099"}}, withService{maker(chassistest.TrioML)}, w)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.openService(); err == nil || err.Error() != "a service of toy on a switch with 6 forwarding engines: it must have one" {
		t.Errorf("error %v", err)
	}
	d.system = maker(chassistest.TrioML)
	if err := d.openService(); err == nil || err.Error() != `"toy" has no service for clients: run a system that has one` {
		t.Errorf("error %v", err)
	}
	if _, err := listenTCP("tor:50099"); err == nil || err.Error() != `listen on "tor:50099": it must be an address and a port, as 10.0.0.1:50099` {
		t.Errorf("error %v", err)
	}
}
