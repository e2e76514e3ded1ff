package hostmodel_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/hostmodel"
)

// Every constant says where it is from: a paper, or why it is assumed.
func TestConstantsHaveSources(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range hostmodel.Defaults().All() {
		paper := slices.ContainsFunc([]string{"SwitchML §", "SwitchML App", "XAgg §", "Trio §", "ATP §"}, func(p string) bool { return strings.Contains(c.Source, p) })
		if c.Unit == "" || c.Source == "" || !c.Assumed && !paper || seen[c.Name] {
			t.Errorf("%+v: give a unit, a source and a name of its own", c)
		}
		if r := c.Within(); c.Range != (hostmodel.Range{}) && !c.Assumed || c.Assumed && (r.Low > c.Value || r.High < c.Value) {
			t.Errorf("%s: assumed %v, %v in %+v: what is assumed has a range that the value is in, all else none", c.Name, c.Assumed, c.Value, c.Range)
		}
		seen[c.Name] = true
	}
}

func TestUseIsNoted(t *testing.T) {
	c := hostmodel.Defaults()
	if len(c.Used()) != 0 {
		t.Error("used before anybody asked")
	}
	before := c.DPDK()
	var names []string
	for _, k := range c.Used() {
		names = append(names, k.Name)
	}
	if want := []string{"dpdk.packet", "dpdk.fixed", "dpdk.cores", "dpdk.latency"}; !slices.Equal(names, want) {
		t.Errorf("used %v, want %v", names, want)
	}
	scaled := c.Scaled("dpdk.cores", 0.5)
	if len(scaled.Used()) != 0 || scaled.DPDK().Frame != 2*before.Frame || c.DPDK() != before {
		t.Error("scaling changes the original, or not the copy")
	}
}

// SwitchML App B: "One CPU core is sufficient to do reduction at line rate on a
// 10 Gbps network": with one core, sending and receiving a packet of 256 values
// takes the 880 ns of its 1100 bytes on the wire.
func TestOneCoreIsTenGigabits(t *testing.T) {
	m := hostmodel.Defaults().Scaled("dpdk.cores", 1.0/8).DPDK()
	both := 2 * (m.Frame + m.Rate.TimeToSend(1024))
	if d := both - 880*units.Nanosecond; d < -2 || d > 2 {
		t.Errorf("%v, want 880 ns", both)
	}
}

// echo answers each frame with one of the same size, and sends first on its own.
type echo struct {
	start units.Time
	got   []units.Time
}

func (e *echo) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for _, a := range in {
		for f := range a.Train.Frames() {
			e.got = append(e.got, now)
			body := append(eff.Body(len(a.Train.Payload(f)))[:0], a.Train.Payload(f)...)
			eff.Emit([]sansio.Port{0}, template(), body)
		}
	}
}
func (e *echo) Expire(now units.Time, eff *sansio.Effects) {
	if now >= e.start {
		e.start = units.Never
		eff.Emit([]sansio.Port{0}, template(), eff.Body(1024))
	}
}
func (e *echo) NextDeadline() units.Time { return e.start }

func addr(n byte) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, n}) }

func template() []byte {
	return inet.UDPHeader(inet.Flow{Src: addr(1), Dst: addr(2), SrcPort: 1, DstPort: 2})
}

// Frames of both directions wait for one server in the order in which they come:
// three that arrive at once are handled one service time after the other, and
// their answers, which queue behind, leave at the pace of both ways.
func TestOneServerForBothDirections(t *testing.T) {
	m := hostmodel.Model{Kind: "test", Frame: 100 * units.Nanosecond, Latency: units.Microsecond}
	inner := &echo{start: units.Never}
	h, err := hostmodel.New(m, "h0", inner)
	if err != nil {
		t.Fatal(err)
	}
	body := make([]byte, 3*1024)
	header := template()
	inet.SetUDPBody(header, len(body))
	var eff sansio.Effects
	h.Handle(0, []sansio.Arrival{{Train: sansio.Train{Header: header, Body: body, Seg: 1024}}}, &eff)
	var left []units.Time
	for h.NextDeadline() != units.Never {
		now := h.NextDeadline()
		eff.Reset()
		h.Expire(now, &eff)
		for _, s := range eff.Sends {
			for range s.Train.Frames() {
				left = append(left, now)
			}
		}
	}
	ns := units.Time(units.Nanosecond)
	if want := []units.Time{1100 * ns, 1200 * ns, 1300 * ns}; !slices.Equal(inner.got, want) {
		t.Errorf("handled at %v, want %v", inner.got, want)
	}
	if want := []units.Time{2200 * ns, 2300 * ns, 2400 * ns}; !slices.Equal(left, want) {
		t.Errorf("answers left at %v, want %v", left, want)
	}
}

// A machine's own deadline is kept, and a host that costs nothing adds nothing.
func TestFreeHost(t *testing.T) {
	inner := &echo{start: 7}
	h, err := hostmodel.New(hostmodel.Model{}, "h0", inner)
	if err != nil {
		t.Fatal(err)
	}
	var eff sansio.Effects
	if d := h.NextDeadline(); d != 7 {
		t.Errorf("due at %v", d)
	}
	h.Expire(7, &eff)
	if len(eff.Sends) != 1 || h.NextDeadline() != units.Never {
		t.Errorf("%d sends, next deadline %v", len(eff.Sends), h.NextDeadline())
	}
}
