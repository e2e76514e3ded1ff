package capture

import (
	"bytes"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

	"github.com/inalab/inalab/internal/pcapfile/pcapfiletest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/internal/wire/trioml"
)

// rack is a switch with two hosts.
func rack() Lab {
	return Lab{
		Taps:    []Tap{{Node: "tor", Iface: "p0", Engine: "tor", Peer: "h0"}, {Node: "tor", Iface: "p1", Engine: "tor", Peer: "h1"}},
		Sources: []Source{{1, hostAddr(0), 0}, {1, hostAddr(1), 1}},
	}
}

func hostAddr(n int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(1 + n)}) }

var torAddr = netip.MustParseAddr("10.0.0.254")

// trainOf is a super-packet of UDP, with a partial checksum.
func trainOf(src, dst netip.Addr, sport, dport uint16, body []byte, seg int) *sansio.Train {
	h := inet.UDPHeader(inet.Flow{SrcMAC: inet.MAC{2, 0, 0, 0, 0, 1}, DstMAC: inet.MAC{2, 0, 0, 0, 0, 2}, Src: src, Dst: dst, SrcPort: sport, DstPort: dport})
	inet.SetUDPBody(h, len(body))
	sansio.FillPartial(h, len(body))
	return &sansio.Train{Header: h, Body: body, Seg: seg, Checksum: sansio.ChecksumPartial}
}

// slotPacket is a packet of SwitchML from a host.
func slotPacket(host int, slot uint16, packet uint32) *sansio.Train {
	h := switchml.Header{Type: switchml.TypeConsume, Job: 1, PacketID: packet, Slot: slot}
	body := make([]byte, switchml.HeaderLen+4*h.Size.Elements())
	h.Put(body)
	return trainOf(hostAddr(host), torAddr, 4000, switchml.Port, body, 0)
}

// slotResult is a result of SwitchML.
func slotResult(slot uint16, packet uint32) *sansio.Train {
	t := slotPacket(0, slot, packet)
	return trainOf(torAddr, hostAddr(0), switchml.Port, 4000, t.Body, 0)
}

// blockTrain is packets of Trio-ML of consecutive blocks, as one train.
func blockTrain(source uint8, first uint32, n int) *sansio.Train {
	var body []byte
	for i := range n {
		h := trioml.Header{Job: 1, Block: first + uint32(i), Source: source, SrcCnt: 1, Gen: 7, Grads: 3}
		packet := make([]byte, trioml.HeaderLen+4*3)
		h.Put(packet)
		packet[len(packet)-1] = byte(i)
		body = append(body, packet...)
	}
	return trainOf(hostAddr(int(source)), torAddr, 4000, trioml.Port, body, trioml.HeaderLen+4*3)
}

// file is a capture in memory.
type file struct {
	t *testing.T
	*Capture
	bytes.Buffer
}

func begin(t *testing.T, cfg Config) *file {
	t.Helper()
	f := &file{t: t}
	if cfg.Lab.Taps == nil {
		cfg.Lab = rack()
	}
	c, err := New(&f.Buffer, cfg)
	if err != nil {
		t.Fatal(err)
	}
	f.Capture = c
	return f
}

// seen is a packet of a capture as another decoder reads it.
type seen struct {
	at       int64
	tap      int
	data     []byte
	length   int
	comments []string
}

