package scenarios

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/program/user"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/lookup"
	"github.com/inalab/inalab/topo/plan"
)

type rawMatch struct {
	EtherType string `yaml:"ethertype,omitempty" json:",omitempty"`
	Dst       string `yaml:"dst,omitempty" json:",omitempty"`
	Protocol  string `yaml:"protocol,omitempty" json:",omitempty"`
	Port      int    `yaml:"port,omitempty" json:",omitempty"`
}

type rawHop struct {
	Number int    `yaml:"number"`
	To     string `yaml:"to"`
}

type rawTimer struct {
	Name    string `yaml:"name"`
	Period  string `yaml:"period"`
	Threads int    `yaml:"threads,omitempty" json:",omitempty"`
}

// rawMemory is what one name of a program holds at first, or the elements of an array from
// the first on.
type rawMemory struct {
	Name   string `yaml:"name"`
	Value  any    `yaml:"value,omitempty" json:",omitempty"`
	Values []any  `yaml:"values,omitempty" json:",omitempty"`
}

// rawTable is what a table of a program holds at first: records of the hash table, each a key
// and fields with their values; routes; or terms of a filter.
type rawTable struct {
	Name    string          `yaml:"name"`
	Records []yaml.MapSlice `yaml:"records,omitempty" json:",omitempty"`
	Routes  []rawRoute      `yaml:"routes,omitempty" json:",omitempty"`
	Terms   []rawTerm       `yaml:"terms,omitempty" json:",omitempty"`
}

type rawRoute struct {
	To  string `yaml:"to"`
	Hop int    `yaml:"hop"`
}

// sourceSuffix is how files of programs end.
const sourceSuffix = ".mc"

// isMicrocode reports whether an entry of transit is a program of one's own.
func (f *rawTransit) isMicrocode() bool {
	return f.Source != "" || strings.HasSuffix(f.Program, sourceSuffix)
}

// hasMicrocode returns a key that only a program of one's own takes; empty: there is none.
func (f *rawTransit) hasMicrocode() string {
	switch {
	case f.Name != "":
		return "name"
	case f.Side != "":
		return "direction"
	case f.Records != 0:
		return "records"
	case f.Instructions != 0:
		return "instructions"
	case f.Match != nil:
		return "match"
	case f.Hops != nil:
		return "next-hops"
	case f.Timers != nil:
		return "timers"
	case f.Memory != nil:
		return "memory"
	case f.Tables != nil:
		return "tables"
	}
	return ""
}

// Microcode is a program of one's own that frames pass.
type Microcode struct {
	Config user.Config // but for its hops, which follow from the switch
	Hops   []MicrocodeHop

	program *isa.Program // compiled; nil after an error
}

// MicrocodeHop is what a number stands for that a program forwards to.
type MicrocodeHop struct {
	Number uint32
	To     string // as user.ResolveHop takes it
	at     string // where it stands
}

// microcode reads a program of one's own. It is compiled and loaded once, so that what is
// wrong is said before the run.
func (r *resolver) microcode(at string, f *rawTransit) *Microcode {
	before := len(r.errs)
	m := &Microcode{Config: user.Config{File: f.Program, Side: user.Side(f.Side), Records: f.Records}}
	m.Config.Name = cmp.Or(f.Name, strings.TrimSuffix(filepath.Base(f.Program), sourceSuffix))
	if f.Config != nil {
		r.wrong(at+".config", errors.New("a program of one's own has none: write next-hops, timers, memory and tables"))
	}
	if f.Collector != "" {
		r.wrong(at+".collector", errors.New("a program of one's own names where it sends: give it a next hop"))
	}
	if f.Side != "" {
		r.oneOf(at+".direction", f.Side, string(user.Ingress), string(user.Egress))
	}
	if f.Records != 0 {
		r.between(at+".records", f.Records, 1, maxRecords)
	}
	if f.Instructions != 0 {
		m.Config.Instructions = uint64(r.between(at+".instructions", f.Instructions, 1, maxInstructions))
	}
	m.Config.Text = r.sourceOf(at, f)
	var prog *isa.Program
	if len(r.errs) == before {
		var err error
		prog, err = microcode.Compile(f.Program, m.Config.Text)
		r.wrong(at+".program", err)
		m.program = prog
	}
	m.Config.Match = r.match(at+".match", f.Match)
	m.Hops = r.hops(at+".next-hops", f.Hops)
	if len(f.Hops) == 0 {
		m.Hops = []MicrocodeHop{{To: user.Routing}}
	}
	m.Config.Timers = r.timers(at+".timers", f.Timers)
	if len(r.errs) > before {
		return m
	}
	r.loads(at, f, m, prog)
	return m
}

