package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/awake"
	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	hostlive "github.com/inalab/inalab/nodes/live"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/daemon"
)

// Options says where a run's files go and how it is carried out.
type Options struct {
	Lab      string // name of the lab
	Logs     string // existing directory for the nodes' logs
	Plain    bool   // do without segmentation and checksum offload
	Owner    journal.Caller
	Progress func([]result.Sample) // called with samples of iterations that are over; may be nil
	NetNS    netns.Options
	Exe      string        // program of the node processes; empty: the running one
	Images   worker.Images // of models; none: they are decoded for each run

	// Events takes the events of the nodes that left some, also of a run that
	// failed; it is called before RunJob returns. Nil: they are not collected.
	Events func([]*trace.Log)

	// Beside is called when the first iteration of a run has ended, with the lab, in
	// whose namespaces it may send packets of its own; an error of it ends the run.
	// Nil: nobody does.
	Beside func(*netns.Lab) error

	// Packets is called before nodes are told to start, with the lab; what it returns is called
	// when all workers are done, or the run has failed. Nil: nobody looks at packets.
	Packets func(*netns.Lab) (stop func() error, err error)

	// On is a lab that is up, on which the run takes place: it stays. Its switches must not run.
	// Nil: the run brings up a lab of its own.
	On *netns.Lab

	quiet time.Duration // of the watchdog, in place of its least; for tests
	grace time.Duration // in place of stopGrace at the end of a run; for tests
}

// Bounds of a run.
const (
	readyTimeout = 60 * time.Second      // for all nodes to be ready; a cold start of hundreds takes seconds
	startLead    = 20 * time.Millisecond // from the start command to the epoch, so that it reaches everybody before
	stopGrace    = 5 * time.Second
	reportGrace  = 30 * time.Second // to end with a report; half of it, before it is told again. A busy machine needs seconds
	patience     = 20               // times the expected duration, and readyTimeout, is when a run counts as stalled

	// changingPatience is that of a run whose links change: what is expected is without that
	// (assumed: a thousandth of the rate, as under the virtual clock).
	changingPatience = 1000
	benchTimeout     = 30 * time.Minute
)

// RunJob runs a job live, checks its sums and judges its fidelity. The cell is
// valid beside an error, as far as the run came.
func RunJob(ctx context.Context, j *job.Job, opt Options) (result.Cell, error) {
	cells, err := RunJobs(ctx, job.Alone(j), opt)
	return cells[0], err
}

// RunJobs is [RunJob] for jobs that share a lab. It returns a cell for each job,
// in their order; what switches counted is in every one, of all jobs together.
func RunJobs(ctx context.Context, s *job.Set, opt Options) ([]result.Cell, error) {
	return runSet(ctx, s, opt, func(*run) {})
}

// runSet is RunJobs; inspect is called with the run when all its reports are in.
func runSet(ctx context.Context, s *job.Set, opt Options, inspect func(*run)) (cells []result.Cell, err error) {
	cells = s.Cells()
	steps, err := s.Course()
	if err != nil {
		return cells, err
	}
	lab, err := opt.bringUp(ctx, s)
	if err != nil {
		return cells, err
	}
	defer func() { err = errors.Join(err, Cleanup(lab.Down())) }()
	private, err := makePrivate(lab.Dir(), s)
	if err != nil {
		return cells, err
	}
	defer func() { err = errors.Join(err, Cleanup(os.RemoveAll(private))) }()
	if err := storeImages(s, opt.Images, private); err != nil {
		return cells, err
	}
	if err := capture.WriteLab(lab.Dir(), capture.SetLab(s)); err != nil {
		return cells, err
	}
	if opt.On != nil {
		defer func() { err = errors.Join(err, forgetJobs(lab, s)) }()
	}
	r := &run{set: s, opt: opt, lab: lab, private: private, course: newCourse(steps)}
	for i, j := range s.Jobs {
		r.tenants = append(r.tenants, newTenant(j, &cells[i]))
	}
	processors, err := awake.Keep()
	if err != nil {
		r.asleep = err.Error()
	}
	defer processors.Release()
	r.sup = proc.NewSupervisor(proc.Config{Exe: opt.Exe, Journal: recorder(lab), Caller: opt.Owner})
	err = errors.Join(r.phases(ctx), r.sup.Close(cmp.Or(opt.grace, stopGrace)))
	r.forwarders.Wait()
	err = errors.Join(err, r.collectEvents())
	if err != nil {
		err = errors.Join(err, r.salvage())
		if ctx.Err() == nil {
			err = job.WithFaults(err, cells[0].Transit)
		}
		return cells, err
	}
	inspect(r)
	for _, t := range r.tenants {
		err = errors.Join(err, r.judge(t))
	}
	r.recordSeries()
	return cells, err
}

