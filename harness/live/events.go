package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/inalab/inalab/harness/events"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/trace"
	hostlive "github.com/inalab/inalab/nodes/live"
	"github.com/inalab/inalab/switchd/daemon"
)

// logging says how many events the nodes of a run keep.
type logging struct {
	inSwitch, inWorker int
	files              bool // they leave them behind
}

// logging returns all that is possible where events are asked for, and else the
// last ones, which tell why a run stalls. A benchmark of speed keeps none.
func (o Options) logging(s *job.Set) logging {
	switch {
	case o.Events != nil:
		return logging{events.SwitchLimit, events.NodeLimit, true}
	case s.Trains():
		return logging{inSwitch: 1, inWorker: 1}
	}
	return logging{}
}

func (l logging) path(private, node string) string {
	if !l.files {
		return ""
	}
	return filepath.Join(private, node+".events")
}

func (l logging) configureSwitches(list []daemon.Config, private string) []daemon.Config {
	for i := range list {
		list[i].Events, list[i].EventsPath = l.inSwitch, l.path(private, list[i].Chassis.Switch.Name)
	}
	return list
}

func (l logging) configureWorkers(list []hostlive.WorkerConfig, private string) []hostlive.WorkerConfig {
	for i := range list {
		list[i].Events, list[i].EventsPath = l.inWorker, l.path(private, list[i].Worker.Loop.Node)
	}
	return list
}

// configureServers leaves out what serves answers alone: servers give none.
func (l logging) configureServers(list []server, private string) []server {
	if !l.files {
		return list
	}
	for i := range list {
		list[i].Events, list[i].EventsPath = l.inWorker, l.path(private, list[i].Node)
	}
	return list
}

// collectEvents reads what the nodes left behind. One that was killed left nothing.
func (r *run) collectEvents() error {
	if r.opt.Events == nil {
		return nil
	}
	var logs []*trace.Log
	var errs []error
	for _, node := range r.nodes() {
		log, err := readLog(r.opt.logging(r.set).path(r.private, node))
		switch {
		case err == nil:
			logs = append(logs, log)
		case !errors.Is(err, fs.ErrNotExist):
			errs = append(errs, fmt.Errorf("reading the events of %s: %w", node, err))
		}
	}
	r.opt.Events(logs)
	return errors.Join(errs...)
}

// nodes returns the names of all nodes with a process.
func (r *run) nodes() (out []string) {
	for _, p := range r.switches {
		out = append(out, p.Node())
	}
	for _, p := range slices.Concat(r.servers, r.workers) {
		out = append(out, p.Node())
	}
	return out
}

func readLog(path string) (*trace.Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	log, err := trace.Read(f)
	return log, errors.Join(err, f.Close())
}
