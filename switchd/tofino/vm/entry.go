package vm

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// Table returns the number of a table that the control plane may change or look at.
func (c *Code) Table(name string) (fit.TableID, error) {
	id, ok := c.prog.FindTable(name)
	if !ok {
		return fit.NoTable, fmt.Errorf("program %s has no table %q", c.prog.Name, name)
	}
	return id, nil
}

// Entry checks an entry that a control plane wants to add, and resolves it: the
// number of values, their widths, the action and its arguments.
func (c *Code) Entry(id fit.TableID, e ir.Entry) (fit.Entry, error) {
	t := &c.prog.Tables[id]
	out := fit.Entry{Pipe: e.Pipe, Priority: e.Priority, Args: slices.Clone(e.Args)}
	var errs []error
	if t.Const {
		errs = append(errs, errors.New("its entries are constant"))
	}
	if len(e.Values) != len(t.Keys) || e.Masks != nil && len(e.Masks) != len(t.Keys) {
		errs = append(errs, fmt.Errorf("%d values and %d masks: it has %d keys", len(e.Values), len(e.Masks), len(t.Keys)))
	} else {
		errs = append(errs, resolveKeys(t, e, &out))
	}
	errs = append(errs, resolveAction(t, e, &out))
	if err := errors.Join(errs...); err != nil {
		return fit.Entry{}, fmt.Errorf("entry of table %s: %w", t.Name, err)
	}
	return out, nil
}

func resolveKeys(t *fit.Table, e ir.Entry, out *fit.Entry) error {
	var errs []error
	for i, k := range t.Keys {
		all := ones(k.Bits)
		mask := all
		if e.Masks != nil {
			mask = e.Masks[i]
		}
		switch {
		case e.Values[i]&^all != 0 || mask&^all != 0:
			errs = append(errs, fmt.Errorf("value %#x under %#x of key %d: it has %d bits", e.Values[i], mask, i, k.Bits))
		case k.Kind == ir.Exact && mask != all:
			errs = append(errs, fmt.Errorf("mask %#x of key %d: it is matched exactly", mask, i))
		}
		out.Values, out.Masks = append(out.Values, e.Values[i]&mask), append(out.Masks, mask)
	}
	return errors.Join(errs...)
}

func resolveAction(t *fit.Table, e ir.Entry, out *fit.Entry) error {
	out.Action = slices.IndexFunc(t.Actions, func(a fit.Action) bool { return a.Name == e.Action })
	if out.Action < 0 {
		return fmt.Errorf("action %q: it has no such action", e.Action)
	}
	params := t.Actions[out.Action].Params
	if len(e.Args) != len(params) {
		return fmt.Errorf("action %s with %d arguments: it takes %d", e.Action, len(e.Args), len(params))
	}
	for i, p := range params {
		if e.Args[i]&^ones(p.Bits) != 0 {
			return fmt.Errorf("argument %s of action %s is %#x: it has %d bits", p.Name, e.Action, e.Args[i], p.Bits)
		}
	}
	return nil
}
