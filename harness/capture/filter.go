package capture

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
)

// Filter says which frames are wanted: those that meet every one of its terms. The zero value
// wants all.
type Filter struct {
	text  string
	terms []term
}

// term is met by a frame if any of its values is.
type term func(f *fields) bool

// String returns the filter as it was written.
func (f Filter) String() string { return f.text }

// FilterKeys are what terms can ask for, in the order in which errors list them.
var FilterKeys = []string{"proto", "host", "src", "dst", "port", "job", "gen", "block", "slot", "sequence", "gradient", "source"}

// ParseFilter reads terms as "proto=switchml slot=5,6 host=10.0.0.1", between which are blanks.
func ParseFilter(text string) (Filter, error) {
	out := Filter{text: strings.Join(strings.Fields(text), " ")}
	for _, word := range strings.Fields(text) {
		name, values, ok := strings.Cut(word, "=")
		if !ok || values == "" {
			return Filter{}, fmt.Errorf("%q is no term: write KEY=VALUE, or KEY=VALUE,VALUE, with blanks between terms, as in %q", word, "proto=switchml slot=5,6")
		}
		t, err := parseTerm(name, strings.Split(values, ","))
		if err != nil {
			return Filter{}, err
		}
		out.terms = append(out.terms, t)
	}
	return out, nil
}

func parseTerm(name string, values []string) (term, error) {
	switch name {
	case "proto":
		return protoTerm(values)
	case "host", "src", "dst":
		return hostTerm(name, values)
	case "port", "job", "gen", "block", "slot", "sequence", "gradient", "source":
		return numberTerm(name, values)
	}
	return nil, fmt.Errorf("unknown key %q: allowed are %s%s", name, strings.Join(FilterKeys, ", "), suggest.DidYouMean(name, FilterKeys))
}

func protoTerm(values []string) (term, error) {
	var known []string
	for _, p := range Protos {
		known = append(known, string(p))
	}
	for _, v := range values {
		if !slices.Contains(known, v) {
			return nil, fmt.Errorf("unknown protocol %q: allowed are %s%s", v, strings.Join(known, ", "), suggest.DidYouMean(v, known))
		}
	}
	return func(f *fields) bool {
		return slices.ContainsFunc(f.protos, func(p Proto) bool { return slices.Contains(values, string(p)) })
	}, nil
}

func hostTerm(name string, values []string) (term, error) {
	var list []netip.Addr
	for _, v := range values {
		a, err := netip.ParseAddr(v)
		if err != nil || !a.Is4() {
			return nil, fmt.Errorf("%s=%s: an IPv4 address is needed, as in %s=10.0.0.1", name, v, name)
		}
		list = append(list, a)
	}
	return func(f *fields) bool {
		return name != "dst" && slices.Contains(list, f.src) || name != "src" && slices.Contains(list, f.dst)
	}, nil
}

// blockNames are what protocols call a block.
var blockNames = map[string][]Proto{
	"block": {TrioML, SwitchML, ATP, XAgg}, "slot": {SwitchML}, "sequence": {ATP}, "gradient": {XAgg},
}

func numberTerm(name string, values []string) (term, error) {
	bits := map[string]int{"port": 16, "job": 16, "source": 8}[name] // gen and blocks: 32
	if bits == 0 {
		bits = 32
	}
	var list []uint32
	for _, v := range values {
		n, err := strconv.ParseUint(v, 10, bits)
		if err != nil {
			return nil, fmt.Errorf("%s=%s: a whole number from 0 to %d is needed", name, v, uint64(1)<<bits-1)
		}
		list = append(list, uint32(n))
	}
	has := func(n uint32) bool { return slices.Contains(list, n) }
	switch name {
	case "port":
		return func(f *fields) bool { return f.src.IsValid() && (has(uint32(f.sport)) || has(uint32(f.dport))) }, nil
	case "job":
		return func(f *fields) bool { return f.ours && has(uint32(f.job)) }, nil
	case "gen":
		return func(f *fields) bool { return f.ours && has(f.of.gen) }, nil
	case "source":
		return func(f *fields) bool { return f.source >= 0 && has(uint32(f.source)) }, nil
	}
	return func(f *fields) bool { return f.ours && has(f.of.block) && slices.Contains(blockNames[name], f.proto()) }, nil
}

// wants reports whether a frame meets all terms.
func (f Filter) wants(of *fields) bool {
	for _, t := range f.terms {
		if !t(of) {
			return false
		}
	}
	return true
}
