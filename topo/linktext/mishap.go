package linktext

import (
	"errors"
	"fmt"
	"math"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/topo"
)

// mishaps reads what happens to frames on the wire beside losses by chance.
func (r *reader) mishaps(path string, f Link, s *topo.LinkSpec) {
	for _, of := range []struct {
		key, text string
		to        *float64
	}{{"reorder", f.Reorder, &s.Reorder}, {"duplicate", f.Duplicate, &s.Duplicate}, {"corrupt", f.Corrupt, &s.Corrupt}} {
		if of.text != "" {
			*of.to = r.fraction(path+"."+of.key, of.text)
		}
	}
	if f.Reorder != "" && s.Reorder == 0 {
		s.ReorderGap = 0 // with what it was a part of
	}
	if f.ReorderGap != nil {
		s.ReorderGap = r.gap(path+".reorder-gap", *f.ReorderGap)
	}
	if f.Distribution != "" {
		s.Distribution = r.distribution(path+".distribution", f.Distribution)
	}
	if f.Drop != nil {
		s.Script = r.script(path+".drop", f.Drop)
	}
}

func (r *reader) distribution(path, word string) topo.Distribution {
	d, err := topo.ParseDistribution(word)
	if err != nil {
		r.wrong(path, fmt.Errorf("%w%s", err, suggest.DidYouMean(word, topo.DistributionWords())))
	}
	return d
}

func (r *reader) gap(path string, n int) int {
	if err := r.in.Whole(path); err != nil {
		r.errs = append(r.errs, err)
	} else if n < 0 || n > topo.MaxReorderGap {
		r.wrong(path, fmt.Errorf("%d: allowed are 0 to %d", n, topo.MaxReorderGap))
	}
	return n
}

// script reads packets that are lost by name.
func (r *reader) script(path string, list []Drop) topo.Script {
	var drops []topo.Drop
	before := len(r.errs)
	for i, f := range list {
		drops = append(drops, r.drop(fmt.Sprintf("%s[%d]", path, i), f))
	}
	if len(r.errs) > before {
		return ""
	}
	s, err := topo.NewScript(drops)
	r.wrong(path, err)
	return s
}

// drop reads the packets of one job and slot. A drop without a job is of the first, or the only one.
func (r *reader) drop(path string, f Drop) topo.Drop {
	job := 1
	if f.Job != nil {
		job = *f.Job
	}
	within := func(key string, n, lo, hi int) {
		if err := r.in.Whole(path + "." + key); err != nil {
			r.errs = append(r.errs, err)
		} else if n < lo || n > hi {
			r.wrong(path+"."+key, fmt.Errorf("%d: allowed are %d to %d", n, lo, hi))
		}
	}
	within("job", job, 1, topo.MaxScriptJob)
	within("slot", f.Slot, 0, math.MaxUint32)
	if len(f.Packets) == 0 {
		r.wrong(path+".packets", errors.New("none is named: list them, counted from 1, as in packets: [3]"))
	}
	for i, n := range f.Packets {
		within(fmt.Sprintf("packets[%d]", i), n, 1, topo.MaxScriptPacket)
	}
	return topo.Drop{Job: job, Slot: uint32(f.Slot), Packets: f.Packets}
}
