package daemon_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/daemon"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// runsTransit is a system whose engine is one that frames pass.
type runsTransit struct{ *chassistest.Transit }

func (s runsTransit) NewEngine(json.RawMessage, trace.Sink) (dataplane.Engine, error) {
	return s.Transit, nil
}

// checkLeaks fails the test if it leaves descriptors, goroutines or processes behind.
func checkLeaks(t testing.TB) {
	t.Helper()
	if r, w, err := os.Pipe(); err == nil { // makes the Go runtime open the descriptors that it keeps
		_, _ = r.Close(), w.Close()
	}
	fds, routines := countFiles(t, "/proc/self/fd"), runtime.NumGoroutine()
	t.Cleanup(func() {
		// A goroutine that is done still counts until it is scheduled once more.
		for until := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > routines && time.Now().Before(until); {
			runtime.Gosched()
		}
		if n := runtime.NumGoroutine(); n > routines {
			t.Errorf("%d goroutines, %d before the test", n, routines)
		}
		if n := countFiles(t, "/proc/self/fd"); n > fds {
			t.Errorf("%d open descriptors, %d before the test", n, fds)
		}
		children, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
		if err == nil && len(bytes.TrimSpace(children)) > 0 {
			t.Errorf("processes %s are left", children)
		}
	})
}

