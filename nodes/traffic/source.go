package traffic

import (
	"encoding/binary"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// The payload of a packet of UDP, big-endian: its number from 0 (8 bytes), and when it was
// sent in picoseconds of the run (8 bytes). Zeros fill the packet.
const (
	stampBytes = 16
	udpHeaders = inet.IPv4Len + inet.UDPLen
	// MinPacket is the smallest IP packet of UDP that holds number and time, in bytes.
	MinPacket units.Bytes = udpHeaders + stampBytes
)

// LeastPacket is the smallest IP packet of a flow of UDP, in bytes.
func LeastPacket(options bool) units.Bytes {
	if options {
		return MinPacket + units.Bytes(len(Options))
	}
	return MinPacket
}

// Options is what packets of flows with options have in their IP header: "no operation", four
// times (RFC 791 §3.1), upon which nobody on the way has to act.
var Options = []byte{1, 1, 1, 1}

// MaxWrite is what a sender of TCP writes at a time at most, in bytes (assumed: what it has
// room for when nothing is on its way).
const MaxWrite = sendBuffer

// maxBurst is how many packets one call sends at most, if the source is late: a train.
const maxBurst = sansio.MaxTrainFrames

// DropUnexpected counts frames that came to an end that expects none of their kind.
const DropUnexpected = "traffic-unexpected"

// SourceConfig describes the sending end of a flow of UDP.
type SourceConfig struct {
	Flow    inet.Flow // as it sends
	Pattern Pattern   // with a rate
	ECN     bool      // packets say ECT(0), RFC 3168 §5
	Options bool      `json:",omitempty"` // packets have the option Options of IPv4
	Filled  bool      // the zeros of packets are stored: live; else they are counted only
}

// Source sends UDP. It is a [sansio.Machine].
type Source struct {
	cfg    SourceConfig
	header []byte // a template; with options, that of every packet
	zeros  int    // that fill a packet
	pacer  Pacer
	sent   Sent
	drops  sansio.Tally
}

// port is the interface of the host.
var port = []sansio.Port{0}

// NewSource returns a source that has sent nothing.
func NewSource(cfg SourceConfig) (*Source, error) {
	least := LeastPacket(cfg.Options)
	if p := cfg.Pattern; p.Rate <= 0 || p.Packet < least {
		return nil, fmt.Errorf("a flow of UDP with packets of %v at a rate of %d bit/s: it needs packets of %v or more and a rate", p.Packet, p.Rate, least)
	}
	s := &Source{cfg: cfg, header: inet.UDPHeader(cfg.Flow), zeros: int(cfg.Pattern.Packet - least), pacer: NewPacer(cfg.Pattern)}
	if cfg.ECN {
		inet.IPv4(s.header[inet.EtherLen:]).SetECN(inet.ECT0)
	}
	if cfg.Options {
		s.header = inet.WithIPOptions(s.header, Options, stampBytes+s.zeros)
	}
	return s, nil
}

// Handle drops what comes: nobody answers.
func (s *Source) Handle(_ units.Time, in []sansio.Arrival, _ *sansio.Effects) {
	for i := range in {
		s.drops.Add(DropUnexpected, uint64(in[i].Train.Frames()))
	}
}

// Expire sends the packets that are due, in a row if it comes late.
func (s *Source) Expire(now units.Time, eff *sansio.Effects) {
	for range maxBurst {
		if s.pacer.Due() > now {
			return
		}
		s.send(now, eff)
		s.pacer.Next()
	}
}

func (s *Source) send(now units.Time, eff *sansio.Effects) {
	stored, unstored := stampBytes, s.zeros
	if s.cfg.Filled {
		stored, unstored = stored+unstored, 0
	}
	body := eff.Body(stored)
	binary.BigEndian.PutUint64(body, s.sent.Packets)
	binary.BigEndian.PutUint64(body[8:], uint64(now))
	clear(body[stampBytes:])
	if s.cfg.Options {
		header := eff.Header(len(s.header))
		copy(header, s.header)
		eff.Send(port, sansio.Train{Header: header, Body: body, Unstored: unstored, Memory: eff.Owner(body)})
	} else {
		eff.EmitUnstored(port, s.header, body, unstored)
	}
	s.sent.Packets++
	s.sent.Bytes += s.cfg.Pattern.Packet
}

// NextDeadline returns when the next packet is due.
func (s *Source) NextDeadline() units.Time { return s.pacer.Due() }

// Halt ends the flow.
func (s *Source) Halt() { s.pacer.Halt() }

// Sent returns what was sent so far.
func (s *Source) Sent() Sent { return s.sent }

// Counters returns drops by reason.
func (s *Source) Counters() []sansio.Count { return s.drops.List() }
