package capture

import (
	"net/netip"

	"github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/internal/wire/xaggctl"
)

// Proto names a protocol in filters and comments.
type Proto string

// The protocols that are told apart.
const (
	TrioML   Proto = "trioml"
	SwitchML Proto = "switchml"
	ATP      Proto = "atp"
	XAgg     Proto = "xagg"
	XAggCtl  Proto = "xaggctl"
	UDP      Proto = "udp"
	TCP      Proto = "tcp"
	ICMP     Proto = "icmp"
	IGMP     Proto = "igmp"
	IP       Proto = "ip"
	ARP      Proto = "arp"
)

// Protos are all that can be asked for.
var Protos = []Proto{TrioML, SwitchML, ATP, XAgg, XAggCtl, UDP, TCP, ICMP, IGMP, IP, ARP}

// fields are what a frame says, as far as it does.
type fields struct {
	protos       []Proto // all that it is, the topmost first
	src, dst     netip.Addr
	sport, dport uint16

	job    uint16
	of     key  // that events know it by
	ours   bool // job and of are set
	source int  // that the header names; negative: none
	result bool // a parameter packet of ATP, or a result of XAgg
}

// key is what an event and a frame have in common. The job is not part of it: clients of SwitchML
// have numbers of their own.
type key struct{ gen, block uint32 }

const (
	protoICMP = 1
	protoIGMP = 2
	typeARP   = 0x0806
)

// read takes the fields of a frame, of which the first bytes may be all that there are.
func read(frame []byte, length int) (f fields) {
	f.source = -1
	if len(frame) >= inet.EtherLen && inet.Ether(frame).Type() == typeARP {
		f.protos = []Proto{ARP}
	}
	l, problem := inet.ParseHeader(frame, length)
	if problem != inet.OK {
		return f
	}
	ip := inet.IPv4(frame[inet.EtherLen:])
	f.protos, f.src, f.dst = []Proto{IP}, ip.Src(), ip.Dst()
	body := frame[min(l.Body, len(frame)):min(l.End, len(frame))]
	switch l.Proto {
	case inet.ProtoUDP:
		udp := inet.UDP(frame[l.Transport:])
		f.is(UDP)
		f.sport, f.dport = udp.SrcPort(), udp.DstPort()
		f.readUDP(body)
	case inet.ProtoTCP:
		tcp := inet.TCP(frame[l.Transport:])
		f.is(TCP)
		f.sport, f.dport = uint16(tcp[0])<<8|uint16(tcp[1]), tcp.DstPort()
	case protoICMP:
		f.is(ICMP)
	case protoIGMP:
		f.is(IGMP)
	case xagg.Protocol:
		f.readXAgg(body)
	}
	return f
}

// is adds a protocol above those that are known.
func (f *fields) is(p Proto) { f.protos = append([]Proto{p}, f.protos...) }

// proto returns the topmost protocol.
func (f *fields) proto() Proto {
	if len(f.protos) == 0 {
		return ""
	}
	return f.protos[0]
}

// readUDP takes the header of one of our protocols. Ports say which: results of SwitchML come
// from its port, all others go to theirs.
func (f *fields) readUDP(body []byte) {
	switch {
	case f.dport == trioml.Port:
		f.readTrioML(body)
	case f.dport == switchml.Port || f.sport == switchml.Port:
		f.readSwitchML(body)
	case f.dport == atp.Port || f.dport == atp.DeepPort:
		f.readATP(body)
	case f.dport == xaggctl.Port:
		f.is(XAggCtl)
	}
}

func (f *fields) readTrioML(body []byte) {
	f.is(TrioML)
	if h, problem := trioml.Parse(body); problem != trioml.Short {
		f.job, f.of, f.ours, f.source = uint16(h.Job), key{uint32(h.Gen), h.Block}, true, int(h.Source)
	}
}

func (f *fields) readSwitchML(body []byte) {
	f.is(SwitchML)
	if h, problem := switchml.Parse(body); problem != switchml.Short {
		f.job, f.of, f.ours = uint16(h.Job), key{h.PacketID, uint32(h.Slot)}, true
	}
}

// readATP takes the header; the levels above the second say nothing that events do.
func (f *fields) readATP(body []byte) {
	f.is(ATP)
	var h atp.Header
	if h.Read(body, 0) != atp.Short {
		f.job, f.of, f.ours, f.result = uint16(h.Job), key{0, h.Sequence}, true, h.Flags.Has(atp.IsAck)
	}
}

func (f *fields) readXAgg(body []byte) {
	f.is(XAgg)
	if len(body) < xagg.HeaderLen {
		return
	}
	var h xagg.Header
	h.Read(body)
	f.job, f.of, f.ours, f.result = h.Job, key{uint32(h.Iteration), h.Gradient}, true, h.Flags.Has(xagg.Result)
}
