package running

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/topo/plan"
)

// SchemaVersion is that of the file.
const SchemaVersion = 1

// fileName is the file of the state in the directory of a lab.
const fileName = "lab.json"

// Kind says what a lab is there for.
type Kind string

// The kinds of labs.
const (
	Up    Kind = "up"    // it stays until it is taken down, for programs of the user's own
	Run   Kind = "run"   // it goes with a run
	Serve Kind = "serve" // it serves clients of a switch
)

// State is what a lab is made of.
type State struct {
	SchemaVersion int    `json:"schema_version"`
	Lab           string `json:"lab"`
	Kind          Kind   `json:"kind"`
	Topology      string `json:"topology"`       // its name
	File          string `json:"file,omitempty"` // that it was made of, as it was named; empty: none
	Offload       bool   `json:"offload"`        // hosts send super-packets
	Nodes         []Node `json:"nodes"`
	Links         []Link `json:"links"`
}

// Node is a host, a switch, or a node of the management network alone.
type Node struct {
	Name       string      `json:"name"`
	Kind       string      `json:"kind"`                // "host", "switch" or "station"
	Address    string      `json:"address,omitempty"`   // of a host
	Namespace  string      `json:"namespace,omitempty"` // path, in the mount namespace of the owner
	Interfaces []Interface `json:"interfaces"`
}

// Kinds of nodes.
const (
	Host    = "host"
	Switch  = "switch"
	Station = "station"
)

// Interface is one end of a link, in the namespace of its node.
type Interface struct {
	Name string `json:"name"`
	MAC  string `json:"mac"`
	Peer string `json:"peer"` // the other end, as "tor:p0"
}

// Link is a pair of interfaces, as "h0:eth0" and "tor:p0".
type Link struct {
	A string `json:"a"`
	B string `json:"b"`
}

// Of returns the state of a lab of a plan, whose namespaces and links are those of a spec.
func Of(kind Kind, spec netns.Spec, p *plan.Plan) State {
	s := State{SchemaVersion: SchemaVersion, Lab: spec.Lab, Kind: kind, Topology: p.Name, Nodes: []Node{}, Links: []Link{}}
	hosts := map[string]string{} // looked up
	for _, h := range p.Hosts {
		hosts[h.Name] = h.Addr.Addr().String()
	}
	at := map[string]int{}
	for _, n := range spec.Nodes {
		node := Node{Name: n.Name, Kind: Station, Namespace: netns.Path(spec.Lab, n.Name), Interfaces: []Interface{}}
		if addr, ok := hosts[n.Name]; ok {
			node.Kind, node.Address = Host, addr
		} else if _, ok := p.Switch(n.Name); ok {
			node.Kind = Switch
		}
		at[n.Name] = len(s.Nodes)
		s.Nodes = append(s.Nodes, node)
	}
	for _, w := range spec.Wires {
		s.Links = append(s.Links, Link{w.A.String(), w.B.String()})
		for _, pair := range [][2]netns.End{{w.A, w.B}, {w.B, w.A}} {
			n := &s.Nodes[at[pair[0].Node]]
			n.Interfaces = append(n.Interfaces, Interface{pair[0].Iface, plan.MAC(pair[0].MAC).String(), pair[1].String()})
		}
	}
	return s
}

// Node returns the node of a name.
func (s *State) Node(name string) (*Node, bool) {
	i := slices.IndexFunc(s.Nodes, func(n Node) bool { return n.Name == name })
	if i < 0 {
		return nil, false
	}
	return &s.Nodes[i], true
}

// Names lists the nodes of a kind; an empty one is any.
func (s *State) Names(kind string) (out []string) {
	for _, n := range s.Nodes {
		if kind == "" || n.Kind == kind {
			out = append(out, n.Name)
		}
	}
	return out
}

// Write writes a state into the directory of its lab, as a whole or not at all.
func Write(dir string, s State) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write state of lab %s: %w", s.Lab, err)
	}
	part := filepath.Join(dir, fileName+".part")
	if err := os.WriteFile(part, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write state of lab %s: %w", s.Lab, err)
	}
	if err := os.Rename(part, filepath.Join(dir, fileName)); err != nil {
		return fmt.Errorf("write state of lab %s: %w", s.Lab, err)
	}
	return nil
}

// Read reads the state of the lab in a directory.
func Read(dir string) (State, error) {
	text, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		return State{}, fmt.Errorf("read state of lab %s: %w", filepath.Base(dir), err)
	}
	var s State
	if err := json.Unmarshal(text, &s); err != nil {
		return State{}, fmt.Errorf("read state of lab %s: %w", filepath.Base(dir), err)
	}
	if s.SchemaVersion != SchemaVersion {
		return s, fmt.Errorf("the state of lab %s is of version %d, and this program reads %d: use the program that started the lab", filepath.Base(dir), s.SchemaVersion, SchemaVersion)
	}
	return s, nil
}