func countFiles(t testing.TB, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// realPing has the ping of the system try an address and returns what it said.
func (l *lab) realPing(from *plan.Host, arguments ...string) string {
	l.t.Helper()
	path, err := exec.LookPath("ping")
	if err != nil {
		l.t.Skip("ping is not installed")
	}
	var said []byte
	l.in(from.Name, func() error {
		said, _ = exec.Command(path, append([]string{"-n", "-i", "0.05", "-W", "2"}, arguments...)...).CombinedOutput() // fails where nothing comes back
		return nil
	})
	return string(said)
}

// iperf3 has iperf3 send so much by TCP and returns the rate at which it came.
func (l *lab) iperf3(from, to *plan.Host, amount ...string) (rate units.Rate) {
	l.t.Helper()
	path, err := exec.LookPath("iperf3")
	if err != nil {
		l.t.Skip("iperf3 is not installed")
	}
	ctx, cancel := context.WithTimeout(l.t.Context(), 2*patience)
	defer cancel()
	server := exec.CommandContext(ctx, path, "-s", "-1", "--forceflush")
	said, err := server.StdoutPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	l.in(to.Name, server.Start)
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.Contains(lines.Text(), "listening") {
	}
	var text []byte
	l.in(from.Name, func() (err error) {
		text, err = exec.CommandContext(ctx, path, append([]string{"-J", "-c", to.Addr.Addr().String()}, amount...)...).Output()
		return err
	})
	for lines.Scan() {
	}
	if err := server.Wait(); err != nil {
		l.t.Fatalf("iperf3 server: %v", err)
	}
	var report struct {
		End struct {
			Received struct {
				Rate float64 `json:"bits_per_second"`
			} `json:"sum_received"`
		} `json:"end"`
	}
	if err := json.Unmarshal(text, &report); err != nil || report.End.Received.Rate == 0 {
		l.t.Fatalf("iperf3 received nothing: %v: %s", err, text)
	}
	return units.Rate(report.End.Received.Rate)
}

// Ports of UDP that a meddler has its ways with.
const (
	portChange = 7001 + iota
	portDrop
	portAnswer
	portHold
)

// meddler holds, changes, drops and answers frames of every kind. There is a ghost, a
// host that is nowhere: the meddler speaks for it.
type meddler struct {
	ghost netip.Addr
	tcp   int // frames
}

var ghostMAC = inet.MAC{2, 9, 9, 9, 9, 9}

const (
	held           = 3 * units.Millisecond
	typeOfNoOne    = 0x88b5 // IEEE 802, for local experiments
	carriedPort    = 1
	everyTCPDrop   = 997
	everyTCPHold   = 499
	typeOfService  = 0x28 // AF11, as a mark
	upperCaseShift = 'a' - 'A'
)

func (m *meddler) do(at sansio.Port, t *sansio.Train) (v chassistest.Verdict) {
	switch h := inet.Ether(t.Header); h.Type() {
	case inet.TypeARP:
		if arp := inet.ARP(t.Header[inet.EtherLen:]); arp.Op() == inet.ARPRequest && arp.TargetIP() == m.ghost.As4() {
			frame := make([]byte, inet.EtherLen+inet.ARPLen)
			inet.Ether(frame).Put(arp.SenderMAC(), ghostMAC, inet.TypeARP)
			inet.ARP(frame[inet.EtherLen:]).PutReply(ghostMAC, m.ghost.As4(), arp)
			return answer(at, sansio.Train{Header: frame})
		}
	case typeOfNoOne:
		return experimental(at, t)
	case inet.TypeIPv4:
		if l, problem := t.Layout(); problem == inet.OK {
			return m.ipv4(at, t, l)
		}
	}
	return v
}

// answer sends a frame back by the port that another came by.
func answer(at sansio.Port, t sansio.Train) chassistest.Verdict {
	port, _ := dataplane.IsInbound(at)
	return chassistest.Verdict{Drop: true, Send: &t, To: dataplane.Outbound(port)}
}

// experimental does with a frame that nobody would forward what its first byte says.
func experimental(at sansio.Port, t *sansio.Train) chassistest.Verdict {
	v := chassistest.Verdict{By: dataplane.Outbound(carriedPort)}
	switch t.Header[inet.EtherLen] {
	case 'c':
		v.Change = func(t *sansio.Train) { t.Header[inet.EtherLen+1] = '!' }
	case 'h':
		v.Hold = held
	case 'd':
		v.Drop = true
	case 'a':
		back := sansio.Train{Header: bytes.Clone(t.Header)}
		h := inet.Ether(back.Header)
		h.Put(h.Src(), h.Dst(), h.Type())
		return answer(at, back)
	}
	return v
}

func (m *meddler) ipv4(at sansio.Port, t *sansio.Train, l inet.Layout) (v chassistest.Verdict) {
	switch l.Proto {
	case inet.ProtoICMP:
		if inet.IPv4(t.Header[inet.EtherLen:]).Dst() == m.ghost {
			return answer(at, turned(t, func(t *sansio.Train) {
				t.Body[0] = 0 // echo reply
				t.Body[2], t.Body[3] = 0, 0
				sum := ^inet.Fold(inet.Sum(t.Body, 0))
				t.Body[2], t.Body[3] = byte(sum>>8), byte(sum)
			}))
		}
		v.Hold = held
	case inet.ProtoTCP:
		m.tcp++
		switch {
		case m.tcp%everyTCPDrop == 0:
			v.Drop = true
		case m.tcp%everyTCPHold == 0:
			v.Hold = held
		default:
			v.Change = func(t *sansio.Train) {
				ip := inet.IPv4(t.Header[inet.EtherLen:])
				ip[1] = typeOfService
				ip.UpdateChecksum()
			}
		}
	case inet.ProtoUDP:
		switch inet.UDP(t.Header[l.Transport:]).DstPort() {
		case portChange:
			v.Change = func(t *sansio.Train) { t.Body[0] -= upperCaseShift }
		case portDrop:
			v.Drop = true
		case portAnswer:
			return answer(at, turned(t, func(t *sansio.Train) {
				udp := inet.UDP(t.Header[l.Transport:])
				udp.SetPorts(udp.DstPort(), udp.SrcPort())
			}))
		case portHold:
			v.Hold = held
		}
	}
	return v
}

// turned is a copy of a packet that goes back to its sender.
func turned(t *sansio.Train, change func(*sansio.Train)) sansio.Train {
	out := *t
	out.Header, out.Body = bytes.Clone(t.Header), bytes.Clone(t.Body)
	h, ip := inet.Ether(out.Header), inet.IPv4(out.Header[inet.EtherLen:])
	h.Put(h.Src(), h.Dst(), h.Type())
	src, dst := ip.Src(), ip.Dst()
	ip.SetSrc(dst)
	ip.SetDst(src)
	change(&out)
	return out
}

// Real ping and iperf3 get through an engine that holds, changes, drops and answers
// frames of ICMP, TCP, UDP, ARP and a type that nobody forwards, and it does so with each.
func TestEngineInTransit(t *testing.T) {
	checkLeaks(t)
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
	a, b := &p.Hosts[0], &p.Hosts[1]
	ghost := a.Addr.Addr().As4()
	ghost[3] = 200
	m := &meddler{ghost: netip.AddrFrom4(ghost)}
	e := &chassistest.Transit{Want: dataplane.Wants{Transit: true, ARP: true}, Do: m.do}
	l := newLabOf(t, p, runsTransit{e}, func(c *daemon.Config) {
		c.Chassis.Programs, c.RingFrames = []json.RawMessage{json.RawMessage("{}")}, 256
	})

	said := l.realPing(a, "-c", "5", b.Addr.Addr().String())
	rtt := regexp.MustCompile(`rtt min/avg/max/mdev = ([0-9.]+)/`).FindStringSubmatch(said)
	if !strings.Contains(said, " 0% packet loss") || rtt == nil {
		t.Errorf("ping through the engine: %s", said)
	} else if ms, _ := strconv.ParseFloat(rtt[1], 64); ms < 6 {
		t.Errorf("a round trip of %v ms, though the engine holds question and answer for 3 ms each", ms)
	}
	if said := l.realPing(a, "-c", "3", m.ghost.String()); !strings.Contains(said, " 0% packet loss") {
		t.Errorf("ping of an address that the engine answers for: %s", said)
	}
	if said := l.realPing(a, "-c", "2", p.Switches[0].Router.String()); !strings.Contains(said, " 0% packet loss") {
		t.Errorf("ping of the switch behind the engine: %s", said)
	}
	t.Logf("iperf3: %v", l.iperf3(a, b, "-n", "20M"))
	l.transfer(b, a, 4<<20) // to the byte
	checkUDPInTransit(t, l, a, b)
	checkExperimental(t, l, a, b)
	l.end()
	r := l.reports["tor"]
	t.Logf("%v", r.Counters)
	count := map[string]uint64{}
	for _, c := range r.Counters {
		count[c.Name] = c.N
	}
	for name, least := range map[string]uint64{"dropped": 4, "held": 12, "changed": 2000, "made": 6} {
		if n := count["engine/transit-"+name]; n < least {
			t.Errorf("%d frames %s, want %d or more", n, name, least)
		}
	}
	if len(r.UnaskedDrops) > 0 {
		t.Errorf("drops %v", r.UnaskedDrops)
	}
}

// checkUDPInTransit sends a datagram to each of the ports that a meddler knows.
func checkUDPInTransit(t *testing.T, l *lab, a, b *plan.Host) {
	t.Helper()
	for port, want := range map[int]string{portChange: "Hello", portHold: "hello", portDrop: "", portAnswer: "hello"} {
		receiver := b
		if port == portAnswer {
			receiver = a
		}
		var in, out *net.UDPConn
		l.in(receiver.Name, func() (err error) {
			in, err = net.ListenUDP("udp4", &net.UDPAddr{IP: receiver.Addr.Addr().AsSlice(), Port: port})
			return err
		})
		out = in
		if receiver != a {
			l.in(a.Name, func() (err error) {
				out, err = net.ListenUDP("udp4", &net.UDPAddr{IP: a.Addr.Addr().AsSlice()})
				return err
			})
			defer out.Close()
		}
		defer in.Close()
		start := time.Now()
		if _, err := out.WriteTo([]byte("hello"), &net.UDPAddr{IP: b.Addr.Addr().AsSlice(), Port: port}); err != nil {
			t.Fatal(err)
		}
		wait := patience
		if want == "" {
			wait = 50 * time.Millisecond
		}
		if err := in.SetReadDeadline(start.Add(wait)); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 100)
		n, from, _ := in.ReadFrom(buf)
		if got := string(buf[:n]); got != want {
			t.Errorf("port %d: got %q, want %q", port, got, want)
		}
		if port == portAnswer && from.String() != fmt.Sprintf("%v:%d", b.Addr.Addr(), port) {
			t.Errorf("the answer comes from %v", from)
		}
		if took := time.Since(start); port == portHold && took < 3*time.Millisecond {
			t.Errorf("a held datagram took %v", took)
		}
	}
}

