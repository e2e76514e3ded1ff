package netns

import (
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/vishvananda/netlink"
)

// A program that somebody put on an interface of a killed lab is named; the lab goes nevertheless.
func TestCollectNamesForeignPrograms(t *testing.T) {
	needRoot(t)
	lab, state := NewLabName(), t.TempDir()
	checkLeaks(t, lab)
	cmd, _ := startRole(t, roleHarness, nil, lab, state)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type: ebpf.XDP, License: "Apache-2.0", Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 2), asm.Return()},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	l := &Lab{nodes: map[string]string{"h1": Path(lab, "h1")}}
	if err := l.Do("h1", func() error {
		link, err := netlink.LinkByName("eth0")
		if err != nil {
			return err
		}
		const generic = 1 << 1 // XDP_FLAGS_SKB_MODE, which takes any MTU
		return netlink.LinkSetXdpFdWithFlags(link, p.FD(), generic)
	}); err != nil {
		t.Fatal(err)
	}
	info, err := p.Info()
	if err != nil {
		t.Fatal(err)
	}
	id, _ := info.ID()
	report, err := GC(Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	want := Program{"h1", "eth0", uint32(id)}
	if c := report.Collected; len(c) != 1 || c[0].Namespaces != 3 || len(c[0].Programs) != 1 || c[0].Programs[0] != want {
		t.Errorf("collected %+v, want all of it and %+v", c, want)
	}
}
