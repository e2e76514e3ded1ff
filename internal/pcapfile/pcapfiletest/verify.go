package pcapfiletest

import (
	"fmt"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// Verify has gopacket decode an Ethernet frame, and check its lengths and the checksums of IPv4 and of
// UDP or TCP. It returns the payload; of a frame without UDP and TCP that is nil.
func Verify(frame []byte) (payload []byte, err error) {
	p := gopacket.NewPacket(frame, layers.LayerTypeEthernet, gopacket.Default)
	if bad := p.ErrorLayer(); bad != nil {
		return nil, fmt.Errorf("%w: %v", bad.Error(), p)
	}
	ip, _ := p.Layer(layers.LayerTypeIPv4).(*layers.IPv4)
	if ip != nil && int(ip.Length) != len(frame)-14 {
		return nil, fmt.Errorf("IPv4 says %d bytes of a frame of %d", ip.Length, len(frame))
	}
	switch l := p.TransportLayer().(type) {
	case *layers.UDP:
		if err := l.SetNetworkLayerForChecksum(ip); err != nil {
			return nil, err
		}
		if int(l.Length) != len(l.Payload)+8 || l.Checksum == 0 {
			return nil, fmt.Errorf("UDP says %d bytes, checksum %d: %v", l.Length, l.Checksum, p)
		}
		payload = l.Payload
	case *layers.TCP:
		if err := l.SetNetworkLayerForChecksum(ip); err != nil {
			return nil, err
		}
		payload = l.Payload
	}
	err, wrong := p.VerifyChecksums()
	if err == nil && len(wrong) > 0 {
		err = fmt.Errorf("checksums: %+v: %v", wrong, p)
	}
	return payload, err
}