// checkExperimental sends frames of a type that nobody forwards.
func checkExperimental(t *testing.T, l *lab, a, b *plan.Host) {
	t.Helper()
	from, to := l.rawSocket(a), l.rawSocket(b)
	defer unix.Close(from)
	defer unix.Close(to)
	for _, tc := range []struct {
		at         int
		send, want string
	}{{to, "passed", "passed"}, {to, "changed", "c!anged"}, {to, "dropped", ""}, {to, "held", "held"}, {from, "answered", "answered"}} {
		frame := make([]byte, inet.EtherLen+len(tc.send))
		inet.Ether(frame).Put(inet.MAC(b.MAC), inet.MAC(a.MAC), typeOfNoOne)
		copy(frame[inet.EtherLen:], tc.send)
		if err := unix.Send(from, frame, 0); err != nil {
			t.Fatal(err)
		}
		got := ""
		buf := make([]byte, 100)
		if n, err := unix.Read(tc.at, buf); err == nil && n >= inet.EtherLen {
			got = string(buf[inet.EtherLen:n])
		}
		if got != tc.want {
			t.Errorf("sent %q, got %q, want %q", tc.send, got, tc.want)
		}
	}
}

// rawSocket opens a socket for frames of the experimental type at a host's interface.
func (l *lab) rawSocket(h *plan.Host) (fd int) {
	l.t.Helper()
	const protocol = typeOfNoOne>>8 | typeOfNoOne&0xff<<8
	l.in(h.Name, func() (err error) {
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, protocol); err != nil {
			return err
		}
		card, err := net.InterfaceByName(h.Iface)
		if err != nil {
			return err
		}
		if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 300_000}); err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: protocol, Ifindex: card.Index})
	})
	return fd
}

