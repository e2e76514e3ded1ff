package fit

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// parser resolves the parser of a side and holds it against its limits.
func (s *symbols) parser(side Side, states []ir.State) []State {
	ids := map[string]StateID{ir.Accept: Accept, ir.Reject: Reject, "": Reject}
	for i, st := range states {
		where := side.String() + " parser state"
		if _, taken := ids[st.Name]; taken || !wellFormed(st.Name) {
			s.bad.add(RuleName, where+" \""+st.Name+"\"", "rename it", "has no name of its own")
			continue
		}
		ids[st.Name] = StateID(i)
	}
	out := make([]State, len(states))
	for i := range states {
		out[i] = s.state(side, &states[i], ids)
	}
	return out
}

func (s *symbols) state(side Side, st *ir.State, ids map[string]StateID) State {
	where := quoted(side.String()+" parser state", st.Name)
	next := func(name string) StateID {
		id, ok := ids[name]
		if !ok {
			s.unknown(where, "state", name, keys(ids))
			return Reject
		}
		return id
	}
	out := State{Name: st.Name, Advance: st.Advance, Next: next(st.Next)}
	if st.Advance < 0 || st.Advance > ParserBytes {
		s.bad.add(RuleBudget, where, "", "skips %d bytes; a parser reaches %d", st.Advance, ParserBytes)
		out.Advance = 0
	}
	for _, name := range st.Extract {
		if id, ok := s.header(where, name); ok {
			out.Extract = append(out.Extract, id)
		}
	}
	for _, name := range st.Select {
		if id, ok := s.plain(where, name); ok && s.readable(where, side, Ref{ID: id}) {
			out.Select = append(out.Select, id)
		}
	}
	s.checkSelect(where, out.Select)
	for i := range st.Cases {
		if len(out.Select) != len(st.Select) {
			break // refused already
		}
		out.Cases = append(out.Cases, s.parserCase(where, out.Select, &st.Cases[i], next))
	}
	return out
}

func (s *symbols) parserCase(where string, selected []FieldID, c *ir.Case, next func(string) StateID) Case {
	out := Case{Next: next(c.Next)}
	if len(c.Values) != len(selected) || c.Masks != nil && len(c.Masks) != len(selected) {
		s.bad.add(RuleForm, where, "", "a case has %d values and %d masks for %d fields", len(c.Values), len(c.Masks), len(selected))
		return out
	}
	for i, f := range selected {
		n := s.Fields[f].Bits
		mask := ones(n)
		if c.Masks != nil {
			mask = c.Masks[i]
		}
		if !fits(c.Values[i], n) || !fits(mask, n) {
			s.bad.add(RuleWidth, where, "", "a case has value %#x under mask %#x for %d bits", c.Values[i], mask, n)
		}
		out.Values = append(out.Values, c.Values[i]&mask)
		out.Masks = append(out.Masks, mask)
	}
	return out
}

// deparse resolves the headers that are written.
func (s *symbols) deparse(side Side, names []string) []HeaderID {
	var out []HeaderID
	for _, name := range names {
		where := side.String() + " deparser"
		id, ok := s.header(where, name)
		if ok && slices.Contains(out, id) {
			s.bad.add(RuleName, where, "name it once", "writes header %q twice", name)
		} else if ok {
			out = append(out, id)
		}
	}
	return out
}

// successors of a state, among the states.
func (st *State) successors() []StateID {
	var out []StateID
	for _, c := range st.Cases {
		if c.Next >= 0 {
			out = append(out, c.Next)
		}
	}
	if st.Next >= 0 {
		out = append(out, st.Next)
	}
	return out
}

