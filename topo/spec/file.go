package spec

import "github.com/inalab/inalab/topo/linktext"

// APIVersion is what topology files say first, and FileKind what they are.
const (
	APIVersion = "inalab/v1"
	FileKind   = "Topology"
)

// Suffix is how the names of topology files end.
const Suffix = ".topo.yaml"

// File is a topology file as it is written. Quantities are text, so that a bad one is reported where it stands.
type File struct {
	APIVersion  string          `yaml:"apiVersion"`
	Kind        string          `yaml:"kind"`
	Name        string          `yaml:"name"`
	Description string          `yaml:"description,omitempty"`
	Defaults    Defaults        `yaml:"defaults,omitempty"`
	Kinds       map[string]Kind `yaml:"kinds,omitempty"`
	Nodes       map[string]Node `yaml:"nodes"`
	Links       []Link          `yaml:"links"`
	Impair      []linktext.At   `yaml:"impair,omitempty"`
	Schedule    []Timed         `yaml:"schedule,omitempty"`
}

// Defaults is what holds where nodes and links say nothing.
type Defaults struct {
	MTU    *int          `yaml:"mtu,omitempty"`
	Link   linktext.Link `yaml:"link,omitempty"`   // every link
	Uplink linktext.Link `yaml:"uplink,omitempty"` // what differs between switches
	Fabric linktext.Link `yaml:"fabric,omitempty"` // between two PFEs of a chassis
}

// Kind is a kind of nodes: one that is always there, and what differs.
type Kind struct {
	Is     string `yaml:"is"`
	Traits `yaml:",inline"`
}

// Node is a node. What it says goes over what its kind says.
type Node struct {
	Kind   string `yaml:"kind"`
	Traits `yaml:",inline"`
}

// Traits is what nodes may be beside hosts and switches.
type Traits struct {
	Engine  string         `yaml:"engine,omitempty"`
	Program string         `yaml:"program,omitempty"`
	Tier    *int           `yaml:"tier,omitempty"`
	Ports   []string       `yaml:"ports,omitempty"`
	Cards   []Card         `yaml:"cards,omitempty"`
	Top     string         `yaml:"top,omitempty"`
	Fabric  *linktext.Link `yaml:"fabric,omitempty"`
}

// Card is a line card of a chassis.
type Card struct {
	Slot  *int `yaml:"slot,omitempty"`
	PFEs  int  `yaml:"pfes"`
	Ports int  `yaml:"ports"` // of each PFE
}

// Link joins two nodes.
type Link struct {
	Endpoints []Endpoint    `yaml:"endpoints"`
	Both      linktext.Link `yaml:",inline"`
	AtoB      linktext.Link `yaml:"a-to-b,omitempty"` // what differs from the first end to the second
	BtoA      linktext.Link `yaml:"b-to-a,omitempty"`
}

// Endpoint is "node" or "node:port".
type Endpoint string

// UnmarshalYAML reads an endpoint. The parser takes node:port inside [] for a mapping, where YAML has text.
func (e *Endpoint) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	err := unmarshal(&text)
	var pair map[string]string
	if err != nil && unmarshal(&pair) == nil && len(pair) == 1 {
		// ordered: there is one
		for node, port := range pair {
			text, err = node+":"+port, nil
		}
	}
	*e = Endpoint(text)
	return err
}

// Timed is a change of links in mid-run, as scenarios have it below at.
type Timed struct {
	Time string       `yaml:"time"`
	Link *linktext.At `yaml:"link"`
}