// The Microcode programs in transit, with real ping and iperf3 through them.
func TestMicrocodeInTransit(t *testing.T) {
	small := `"Memory":{"SRAM":"8MiB","DRAM":"8MiB","Records":1024}`
	for _, tc := range []struct {
		program, config string
		check           func(t *testing.T, l *lab, a, b *plan.Host)
		counts          map[string]uint64 // at least
	}{
		{"telemetry", `{"PFE":{` + small + `},"HeavyBytes":"1MB","Collector":{"Src":"10.0.0.1","Dst":"10.0.0.2","SrcPort":1,"DstPort":2},"Reports":[2]}`,
			func(t *testing.T, l *lab, a, b *plan.Host) {
				l.realPing(a, "-c", "3", b.Addr.Addr().String())
				t.Logf("iperf3: %v", l.iperf3(a, b, "-t", "1")) // ten periods of the timer
			}, map[string]uint64{"telemetry-reports": 1, "pfe-forwarded": 5000, "pfe-timer-runs": 1}},
		{"police", `{"PFE":{` + small + `},"Rate":"50Mbit/s","Burst":"200KB","Limit":1000000}`,
			func(t *testing.T, l *lab, a, b *plan.Host) {
				if said := l.realPing(a, "-c", "3", b.Addr.Addr().String()); !strings.Contains(said, " 0% packet loss") {
					t.Errorf("ping: %s", said)
				}
				rate := l.iperf3(a, b, "-t", "3")
				if rate > 60*units.MbitPerSecond {
					t.Errorf("iperf3 gets %v through a policer of 50 Mbit/s", rate)
				}
				t.Logf("iperf3: %v", rate)
			}, map[string]uint64{"police-exceeded": 1}},
		{"filter", `{"PFE":{` + small + `}}`,
			func(t *testing.T, l *lab, a, b *plan.Host) {
				if said := l.realPing(a, "-c", "3", b.Addr.Addr().String()); !strings.Contains(said, " 0% packet loss") {
					t.Errorf("ping: %s", said)
				}
				if said := l.realPing(a, "-c", "3", "-R", b.Addr.Addr().String()); !strings.Contains(said, " 100% packet loss") {
					t.Errorf("ping with IP options: %s", said)
				}
				t.Logf("iperf3: %v", l.iperf3(a, b, "-n", "50M"))
			}, map[string]uint64{"filter-drop-cnt-base-1": 3, "pfe-forwarded": 5000}},
	} {
		t.Run(tc.program, func(t *testing.T) {
			checkLeaks(t)
			p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
			a, b := &p.Hosts[0], &p.Hosts[1]
			l := newLab(t, p, func(c *daemon.Config) {
				c.RingFrames = 256
				c.Chassis.Transit = []chassis.Program{{System: tc.program, Config: json.RawMessage(tc.config)}}
			})
			l.ping(a, b.Addr.Addr(), 20_000) // in fragments
			l.transfer(a, b, 1<<20)          // to the byte
			tc.check(t, l, a, b)
			l.end()
			r := l.reports["tor"]
			t.Logf("%v", r.Counters)
			for name, least := range tc.counts {
				i := slices.IndexFunc(r.Counters, func(c sansio.Count) bool { return c.Name == "engine/"+tc.program+"/"+name })
				if i < 0 || r.Counters[i].N < least {
					t.Errorf("counters lack %d of %s", least, name)
				}
			}
			if len(r.UnaskedDrops) > 0 {
				t.Errorf("drops %v", r.UnaskedDrops)
			}
		})
	}
}
