package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
)

// closers are the machines of a process that hold what outlives no process but must not outlive a
// run, such as programs and maps in the kernel: those that are [io.Closer].
type closers []io.Closer

// add notes a machine if it must be closed.
func (c *closers) add(machine any) {
	if m, ok := machine.(io.Closer); ok {
		*c = append(*c, m)
	}
}

// cores returns newCore for machines that are noted, also if the worker around one is never made.
func (c *closers) cores(newCore worker.NewCore) worker.NewCore {
	return func(config json.RawMessage, rec gradient.Recorder, sink trace.Sink) (worker.Collective, error) {
		core, err := newCore(config, rec, sink)
		if err == nil {
			c.add(core)
		}
		return core, err
	}
}

// close closes all, last made first and to the end, and joins the errors.
func (c closers) close(node string) error {
	var errs []error
	for _, m := range slices.Backward(c) {
		if err := m.Close(); err != nil {
			errs = append(errs, fmt.Errorf("closing the machine of %s: %w", node, err))
		}
	}
	return errors.Join(errs...)
}