// checkParser refuses loops, headers extracted twice on one way, and ways beyond
// the budget; it sets Depth. start is how many bytes come before the packet.
func (s *symbols) checkParser(side Side, start int) {
	g := &s.Gress[side]
	g.Depth = start
	order, loop := topological(g.Parser)
	if loop != nil {
		names := make([]string, len(loop))
		for i, id := range loop {
			names[i] = g.Parser[id].Name
		}
		s.bad.add(RuleLoop, side.String()+" parser", "unroll it", "may never end: %s", strings.Join(names, " -> "))
		return
	}
	deepest := s.ways(side, g, order, start)
	if limit := depthLimit(side); deepest != noState && g.Depth > limit {
		s.bad.add(RuleBudget, quoted(side.String()+" parser state", g.Parser[deepest].Name), "parse less of the packet in one pass",
			"reaches byte %d, %d of which come before the packet; the parser of the %s ends at %d", g.Depth, start, side, limit)
	}
}

// noState stands for no state of a parser.
const noState StateID = -3

// ways follows all ways through a parser without loops, and returns the state that
// reaches deepest.
func (s *symbols) ways(side Side, g *Gress, order []StateID, start int) StateID {
	depth, least := make([]int, len(g.Parser)), make([]int, len(g.Parser))
	g.least = math.MaxInt
	seen := make([]bitset, len(g.Parser)) // headers extracted on some way to a state
	deepest := noState
	for i := range order {
		id := order[i]
		st := &g.Parser[id]
		if i == 0 {
			depth[id], least[id], seen[id] = start, start, newBitset(len(s.Headers))
		}
		for _, h := range st.Extract {
			if seen[id].has(int(h)) {
				s.bad.add(RuleReparse, quoted(side.String()+" parser state", st.Name), "declare a second header",
					"extracts header %q, which is extracted on the way to it", s.Headers[h].Name)
			}
			seen[id].set(int(h))
			depth[id] += s.Headers[h].Bytes
			least[id] += s.Headers[h].Bytes
		}
		depth[id], least[id] = depth[id]+st.Advance, least[id]+st.Advance
		if deepest == noState || depth[id] > g.Depth {
			deepest, g.Depth = id, depth[id]
		}
		if st.Next == Accept || slices.ContainsFunc(st.Cases, func(c Case) bool { return c.Next == Accept }) {
			g.least = min(g.least, least[id])
		}
		for _, next := range st.successors() {
			if least[next] == 0 || least[id] < least[next] {
				least[next] = least[id]
			}
			depth[next] = max(depth[next], depth[id])
			seen[next] = seen[next].union(seen[id])
		}
	}
	return deepest
}

// topological orders the states that can be reached, the start first, or returns a loop.
func topological(states []State) (order, loop []StateID) {
	const (
		fresh = iota
		open
		done
	)
	mark := make([]int, len(states))
	var path []StateID
	var visit func(StateID) bool
	visit = func(id StateID) bool {
		if mark[id] == open {
			loop = append(slices.Clone(path[slices.Index(path, id):]), id)
			return false
		}
		if mark[id] == done {
			return true
		}
		mark[id] = open
		path = append(path, id)
		for _, next := range states[id].successors() {
			if !visit(next) {
				return false
			}
		}
		path = path[:len(path)-1]
		mark[id] = done
		order = append(order, id)
		return true
	}
	if len(states) > 0 && !visit(0) {
		return nil, loop
	}
	slices.Reverse(order)
	return order, nil
}

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }
func (b bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }

// union returns a set of its own with the members of both.
func (b bitset) union(o bitset) bitset {
	out := slices.Clone(o)
	for i := range b {
		out[i] |= b[i]
	}
	return out
}

// intersect returns a set of its own with the members that both have.
func (b bitset) intersect(o bitset) bitset {
	out := slices.Clone(o)
	for i := range b {
		out[i] &= b[i]
	}
	return out
}

// within reports whether another set has all members.
func (b bitset) within(o bitset) bool {
	for i := range b {
		if b[i]&^o[i] != 0 {
			return false
		}
	}
	return true
}

// meets returns a member of both, or -1.
func (b bitset) meets(o bitset) int {
	for i := range b {
		if both := b[i] & o[i]; both != 0 {
			return i*64 + bits.TrailingZeros64(both)
		}
	}
	return -1
}