func (f *file) close(lost ...Lost) (list []seen, counts Counts) {
	f.t.Helper()
	counts, err := f.Capture.Close(lost...)
	if err != nil {
		f.t.Fatal(err)
	}
	r, err := pcapgo.NewNgReader(bytes.NewReader(f.Bytes()), pcapgo.NgReaderOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	for {
		data, info, options, err := r.ReadPacketDataWithOptions()
		if err == io.EOF {
			return list, counts
		}
		if err != nil {
			f.t.Fatal(err)
		}
		list = append(list, seen{info.Timestamp.UnixNano(), info.InterfaceIndex, data, info.Length, options.Comments})
	}
}

// Frames are as on the wire: gopacket finds right lengths and checksums in each, in order.
func TestFramesOfTrains(t *testing.T) {
	f := begin(t, Config{})
	f.Train(1000, 0, false, blockTrain(0, 10, 5))
	f.Train(2000, 1, true, slotPacket(1, 3, 9))
	list, counts := f.close()
	if len(list) != 6 || counts.Seen != 6 || counts.Written != 6 {
		t.Fatalf("%d frames, %+v", len(list), counts)
	}
	for i, s := range list {
		at, tap := int64(1000), 0
		if i == 5 {
			at, tap = 2000, 1
		}
		if s.at != at || s.tap != tap || s.length != len(s.data) {
			t.Errorf("frame %d at %d by %d, %d of %d bytes", i, s.at, s.tap, len(s.data), s.length)
		}
		body := verified(t, s.data)
		if h, problem := trioml.Parse(body); i < 5 && (problem != trioml.OK || h.Block != uint32(10+i) || body[len(body)-1] != byte(i)) {
			t.Errorf("frame %d: %+v %s", i, h, problem)
		}
	}
}

// verified has gopacket decode a frame, and returns the payload of UDP.
func verified(t *testing.T, frame []byte) []byte {
	t.Helper()
	payload, err := pcapfiletest.Verify(frame)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// Bytes that are not stored count, and are not in the file.
func TestUnstoredBytes(t *testing.T) {
	f := begin(t, Config{})
	tr := blockTrain(0, 10, 2)
	tr.Unstored = 400
	inet.SetUDPBody(tr.Header, tr.PayloadBytes())
	f.Train(1000, 0, false, tr)
	list, _ := f.close()
	if len(list) != 2 || list[1].length != len(list[1].data)+400 {
		t.Fatalf("%d frames", len(list))
	}
	if total := inet.IPv4(list[1].data[inet.EtherLen:]).TotalLen(); total != list[1].length-inet.EtherLen {
		t.Errorf("IPv4 says %d bytes of a frame of %d", total, list[1].length)
	}
}

func added(node string, source uint8, slot, packet uint32, members ...uint8) *trace.Event {
	e := &trace.Event{Kind: trace.Contribution, Node: node, Job: 1, Gen: packet, Block: slot, Source: source, Count: len(members)}
	for _, m := range members {
		e.Mask.Set(m)
	}
	return e
}

// The comments of a round of SwitchML: who was added to which slot, and which frame is the result.
func TestDecisions(t *testing.T) {
	f := begin(t, Config{Hold: time.Second})
	f.Train(1000, 0, false, slotPacket(0, 5, 9))
	f.Train(1000, 1, false, slotPacket(1, 5, 9))
	f.Train(1000, 1, false, slotPacket(1, 6, 9))
	f.Event(3000, added("tor", 1, 5, 9, 1)) // the later port comes first
	f.Event(4000, added("tor", 0, 5, 9, 0, 1))
	sent := added("tor", 0, 5, 9, 0, 1)
	sent.Kind = trace.BlockSent
	f.Event(4000, sent)
	f.Train(5000, 0, true, slotResult(5, 9))
	drop := added("tor", 1, 6, 9)
	drop.Kind, drop.Note = trace.Dropped, "switchml-duplicate"
	f.Event(6000, drop)
	list, counts := f.close()
	want := []string{
		"decision=added switch=tor job=1 slot=5 gen=9 source=0 bitmap=0b11 count=2 after=3µs",
		"decision=added switch=tor job=1 slot=5 gen=9 source=1 bitmap=0b10 count=1 after=2µs",
		`decision=dropped switch=tor job=1 slot=6 gen=9 source=1 note="switchml-duplicate" after=5µs`,
		"decision=sent switch=tor job=1 slot=5 gen=9 bitmap=0b11 count=2 after=1µs",
	}
	for i, s := range list {
		if got := strings.Join(s.comments, "; "); got != want[i] {
			t.Errorf("frame %d:\n%s\n%s", i, got, want[i])
		}
	}
	if counts.Commented != 4 || counts.Missed != 0 {
		t.Errorf("%+v", counts)
	}
}

// A frame that a link lost keeps no decision that is about the packet that was sent again.
func TestDecisionsOnWhatWasSentAgain(t *testing.T) {
	f := begin(t, Config{Hold: time.Second})
	f.Train(1000, 0, false, slotPacket(0, 5, 9))
	f.Train(2000, 0, false, slotPacket(0, 5, 9))
	f.Event(3000, added("tor", 0, 5, 9, 0))
	f.Train(4000, 0, false, slotPacket(0, 5, 9)) // later than the event
	f.Event(5000, added("tor", 1, 5, 9, 1))      // of a host that sent nothing
	list, counts := f.close()
	var commented []int
	for i, s := range list {
		if len(s.comments) > 0 {
			commented = append(commented, i)
		}
	}
	if fmt.Sprint(commented) != "[1]" || counts.Missed != 1 {
		t.Errorf("frames with comments: %v, %+v", commented, counts)
	}
}

// Without sources, packets are decided on in their order.
func TestDecisionsWithoutSources(t *testing.T) {
	lab := rack()
	lab.Sources = nil
	f := begin(t, Config{Lab: lab, Hold: time.Second})
	f.Train(1000, 0, false, slotPacket(0, 5, 9))
	f.Train(1001, 1, false, slotPacket(1, 5, 9))
	f.Event(3000, added("tor", 7, 5, 9, 7))
	f.Event(4000, added("tor", 3, 5, 9, 3, 7))
	f.Event(4000, added("leaf", 3, 5, 9, 3, 7)) // of another switch
	f.Event(4000, added("tor", 3, 5, 9, 3, 7))  // there are no more
	list, counts := f.close()
	if !strings.Contains(fmt.Sprint(list[0].comments), "source=7 bitmap=0b10000000 count=1") || !strings.Contains(fmt.Sprint(list[1].comments), "source=3") || counts.Missed != 1 {
		t.Errorf("%v, %v, %+v", list[0].comments, list[1].comments, counts)
	}
}

// A block that aged out is sent degraded, by the engine at the top of a chassis.
func TestAgedResult(t *testing.T) {
	lab := Lab{Taps: []Tap{{Node: "mx480", Iface: "et-0-0-0", Engine: "mx480/pfe1", Peer: "h0"}}}
	f := begin(t, Config{Lab: lab, Hold: time.Second})
	f.Train(1000, 0, false, blockTrain(0, 10, 1))
	open, add := added("mx480/pfe1", 0, 10, 7), added("mx480/pfe1", 0, 10, 7, 0)
	open.Kind = trace.BlockOpened
	f.Event(1500, open)
	f.Event(1500, add)
	aged := added("mx480/pfe4", 0, 10, 7, 0)
	aged.Kind, aged.Degraded = trace.BlockAged, true
	sent := *aged
	sent.Kind = trace.BlockSent
	f.Event(2000, aged)
	f.Event(2000, &sent)
	f.Train(2500, 0, true, blockTrain(0, 10, 1))
	list, _ := f.close()
	in := fmt.Sprint(list[0].comments)
	if !strings.Contains(in, "decision=opened") || !strings.Contains(in, "decision=added switch=mx480/pfe1 job=1 block=10 gen=7 source=0 bitmap=0b1 count=1") {
		t.Errorf("in: %s", in)
	}
	if out := fmt.Sprint(list[1].comments); out != "[decision=sent switch=mx480/pfe4 job=1 block=10 gen=7 bitmap=0b1 count=1 degraded=true aged=true after=500ns]" {
		t.Errorf("out: %s", out)
	}
}

// Frames leave in order of time, and not before they have waited.
func TestHold(t *testing.T) {
	f := begin(t, Config{Hold: 10})
	f.Train(100, 0, false, slotPacket(0, 2, 2))
	f.Train(95, 1, false, slotPacket(1, 1, 1)) // of another socket
	f.Advance(104)
	if f.counts.Written != 0 {
		t.Error("a frame left early")
	}
	f.Advance(107)
	if f.counts.Written != 1 {
		t.Errorf("%d frames left", f.counts.Written)
	}
	list, _ := f.close()
	if len(list) != 2 || list[0].at != 95 || list[1].at != 100 {
		t.Errorf("%+v", list)
	}
}

// More than may wait leaves at once.
func TestMaxHeld(t *testing.T) {
	f := begin(t, Config{Hold: time.Hour, MaxHeld: 1000})
	for i := range 100 {
		f.Train(int64(i), 0, false, slotPacket(0, uint16(i), 1))
	}
	if f.queue.bytes > 1000 || f.counts.Written == 0 {
		t.Errorf("%d bytes wait, %d frames left", f.queue.bytes, f.counts.Written)
	}
	if list, _ := f.close(); len(list) != 100 {
		t.Errorf("%d frames", len(list))
	}
}

// A ring keeps the newest frames, in order.
func TestRing(t *testing.T) {
	f := begin(t, Config{Ring: 10_000})
	for i := range 5000 {
		f.Train(int64(i), 0, false, slotPacket(0, uint16(i), 1))
	}
	list, counts := f.close()
	if len(list) < 30 || len(list) > 60 || list[len(list)-1].at != 4999 || list[0].at != int64(5000-len(list)) || counts.Pushed != uint64(5000-len(list)) {
		t.Errorf("%d frames from %d to %d, %+v", len(list), list[0].at, list[len(list)-1].at, counts)
	}
}

func TestCount(t *testing.T) {
	f := begin(t, Config{Count: 3})
	f.Train(1, 0, false, blockTrain(0, 0, 5))
	if !f.Full() {
		t.Error("it is not full")
	}
	if list, counts := f.close(Lost{Tap: 1, Received: 7, Lost: 2}); len(list) != 3 || counts.Seen != 5 || counts.Taken != 3 {
		t.Errorf("%d frames, %+v", len(list), counts)
	}
}

// failing is a file that takes nothing.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestFileThatTakesNothing(t *testing.T) {
	c, err := New(failing{}, Config{Lab: rack()})
	if err != nil {
		t.Fatal(err)
	}
	c.Train(1, 0, false, slotPacket(0, 1, 1))
	if c.Flush() == nil || !c.Full() {
		t.Error("the capture goes on")
	}
	if _, err := c.Close(); err == nil {
		t.Error("nobody is told")
	}
}
