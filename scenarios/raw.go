package scenarios

import (
	"cmp"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/topo/linktext"
)

// APIVersion is what scenario files say first.
const APIVersion = "inalab/v1"

// FileKind is what scenario files say they are.
const FileKind = "Scenario"

// raw is a scenario file as it is written, but for the sections of systems (see
// schema). Quantities are text here: the resolver reads them, and so can say where
// in the file a bad one stands.
type raw struct {
	APIVersion  string          `yaml:"apiVersion"`
	Kind        string          `yaml:"kind"`
	Name        string          `yaml:"name"`
	Description string          `yaml:"description"`
	Seed        uint64          `yaml:"seed"`
	Model       rawModel        `yaml:"model"`
	Iterations  int             `yaml:"iterations"`
	MiniBatch   int             `yaml:"mini-batch,omitempty"`
	Scale       rawScale        `yaml:"scale"`
	Hosts       int             `yaml:"hosts,omitempty"`
	MTU         int             `yaml:"mtu"`
	Topology    rawShape        `yaml:"topology"`
	Link        linktext.Link   `yaml:"link"`
	Uplink      linktext.Link   `yaml:"uplink,omitempty" json:",omitzero"`
	Fabric      linktext.Link   `yaml:"fabric"`
	Links       []linktext.At   `yaml:"links,omitempty" json:",omitempty"`
	Workers     []rawWorkerAt   `yaml:"workers,omitempty" json:",omitempty"`
	Systems     []rawSystem     `yaml:"systems,omitempty"`
	Jobs        []rawJob        `yaml:"jobs,omitempty" json:",omitempty"`
	Stragglers  rawStragglers   `yaml:"stragglers"`
	Programs    []rawProgram    `yaml:"programs,omitempty"`
	Flows       []rawFlow       `yaml:"flows,omitempty" json:",omitempty"`
	Interval    string          `yaml:"interval,omitempty" json:",omitempty"`
	Transit     []rawTransit    `yaml:"transit,omitempty" json:",omitempty"`
	At          []rawAt         `yaml:"at,omitempty" json:",omitempty"`
	Takes       string          `yaml:"takes,omitempty" json:",omitempty"`
	Expect      []rawExpect     `yaml:"expect,omitempty" json:",omitempty"`
	Variant     string          `yaml:"variant,omitempty" json:",omitempty"`
	Variants    yaml.MapSlice   `yaml:"variants,omitempty" json:",omitempty"`
	Sweep       []yaml.MapSlice `yaml:"sweep,omitempty" json:",omitempty"`
}

type rawTransit struct {
	Program string        `yaml:"program"`
	Switch  string        `yaml:"switch,omitempty" json:",omitempty"`
	PFE     string        `yaml:"pfe,omitempty" json:",omitempty"`
	Config  yaml.MapSlice `yaml:"config,omitempty" json:",omitempty"`

	// Collector is a host that takes the program's reports.
	Collector string `yaml:"collector,omitempty" json:",omitempty"`

	// Of a program of one's own: its text, if it stands in no file, and what it is loaded with.
	Source       string `yaml:"source,omitempty" json:",omitempty"`
	Name         string `yaml:"name,omitempty" json:",omitempty"`
	Side         string `yaml:"direction,omitempty" json:",omitempty"`
	Records      int    `yaml:"records,omitempty" json:",omitempty"`
	Instructions int    `yaml:"instructions,omitempty" json:",omitempty"`

	Match  *rawMatch   `yaml:"match,omitempty" json:",omitempty"`
	Hops   []rawHop    `yaml:"next-hops,omitempty" json:",omitempty"`
	Timers []rawTimer  `yaml:"timers,omitempty" json:",omitempty"`
	Memory []rawMemory `yaml:"memory,omitempty" json:",omitempty"`
	Tables []rawTable  `yaml:"tables,omitempty" json:",omitempty"`
}

