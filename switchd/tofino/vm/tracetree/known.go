package tracetree

import (
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// maxFacts bounds how many different things a runner knows of packets behind their passes: each is a
// root of its own in the next pass. (assumed)
const maxFacts = 256

// factsOf returns what is known of a packet when a control is over, by the bytes that its headers will have. Those that
// the deparser fills in are not known.
func (r *Runner) factsOf(g *recorder, side fit.Side) *vm.Facts {
	prog := r.code.Program()
	for _, id := range r.code.Filled(side) {
		g.forget(id)
	}
	f, at := &vm.Facts{}, 0
	for _, h := range prog.Gress[side].Deparse {
		if !g.valid[h] {
			continue
		}
		header := &prog.Headers[h]
		for i := range header.Len {
			id := header.First + fit.FieldID(i)
			ref := r.code.Ref(id)
			f.Learn(ref, at, g.fields[id].mask&ref.Mask, g.fields[id].value)
		}
		at += header.Bytes
	}
	name := string(f.Mask) + string(f.Value)
	switch old := r.facts[name]; {
	case old != nil:
		return old
	case len(f.Mask) == 0 || len(r.facts) == maxFacts:
		return nil
	}
	if r.facts == nil {
		r.facts = map[string]*vm.Facts{}
	}
	r.facts[name] = f
	return f
}

// start returns what is known of the fields of a packet when a control begins.
func (r *Runner) start(s *vm.Pass, headers uint64) (out []want) {
	f := s.Facts()
	if f == nil {
		return nil
	}
	prog := r.code.Program()
	for h := range prog.Headers {
		if headers>>h&1 == 0 {
			continue
		}
		at := s.Begins(fit.HeaderID(h))
		for i := range prog.Headers[h].Len {
			id := prog.Headers[h].First + fit.FieldID(i)
			if mask, value := f.Known(r.code.Ref(id), at); mask != 0 {
				out = append(out, want{id, bits{mask, value}})
			}
		}
	}
	return out
}

// leaf is the end of a way.
type leaf struct {
	facts   *vm.Facts   // behind it; nil: nothing is known
	verdict *vm.Verdict // of an ingress, but for the port; nil: it is not known
}

// leaf notes what is known at the end of a way.
func (g *recorder) leaf(side fit.Side) int32 {
	l := leaf{facts: g.runner.factsOf(g, side)}
	if side == fit.Ingress {
		l.verdict = g.code.KnownVerdict(g.value)
	}
	g.needBehind(side, l.verdict)
	g.tree.leaves = append(g.tree.leaves, l)
	return int32(len(g.tree.leaves) - 1)
}
