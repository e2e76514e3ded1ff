package afpacket

import "github.com/inalab/inalab/internal/pktio"

// Feature is the answer to one probe, with the reason for any answer but yes.
type Feature struct {
	Support pktio.Support
	Reason  string
}

// Features is what the path with offload needs of the kernel.
type Features struct {
	VnetHdr   Feature // PACKET_VNET_HDR: partial checksums and super-packets on packet sockets
	TPacketV2 Feature // TPACKET_V2: the receive ring
	GSOSend   Feature // sending UDP super-packets with a virtio-net header (Linux 6.2)
}

// missing returns the first feature that is known not to be there.
func (f Features) missing() (name string, feature Feature, found bool) {
	for _, x := range []struct {
		name    string
		feature Feature
	}{{"PACKET_VNET_HDR", f.VnetHdr}, {"TPACKET_V2", f.TPacketV2}, {"UDP segmentation offload", f.GSOSend}} {
		if x.feature.Support == pktio.No {
			return x.name, x.feature, true
		}
	}
	return "", Feature{}, false
}
