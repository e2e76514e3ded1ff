package sansio

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// withUnstored gives every frame of a train unstored bytes, which its header counts.
func withUnstored(t Train, unstored int) Train {
	t.Unstored = unstored
	ip, l4 := headers(t)
	body := len(t.Body) + t.Frames()*unstored
	ip.SetTotalLen(len(t.Header) - inet.EtherLen + body)
	ip.UpdateChecksum()
	if ip.Protocol() == inet.ProtoUDP {
		inet.UDP(l4).SetLen(inet.UDPLen + body)
	}
	FillPartial(t.Header, body)
	return t
}

// Unstored bytes count wherever lengths do, and are in no body.
func TestUnstoredSizes(t *testing.T) {
	tr := withUnstored(udpTrain(250, 100, 1), 1000)
	if tr.Frames() != 3 || len(tr.Payload(0)) != 100 || len(tr.Payload(2)) != 50 {
		t.Errorf("%d frames with payloads of %d to %d bytes", tr.Frames(), len(tr.Payload(0)), len(tr.Payload(2)))
	}
	want := []units.Bytes{42 + 100 + 1000, 42 + 100 + 1000, 42 + 50 + 1000}
	for i, n := range want {
		if got := tr.FrameBytes(i); got != n {
			t.Errorf("frame %d has %d bytes, want %d", i, got, n)
		}
	}
	if got := tr.Bytes(); got != want[0]+want[1]+want[2] {
		t.Errorf("%d bytes in all", got)
	}
	if got := tr.WireBytes() - tr.Bytes(); got != 3*units.EthernetFraming {
		t.Errorf("framing of %d bytes", got)
	}
	if l, problem := tr.Layout(); problem != inet.OK || l.End != 42+250+3000 {
		t.Errorf("layout %+v %s", l, problem)
	}
}

func TestUnstoredBehindAnEmptyBody(t *testing.T) {
	tr := withUnstored(udpTrain(0, 0, 0), 1000)
	if tr.Frames() != 1 || tr.Bytes() != 1042 || tr.FrameBytes(0) != 1042 || len(tr.Payload(0)) != 0 {
		t.Errorf("%d frames of %d bytes", tr.Frames(), tr.Bytes())
	}
}

// The headers of parts are those of real packets of that length.
func TestPartsOfATrainWithUnstoredBytes(t *testing.T) {
	udp := withUnstored(udpTrain(250, 100, 9), 1000)
	for i, body := range []int{1100, 1100, 1050} {
		f := udp.Frame(i, nil)
		ip, l4 := headers(f)
		if ip.TotalLen() != 28+body || inet.UDP(l4).Len() != 8+body || !ip.ChecksumOK() || f.Unstored != 1000 {
			t.Errorf("frame %d: IP length %d, UDP length %d, checksum ok %v, %d unstored", i, ip.TotalLen(), inet.UDP(l4).Len(), ip.ChecksumOK(), f.Unstored)
		}
		if l, problem := f.Layout(); problem != inet.OK || l.End != int(f.FrameBytes(0)) {
			t.Errorf("frame %d: layout %+v %s", i, l, problem)
		}
	}
	tcp := withUnstored(tcpTrain(250, 100, 9), 1000)
	for i := range 3 {
		_, l4 := headers(tcp.Frame(i, nil))
		if got, want := inet.TCP(l4).Seq(), uint32((tcpStart+1100*uint64(i))&0xffff_ffff); got != want {
			t.Errorf("frame %d: sequence %#x, want %#x", i, got, want)
		}
	}
}

// A frame with unstored bytes joins its equals as if they were stored.
func TestEmitUnstoredStopsAtLimits(t *testing.T) {
	for _, c := range []struct {
		n, unstored, frames int
		want                string
	}{
		{10, 90, 150, "[64 64 22]"}, // MaxTrainFrames
		{10, 8182, 15, "[7 7 1]"},   // 8 of 8192 bytes are past MaxTrainBody
		{10, MaxTrainBody/60 - 10, 61, "[60 1]"},
		{10, MaxTrainBody/60 - 9, 61, "[59 2]"},
		{10, MaxTrainBody, 2, "[1 1]"},
		{0, 100, 2, "[1 1]"}, // no content to tell frames by
	} {
		var e Effects
		to, template := []Port{0}, inet.UDPHeader(testFlow())
		for range c.frames {
			e.EmitUnstored(to, template, e.Body(c.n), c.unstored)
		}
		if got := fmt.Sprint(frameCounts(&e)); got != c.want {
			t.Errorf("%d frames of %d bytes and %d unstored: trains of %s, want %s", c.frames, c.n, c.unstored, got, c.want)
		}
	}
}

func TestFramesOfOtherUnstoredBytesNeverJoin(t *testing.T) {
	var e Effects
	to, template := []Port{0}, inet.UDPHeader(testFlow())
	for _, unstored := range []int{0, 5, 5, 6, 0} {
		e.EmitUnstored(to, template, e.Body(10), unstored)
	}
	if got := fmt.Sprint(frameCounts(&e)); got != "[1 2 1 1]" {
		t.Errorf("trains of %s", got)
	}
}

// The frames of a train with unstored bytes are those of its parts, and of parts of parts,
// and joining them frame by frame gives the train again.
func TestTrainsWithUnstoredBytesSplitAndJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := withUnstored(drawTrain(t), rapid.SampledFrom([]int{0, 1, 90, 1000}).Draw(t, "unstored"))
		want := flat(tr)
		i := rapid.IntRange(0, tr.Frames()-1).Draw(t, "i")
		j := rapid.IntRange(i+1, tr.Frames()).Draw(t, "j")
		sub := tr.Sub(i, j, nil)
		if got := flat(sub); fmt.Sprint(got) != fmt.Sprint(want[i:j]) {
			t.Fatalf("frames %d to %d: got\n%v\nwant\n%v", i, j, got, want[i:j])
		}
		var e Effects
		e.SendFrames([]Port{0}, &tr, i, j)
		if got := flat(e.Sends[0].Train); fmt.Sprint(got) != fmt.Sprint(want[i:j]) {
			t.Fatalf("sent frames %d to %d: got\n%v\nwant\n%v", i, j, got, want[i:j])
		}
		bytes := units.Bytes(0)
		for k := range sub.Frames() {
			bytes += sub.FrameBytes(k)
		}
		if bytes != sub.Bytes() || sub.Frames() != j-i {
			t.Fatalf("%d frames of %d bytes together, %d one by one", sub.Frames(), sub.Bytes(), bytes)
		}
	})
}

// Emitting the payloads of a train with its unstored bytes gives its frames.
func TestEmitUnstoredKeepsFrames(t *testing.T) {
	template := inet.UDPHeader(testFlow())
	rapid.Check(t, func(t *rapid.T) {
		seg := rapid.IntRange(1, 40).Draw(t, "seg")
		unstored := rapid.SampledFrom([]int{1, 90, 1000}).Draw(t, "unstored")
		tr := withUnstored(udpTrain(rapid.IntRange(1, 12*seg).Draw(t, "body"), seg, 0), unstored)
		var e Effects
		for i := range tr.Frames() {
			e.EmitUnstored([]Port{0}, template, append(e.Body(len(tr.Payload(i)))[:0], tr.Payload(i)...), unstored)
		}
		var got []string
		for _, s := range e.Sends {
			got = append(got, flat(s.Train)...)
		}
		if want := flat(tr); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got\n%v\nwant\n%v", got, want)
		}
	})
}
