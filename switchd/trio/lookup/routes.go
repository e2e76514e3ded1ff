package lookup

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"net/netip"
	"slices"
)

// A Route says where packets go whose destination a prefix holds.
type Route struct {
	Prefix  netip.Prefix // of IPv4
	NextHop uint32       // what the program gets; it usually forwards to it
}

// Routes is a forwarding table. Make it with [NewRoutes].
type Routes struct {
	limit  int
	n      int
	levels []level // longest prefixes first
}

// A level is the prefixes of one length.
type level struct {
	bits int
	hops map[uint32]uint32 // by prefix
}

// NewRoutes returns an empty table for at most so many routes.
func NewRoutes(limit int) *Routes { return &Routes{limit: limit} }

// Set adds a route, or changes the next hop of its prefix.
func (r *Routes) Set(route Route) error {
	key, bits, err := prefixKey(route.Prefix)
	if err != nil {
		return err
	}
	i, found := r.find(bits)
	if !found {
		if r.n == r.limit {
			return r.full(route.Prefix)
		}
		r.levels = slices.Insert(r.levels, i, level{bits, map[uint32]uint32{}})
	}
	hops := r.levels[i].hops
	if _, known := hops[key]; !known {
		if r.n == r.limit {
			return r.full(route.Prefix)
		}
		r.n++
	}
	hops[key] = route.NextHop
	return nil
}

func (r *Routes) full(p netip.Prefix) error {
	return fmt.Errorf("route %v: the table holds %d routes, and has them: remove one, or declare a larger table", p, r.limit)
}

// Remove takes the route of a prefix out; false if there was none.
func (r *Routes) Remove(p netip.Prefix) bool {
	key, bits, err := prefixKey(p)
	if err != nil {
		return false
	}
	i, found := r.find(bits)
	if !found {
		return false
	}
	hops := r.levels[i].hops
	if _, found = hops[key]; !found {
		return false
	}
	r.n--
	if delete(hops, key); len(hops) == 0 {
		r.levels = slices.Delete(r.levels, i, i+1)
	}
	return true
}

// Lookup returns the next hop of the longest prefix that holds an address, and the prefix's
// length in bits.
func (r *Routes) Lookup(addr uint32) (nextHop uint32, bits int, found bool) {
	for i := range r.levels {
		l := &r.levels[i]
		if hop, ok := l.hops[addr&mask(l.bits)]; ok {
			return hop, l.bits, true
		}
	}
	return 0, 0, false
}

// Get returns the next hop of a prefix; false: it has no route.
func (r *Routes) Get(p netip.Prefix) (nextHop uint32, found bool) {
	key, bits, err := prefixKey(p)
	if err != nil {
		return 0, false
	}
	if i, ok := r.find(bits); ok {
		nextHop, found = r.levels[i].hops[key]
	}
	return nextHop, found
}

// Len returns the number of routes.
func (r *Routes) Len() int { return r.n }

// Cap returns how many routes there can be.
func (r *Routes) Cap() int { return r.limit }

// All returns the routes in the order of their addresses, shorter prefixes first.
func (r *Routes) All() []Route {
	var out []Route
	for _, l := range r.levels {
		for _, key := range slices.Sorted(maps.Keys(l.hops)) {
			var a [4]byte
			binary.BigEndian.PutUint32(a[:], key)
			out = append(out, Route{netip.PrefixFrom(netip.AddrFrom4(a), l.bits), l.hops[key]})
		}
	}
	slices.SortFunc(out, func(a, b Route) int {
		return cmp.Or(a.Prefix.Addr().Compare(b.Prefix.Addr()), a.Prefix.Bits()-b.Prefix.Bits())
	})
	return out
}

// find returns where the prefixes of a length are, or would be.
func (r *Routes) find(bits int) (int, bool) {
	return slices.BinarySearchFunc(r.levels, bits, func(l level, bits int) int { return bits - l.bits })
}

func mask(bits int) uint32 { return ^uint32(0) << (32 - bits) }

// prefixKey checks a prefix and returns its address as a number, and its length.
func prefixKey(p netip.Prefix) (key uint32, bits int, err error) {
	switch {
	case !p.IsValid() || !p.Addr().Is4():
		return 0, 0, fmt.Errorf("route %v: a prefix of IPv4 is wanted, such as 10.0.0.0/8", p)
	case p != p.Masked():
		return 0, 0, fmt.Errorf("route %v: the address has bits behind its prefix: write %v, or %v/32", p, p.Masked(), p.Addr())
	}
	a := p.Addr().As4()
	return binary.BigEndian.Uint32(a[:]), p.Bits(), nil
}
