package running

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// What is written of a lab is read again, whole: nodes, their namespaces and both ends of links.
func TestStateRoundTrip(t *testing.T) {
	g, err := gen.ByName("rack", gen.Params{Hosts: 2})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	spec := netns.Spec{Lab: "mine", Nodes: []netns.Node{{Name: "tor"}, {Name: "h0"}, {Name: "aside"}}, Wires: []netns.Wire{
		{A: netns.End{Node: "h0", Iface: "eth0", MAC: [6]byte{2, 0, 0, 0, 0, 1}}, B: netns.End{Node: "tor", Iface: "p0", MAC: [6]byte{2, 0, 0, 0, 0, 2}}},
	}}
	want := State{
		SchemaVersion: 1, Lab: "mine", Kind: Up, Topology: "rack", Nodes: []Node{
			{Name: "tor", Kind: Switch, Namespace: "/run/netns/inalab-mine-tor", Interfaces: []Interface{{"p0", "02:00:00:00:00:02", "h0:eth0"}}},
			{Name: "h0", Kind: Host, Address: p.Hosts[0].Addr.Addr().String(), Namespace: "/run/netns/inalab-mine-h0", Interfaces: []Interface{{"eth0", "02:00:00:00:00:01", "tor:p0"}}},
			{Name: "aside", Kind: Station, Namespace: "/run/netns/inalab-mine-aside", Interfaces: []Interface{}},
		}, Links: []Link{{"h0:eth0", "tor:p0"}},
	}
	dir := t.TempDir()
	if err := Write(dir, Of(Up, spec, p)); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if n, ok := got.Node("h0"); !ok || n.Kind != Host {
		t.Errorf("node h0: %v, %v", n, ok)
	}
	if names := got.Names(Host); !cmp.Equal(names, []string{"h0"}) {
		t.Errorf("hosts %q", names)
	}
}

func TestStateOfAnotherVersion(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "lab.json"), []byte(`{"schema_version": 9}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "is of version 9, and this program reads 1") {
		t.Errorf("error %v", err)
	}
}
