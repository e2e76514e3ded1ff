// Package node is the entry point of the processes inside a lab's namespaces.
// The one binary starts itself again as "inalab node <kind> <name>"; the
// command line and the TestMain of every privileged test ask [Main] first, and
// say which systems there are.
package node

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/keeper"
	"github.com/inalab/inalab/nodes/live"
	"github.com/inalab/inalab/nodes/program"
	"github.com/inalab/inalab/switchd/daemon"
)

// Kinds of processes.
const (
	KindSwitch = "switch"
	KindWorker = "worker"
	KindServer = "server" // of hosts without a worker

	KindTraffic = "traffic" // ends of flows
	KindProgram = "program" // of the user's own
	KindKeeper  = "keeper"  // of a lab that is up: it runs programs on request
)

// Main runs the process that args, as os.Args has them, ask for, and returns its
// exit code; ok is false where they ask for none. The process may be a node of any
// of the systems.
func Main(args []string, systems []job.System) (code int, ok bool) {
	if _, _, ok := proc.Requested(args); !ok {
		return 0, false
	}
	child, err := proc.Child()
	if err != nil {
		fmt.Fprintln(os.Stderr, "inalab:", err)
		return 2, true
	}
	result, err := run(child, systems)
	if err != nil && child.Context().Err() == nil {
		fmt.Fprintln(os.Stderr, "inalab:", err)
		if err := child.Fail(err); err != nil {
			fmt.Fprintln(os.Stderr, "inalab:", err)
		}
		return 1, true
	}
	if err := child.Done(result); err != nil {
		fmt.Fprintln(os.Stderr, "inalab:", err)
		return 1, true
	}
	return 0, true
}

func run(child *proc.ChildSide, systems []job.System) (any, error) {
	switch child.Kind() {
	case KindSwitch:
		var cfg daemon.Config
		if err := child.Config(&cfg); err != nil {
			return nil, err
		}
		if cfg.Chassis.System == "" {
			return daemon.Run(child.Context(), cfg, nil, control{child})
		}
		system, err := find(systems, cfg.Chassis.System, child)
		if err != nil {
			return nil, err
		}
		return daemon.Run(child.Context(), cfg, system, control{child})
	case KindWorker:
		var cfg live.WorkerConfig
		if err := child.Config(&cfg); err != nil {
			return nil, err
		}
		system, err := find(systems, cfg.Worker.Loop.System, child)
		if err != nil {
			return nil, err
		}
		return live.RunWorker(child.Context(), cfg, system.NewCore, control{child})
	case KindServer:
		var cfg live.ServerConfig
		if err := child.Config(&cfg); err != nil {
			return nil, err
		}
		newServer, err := serversOf(systems, cfg.System, child)
		if err != nil {
			return nil, err
		}
		return live.RunServer(child.Context(), cfg, newServer, control{child})
	case KindTraffic:
		var cfg live.TrafficConfig
		if err := child.Config(&cfg); err != nil {
			return nil, err
		}
		return live.RunTraffic(child.Context(), cfg, control{child})
	case KindProgram:
		var cfg program.Config
		if err := child.Config(&cfg); err != nil {
			return nil, err
		}
		return program.Run(child.Context(), cfg, os.Stdout, control{child})
	case KindKeeper:
		var cfg keeper.Config
		if err := child.Config(&cfg); err != nil {
			return nil, err
		}
		return keeper.Run(child.Context(), cfg, control{child})
	}
	return nil, fmt.Errorf("unknown kind of process %q: allowed are %s, %s, %s, %s, %s, %s", child.Kind(), KindSwitch, KindWorker, KindServer, KindTraffic, KindProgram, KindKeeper)
}

// find returns the system of a node. The program that laid out the run started this
// process, so that a system which is not there is missing in the program's own list.
func find(systems []job.System, name string, child *proc.ChildSide) (job.System, error) {
	system, err := job.Find(systems, name)
	if err != nil {
		return nil, fmt.Errorf("a %s: %w; add it to the list in harness/system/system.go, or to the one that the program gives to node.Main", child.Kind(), err)
	}
	return system, nil
}

// serversOf returns what makes the servers of a system.
func serversOf(systems []job.System, name string, child *proc.ChildSide) (live.NewServer, error) {
	system, err := find(systems, name, child)
	if err != nil {
		return nil, err
	}
	staffed, ok := system.(job.Staffed)
	if !ok {
		return nil, fmt.Errorf("%s has no servers on hosts of their own", name)
	}
	return func(config json.RawMessage, sink trace.Sink) (live.Server, error) {
		return staffed.NewServer(config, sink)
	}, nil
}

// control is the conversation of a process with its parent.
type control struct{ *proc.ChildSide }

// AwaitStart returns the epoch of the run.
func (c control) AwaitStart(ctx context.Context) (epochNs int64, err error) {
	start, err := c.await(ctx, proc.CommandStart)
	return start.EpochNS, err
}

// AwaitAsk returns when the parent asks for a snapshot.
func (c control) AwaitAsk(ctx context.Context) error {
	_, err := c.await(ctx, proc.CommandSnapshot)
	return err
}

// AwaitStartOrJoin is AwaitStart of a worker that may join a run.
func (c control) AwaitStartOrJoin(ctx context.Context) (epochNs int64, from live.Checkpoint, err error) {
	start, err := c.await(ctx, proc.CommandStart)
	return start.EpochNS, live.Checkpoint{Path: start.Path, Generation: start.Generation}, err
}

// AwaitQuestion returns when the parent asks for a snapshot or a checkpoint.
func (c control) AwaitQuestion(ctx context.Context) (to live.Checkpoint, err error) {
	cmd, err := c.await(ctx, proc.CommandSnapshot, proc.CommandCheckpoint)
	return live.Checkpoint{Path: cmd.Path, Generation: cmd.Generation}, err
}

// Checkpoint says what becomes of one.
func (c control) Checkpoint(answer live.CheckpointAnswer) error {
	return c.Report(proc.ReportCheckpoint, answer)
}

// await returns the next command of one of the names.
func (c control) await(ctx context.Context, names ...proc.CommandName) (proc.Command, error) {
	for {
		select {
		case cmd, open := <-c.Commands():
			if !open {
				return cmd, context.Cause(c.Context())
			}
			if slices.Contains(names, cmd.Name) {
				return cmd, nil
			}
		case <-ctx.Done():
			return proc.Command{}, context.Cause(ctx)
		}
	}
}

// Answer says where things stand.
func (c control) Answer(answer any) error { return c.Report(proc.ReportSnapshot, answer) }

// Tell reports what people are to read while the node runs, and writes it to the log.
func (c control) Tell(text string) error {
	fmt.Fprintln(os.Stderr, text)
	return c.Report(proc.ReportProgress, text)
}

// Samples reports iterations that are over.
func (c control) Samples(s []result.Sample) error { return c.Report(proc.ReportSample, s) }
