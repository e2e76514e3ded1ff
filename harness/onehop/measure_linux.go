//go:build 386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64

package onehop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/switchd/xdp"
)

// Measure sets hosts and an aggregator up, sends through them, and takes all down again.
func Measure(ctx context.Context, c Config) (r Result, err error) {
	if err := c.normalise(); err != nil {
		return r, err
	}
	if c.Aggregator.overTCP() {
		return measureTCP(ctx, c)
	}
	w, err := newWires(c.Queues, false)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if err := prepare(w, &c); err != nil {
		return r, err
	}
	at, err := places(&c)
	if err != nil {
		return r, err
	}
	h, err := newHosts(w, &c, at.senders)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	a, err := newUnder(w, &c, h)
	if err != nil {
		return r, explain(err)
	}
	defer func() { err = errors.Join(err, a.close()) }()
	m := &measurement{cfg: &c, w: w, h: h, a: a, cpus: at}
	return m.run(ctx)
}

// prepare gives the interfaces threads of the kernel that poll them, which can be kept on a CPU and
// whose time is counted. Shared CPUs do without: there each CPU goes on with what it sends.
func prepare(w *wires, c *Config) error {
	ends := []end{{space: w.worker, name: w.toServer()}, {space: w.worker, name: w.toPS()}, {space: w.ps, name: w.ofPS()}, {space: w.server, name: w.ofServer()}}
	for _, e := range ends {
		// GRO has a veth poll its queues.
		if err := set(e.space, e.name, feature{unix.ETHTOOL_SGRO, 1}); err != nil {
			return err
		}
		if c.Shared {
			continue
		}
		if err := tune(e.space, e.name+"/threaded=1"); err != nil {
			return err
		}
	}
	return nil
}

func newUnder(w *wires, c *Config, h *hosts) (under, error) {
	if c.Aggregator == Poll {
		return newPolling(w, c, h)
	}
	return newInKernel(w, c)
}

// measurement is one measurement under way.
type measurement struct {
	cfg *Config
	w   *wires
	h   *hosts
	a   under

	cpus placement
}

