package xdp

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/rlimit"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/switchd/program/xagg"
)

// Aggregator is a loaded program with its maps. One goroutine uses it.
type Aggregator struct {
	cfg     xagg.Config
	first   xagg.Config // that it was loaded with
	kernel  kernelObjects
	slot    uint32 // of the configuration in use
	sums    shelf
	results shelf
	links   []link.Link
	closed  bool
}

// Load checks the configuration, the memory and the kernel, and loads the program. Nothing is attached.
func Load(o Options) (*Aggregator, error) {
	if err := o.Config.Validate(); err != nil {
		return nil, fmt.Errorf("configure aggregator: %w", err)
	}
	if err := o.room(); err != nil {
		return nil, fmt.Errorf("load aggregator: %w", err)
	}
	if err := rlimit.RemoveMemlock(); err != nil {
		return nil, fmt.Errorf("load aggregator: %w", explain(err))
	}
	btf := o.btf
	if btf == nil {
		btf = probeBTF
	}
	if err := btf(); err != nil {
		return nil, fmt.Errorf("load aggregator: %w", explain(err))
	}
	a := &Aggregator{cfg: o.Config, first: o.Config}
	if err := a.load(o.onePage); err != nil {
		return nil, fmt.Errorf("load aggregator: %w", explain(err))
	}
	return a, nil
}

// room checks that the elements fit into memory.
func (o *Options) room() error {
	limit := o.Memory
	if limit == 0 {
		var err error
		if limit, err = spare(); err != nil {
			return err
		}
	}
	return fits(&o.Config, limit)
}

// probeBTF asks whether the kernel takes type information, without which a map has no locks.
func probeBTF() error {
	b, err := btf.NewBuilder([]btf.Type{&btf.Int{Name: "probe", Size: 4}}, nil)
	if err != nil {
		return err
	}
	h, err := btf.NewHandle(b)
	if err != nil {
		return err
	}
	return h.Close()
}

func (a *Aggregator) load(onePage bool) error {
	spec, err := loadKernel()
	if err != nil {
		return err
	}
	if err := size(spec, &a.cfg); err != nil {
		return err
	}
	if err := a.assign(spec, onePage); err != nil {
		return err
	}
	err = errors.Join(
		a.sums.open(a.cfg.Sums(), a.kernel.Sums, a.kernel.SumMarks),
		a.results.open(a.cfg.Results(), a.kernel.Results, a.kernel.ResultMarks),
	)
	if err == nil {
		err = a.configure(&a.cfg)
	}
	if err != nil {
		return errors.Join(err, a.free())
	}
	return nil
}

// assign loads the program and its maps. It is for frames of several pages, of which the first has all that
// is XAgg's; where the kernel does not know these (before Linux 5.18), for frames of one page.
func (a *Aggregator) assign(spec *ebpf.CollectionSpec, onePage bool) error {
	p := spec.Programs[kernelProgXagg]
	if !onePage {
		p.Flags |= unix.BPF_F_XDP_HAS_FRAGS
		if err := spec.LoadAndAssign(&a.kernel, nil); !errors.Is(err, syscall.EINVAL) {
			return err
		}
		p.Flags &^= unix.BPF_F_XDP_HAS_FRAGS
	}
	return spec.LoadAndAssign(&a.kernel, nil)
}

// free gives the maps back.
func (a *Aggregator) free() error {
	return errors.Join(a.sums.close(), a.results.close(), a.kernel.Close())
}

// size fits maps and the program's constant to a configuration.
func size(spec *ebpf.CollectionSpec, c *xagg.Config) error {
	if err := spec.Variables[kernelVarValues].Set(uint32(c.Values)); err != nil {
		return err
	}
	spec.Maps[kernelMapChecks].MaxEntries = uint32(c.CheckEntries())
	for _, shelf := range [...]struct {
		values, marks string
		table         xagg.Table
	}{{kernelMapSums, kernelMapSumMarks, c.Sums()}, {kernelMapResults, kernelMapResultMarks, c.Results()}} {
		m := spec.Maps[shelf.values]
		if shelf.table.Required != 0 {
			m.MaxEntries, spec.Maps[shelf.marks].MaxEntries = c.Fragments, c.Fragments
		}
		if err := shrink(m, c.Values); err != nil {
			return fmt.Errorf("size map %s: %w", shelf.values, err)
		}
	}
	return nil
}

// shrink gives elements fewer values, in size and in type: the kernel compares the two.
func shrink(m *ebpf.MapSpec, values int) error {
	m.ValueSize = uint32(elementSize(values))
	m.Value = btf.Copy(m.Value)
	s, ok := btf.As[*btf.Struct](m.Value)
	if !ok || len(s.Members) == 0 {
		return fmt.Errorf("its value is %v, no struct", m.Value)
	}
	array, ok := btf.As[*btf.Array](s.Members[len(s.Members)-1].Type)
	if !ok {
		return fmt.Errorf("its value %s does not end with an array", s.Name)
	}
	array.Nelems, s.Size = uint32(values), m.ValueSize
	return nil
}

// explain says what a refusal of the kernel means to a user.
func explain(err error) error {
	switch {
	case errors.Is(err, ebpf.ErrNotSupported), errors.Is(err, syscall.ENOSYS):
		return fmt.Errorf("%w (%w)", ErrUnsupported, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w (%w)", ErrPermission, err)
	case errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.E2BIG):
		return fmt.Errorf("%w: the kernel refuses them (%w); it may be short of memory, or limit it by cgroup", ErrMemory, err)
	}
	return err
}

// Close detaches the program from all interfaces and frees the maps. It may be called again.
func (a *Aggregator) Close() error {
	if a.closed {
		return nil
	}
	a.closed = true
	var errs []error
	for _, l := range a.links {
		errs = append(errs, l.Close())
	}
	a.links = nil
	return errors.Join(append(errs, a.free())...)
}