type rawJob struct {
	Name       string   `yaml:"name,omitempty" json:",omitempty"`
	System     string   `yaml:"system,omitempty" json:",omitempty"`
	Hosts      []string `yaml:"hosts"`
	Servers    []string `yaml:"servers,omitempty" json:",omitempty"`
	Model      rawModel `yaml:"model,omitempty" json:",omitzero"`
	Iterations int      `yaml:"iterations,omitempty" json:",omitempty"`
	Timeout    string   `yaml:"timeout,omitempty" json:",omitempty"`

	Start  string     `yaml:"start,omitempty" json:",omitempty"`
	Stop   string     `yaml:"stop,omitempty" json:",omitempty"`
	Repeat *rawRepeat `yaml:"repeat,omitempty" json:",omitempty"`
}

type rawRepeat struct {
	Iterations int    `yaml:"iterations"`
	Off        string `yaml:"off"`
}

type rawExpect struct {
	Table  string        `yaml:"table,omitempty" json:",omitempty"`
	Column string        `yaml:"column"`
	Where  yaml.MapSlice `yaml:"where,omitempty" json:",omitempty"`
	Min    *float64      `yaml:"min,omitempty" json:",omitempty"`
	Max    *float64      `yaml:"max,omitempty" json:",omitempty"`
}

type rawSystem struct {
	System     string    `yaml:"system"`
	Topology   *rawShape `yaml:"topology,omitempty"`
	IfPossible bool      `yaml:"if-possible,omitempty" json:",omitempty"`

	word bool // it was written as a word
}

// UnmarshalYAML reads a word, which is the name of the system, or a mapping.
func (s *rawSystem) UnmarshalYAML(unmarshal func(any) error) error {
	var word string
	if unmarshal(&word) == nil {
		*s = rawSystem{System: word, word: true}
		return nil
	}
	type mapping rawSystem
	return unmarshal((*mapping)(s))
}

// rawShape is a topology: the name of a generator or of a file, or a mapping with one of them and its parameters.
type rawShape struct {
	Generator string        `yaml:"generator,omitempty"`
	File      string        `yaml:"file,omitempty" json:",omitempty"`
	Hosts     int           `yaml:"hosts,omitempty" json:",omitempty"`
	Leaves    int           `yaml:"leaves,omitempty" json:",omitempty"`
	Spines    int           `yaml:"spines,omitempty" json:",omitempty"`
	Racks     int           `yaml:"racks,omitempty" json:",omitempty"`
	Depth     int           `yaml:"depth,omitempty" json:",omitempty"`
	FanOut    int           `yaml:"fan-out,omitempty" json:",omitempty"`
	Links     []linktext.At `yaml:"links,omitempty" json:",omitempty"`

	// Sources are the texts of the file and of the programs that it names, by name, so that the resolved scenario needs no other file.
	Sources map[string]string `yaml:"sources,omitempty" json:",omitempty"`

	word bool // it was written as a word
}

// UnmarshalYAML reads a word, or a mapping over what there is. The texts of files stay: a point of a sweep names one of
// them.
func (s *rawShape) UnmarshalYAML(unmarshal func(any) error) error {
	var word string
	if unmarshal(&word) == nil {
		*s = rawShape{Generator: word, word: true, Sources: s.Sources}
		if strings.HasSuffix(word, fileSuffix) {
			s.Generator, s.File = "", word
		}
		return nil
	}
	type mapping rawShape
	s.word = false
	return unmarshal((*mapping)(s))
}

// MarshalYAML writes a word where that says all.
func (s rawShape) MarshalYAML() (any, error) {
	type mapping rawShape
	if s.word && len(s.Sources) == 0 {
		return cmp.Or(s.File, s.Generator), nil
	}
	return mapping(s), nil
}

// fileSuffix is how the name of a topology file ends.
const fileSuffix = ".yaml"

type rawStragglers struct {
	P         []string    `yaml:"p"`
	Semantics string      `yaml:"semantics"`
	Outages   []rawOutage `yaml:"outages,omitempty" json:",omitempty"`
}

type rawOutage struct {
	Worker    int    `yaml:"worker"`
	Iteration int    `yaml:"iteration"`
	For       string `yaml:"for"`
}

type rawProgram struct {
	Host    string   `yaml:"host"`
	Command []string `yaml:"command"`
}
