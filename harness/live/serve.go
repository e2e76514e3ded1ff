package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"sync"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/harness/running"
	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/daemon"
	"github.com/inalab/inalab/topo/plan"
)

// ServeOptions describe a lab for clients of one's own.
type ServeOptions struct {
	Lab    string // name of the lab
	Logs   string // existing directory for the nodes' logs
	System job.Service
	Seed   rng.Root
	Owner  journal.Caller
	Exe    string // program of the node processes; empty: the running one
	NetNS  netns.Options

	// Told gets lines to read while the lab runs, such as which job of clients the switch
	// has refused, and why; nil: they stand in the log alone. Its calls are not concurrent,
	// and end before Serve does.
	Told func(line string)
}

// Served is such a lab as clients see it.
type Served struct {
	Management netip.AddrPort    // of the service, from every namespace of the lab
	Node       string            // node that is only in the management network
	Lab        *netns.Lab        // while it is there
	Plan       *plan.Plan        // with the addresses of hosts
	Paths      map[string]string // of network namespaces, by node
}

// The management network (assumed: a private range, RFC 1918, that no topology here
// has). Hosts have a network of their own to the switch each, and a route to its one address.
const (
	managementNode  = "station"
	managementIface = "mgmt"
)

var managementAddr = netip.AddrFrom4([4]byte{192, 168, 255, 1})

// servedEvents is what a switch that serves clients keeps for captures: the log rounds it up.
const servedEvents = 1

// Serve brings up a rack whose switch runs a system without a job and offers the service
// of its clients, calls ready, and waits until ctx ends. No worker process
// runs: hosts are for the caller's.
func Serve(ctx context.Context, p *plan.Plan, opt ServeOptions, ready func(Served) error) (err error) {
	if len(p.Switches) != 1 || p.Switches[0].Chassis != nil {
		return fmt.Errorf("topology %s: the service is that of one switch with one engine: use rack", p.Name)
	}
	cfg, port, err := serveConfig(p, opt)
	if err != nil {
		return err
	}
	spec := serveSpec(opt.Lab, p)
	lab, err := netns.Up(ctx, spec, opt.NetNS)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, Cleanup(lab.Down())) }()
	if err := running.Write(lab.Dir(), running.Of(running.Serve, spec, p)); err != nil {
		return err
	}
	if err := capture.WriteLab(lab.Dir(), capture.PlanLab(p)); err != nil {
		return err
	}
	cfg.Control = control.SocketPath(lab.Dir(), p.Switches[0].Name)
	var reading sync.WaitGroup
	defer reading.Wait() // after the end of the process
	sup := proc.NewSupervisor(proc.Config{Exe: opt.Exe, Journal: lab.Journal(), Caller: opt.Owner})
	defer func() { err = errors.Join(err, sup.Close(stopGrace)) }()
	sw, err := StartSwitch(ctx, sup, lab, cfg, opt)
	if err != nil {
		return err
	}
	reading.Go(func() { passOn(sw, opt.Told) })
	s := Served{
		Management: netip.AddrPortFrom(managementAddr, port), Node: managementNode, Lab: lab, Plan: p, Paths: map[string]string{},
	}
	s.Paths[managementNode] = lab.Path(managementNode)
	for _, h := range p.Hosts {
		s.Paths[h.Name] = lab.Path(h.Name)
	}
	if err := ready(s); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case <-sw.Exited():
		return errors.Join(fmt.Errorf("switch %s ended", sw.Node()), sw.Wait())
	}
}

