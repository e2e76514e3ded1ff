package replay

import (
	"net/netip"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// The transport checksum that a train leaves open is filled in, over all of the frame.
func TestWireFillsTheChecksum(t *testing.T) {
	h := inet.UDPHeader(inet.Flow{Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.2"), SrcPort: 1, DstPort: 2})
	body := []byte{1, 2, 3}
	inet.SetUDPBody(h, len(body)+2)
	sansio.FillPartial(h, len(body)+2)
	f := sansio.Train{Header: h, Body: body, Unstored: 2, Checksum: sansio.ChecksumPartial}
	got := wire(nil, &f)
	if len(got) != len(h)+5 {
		t.Fatalf("%d bytes", len(got))
	}
	ip := inet.IPv4(got[inet.EtherLen:])
	sum := uint64(inet.PseudoSum(ip, inet.UDPLen+5))
	if s := inet.Fold(inet.Sum(got[inet.UDPHeaders:], inet.Sum(got[inet.UDPHeaders-inet.UDPLen:inet.UDPHeaders], sum))); s != 0xffff {
		t.Errorf("the checksum does not add up: %#x", s)
	}
	f.Checksum = sansio.ChecksumAsIs
	if as := wire(nil, &f); string(as[:len(h)]) != string(h) {
		t.Error("a checksum that stands was changed")
	}
}
