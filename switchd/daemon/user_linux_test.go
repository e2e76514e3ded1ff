package daemon_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/daemon"
	"github.com/inalab/inalab/switchd/program/user"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// firewall keeps out IPv4 from one address, and lets all else pass.
const firewall = `
struct ether_ip_t { : 96; etype : 16; : 96; src : 32; dst : 32; };
register packet_work_t r_work @ WORK_REGISTER;
virtual ether_ip_t *pkt = HEAD_START;
counter passed;
sram denied[1];
lmem u64 address;
export virtual DROP_BLOCKED = 1;
packet entry start;
start: begin MemRead(denied, &address, 8); end
begin if (pkt->etype != 0x0800) goto pass; end
begin if (pkt->src == address[31:0]) goto blocked; end
pass: begin CounterIncPhys(passed, r_work.pkt_len); end
begin Forward(0); exit; end
blocked: begin Drop(DROP_BLOCKED); exit; end
`

func firewallAgainst(t testing.TB, name string, side user.Side, h *plan.Host) chassis.Program {
	t.Helper()
	addr := h.Addr.Addr().As4()
	config, err := json.Marshal(user.Config{
		Name: name, File: name + ".mc", Text: firewall, Side: side, Hops: []user.Hop{{Routing: true}},
		Memory: []user.Initial{{Symbol: "denied", Values: []uint64{uint64(binary.BigEndian.Uint32(addr[:]))}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return chassis.Program{System: user.System, Name: name, Config: config}
}

// replace has the switch replace a program, and wants no packet lost.
func (l *lab) replace(socket string, s control.Source) {
	l.t.Helper()
	c, err := control.Dial(l.t.Context(), socket)
	if err != nil {
		l.t.Fatal(err)
	}
	got, err := c.Do(l.t.Context(), control.Request{Version: control.Version, Op: control.OpReplace, Source: &s})
	if err := errors.Join(err, c.Close()); err != nil || len(got.Replaced) != 1 || got.Replaced[0].InFlight != 0 {
		l.t.Errorf("%+v, %v", got, err)
	}
}

// Programs of a user's own on both sides of a switch that runs, with real ping and iperf3:
// ARP and all others pass, and neither what is kept out on arrival nor on leaving.
func TestUserProgramsLive(t *testing.T) {
	checkLeaks(t)
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 4})
	h, socket := p.Hosts, filepath.Join(t.TempDir(), "tor.sock")
	l := newLab(t, p, func(c *daemon.Config) {
		c.RingFrames, c.Control = 256, socket
		c.Chassis.Transit = []chassis.Program{firewallAgainst(t, "in", user.Ingress, &h[2]), firewallAgainst(t, "out", user.Egress, &h[3])}
	})
	to := h[1].Addr.Addr().String()
	l.ping(&h[0], h[1].Addr.Addr(), 20_000) // in fragments
	l.transfer(&h[0], &h[1], 1<<20)         // to the byte
	for from, want := range map[int]string{0: " 0% packet loss", 2: " 100% packet loss", 3: " 100% packet loss"} {
		if said := l.realPing(&h[from], "-c", "3", to); !strings.Contains(said, want) {
			t.Errorf("ping from %s, want %s: %s", h[from].Name, want, said)
		}
	}
	t.Logf("iperf3: %v", l.iperf3(&h[0], &h[1], "-n", "20M"))
	l.replace(socket, control.Source{Program: "in", File: "open.mc", Text: "packet entry start;\nsram denied[1];\nstart: begin Forward(0); exit; end"})
	if said := l.realPing(&h[2], "-c", "1", to); !strings.Contains(said, " 0% packet loss") {
		t.Errorf("ping from %s through the program that was replaced: %s", h[2].Name, said)
	}
	l.transfer(&h[0], &h[1], 1<<20)
	l.end()
	r := l.reports["tor"]
	for name, least := range map[string]uint64{"in/in-blocked": 3, "out/out-blocked": 3, "in/in-passed": 1000, "out/out-passed": 1000} {
		if got := sansio.CountOf(r.Counters, "engine/"+name); got < least {
			t.Errorf("%s: %d, want at least %d; all: %s", name, got, least, fmt.Sprint(r.Counters))
		}
	}
	if len(r.UnaskedDrops) > 0 {
		t.Errorf("drops %v", r.UnaskedDrops)
	}
}