// storeImages writes the images into a file for all workers, if some train on them.
func storeImages(s *job.Set, im worker.Images, private string) (err error) {
	if !s.Trains() {
		return nil
	}
	if im.Train.Len() == 0 {
		if im, err = worker.LoadImages(); err != nil {
			return err
		}
	}
	return hostlive.WriteImages(imagesFile(private), im)
}

// ErrCleanup is wrapped where something of a run could not be removed.
var ErrCleanup = errors.New("cleaning up is incomplete")

// Cleanup marks what could not be removed; nil stays nil.
func Cleanup(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w: run \"inalab gc\"", ErrCleanup, err)
}

// makePrivate makes the directory for the workers' tensors, if they will fit.
func makePrivate(dir string, s *job.Set) (string, error) {
	private := filepath.Join(dir, "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		return "", fmt.Errorf("making the lab's private directory: %w", err)
	}
	var need units.Bytes
	for _, j := range s.Jobs {
		if j.Elements == 0 { // benchmarks keep no tensors
			need += units.Bytes(2*4*j.Params) * units.Bytes(j.Iterations*len(j.Hosts()))
		}
	}
	if need == 0 {
		return private, nil
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(private, &fs); err != nil {
		return "", fmt.Errorf("asking for free space in %s: %w", private, err)
	}
	if free := units.Bytes(fs.Bavail) * units.Bytes(fs.Bsize); need > free {
		return "", fmt.Errorf("the workers' tensors need %v in %s, where %v are free: set INALAB_STATE_DIR to a directory with more room, raise scale, or lower iterations", need, dir, free)
	}
	return private, nil
}

type run struct {
	set     *job.Set
	tenants []*tenant
	opt     Options
	lab     *netns.Lab
	private string
	sup     *proc.Supervisor

	switches, workers []*proc.Process
	servers           []*proc.Process // on hosts of their own
	programs          []*proc.Process // of the user's own
	flows             []*proc.Process // ends of flows, by host
	forwarders        sync.WaitGroup
	cpu               cpuMeter
	asleep            string  // why idle processors sleep; empty: they do not
	busy              float64 // share of all processors
	stolen            float64 // of it, what the host of a virtual machine took away
	wall              time.Duration
	epoch             int64      // of [pktio.MonotonicNow], in nanoseconds
	over              units.Time // when the last worker was done
	course            course
	traces            []string // files of the switches
	switchReports     []daemon.Report
	flowReports       []hostlive.TrafficReport
}

// phases brings the nodes up, lets them train, and stops the switches.
func (r *run) phases(ctx context.Context) error {
	var err error
	ready, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for _, c := range r.opt.logging(r.set).configureSwitches(switches(r.set, r.private, r.opt.Plain), r.private) {
		r.traced(c.TracePath)
		if r.switches, err = r.start(ready, r.switches, "switch", c.Chassis.Switch.Name, c); err != nil {
			return err
		}
	}
	if err := waitReady(ready, r.switches); err != nil {
		return err
	}
	if err := r.letOwnerControl(); err != nil {
		return err
	}
	for _, t := range r.tenants {
		if err := r.startServers(ready, t); err != nil {
			return err
		}
		for _, c := range r.opt.logging(r.set).configureWorkers(metered(workers(t.job, r.private, r.opt.Plain), r.set), r.private) {
			if t.workers, err = r.start(ready, t.workers, "worker", c.Worker.Loop.Node, c); err != nil {
				return err
			}
			t.tensors = append(t.tensors, []string{c.Tensors})
		}
		t.seats = slices.Clone(t.workers)
		r.workers = append(r.workers, t.workers...)
	}
	if err := waitReady(ready, slices.Concat(r.servers, r.workers)); err != nil {
		return err
	}
	if err := r.startFlows(ready); err != nil {
		return err
	}
	if err := r.startPrograms(ready); err != nil {
		return err
	}
	if err := r.watched(ctx); err != nil {
		return err
	}
	return r.collect()
}

// watched trains while somebody may look at packets.
func (r *run) watched(ctx context.Context) error {
	if r.opt.Packets == nil {
		return r.train(ctx)
	}
	stop, err := r.opt.Packets(r.lab)
	if err != nil {
		return err
	}
	return errors.Join(r.train(ctx), stop())
}

// letOwnerControl gives the control sockets to the caller, whose lab it is.
func (r *run) letOwnerControl() error {
	for _, p := range r.switches {
		if err := r.opt.Owner.Chown(control.SocketPath(r.lab.Dir(), p.Node())); err != nil {
			return err
		}
	}
	return nil
}

// traced notes the trace of a switch; an empty path is none.
func (r *run) traced(path string) {
	if path != "" {
		r.traces = append(r.traces, path)
	}
}

// start starts the process of a node in its namespace.
func (r *run) start(ctx context.Context, list []*proc.Process, kind, node string, cfg any) ([]*proc.Process, error) {
	return r.startOn(ctx, node, list, kind, node, cfg)
}

// startOn starts a process in the namespace of a host, which may have several.
func (r *run) startOn(ctx context.Context, host string, list []*proc.Process, kind, node string, cfg any) ([]*proc.Process, error) {
	p, err := r.sup.Start(ctx, proc.Spec{
		Node: node, Kind: kind, NetNS: r.lab.Path(host), Config: cfg, Log: filepath.Join(r.opt.Logs, node+".log"),
		Env: []string{"GOMAXPROCS=2", "GOGC=400"}, // a process is one loop, which brings a place of its own, one compute, and what listens to the parent
	})
	if err != nil {
		return list, err
	}
	return append(list, p), nil
}

func waitReady(ctx context.Context, list []*proc.Process) error {
	for _, p := range list {
		if err := p.WaitReady(ctx); err != nil {
			return err
		}
	}
	return nil
}

// train starts everybody at one epoch and waits until all workers are done.
func (r *run) train(ctx context.Context) error {
	var limit time.Duration
	for _, t := range r.tenants {
		limit = max(limit, t.limit(r.patience()))
	}
	limit += time.Duration(units.Duration(r.set.Settled()) / units.Nanosecond)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the run takes longer than %v, %d times what it should: see the logs in %s", limit, r.patience(), r.opt.Logs))
	defer cancel()
	began := time.Now()
	r.cpu.start()
	r.epoch = pktio.MonotonicNow() + startLead.Nanoseconds()
	for _, p := range slices.Concat(r.switches, r.servers, r.workers, r.flows, r.programs) {
		if err := p.Send(proc.Command{Name: proc.CommandStart, EpochNS: r.epoch}); err != nil {
			return err
		}
	}
	err := r.follow(ctx)
	r.busy, r.stolen = r.cpu.stop()
	r.wall = time.Since(began)
	r.over = units.Time(pktio.MonotonicNow()-r.epoch) * units.Time(units.Nanosecond)
	return err
}

// patience returns how many times what it should take a run may take.
func (r *run) patience() int {
	if !r.set.Steady() || r.set.Uneven() {
		return changingPatience
	}
	return patience
}
