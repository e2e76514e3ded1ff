//go:build 386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64

package onehop

import (
	"errors"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"

	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/program/xagg"
	"github.com/inalab/inalab/switchd/xdp"
)

// under is the aggregator that is measured.
type under interface {
	// advance moves the window to an iteration.
	advance(iteration uint16) error
	// threads returns those that do the work.
	threads() []int
	summed
	close() error
}

// aggregatorConfig is a server of one worker, whose packets each finish an element.
func aggregatorConfig(c *Config) xagg.Config {
	return xagg.Config{
		Values: c.Values, Fragments: uint32(c.Queues * Fragments), Job: jobID, Host: serverID, Addr: serverAddr, MAC: inet.MAC{2, 0, 0, 0, 9, 2},
		Children: []xagg.Child{{ID: workerID}}, Up: xagg.Next{Addr: psAddr, MAC: inet.MAC{2, 0, 0, 0, 9, 3}},
		Window: xagg.Window{Ahead: 1}, Checks: 1,
	}
}

// inKernel is the XDP program.
type inKernel struct {
	*xdp.Aggregator
	cfg  xagg.Config
	tids []int
}

func newInKernel(w *wires, c *Config) (_ *inKernel, err error) {
	k := &inKernel{cfg: aggregatorConfig(c)}
	if k.Aggregator, err = xdp.Load(xdp.Options{Config: k.cfg}); err != nil {
		return nil, err
	}
	mode := xdp.Native
	if c.Aggregator == XDPGeneric {
		mode = xdp.Generic
	}
	err = w.server.Do(func(ns.NetNS) error {
		_, err := k.Attach(w.ofServer(), mode)
		return err
	})
	if err == nil {
		k.tids, err = pollers(w.ofServer())
	}
	if err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

func (k *inKernel) advance(iteration uint16) error {
	if k.cfg.Window.Current == iteration {
		return nil
	}
	k.cfg.Window.Current = iteration
	return k.Reconfigure(k.cfg)
}

func (k *inKernel) threads() []int                            { return k.tids }
func (k *inKernel) sum(gradient uint32) (xagg.Element, error) { return k.Sum(gradient) }
func (k *inKernel) close() error                              { return k.Close() }

// costOf returns the time of a run of the program between two readings; 0 where there was none.
func costOf(from, to xdp.Cost) time.Duration {
	if to.Runs <= from.Runs {
		return 0
	}
	return (to.Time - from.Time) / time.Duration(to.Runs-from.Runs)
}