// Bounds of the hash table of a program, and of the limit of its threads' instructions; both assumed.
const (
	maxRecords      = 1 << 20
	maxInstructions = 1 << 30
)

// sourceOf returns the text of a program, which the resolved scenario keeps.
func (r *resolver) sourceOf(at string, f *rawTransit) string {
	if f.Source == "" {
		file := f.Program
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(r.doc.name), file)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			r.wrong(at+".program", fmt.Errorf("%w: name a file beside the scenario, or write the program below source", err))
		}
		f.Source = string(text)
	}
	return f.Source
}

func (r *resolver) match(at string, f *rawMatch) (m dataplane.Match) {
	if f == nil {
		return m
	}
	var err error
	if m.EtherType, err = namedNumber[uint16](f.EtherType, map[string]uint16{"ipv4": inet.TypeIPv4, "arp": inet.TypeARP}); err != nil {
		r.wrong(at+".ethertype", err)
	}
	if m.Protocol, err = namedNumber[uint8](f.Protocol, map[string]uint8{"icmp": inet.ProtoICMP, "tcp": inet.ProtoTCP, "udp": inet.ProtoUDP}); err != nil {
		r.wrong(at+".protocol", err)
	}
	if f.Dst != "" {
		m.Dst, err = prefix(f.Dst)
		r.wrong(at+".dst", err)
	}
	if f.Port != 0 {
		m.Port = uint16(r.between(at+".port", f.Port, 1, 1<<16-1))
	}
	r.wrong(at, m.Validate())
	return m
}

// prefix reads an IPv4 prefix, or an address, which is one of 32 bits.
func prefix(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return p, fmt.Errorf("%q: write an address or a prefix, as in 10.1.0.0/16", text)
	}
	return p, nil
}

// namedNumber reads a number or one of some names for numbers.
func namedNumber[N uint8 | uint16](text string, names map[string]N) (N, error) {
	if n, ok := names[strings.ToLower(text)]; ok || text == "" {
		return n, nil
	}
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil || uint64(N(n)) != n || n == 0 {
		return 0, fmt.Errorf("%q: allowed are %s, and numbers from 1 to %d", text, strings.Join(slices.Sorted(maps.Keys(names)), ", "), ^N(0))
	}
	return N(n), nil
}

func (r *resolver) hops(at string, list []rawHop) (out []MicrocodeHop) {
	for i, f := range list {
		here := fmt.Sprintf("%s[%d]", at, i)
		h := MicrocodeHop{Number: uint32(r.between(here+".number", f.Number, 0, trio.MaxNextHops-1)), To: f.To, at: here + ".to"}
		if f.To == "" {
			r.wrong(here+".to", errors.New("write routing, a port or a host"))
		}
		for _, o := range out {
			if o.Number == h.Number {
				r.wrong(here+".number", fmt.Errorf("next hop %d is given twice", h.Number))
			}
		}
		out = append(out, h)
	}
	return out
}

func (r *resolver) timers(at string, list []rawTimer) (out []trio.Timer) {
	for i, f := range list {
		here := fmt.Sprintf("%s[%d]", at, i)
		t := trio.Timer{Name: f.Name, Threads: f.Threads, Period: r.duration(here+".period", f.Period)}
		if f.Threads != 0 {
			r.between(here+".threads", f.Threads, 1, trio.MaxTimerThreads)
		}
		if t.Period <= 0 {
			r.wrong(here+".period", errors.New("write a time above 0, as in 100ms"))
		}
		out = append(out, t)
	}
	return out
}

