package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/afpacket"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/xdp"
)

// machine is a file system with these files.
func machine(files ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i+1 < len(files); i += 2 {
		m[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return m
}

func late(d time.Duration) []time.Duration {
	out := make([]time.Duration, timerWaits)
	for i := timerWaits * 99 / 100; i < timerWaits; i++ {
		out[i] = d
	}
	return out
}

func TestChecks(t *testing.T) {
	const (
		clocksource = "sys/devices/system/clocksource/clocksource0/"
		maxNetns    = "proc/sys/user/max_net_namespaces"
	)
	yes, no := afpacket.Feature{Support: pktio.Yes}, afpacket.Feature{Support: pktio.No, Reason: "EINVAL"}
	refused := errors.New("refused")
	able, unable := func() error { return nil }, func() error { return refused }
	for _, c := range []struct {
		name string
		got  check
		want check
	}{
		{"root", checkPrivilege(nil, unable), pass("privilege", "root")},
		{"user namespaces", checkPrivilege(refused, able), pass("privilege", "not root, but user namespaces work")},
		{"neither", checkPrivilege(errors.New("CAP_NET_ADMIN is missing"), unable),
			fail("privilege", "namespaces cannot be made: CAP_NET_ADMIN is missing; without root: refused", "sudo inalab ...")},

		{"new kernel", checkKernel("6.18.44-fc"), pass("kernel", "Linux 6.18.44-fc")},
		{"6.2", checkKernel("6.2.0"), pass("kernel", "Linux 6.2.0")},
		{"6.1", checkKernel("6.1.0-13-amd64"), warn("kernel", "Linux 6.1.0-13-amd64: before 6.2 switches send frame by frame", "install Linux 6.2 or later")},
		{"5.15", checkKernel("5.15.0"), warn("kernel", "Linux 5.15.0: before 6.2 switches send frame by frame", "install Linux 6.2 or later")},
		{"4.19", checkKernel("4.19.0"), fail("kernel", "Linux 4.19.0 is older than 5.0", "install a newer kernel, best 6.2 or later")},
		{"odd kernel", checkKernel("unknown"), pass("kernel", "Linux unknown")},

		{"one processor", checkProcessors(1), warn("processors", "1 processor: switch and workers wait for each other", "give the machine 2 or more")},
		{"two processors", checkProcessors(2), pass("processors", "2")},

		{"tsc", checkClocksource(machine(clocksource+"current_clocksource", "tsc\n")), pass("clocksource", "tsc")},
		{"hpet", checkClocksource(machine(clocksource+"current_clocksource", "hpet\n", clocksource+"available_clocksource", "tsc hpet\n")),
			warn("clocksource", "hpet is slow to read", "choose another of tsc, hpet: echo NAME > /"+clocksource+"current_clocksource")},
		{"no clocksource", checkClocksource(machine()), pass("clocksource", "not told by this kernel")},

		{"timers in time", checkTimers(late(70*time.Microsecond), nil), pass("timers", "1% of them are 70µs late or more")},
		{"late timers", checkTimers(late(3*time.Millisecond), nil),
			warn("timers", "1% of them are 3ms late or more: more than 1ms spoils live runs", "end other programs; give a virtual machine processors of its own")},
		{"no timers", checkTimers(nil, refused), warn("timers", "not measured: refused", "allow prctl(2) and ppoll(2)")},

		{"files", checkFiles(20000), pass("open files", "limit of 20000")},
		{"many files", checkFiles(1<<63 - 1), pass("open files", "no limit")},
		{"few files", checkFiles(1024), warn("open files", "limit of 1024: labs of more than about 128 nodes do not fit", "ulimit -Hn 4096, as root")},

		{"namespaces", checkNamespaceLimit(machine(maxNetns, "96365\n")), pass("namespaces", "limit of 96365")},
		{"few namespaces", checkNamespaceLimit(machine(maxNetns, "100\n")),
			warn("namespaces", "user.max_net_namespaces is 100: larger labs do not fit", "sysctl -w user.max_net_namespaces=2400")},
		{"no namespaces", checkNamespaceLimit(machine(maxNetns, "0\n")),
			fail("namespaces", "user.max_net_namespaces is 0: none may be made", "sysctl -w user.max_net_namespaces=2400")},
		{"no limit", checkNamespaceLimit(machine()), pass("namespaces", "no limit is told by this kernel")},

		{"no directory", checkNamespaceDir(machine()), pass("/run/netns", "not there yet: the first live run makes it")},
		{"directory", checkNamespaceDir(machine("run/netns/x", "")), pass("/run/netns", "a directory: the first live run makes it a shared mount")},
		{"shared", checkNamespaceDir(machine("run/netns/x", "", "proc/self/mountinfo", "1 2 8:1 / / rw - ext4 a b\n36 35 98:0 / /run/netns rw shared:1 - tmpfs c d\n")),
			pass("/run/netns", "a shared mount")},
		{"private", checkNamespaceDir(machine("run/netns/x", "", "proc/self/mountinfo", "36 35 98:0 / /run/netns rw - tmpfs c d\n")),
			pass("/run/netns", "a private mount: root's live runs make it shared")},
		{"file", checkNamespaceDir(machine("run/netns", "")), fail("/run/netns", "not a directory", "rm /run/netns")},

		{"no bridge", checkBridge(machine()), pass("bridge-nf", "off")},
		{"bridge", checkBridge(machine("proc/sys/net/bridge/bridge-nf-call-iptables", "1\n")), pass("bridge-nf", "on, but labs have no bridge")},

		{"packet sockets", checkPacketSockets(afpacket.Features{VnetHdr: yes, TPacketV2: yes, GSOSend: yes}, nil),
			pass("packet sockets", "PACKET_VNET_HDR, TPACKET_V2, UDP super-packets")},
		{"no super-packets", checkPacketSockets(afpacket.Features{VnetHdr: yes, TPacketV2: yes, GSOSend: no}, nil),
			warn("packet sockets", "switches move frame by frame: UDP super-packets: no (EINVAL)", "install Linux 6.2 or later")},
		{"no packet sockets", checkPacketSockets(afpacket.Features{}, refused),
			fail("packet sockets", "refused", "run as root; a kernel with CONFIG_PACKET")},
		{"udp", checkUDP(udp.Features{GSO: pktio.Yes, GRO: pktio.Yes}), pass("udp offload", "UDP_SEGMENT, UDP_GRO")},
		{"no udp gro", checkUDP(udp.Features{GSO: pktio.Yes, GRO: pktio.No}),
			warn("udp offload", "workers move datagram by datagram: UDP_SEGMENT yes, UDP_GRO no", "install Linux 5.0 or later")},
		{"raw", checkRaw(nil), pass("raw ip sockets", "can be opened")},
		{"no raw", checkRaw(refused), warn("raw ip sockets", "XAgg cannot run live: refused", "run as root")},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, c.got, c.want)
		}
	}
}

