package xagg

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	agent "github.com/inalab/inalab/nodes/xaggd"
	elements "github.com/inalab/inalab/switchd/program/xagg"
	"github.com/inalab/inalab/switchd/xdp"
)

// front is the elements in front of the agent of a host.
type front struct {
	store  agent.Store
	twin   *elements.Aggregator // nil: they are in the kernel
	closer io.Closer            // of those in the kernel; nil: there is nothing to close
	why    string               // they are not in the kernel, though they might be
}

// front makes the elements of a host.
func (c *hostConfig) front(cfg elements.Config) (front, error) {
	if !c.Virtual && c.Store != Socket {
		f, err := c.inKernel(cfg)
		if err == nil || c.Store == Kernel || errors.Is(err, xdp.ErrMemory) { // the twin needs as much
			return f, err
		}
		return twin(cfg, err.Error())
	}
	return twin(cfg, "")
}

// twin makes elements in this process.
func twin(cfg elements.Config, why string) (front, error) {
	a, err := elements.New(cfg)
	if err != nil {
		return front{}, fmt.Errorf("the elements of xagg: %w", err)
	}
	return front{store: agent.Twin{Aggregator: a}, twin: a, why: why}, nil
}

// Close gives what is in the kernel back.
func (f *front) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// host is the machine of a host: its elements, and its agent behind them.
type host struct {
	sansio.Machine
	front
}

// host puts an agent behind the elements. The kernel takes packets of gradients before the agent's sockets do.
func (f front) host(a sansio.Machine) host {
	if f.twin == nil {
		return host{Machine: a, front: f}
	}
	return host{Machine: elements.NewHost(f.twin, a), front: f}
}

// CountFallback is the counter of a host whose elements are not in the kernel though they might be,
// with the reason in its name.
const CountFallback = "xagg-no-xdp: "

// counters adds those of the elements to those of an agent.
func (h *host) counters(of []sansio.Count) []sansio.Count {
	tally, err := h.store.Tally()
	if err != nil {
		return append(slices.Clip(of), sansio.Count{Name: "xagg-store-error: " + err.Error(), N: 1})
	}
	of = slices.Concat(of, tally.Counts())
	if h.why != "" {
		of = append(of, sansio.Count{Name: CountFallback + h.why, N: 1})
	}
	return of
}
