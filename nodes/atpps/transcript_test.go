package atpps

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// words are what a packet of a transcript may be besides whose it is.
var words = map[string]func(p *incoming){
	"resend":   func(p *incoming) { p.Flags |= wire.Resend },
	"collided": func(p *incoming) { p.Flags |= wire.Resend | wire.Collision | wire.EdgeSwitch },
	"marked":   func(p *incoming) { p.Flags |= wire.ECN },
	"ce":       func(p *incoming) { p.ce = true },
	"float": func(p *incoming) {
		p.Flags |= wire.Resend | wire.Overflow
		p.fillFloats(func(int) float32 { return 1e9 })
	},
	"clipped":  func(p *incoming) { copy(p.values[4:], []byte{0x7f, 0xff, 0xff, 0xff}) },
	"least":    func(p *incoming) { copy(p.values[4*61:], []byte{0x80, 0, 0, 0}) },
	"large":    func(p *incoming) { copy(p.values[8:], []byte{0x40, 0, 0, 0}) },
	"low":      func(p *incoming) { copy(p.values[8:], []byte{0xc0, 0, 0, 0}) },
	"unstored": func(p *incoming) { p.unstored = true },
	"edge":     func(p *incoming) { p.Flags |= wire.EdgeSwitch },
	"no-edge":  func(p *incoming) { p.Flags &^= wire.EdgeSwitch },
	"job-8":    func(p *incoming) { p.Job = 8 },
	"ack":      func(p *incoming) { p.Flags |= wire.IsAck },
	"other-0":  func(p *incoming) { p.Bitmaps[0] = 1 << 5 },
	"other-1":  func(p *incoming) { p.Bitmaps[1] = 1 << 5 },
	"short":    func(p *incoming) { p.values = p.values[4:] },
}

// parse reads "2 013 resend @7": number 2, workers 0, 1 and 3, flags, index. Worker w has 10^w in
// each value, so that a sum shows whose are in.
func parse(t *testing.T, cfg *Config, step string) *incoming {
	t.Helper()
	fields := strings.Fields(step)
	var sequence uint32
	if _, err := fmt.Sscan(fields[0], &sequence); err != nil {
		t.Fatal(step, err)
	}
	set := maskOf()
	for _, c := range fields[1] {
		set.Set(uint8(c - '0'))
	}
	p := packetOf(cfg, set, sequence, 0).fill(set, func(w, _ int) int32 { return int32(math.Pow10(w)) })
	for _, word := range fields[2:] {
		if change, ok := words[word]; ok {
			change(p)
		} else if _, err := fmt.Sscanf(word, "@%d", &p.Index); err != nil {
			t.Fatalf("%s: %q: %v", step, word, err)
		}
	}
	return p
}

func (a *answer) String() string {
	var b strings.Builder
	switch {
	case a.request():
		fmt.Fprintf(&b, "floats wanted of %d", a.Sequence)
	case a.values == nil:
		fmt.Fprintf(&b, "parameters of %d, unstored", a.Sequence)
	case a.Flags.Has(wire.Overflow):
		fmt.Fprintf(&b, "parameters of %d: float %g", a.Sequence, math.Float32frombits(uint32(integer(a.values, 0))))
	default:
		fmt.Fprintf(&b, "parameters of %d: %05d", a.Sequence, integer(a.values, 0))
	}
	fmt.Fprintf(&b, " @%d", a.Index)
	if a.Flags.Has(wire.Collision) {
		fmt.Fprintf(&b, ", from now on @%d", a.Bitmaps[0])
	}
	if a.Flags.Has(wire.ECN) {
		b.WriteString(", marked")
	}
	return b.String()
}

// record writes down what a server does with one packet after another.
func record(t *testing.T, cfg Config, steps []string) string {
	t.Helper()
	r := newRig(t, cfg)
	var out strings.Builder
	var before []sansio.Count
	for _, step := range steps {
		if strings.HasPrefix(step, "#") {
			fmt.Fprintln(&out, step)
			continue
		}
		fmt.Fprintf(&out, "%s\n", step)
		for _, a := range r.give(parse(t, &cfg, step)) {
			fmt.Fprintf(&out, "    %s\n", a.String())
		}
		after := r.server.Counters()
		for _, c := range after {
			if c.N != sansio.CountOf(before, c.Name) && c.Name != CountPackets {
				fmt.Fprintf(&out, "    %s\n", strings.TrimPrefix(c.Name, "atp-server-"))
			}
		}
		before = after
	}
	return out.String()
}