func TestCheckRate(t *testing.T) {
	full, small := udp.Buffers{Rcv: 64 * units.MiB}, udp.Buffers{Rcv: 8 * units.MiB}
	for _, c := range []struct {
		name string
		got  []check
		want []check
	}{
		{"fast", checkRate(rate{4e6, full}, nil), []check{pass("socket buffers", "64MiB"), pass("packet rate", "4 million a second between two sockets")}},
		{"slow", checkRate(rate{50e3, small}, nil), []check{
			warn("socket buffers", "4MiB in place of 32MiB: bursts may be lost", "sysctl -w net.core.rmem_max=33554432 net.core.wmem_max=33554432"),
			warn("packet rate", "0.05 million a second between two sockets: too slow for the default scenario", "end other programs; leave scale: auto")}},
		{"none", checkRate(rate{}, errors.New("refused")), []check{fail("packet rate", "no packets pass: refused", "look at the packet filter: nft list ruleset")}},
	} {
		if len(c.got) != len(c.want) {
			t.Fatalf("%s: %+v", c.name, c.got)
		}
		for i := range c.got {
			if c.got[i] != c.want[i] {
				t.Errorf("%s:\n got %+v\nwant %+v", c.name, c.got[i], c.want[i])
			}
		}
	}
}

func TestChecksAreWritten(t *testing.T) {
	checks := []check{pass("veth", "can be made"), warn("labs", "1 left behind by killed runs", "inalab gc")}
	for _, c := range []struct {
		checks []check
		asJSON bool
		want   string
	}{
		{checks, true, `{
  "schema_version": 1,
  "verdict": "warn",
  "checks": [
    {
      "check": "veth",
      "verdict": "ok",
      "reason": "can be made"
    },
    {
      "check": "labs",
      "verdict": "warn",
      "reason": "1 left behind by killed runs",
      "fix": "inalab gc"
    }
  ]
}
`},
		{checks, false, `
+-------+---------+------------------------------+-----------+
| check | verdict | reason                       | fix       |
+-------+---------+------------------------------+-----------+
| veth  | ok      | can be made                  | -         |
| labs  | warn    | 1 left behind by killed runs | inalab gc |
+-------+---------+------------------------------+-----------+
- live runs work; the warnings say what may spoil them
`},
		{append(checks, fail("kernel", "old", "install a newer one")), false, `
+--------+---------+------------------------------+---------------------+
| check  | verdict | reason                       | fix                 |
+--------+---------+------------------------------+---------------------+
| veth   | ok      | can be made                  | -                   |
| labs   | warn    | 1 left behind by killed runs | inalab gc           |
| kernel | fail    | old                          | install a newer one |
+--------+---------+------------------------------+---------------------+
- live runs do not work here yet; inalab run --clock virtual does
`},
	} {
		var out bytes.Buffer
		if err := writeChecks(&out, c.checks, c.asJSON); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("got\n%s\nwant%s", got, c.want)
		}
	}
}

func TestCheckXDP(t *testing.T) {
	const user = "XAgg aggregates in user space: "
	refused := errors.New("refused")
	kernel := "install Linux 5.9 or later, with CONFIG_BPF_SYSCALL and CONFIG_BPF_JIT"
	for i, c := range []struct{ good, bad check }{
		{pass("btf", "type information of maps can be loaded"), warn("btf", user+"refused", kernel)},
		{pass("bpf memory", "not limited by memlock"), warn("bpf memory", user+"refused", "ulimit -l unlimited, as root; or Linux 5.11 or later")},
		{pass("xdp program", "XAgg's aggregator can be loaded"), warn("xdp program", user+"refused", kernel)},
		{pass("bpf_link", "the kernel detaches programs with their process"), warn("bpf_link", user+"refused", kernel)},
		{pass("xdp native", "on veth"), warn("xdp native", user+"refused", "a kernel whose veth driver has XDP: Linux 4.19 or later")},
		{pass("xdp generic", "on any interface"), warn("xdp generic", user+"refused", kernel)},
	} {
		good, bad := checkXDP(xdp.Features{}), checkXDP(xdp.Features{BTF: refused, Memlock: refused, Program: refused, Link: refused, Native: refused, Generic: refused})
		if good[i] != c.good || bad[i] != c.bad {
			t.Errorf("got\n%+v\n%+v", good[i], bad[i])
		}
	}
	if got := checkXDP(xdp.Features{Native: xdp.ErrPermission})[4]; got.Fix != "run as root" {
		t.Errorf("without rights: %+v", got)
	}
}