func serveConfig(p *plan.Plan, opt ServeOptions) (c daemon.Config, port uint16, err error) {
	sw := p.Switches[0]
	serving, err := opt.System.Serving(&sw, opt.Seed)
	if err != nil {
		return c, 0, err
	}
	c = daemon.Config{Chassis: chassis.Config{Switch: sw, MTU: p.MTU, Seed: opt.Seed, Quantum: linkQuantum, System: opt.System.Name()}, Plain: true, Events: servedEvents}
	c.Service = &daemon.ServiceConfig{Listen: netip.AddrPortFrom(managementAddr, serving.Port).String(), FramesFrom: serving.FramesFrom}
	program, err := json.Marshal(serving.Program)
	if err != nil {
		return c, 0, fmt.Errorf("writing a %T: %w", serving.Program, err)
	}
	c.Chassis.Programs = append(c.Chassis.Programs, program)
	if c.Service.Config, err = json.Marshal(serving.Config); err != nil {
		return c, 0, fmt.Errorf("writing a %T: %w", serving.Config, err)
	}
	return c, serving.Port, nil
}

// StartSwitch starts a switch of a lab without a job, and waits until it answers.
func StartSwitch(ctx context.Context, sup *proc.Supervisor, lab *netns.Lab, cfg daemon.Config, opt ServeOptions) (*proc.Process, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	node := cfg.Chassis.Switch.Name
	sw, err := sup.Start(ctx, proc.Spec{Node: node, Kind: "switch", NetNS: lab.Path(node), Config: cfg, Log: filepath.Join(opt.Logs, node+".log")})
	if err != nil {
		return nil, err
	}
	if err := sw.WaitReady(ctx); err != nil {
		return nil, err
	}
	if err := opt.Owner.Chown(cfg.Control); err != nil {
		return nil, err
	}
	return sw, sw.Send(proc.Command{Name: proc.CommandStart, EpochNS: pktio.MonotonicNow()})
}

// passOn hands on what a process tells until it ends.
func passOn(p *proc.Process, told func(string)) {
	for r := range p.Reports() {
		var line string
		if r.Kind == proc.ReportProgress && json.Unmarshal(r.Data, &line) == nil && told != nil {
			told(line)
		}
	}
}

// serveSpec returns the lab of a plan whose hosts are for clients. A client that takes an
// interface over shares it with the kernel, which would answer results, to a port where it
// has no socket, with an ICMP error that the client sees: so it is silent there.
func serveSpec(lab string, p *plan.Plan) netns.Spec {
	spec := withManagement(LabSpec(lab, p, false), p)
	for i := range spec.Nodes {
		spec.Nodes[i].Silent = slices.ContainsFunc(p.Hosts, func(h plan.Host) bool { return h.Name == spec.Nodes[i].Name })
	}
	return spec
}

// withManagement adds the management network to a lab of one switch.
func withManagement(spec netns.Spec, p *plan.Plan) netns.Spec {
	sw := p.Switches[0].Name
	wire := func(i int, node string, at, other netip.Prefix) {
		spec.Wires = append(spec.Wires, netns.Wire{
			A: netns.End{Node: node, Iface: managementIface, MAC: managementMAC(i, 0), Addr: other},
			B: netns.End{Node: sw, Iface: fmt.Sprintf("%s%d", managementIface, i), MAC: managementMAC(i, 1), Addr: at},
		})
	}
	spec.Nodes = append(spec.Nodes, netns.Node{Name: managementNode})
	wire(0, managementNode, netip.PrefixFrom(managementAddr, 24), netip.PrefixFrom(managementAddr.Next(), 24))
	for n := range spec.Nodes {
		for i := range p.Hosts {
			if spec.Nodes[n].Name != p.Hosts[i].Name {
				continue
			}
			b := 4 * (i + 1)
			gateway := netip.AddrFrom4([4]byte{192, 168, byte(b >> 8), byte(b + 1)})
			wire(i+1, p.Hosts[i].Name, netip.PrefixFrom(gateway, 30), netip.PrefixFrom(gateway.Next(), 30))
			spec.Nodes[n].Routes = append(spec.Nodes[n].Routes, netns.Route{Dst: netip.PrefixFrom(managementAddr, 32), Via: gateway})
		}
	}
	return spec
}

// managementMAC is locally administered, in a range of its own.
func managementMAC(wire, end int) [6]byte {
	return [6]byte{2, 0xfe, 0, byte(wire >> 8), byte(wire), byte(end)}
}