// place keeps the threads on their CPUs.
func (m *measurement) place() error {
	if m.cfg.Shared {
		return nil
	}
	hosts := []string{m.w.toServer(), m.w.toPS(), m.w.ofPS()}
	if m.cfg.Aggregator == Poll {
		hosts = append(hosts, m.w.ofServer()) // does what a card does by itself: it writes packets to the memory of the process
	}
	for _, name := range hosts {
		tids, err := pollers(name)
		if err != nil {
			return err
		}
		for _, tid := range tids {
			if err := errors.Join(pin(tid, m.cpus.senders[0]), prefer(tid)); err != nil {
				return err
			}
		}
	}
	for _, tid := range m.a.threads() {
		err := pin(tid, m.cpus.aggregator)
		if err == nil && m.cfg.Aggregator != Poll { // a process that never waits would leave others nothing
			err = prefer(tid)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reading is all counters at one time.
type reading struct {
	at             time.Time
	sent, received uint64
	used           usage
	worked         time.Duration // of the CPU time, with packets in hand
	sending        time.Duration // of that, in the kernel to send them
	trips          uint64
	cost           xdp.Cost
}

// threads lists those whose CPU time is the aggregator's: where CPUs are shared, that of the senders
// as well.
func (m *measurement) threads() (tids []int) {
	if !m.cfg.Shared {
		return m.a.threads()
	}
	for q := range m.cfg.Queues {
		tids = append(tids, int(m.h.tids[q].Load()))
	}
	return tids
}

// owned lists the CPUs of those threads.
func (m *measurement) owned() []int {
	if m.cfg.Shared {
		return m.cpus.senders
	}
	return []int{m.cpus.aggregator}
}

func (m *measurement) read() (r reading, err error) {
	r.at = time.Now()
	if r.sent, r.received, err = m.h.counts(); err != nil {
		return r, err
	}
	if r.used, err = usageOf(m.threads(), m.owned()); err != nil {
		return r, err
	}
	if p, ok := m.a.(*polling); ok {
		r.worked, r.sending = time.Duration(p.worked.Load()), time.Duration(p.sending.Load())
	}
	if k, ok := m.a.(*inKernel); ok {
		if r.cost, err = k.Cost(); err != nil {
			return r, err
		}
	}
	r.trips, err = m.h.sampled()
	return r, err
}

func (m *measurement) run(ctx context.Context) (r Result, err error) {
	if err := m.place(); err != nil {
		return r, err
	}
	if m.cfg.Cost {
		stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
		if err != nil {
			return r, fmt.Errorf("have the kernel take the time of XDP programs: %w", explain(err))
		}
		defer func() { err = errors.Join(err, stats.Close()) }()
	}
	stop := m.send()
	from, to, err := m.window(ctx)
	if err := errors.Join(err, stop()); err != nil {
		return r, err
	}
	r, err = m.result(from, to)
	if err == nil {
		r.Wrong, r.Checked, err = check(m.a, m.cfg.Values)
	}
	return r, err
}

// window waits for the warm-up, and reads the counters before and after the time that is measured.
func (m *measurement) window(ctx context.Context) (from, to reading, err error) {
	if err = wait(ctx, m.h.done, m.cfg.For/4); err != nil {
		return from, to, err
	}
	if from, err = m.read(); err != nil {
		return from, to, err
	}
	if err = wait(ctx, m.h.done, m.cfg.For); err != nil {
		return from, to, err
	}
	to, err = m.read()
	return from, to, err
}

// wait returns after a time, or when a sender has ended, which it must not before it is told to.
func wait(ctx context.Context, ended chan error, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case err := <-ended:
		ended <- err // stop takes it
		if err == nil {
			err = errors.New("a sender has ended early")
		}
		return err
	}
}

// send starts the senders, and returns when each has its thread. The function that it returns stops
// them, and waits.
func (m *measurement) send() (stop func() error) {
	n := m.cfg.Queues
	if m.cfg.Idle {
		n = 0
	}
	for q := range n {
		began := make(chan struct{})
		go func() { m.h.done <- m.h.sender(q, began, m.a.advance) }()
		<-began
	}
	return func() error {
		m.h.stop.Store(true)
		var errs []error
		for range n {
			errs = append(errs, <-m.h.done)
		}
		return errors.Join(errs...)
	}
}

func (m *measurement) result(from, to reading) (r Result, err error) {
	r.Elapsed, r.Sent, r.Received = to.at.Sub(from.at), to.sent-from.sent, to.received-from.received
	if r.KnownCPU = len(m.threads()) > 0; r.KnownCPU {
		r.setUsage(from.used, to.used, len(m.threads()), m.cfg.Queues)
	}
	if m.cfg.Aggregator == Poll {
		r.Used, r.Sending = to.worked-from.worked, to.sending-from.sending
	}
	r.Cost = costOf(from.cost, to.cost)
	if m.cfg.RoundTrips {
		r.Trips, err = m.h.trips(from.trips)
	}
	return r, err
}

// setUsage takes times of threads and of their CPUs between two readings. A thread that has a CPU of
// the aggregator's for itself waits for others alone. Of several, which wait for each other as well,
// the count of the CPU tells what others had; it has steps of 10 ms.
func (r *Result) setUsage(from, to usage, threads, cpus int) {
	ran, had := float64(to.ran-from.ran), float64(cpus)*float64(r.Elapsed)
	foreign := float64(to.waited - from.waited)
	if threads > cpus {
		foreign = max(0, float64(to.busy-from.busy)-ran)
	}
	r.Used, r.Foreign = time.Duration(ran), min(1, foreign/had)
	if ran > 0 {
		r.CPU = ran / max(ran, had*(1-r.Foreign))
	}
}
