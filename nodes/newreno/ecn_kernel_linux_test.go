package newreno

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo"
)

// Both ends send 2 MiB at once over links that mark, and react: each has its marks echoed and
// reduces its window. With a kernel that will not do ECN, or without this end's, nothing
// can be marked. tcp_ecn of Linux: 0 never, 1 offers and accepts, 2 accepts. Its Reno reacts to
// echoes; BBR, which may be what it begins with, sends on.
func TestMarksAgainstKernel(t *testing.T) {
	for _, c := range []struct {
		name    string
		passive bool
		ecn     bool
		sysctl  string
		agreed  bool
	}{
		{"active", false, true, "1", true},
		{"passive", true, true, "1", true},
		{"kernel-accepts", false, true, "2", true},
		{"kernel-refuses", false, true, "0", false},
		{"kernel-offers", true, false, "1", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKernel(t, 1500)
			k.sysctl(t, "tcp_ecn", c.sysctl)
			k.sysctl(t, "tcp_congestion_control", "reno")
			m := newMarked(t, k.end(t, Config{Passive: c.passive, ECN: c.ecn}))
			k.run(t, m.talker, pktio.DriveConfig{Machine: m, Device: k.open(t)})
			m.checkMarks(t, k.netstat(t), c.agreed)
		})
	}
}

// checkMarks looks at what both ends counted: all of it is there if they agreed on ECN, or
// none of it.
func (m *marked) checkMarks(t *testing.T, kernel map[string]string, agreed bool) {
	t.Log(m.Counters(), "kernel's CWR", m.told, "kernel's echoes heard", kernel["TCPDeliveredCE"], "marks", kernel["InCEPkts"])
	if m.ecn.capable != agreed || m.ecn.echoes != agreed {
		t.Errorf("ECT %v, echoes %v, want both %v", m.ecn.capable, m.ecn.echoes, agreed)
	}
	for what, n := range map[string]int{
		"marks heard":                                    int(m.count.Get(CountMarks)),
		"marks of the link to this end":                  int(m.in.Stats().Marked),
		"segments of the kernel with CWR":                m.told,
		"segments that the kernel delivered with echoes": atoi(t, kernel["TCPDeliveredCE"]),
		"marks of the link to the kernel":                int(m.out.Stats().Marked),
		"marks that the kernel heard":                    atoi(t, kernel["InCEPkts"]),
		"echoes heard":                                   int(m.count.Get(CountEchoes)),
		"reductions":                                     int(m.count.Get(CountReductions)),
	} {
		if agreed != (n > 0) {
			t.Errorf("%s: %d", what, n)
		}
	}
}

// marked is an end between two links that mark what finds three frames waiting:
//
//	device --in--> talker --out--> device
type marked struct {
	*talker
	in, out     *impair.Link
	heard, said sansio.Effects
	arrivals    []sansio.Arrival
	told        int // segments that came with CWR, but for SYNs
}

func newMarked(t *testing.T, m *talker) *marked {
	t.Helper()
	link := func(name string) *impair.Link {
		const frames = 3 * 1500
		l, err := impair.New(impair.Config{Name: name, Params: impair.Params{
			Rate: 50e6, Marking: topo.Marking{Min: frames, Max: frames},
		}})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	return &marked{talker: m, in: link("in"), out: link("out")}
}

func (m *marked) NextDeadline() units.Time {
	return min(m.in.NextDeadline(), m.talker.NextDeadline(), m.out.NextDeadline())
}

func (m *marked) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	m.in.Handle(now, in, &m.heard)
	for i := range m.heard.Sends {
		train := m.heard.Sends[i].Train
		if l, problem := train.Layout(); problem == inet.OK && inet.TCP(train.Header[l.Transport:]).Flags()&(cwr|syn) == cwr {
			m.told++
		}
		m.talker.Handle(now, []sansio.Arrival{{Train: train}}, &m.said)
	}
	m.heard.Reset()
	m.talker.Expire(now, &m.said)
	m.arrivals = m.arrivals[:0]
	for _, s := range m.said.Sends {
		m.arrivals = append(m.arrivals, sansio.Arrival{Train: s.Train})
	}
	m.out.Handle(now, m.arrivals, eff)
	m.said.Reset()
}

func (m *marked) Expire(now units.Time, eff *sansio.Effects) { m.Handle(now, nil, eff) }

// sysctl sets a parameter of the kernel's end.
func (k *kernel) sysctl(t *testing.T, name, value string) {
	t.Helper()
	netnstest.In(t, k.host, func() error { return os.WriteFile("/proc/sys/net/ipv4/"+name, []byte(value), 0) })
}

// netstat returns the counters of the kernel's end. A pair of lines has names and numbers.
func (k *kernel) netstat(t *testing.T) map[string]string {
	t.Helper()
	var text []byte
	netnstest.In(t, k.host, func() (err error) {
		text, err = os.ReadFile("/proc/thread-self/net/netstat")
		return err
	})
	out := map[string]string{}
	lines := strings.Split(string(text), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		names, numbers := strings.Fields(lines[i]), strings.Fields(lines[i+1])
		for j := range min(len(names), len(numbers)) {
			out[names[j]] = numbers[j]
		}
	}
	return out
}

func atoi(t *testing.T, s string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(s, &n); err != nil {
		t.Fatalf("counter %q: %v", s, err)
	}
	return n
}
