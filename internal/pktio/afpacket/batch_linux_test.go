package afpacket

import (
	"bytes"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// joined returns the bytes that a message would send.
func joined(iovs []unix.Iovec) []byte {
	var out []byte
	for _, v := range iovs {
		out = append(out, unsafe.Slice(v.Base, int(v.Len))...)
	}
	return out
}

// On the plain path a train leaves as its frames, each with the checksum that
// the receiver will want, and the caller's memory stays as it was.
func TestPlainBatchFillsChecksums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, seg := rapid.IntRange(0, 4000).Draw(t, "bytes"), rapid.IntRange(1, 1400).Draw(t, "segment")
		tr := udpTrain(n, seg)
		if rapid.Bool().Draw(t, "tcp") {
			tr = tcpTrain(n, seg, 0x18)
		}
		before := bytesOf(tr)
		b := batch{plain: true}
		b.reset([]sansio.Send{{Train: tr}})
		for i := range tr.Frames() {
			f := tr.Frame(i, b.header(len(tr.Header)))
			iovs, reason := b.add(f)
			got := joined(iovs)
			l, problem := inet.Parse(got)
			if reason != "" || problem != inet.OK || l.End != len(got) || !bytes.Equal(got[l.Body:], tr.Payload(i)) {
				t.Fatalf("frame %d: reason %q, problem %q", i, reason, problem)
			}
			whole := uint64(inet.PseudoSum(inet.IPv4(got[14:]), len(got)-l.Transport))
			if sum := inet.Fold(inet.Sum(got[l.Transport:], whole)); sum != 0xffff {
				t.Fatalf("frame %d: checksum is off by %#x", i, ^sum)
			}
		}
		if !bytes.Equal(before, bytesOf(tr)) {
			t.Fatal("the train was written to")
		}
	})
}

func TestPlainBatchLeavesPaddingOut(t *testing.T) {
	tr := udpTrain(3, 0)
	want := checksumOf(bytesOf(tr))
	tr.Body = append(slices.Clone(tr.Body), "padding, which is no part of the packet"...)
	b := batch{plain: true}
	b.reset([]sansio.Send{{Train: tr}})
	iovs, _ := b.add(tr)
	if got := joined(iovs); inet.UDP(got[34:])[6] != byte(want>>8) || inet.UDP(got[34:])[7] != byte(want) {
		t.Errorf("checksum %x, want %#x", got[40:42], want)
	}
}

func TestBatchRefusesWhatItCannotSend(t *testing.T) {
	var b batch
	bad := sansio.Train{Header: udp6(pattern(9)), Checksum: sansio.ChecksumPartial}
	b.reset([]sansio.Send{{Train: bad}, {}})
	if _, reason := b.add(bad); reason != DropBadTrain {
		t.Errorf("a partial checksum in IPv6: %q", reason)
	}
	b.plain = true
	if _, reason := b.add(sansio.Train{}); reason != DropBadTrain {
		t.Errorf("an empty frame: %q", reason)
	}
}

func TestBatchSharesNothingWithTheNext(t *testing.T) {
	var b batch
	sends := []sansio.Send{{Train: udpTrain(500, 100)}, {Train: udpTrain(30, 0)}}
	for range 3 {
		b.reset(sends)
		for _, s := range sends {
			iovs, reason := b.add(s.Train)
			want := slices.Concat([]byte(describe(s.Train)), bytesOf(s.Train))
			if reason != "" || !bytes.Equal(joined(iovs), want) {
				t.Fatalf("reason %q, message of %d bytes, want %d", reason, len(joined(iovs)), len(want))
			}
		}
		b.release()
		if i := slices.IndexFunc(b.iovs, func(v unix.Iovec) bool { return v.Base != nil }); i >= 0 {
			t.Fatalf("piece %d is still held", i)
		}
	}
}
