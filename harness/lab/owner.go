package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/harness/running"
	"github.com/inalab/inalab/nodes/keeper"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// Bounds of a lab's life, all assumed.
const (
	readyTimeout = 60 * time.Second // for all processes to be there
	stopGrace    = 5 * time.Second  // for each to end in order
)

// keeperNode names the process that runs programs, in the journal and the logs.
const keeperNode = "programs"

// owner is the owner of a lab that is up.
type owner struct {
	opt    Options
	plan   *plan.Plan
	net    *netns.Lab
	sup    *proc.Supervisor
	events *events

	following sync.WaitGroup // those who read what processes say

	mu       sync.Mutex      // guards what follows; held while links or switches change
	graph    *topo.Graph     // as links are now
	switches []*proc.Process // by switch; nil: it does not run
	lent     bool            // to a run
	ending   bool
}

// Run brings a lab up, calls ready with its directory, and waits until ctx ends. Then it takes the lab down, to the
// end, whatever fails on the way.
func Run(ctx context.Context, opt Options, ready func(dir string, s running.State) error) (err error) {
	p, err := plan.New(opt.Graph)
	if err != nil {
		return err
	}
	spec := live.LabSpec(opt.Lab, p, !opt.Plain)
	net, err := netns.Up(ctx, spec, opt.NetNS)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, live.Cleanup(net.Down())) }()
	l := &owner{opt: opt, plan: p, net: net, graph: clone(opt.Graph), switches: make([]*proc.Process, len(p.Switches))}
	if l.events, err = openEvents(net.Dir()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.events.close()) }()
	defer l.following.Wait() // after the end of the processes
	l.sup = proc.NewSupervisor(proc.Config{Exe: opt.Exe, Journal: net.Journal(), Caller: opt.Owner})
	defer func() { err = errors.Join(err, l.end()) }()
	if err := l.begin(ctx); err != nil {
		return err
	}
	socket, err := l.listen()
	if err != nil {
		return err
	}
	defer socket.close()
	state := running.Of(running.Up, spec, p)
	state.File, state.Offload = opt.File, !opt.Plain
	if err := errors.Join(running.Write(net.Dir(), state), capture.WriteLab(net.Dir(), capture.PlanLab(p)), ready(net.Dir(), state)); err != nil {
		return err
	}
	l.events.add(Event{Event: EventUp, Text: fmt.Sprintf("topology %s, %d nodes", p.Name, len(state.Nodes))})
	<-ctx.Done()
	return nil
}

// begin writes the files of the lab and starts its processes.
func (l *owner) begin(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("not all of lab %s is ready after %v", l.opt.Lab, readyTimeout))
	defer cancel()
	if err := l.writeFiles(); err != nil {
		return err
	}
	var keeperErr error
	var starting sync.WaitGroup
	starting.Go(func() { keeperErr = l.startKeeper(ctx) })
	err := l.startSwitches(ctx)
	starting.Wait()
	return errors.Join(err, keeperErr)
}

// startKeeper starts the process that runs programs. It is the first of a PID namespace.
func (l *owner) startKeeper(ctx context.Context) error {
	cfg := keeper.Config{Socket: ProgramsPath(l.net.Dir()), Nodes: map[string]string{}, Binds: l.binds()}
	for _, h := range l.plan.Hosts {
		cfg.Nodes[h.Name] = l.net.Path(h.Name)
	}
	for i := range l.plan.Switches {
		cfg.Nodes[l.plan.Switches[i].Name] = l.net.Path(l.plan.Switches[i].Name)
	}
	p, err := l.sup.Start(ctx, proc.Spec{
		Node: keeperNode, Kind: "keeper", Config: cfg, Log: filepath.Join(LogsPath(l.net.Dir()), keeperNode+".log"), Contain: true,
	})
	if err != nil {
		return err
	}
	l.following.Go(func() { follow(p, l.events.told) })
	return p.WaitReady(ctx)
}

// follow hands on what a process tells until it ends.
func follow(p *proc.Process, told func(string)) {
	for r := range p.Reports() {
		var line string
		if r.Kind == proc.ReportProgress && json.Unmarshal(r.Data, &line) == nil {
			told(line)
		}
	}
}

// end ends all processes.
func (l *owner) end() error {
	l.mu.Lock()
	l.ending = true
	l.mu.Unlock()
	l.events.add(Event{Event: EventDown})
	return l.sup.Close(stopGrace)
}

// clone returns a graph whose links may change.
func clone(g *topo.Graph) *topo.Graph {
	out := *g
	out.Links = append([]topo.Link(nil), g.Links...)
	return &out
}
