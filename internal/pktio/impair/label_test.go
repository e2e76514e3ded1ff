package impair

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo"
)

// inUDP is where the packets of these tests name job and slot: the upper two bits of a slot mean nothing.
var inUDP = Label{Protocol: inet.ProtoUDP, Ports: [2]uint16{2, 4}, Job: Field{Offset: 1, Bytes: 1}, Slot: Field{Offset: 2, Bytes: 2, Mask: 0x3fff}}

// callFrames names the frames of a train.
func callFrames(t sansio.Train, names ...name) sansio.Train {
	for i, n := range names {
		p := t.Payload(i)
		p[1] = byte(n.job)
		binary.BigEndian.PutUint16(p[2:], uint16(n.slot)|uint16(i&3)<<14)
	}
	return t
}

// scripted returns a bench of a link that loses packets by name.
func scripted(t interface{ Fatalf(string, ...any) }, text topo.Script, changes ...Change) *bench {
	return newBench(t, Config{Params: Params{Script: text}, Changes: changes, Labels: []Label{inUDP}})
}

// The link loses the packets that the script names, and no other: those of any other job and slot do not count.
func TestScriptLosesByName(t *testing.T) {
	b := scripted(t, "1/5:2,3 2/5:1")
	a, other, second := name{job: 1, slot: 5}, name{job: 1, slot: 6}, name{job: 2, slot: 5}
	b.at(0, callFrames(train(0, 8, 20), a, other, a, second, other, a, second, a))
	b.drain()
	equal(t, "lost", b.lost(8), []int{2, 3, 5})
	if n := b.count(DropScript); n != 3 {
		t.Errorf("%d counted", n)
	}
}

// Packets of other ports, of other protocols, and those too short for a name, are lost by no script.
func TestScriptKnowsItsPackets(t *testing.T) {
	far := func(id int) sansio.Train {
		f := callFrames(train(id, 1, 20), name{job: 1, slot: 5})
		udp := inet.UDP(f.Header[inet.EtherLen+inet.IPv4Len:])
		binary.BigEndian.PutUint16(udp, 9)
		binary.BigEndian.PutUint16(udp[2:], 9)
		return f
	}
	b := scripted(t, "1/5:1,2")
	b.at(0, far(0), train(1, 1, 4))
	if got := b.lost(2); len(got) != 0 {
		t.Errorf("frames %v are lost", got)
	}
	b.at(0, callFrames(train(2, 1, 20), name{job: 1, slot: 5}))
	if n := b.count(DropScript); n != 1 {
		t.Errorf("%d packets lost, want the one that is named", n)
	}
}

// A packet of a protocol of its own, whose header is all of the frame, is read as well.
func TestLabelReadsWholeFrames(t *testing.T) {
	frame := make([]byte, inet.EtherLen+inet.IPv4Len+14)
	inet.Ether(frame).Put(inet.MAC{1}, inet.MAC{2}, inet.TypeIPv4)
	ip := frame[inet.EtherLen:]
	ip[0], ip[9] = 0x45, 253
	binary.BigEndian.PutUint16(ip[2:], inet.IPv4Len+14)
	binary.BigEndian.PutUint32(ip[inet.IPv4Len+4:], 77)
	binary.BigEndian.PutUint16(ip[inet.IPv4Len+8:], 3)
	l := Label{Protocol: 253, Job: Field{Offset: 8, Bytes: 2}, Slot: Field{Offset: 4, Bytes: 4}}
	for _, cut := range []int{inet.EtherLen + inet.IPv4Len, inet.EtherLen + inet.IPv4Len + 6, len(frame)} {
		tr := sansio.Train{Header: frame[:cut], Body: frame[cut:]}
		got, at := labelOf([]Label{inUDP, l}, &tr)
		if got == nil {
			t.Fatalf("cut at %d: no label fits", cut)
		}
		if n := got.nameOf(&tr, at, 0); n != (name{3, 77, true}) {
			t.Errorf("cut at %d: %+v", cut, n)
		}
	}
}

// A script that comes later counts from then on, and one that ends loses nothing more.
func TestScriptChanges(t *testing.T) {
	a := name{job: 1, slot: 5}
	b := scripted(t, "1/5:2", Change{units.Time(ms), Params{Script: "1/5:1"}}, Change{units.Time(2 * ms), Params{}})
	for i := range 6 { // two frames in each period
		b.at(units.Time(500*us)*units.Time(i), callFrames(train(i, 1, 20), a))
	}
	b.drain()
	equal(t, "lost", b.lost(6), []int{1, 2})
}

// What is lost by name does not depend on how frames are joined in trains.
func TestScriptSplitsTrains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var names []name
		for range rapid.IntRange(1, 30).Draw(t, "frames") {
			names = append(names, name{job: uint32(rapid.IntRange(1, 2).Draw(t, "job")), slot: uint32(rapid.IntRange(0, 2).Draw(t, "slot"))})
		}
		lose := map[name]int{}
		for _, n := range []name{{1, 0, false}, {2, 1, false}} {
			lose[n] = rapid.IntRange(1, 5).Draw(t, "number")
		}
		script, err := topo.NewScript([]topo.Drop{{Job: 1, Slot: 0, Packets: []int{lose[name{1, 0, false}]}}, {Job: 2, Slot: 1, Packets: []int{lose[name{2, 1, false}]}}})
		if err != nil {
			t.Fatal(err)
		}
		whole, parts := scripted(t, script), scripted(t, script)
		tr := callFrames(train(0, len(names), 20), names...)
		whole.at(0, tr)
		for i := range names {
			parts.at(0, tr.Frame(i, nil))
		}
		seen, want := map[name]int{}, []int(nil)
		for i, n := range names {
			if seen[n]++; seen[n] == lose[n] {
				want = append(want, i)
			}
		}
		for what, got := range map[string][]int{"whole": whole.lost(len(names)), "parts": parts.lost(len(names))} {
			if len(got) != len(want) {
				t.Fatalf("%s: lost %v, want %v", what, got, want)
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%s: lost %v, want %v", what, got, want)
				}
			}
		}
	})
}
