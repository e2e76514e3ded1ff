package netns

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/journal"
)

func TestSpecIsChecked(t *testing.T) {
	prefix := netip.MustParsePrefix
	tests := []struct {
		name, want string
		spoil      func(*Spec)
	}{
		{"lab", `lab name "A b"`, func(s *Spec) { s.Lab = "A b" }},
		{"long lab", "lab name", func(s *Spec) { s.Lab = strings.Repeat("a", journal.MaxLabName+1) }},
		{"mtu", "mtu 67", func(s *Spec) { s.MTU = 67 }},
		{"node name", `node name "a/b"`, func(s *Spec) { s.Nodes[0].Name = "a/b" }},
		{"node twice", `node "h1" stands twice`, func(s *Spec) { s.Nodes[1].Name = "h1" }},
		{"unknown node", `there is no node "h7"`, func(s *Spec) { s.Wires[0].A.Node = "h7" }},
		{"interface twice", "interface r:p1 has a wire already", func(s *Spec) { s.Wires[1].A.Iface = "p1" }},
		{"interface name", `interface name "eth0123456789012"`, func(s *Spec) { s.Wires[0].A.Iface = "eth0123456789012" }},
		{"interface template", `interface name "p%d"`, func(s *Spec) { s.Wires[0].A.Iface = "p%d" }},
		{"multicast mac", "01:00:00:00:00:00 is not the address of one", func(s *Spec) { s.Wires[0].B.MAC = [6]byte{1} }},
		{"no mac", "00:00:00:00:00:00 is not the address of one", func(s *Spec) { s.Wires[0].B.MAC = [6]byte{} }},
		{"ipv6", "address fd00::1/64 is not IPv4", func(s *Spec) { s.Wires[0].A.Addr = prefix("fd00::1/64") }},
		{"route", "the destination must be an IPv4 prefix", func(s *Spec) { s.Nodes[0].Routes[0].Dst = prefix("::/0") }},
		{"next hop", "next hop ::1 is not", func(s *Spec) { s.Nodes[0].Routes[0].Via = netip.IPv6Loopback() }},
		{"no next hop", "is not an IPv4 address", func(s *Spec) { s.Nodes[0].Routes[0].Via = netip.Addr{} }},
		{"queues", "h1:eth0 - r:p1: 4097 queues", func(s *Spec) { s.Wires[0].Queues = 4097 }},
		{"neighbor", "neighbor ::1 is not", func(s *Spec) { s.Nodes[1].Neighbors[0].Addr = netip.IPv6Loopback() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec := twoHosts("x")
			tt.spoil(&spec)
			if _, err := Up(t.Context(), spec, Options{StateDir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestThreadsAreChecked(t *testing.T) {
	if _, err := Up(t.Context(), twoHosts("x"), Options{StateDir: t.TempDir(), Threads: -1}); err == nil || !strings.Contains(err.Error(), "threads -1") {
		t.Errorf("error %v", err)
	}
}

func TestGeneratedNamesAreValid(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		name := NewLabName()
		if err := journal.CheckLab(name); err != nil || seen[name] || len(name) != labNameLen {
			t.Fatalf("name %q: %v", name, err)
		}
		seen[name] = true
	}
}