func TestTranscripts(t *testing.T) {
	superset := twoRacks()
	superset.Superset = true
	oneRack := twoRacks()
	oneRack.Workers, oneRack.Racks = 2, oneRack.Racks[:1]
	direct := twoRacks()
	direct.Workers = 4
	direct.Racks = []Rack{direct.Racks[0], {Bit: 1, Direct: true, Workers: []uint8{2}}, {Bit: 2, Direct: true, Workers: []uint8{3}}}
	streams := twoRacks()
	streams.Streams, streams.Aggregators = wire.Split(6, 3), 4
	streams.Streams = []wire.Numbers{streams.Streams[0], streams.Streams[2]}
	byIndex := twoRacks()
	byIndex.Rehash = ByIndex
	swept := twoRacks()
	swept.Aggregators, swept.Used = 2, true
	for name, c := range map[string]struct {
		Config
		steps []string
	}{
		"aggregates": {twoRacks(), []string{
			"# All from the second level; a copy shows an aggregator that is held, and is answered.",
			"1 01234 @3", "1 01234 @3", "1 0 @3", "1 0 resend @3",
			"# A rack each, and the worker beside the server.",
			"2 01", "2 23", "2 4",
			"# One by one.",
			"3 0 resend", "3 1 resend", "3 2 resend", "3 3 resend", "3 4 resend",
			"# A switch that knows nothing of the job passes on what workers send.",
			"4 0", "4 1", "4 23", "4 4",
		}},
		"one-rack": {oneRack, []string{"1 01 edge", "2 0 resend", "2 1 resend", "3 0 resend", "3 01 resend edge", "3 1 resend",
			"# A sum that is just the least value.", "4 0 low resend", "4 1 low resend"}},
		"direct": {direct, []string{
			"# The server's rack alone adds its workers, and others' racks come by themselves (rack-scale service).",
			"1 23", "1 01", "2 23 resend", "2 01", "2 2 resend", "2 3 resend",
		}},
		"overlap": {twoRacks(), []string{
			"# The partial sum has one that is in already: the other sends again, and comes alone.",
			"1 0 resend", "1 01 resend", "1 0 resend", "1 1 resend", "1 23", "1 2 resend", "1 4",
		}},
		"superset": {superset, []string{
			"1 0 resend", "1 01 resend", "1 0 resend", "1 23 resend", "1 4 resend",
			"# Not a superset.",
			"2 0 resend", "2 2 resend", "2 01", "2 01234",
		}},
		"marks": {twoRacks(), []string{
			"# A mark of any packet, of a copy or of a queue before the server is of the fragment.",
			"1 01", "1 01 marked", "1 23", "1 4",
			"2 01", "2 23 ce", "2 4",
			"3 01", "3 23", "3 4",
			"# What is marked after the answer is not.",
			"3 01234 marked",
		}},
		"refused": {twoRacks(), []string{
			"1 01234 job-8", "1 01234 ack", "1 01234 short", "1 0 resend other-0", "1 0 resend other-1",
			"# Two racks of three; a part of a rack as if it were whole, by a switch or by none.",
			"1 0123", "1 0 edge", "1 01 no-edge",
			"# Workers of the server's rack together with a rack, resent.",
			"1 234 resend",
			"# Floats that nobody asked for do not begin a fragment, and lengths do not mix with values.",
			"1 0 float", "1 0 resend", "1 1 resend unstored", "1 1 resend", "1 23", "1 4",
			"# A number that no worker can have come to, and others.",
			"6 0 resend", "40 0 resend", "63 0 resend",
		}},
		"stale": {twoRacks(), []string{
			"1 01234", "2 01234", "3 01234", "4 01234", "1 0 resend", "5 01234",
			"# Everybody has the parameters of 1 who sends 5.",
			"1 0 resend", "2 0 resend",
		}},
		"out-of-order": {twoRacks(), []string{"3 01234", "2 01234", "4 01", "1 01234", "4 23", "4 4", "5 01234"}},
		"floats": {twoRacks(), []string{
			"1 01", "1 23 clipped", "# Integers that are late meet the request, if anybody waits for them.",
			"1 4", "1 4 resend",
			"1 0 float", "1 0 float", "1 3 float", "1 1 float marked", "1 2 float", "1 23 float", "1 4 float", "1 4 float", "1 4 resend",
			"# The least value, in a packet of all; and a sum that does not fit, though its parts do.",
			"2 01234 least",
			"3 01 large", "3 23 large", "3 4",
		}},
		"rehash": {twoRacks(), []string{
			"1 0 collided @3", "1 1 collided @3", "1 23", "1 4",
			"# Copies say the same, and so does the next fragment with that index.",
			"1 0 resend @3", "2 01 @3", "2 23 collided @3", "2 4 @3",
			"# Of different indexes that which collided.",
			"3 0 resend @4", "3 1 collided @5", "3 23 collided @6", "3 4 @4",
			"4 01234 @4",
			"# An index that the table does not have, which no switch marks as collided.",
			"5 01 collided @16", "5 23 @16", "5 4 @16",
		}},
		"streams": {streams, []string{
			"# Streams are apart: each has the window of its own, and one of three is another server's.",
			"1 01", "41 01", "21 01", "1 23", "41 23", "41 4", "42 01234", "46 01234", "47 01234", "1 4", "6 01234",
		}},
		"rehash-by-index": {byIndex, []string{"1 01 collided @3", "1 23", "1 4", "2 01 collided @3", "2 23 @3", "2 4"}},
		"sweep": {swept, []string{
			"# An index collides, or values of an earlier use are there: nobody's.",
			"1 01 collided @0", "1 23 clipped @0", "1 4 @0", "2 01234 @1", "3 01 collided @0", "3 23 @0", "3 4 @0",
		}},
		"unstored": {twoRacks(), []string{"1 01 unstored", "1 01 unstored", "1 23 unstored marked", "1 4 unstored", "1 4 resend unstored"}},
	} {
		golden.Equal(t, name+".txt", record(t, c.Config, c.steps))
	}
}