// loads loads a PFE with a program as the run will, and writes what its memory holds at
// first: each name on its own, so that an error says where it stands.
func (r *resolver) loads(at string, f *rawTransit, m *Microcode, prog *isa.Program) {
	trial := m.Config
	trial.Image = prog
	for _, h := range m.Hops {
		trial.Hops = append(trial.Hops, user.Hop{Number: h.Number, Routing: true})
	}
	if i, err := badTimer(prog, trial.Timers); err != nil {
		r.wrong(fmt.Sprintf("%s.timers[%d].name", at, i), err)
		return
	}
	e, err := user.New(trial)
	if err != nil {
		r.wrong(at+".program", err)
		return
	}
	set := func(at, name string, value any) {
		w := dataplane.Write{Name: name, Value: fmt.Sprint(value), Create: true}
		if _, err := e.SetValue(0, w); err != nil {
			r.wrong(at, err)
			return
		}
		m.Config.Names = append(m.Config.Names, w)
	}
	for i, x := range f.Memory {
		here := fmt.Sprintf("%s.memory[%d]", at, i)
		if (x.Value == nil) == (x.Values == nil) {
			r.wrong(here, errors.New("write one of value and values"))
			continue
		}
		if x.Value != nil {
			set(here+".value", x.Name, x.Value)
		}
		for k, v := range x.Values {
			set(fmt.Sprintf("%s.values[%d]", here, k), fmt.Sprintf("%s[%d]", x.Name, k), v)
		}
	}
	for i, t := range f.Tables {
		here := fmt.Sprintf("%s.tables[%d]", at, i)
		if given := count(t.Records != nil, t.Routes != nil, t.Terms != nil); given != 1 {
			r.wrong(here, errors.New("write one of records, routes and terms"))
			continue
		}
		for k, rec := range t.Records {
			r.record(fmt.Sprintf("%s.records[%d]", here, k), t.Name, rec, set)
		}
		if t.Routes != nil {
			m.Config.Tables = append(m.Config.Tables, r.routes(here, t, e))
		}
		if t.Terms != nil {
			r.terms(here, t, e, set)
		}
	}
}

// routes fills a table of routes.
func (r *resolver) routes(at string, f rawTable, e *user.Engine) trio.Table {
	out := trio.Table{Name: f.Name}
	table, err := e.Routes(f.Name)
	if err != nil {
		r.wrong(at+".name", err)
		return out
	}
	for i, x := range f.Routes {
		here := fmt.Sprintf("%s.routes[%d]", at, i)
		to, err := prefix(x.To)
		if err != nil {
			r.wrong(here+".to", err)
			continue
		}
		route := lookup.Route{Prefix: to, NextHop: uint32(r.between(here+".hop", x.Hop, 0, trio.MaxNextHops-1))}
		r.wrong(here+".to", table.Set(route))
		out.Routes = append(out.Routes, route)
	}
	return out
}

// keyOfRecord is what the key of a record is called in files.
const keyOfRecord = "key"

// record writes one record of a hash table.
func (r *resolver) record(at, table string, rec yaml.MapSlice, set func(at, name string, value any)) {
	var key any
	for _, item := range rec {
		if item.Key == keyOfRecord {
			key = item.Value
		}
	}
	if key == nil || len(rec) < 2 {
		r.wrong(at, fmt.Errorf("a record of %s has a %s, and fields with their values", table, keyOfRecord))
		return
	}
	for _, item := range rec {
		if item.Key != keyOfRecord {
			set(fmt.Sprintf("%s.%v", at, item.Key), fmt.Sprintf("%s[%v].%v", table, key, item.Key), item.Value)
		}
	}
}

// badTimer returns the first timer that the program has no entry for.
func badTimer(prog *isa.Program, timers []trio.Timer) (int, error) {
	for i, t := range timers {
		if _, ok := prog.TimerEntry(t.Name); !ok {
			var names []string
			for _, e := range prog.Entries {
				if e.Kind == isa.EntryTimer {
					names = append(names, e.Name)
				}
			}
			return i, fmt.Errorf("%q: program %s has no such timer entry: it has %s", t.Name, prog.Name, cmp.Or(strings.Join(names, ", "), "none"))
		}
	}
	return 0, nil
}

// configOn returns the configuration of the program on a switch.
func (m *Microcode) configOn(p *plan.Plan, sw *plan.Switch, node string) (json.RawMessage, string, error) {
	c := m.Config
	c.Node = node
	for _, h := range m.Hops {
		hop, err := user.ResolveHop(p, sw, h.Number, h.To)
		if err != nil {
			return nil, h.at, err
		}
		c.Hops = append(c.Hops, hop)
	}
	text, err := json.Marshal(c)
	return text, "", err
}
