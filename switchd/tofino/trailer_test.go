package tofino

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// sumTrailer ends the frames of one operation with the sum of their other bytes.
type sumTrailer struct{ at []units.Time }

func sumOf(b []byte) (s byte) {
	for _, v := range b {
		s += v
	}
	return s
}

func (s *sumTrailer) Check(now units.Time, frame []byte) string {
	s.at = append(s.at, now)
	if body := frame[inet.UDPHeaders:]; body[0] == 7 && sumOf(body[:len(body)-1]) != body[len(body)-1] {
		return "wrong-sum"
	}
	return ""
}

func (s *sumTrailer) Has(front []byte) bool { return front[inet.UDPHeaders] == 7 }

func (s *sumTrailer) Lengths([]byte) (headers, trailer int) { return 4, 1 }

func (s *sumTrailer) Seal(_, body []byte) { body[len(body)-1] = sumOf(body[:len(body)-1]) }

// A frame with a wrong trailer gets no further than its port. One that leaves has a right
// one, is alone, and its UDP checksum is what the program left; others are as ever.
func TestTrailers(t *testing.T) {
	trailer := &sumTrailer{}
	b := newBench(t, func(c *Config) { c.Trailer = trailer })
	b.route(to(2), 7, passFirst, 0).route(to(2), 8, passFirst, 0)
	good := []byte{7, 0, 0, 1, 5, 13}
	b.c.Handle(3, []sansio.Arrival{arrival(1, packetOf(7, 0, 9, 9)), train(1, frameOf(good), frameOf(good)),
		train(1, packetOf(8, 0, 1, 2), packetOf(8, 0, 1, 2))}, &b.eff)
	b.count("wrong-sum", 1)
	if n := len(trailer.at); n != 5 || trailer.at[0] != 3 {
		t.Errorf("asked at %v", trailer.at)
	}
	if len(b.eff.Sends) != 3 {
		t.Fatalf("%d sends, want two frames alone and a train", len(b.eff.Sends))
	}
	for i := range 2 {
		f := &b.eff.Sends[i].Train
		if f.Frames() != 1 || f.Checksum != sansio.ChecksumAsIs || len(f.Body) != len(good) || sumOf(f.Body[:5]) != f.Body[5] {
			t.Errorf("frame %d: %d frames, checksum %v, %x", i, f.Frames(), f.Checksum, f.Body)
		}
	}
	if f := &b.eff.Sends[2].Train; f.Frames() != 2 {
		t.Errorf("others leave as a train of %d frames", f.Frames())
	}
	b.take(3)
}

// A packet that came without its values leaves without, and with zeros for a trailer: headers are
// stored, also where another operation has more of them. One that has values has both.
func TestTrailersOfUnstoredValues(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Trailer = &sumTrailer{} })
	b.route(to(2), 7, passFirst, 0)
	long := arrival(1, packetOf(7, 0, 9))
	long.Train.Body, long.Train.Unstored = append(long.Train.Body[:4:4], 0, 0, 0, 0), 200
	inet.SetUDPBody(long.Train.Header, 208)
	short := arrival(1, packetOf(7, 0, 9))
	short.Train.Body, short.Train.Unstored = append(short.Train.Body[:4:4], 0), 203
	inet.SetUDPBody(short.Train.Header, 208)
	stored := arrival(1, frameOf(append([]byte{7, 0, 0, 1}, make([]byte, 204)...)))
	inet.SetUDPBody(stored.Train.Header, 208)
	stored.Train.Body[10], stored.Train.Body[207] = 5, 13
	b.c.Handle(3, []sansio.Arrival{long, short, stored}, &b.eff)
	if len(b.eff.Sends) != 3 {
		t.Fatalf("%d sends, want three", len(b.eff.Sends))
	}
	for i, unstored := range []int{203, 203, 0} {
		f := &b.eff.Sends[i].Train
		if l, problem := f.Layout(); problem != inet.OK || f.Unstored != unstored || len(f.Body)+f.Unstored != 208 || l.End != inet.UDPHeaders+208 {
			t.Errorf("frame %d: %d bytes, %d unstored, want %d; layout %+v %s", i, len(f.Body), f.Unstored, unstored, l, problem)
		}
	}
	for i := range 2 {
		if f := &b.eff.Sends[i].Train; f.Body[0] != 7 || f.Body[4] != 0 {
			t.Errorf("frame %d: %x", i, f.Body)
		}
	}
}

// frameOf is a frame of the test program with a UDP payload.
func frameOf(body []byte) []byte {
	return append(packetOf(0, 0)[:inet.UDPHeaders:inet.UDPHeaders], body...)
}
