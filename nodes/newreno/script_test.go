package newreno

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Sequence numbers of both ends wrap around in the first segments of a script.
const (
	ownISN  = 0xffff_fc00
	peerISN = 0xffff_ff00
)

// mss is the payload of full segments in scripts, which do without timestamps
// unless they are about them; mtu goes with it.
const (
	mss = 1000
	mtu = mss + inet.IPv4Len + inet.TCPLen
)

// script is an end whose peer is the test. Places are those of the streams: 0 is
// the SYN, 1 the first byte.
type script struct {
	*host
	t   *testing.T
	eff sansio.Effects
	now units.Time
	// What the peer says if the test does not: place of its next byte, window.
	seq, window int
	stamps      bool // with timestamps: tsval and the echo follow
	tsval       uint32
	codepoint   uint8 // of ECN, in what the peer sends
	trains      []int // frames of each, in the last answer
}

// newScript returns an end that has done nothing.
func newScript(t *testing.T, cfg Config) *script {
	t.Helper()
	if cfg.MTU == 0 {
		cfg.MTU = mtu
	}
	cfg.ISN = ownISN
	return &script{host: newHost(t, 0, cfg), t: t, window: 60000, stamps: !cfg.NoTimestamps}
}

// established returns an active end after the handshake, at time 0, without
// timestamps and scaling unless cfg and the options say otherwise.
func established(t *testing.T, cfg Config, o ...inet.TCPOptions) *script {
	t.Helper()
	cfg.NoTimestamps = len(o) == 0 || !o[0].HasTimestamps
	s := newScript(t, cfg)
	s.Open(s.now, &s.eff)
	s.eff.Reset()
	if len(o) == 0 {
		o = []inet.TCPOptions{{MSS: mss}}
	}
	s.synAck(o[0])
	return s
}

func (s *script) synAck(o inet.TCPOptions) []view {
	s.t.Helper()
	s.tsval, s.seq = o.TSVal, 1
	flags := inet.TCPSyn | inet.TCPAck
	if s.cfg.ECN {
		flags |= inet.TCPEce
	}
	return s.put(0, 1, flags, 0, o)
}

// put hands a segment of the peer over and returns the frames that answer.
func (s *script) put(seq, ack int, flags uint8, n int, o inet.TCPOptions) []view {
	s.t.Helper()
	h := inet.TCPHeader(testFlow(1), o.Len())
	tcp := inet.TCP(h[inet.EtherLen+inet.IPv4Len:])
	tcp.SetSeq(uint32(int64(seq) + peerISN))
	if flags&inet.TCPAck != 0 {
		tcp.SetAck(uint32(int64(ack) + ownISN))
	}
	tcp.SetFlags(flags)
	tcp.SetWindow(uint16(s.window))
	o.Put(tcp[inet.TCPLen:])
	body := make([]byte, n)
	for i := range body {
		body[i] = byteOf(1, seq-1+i)
	}
	inet.IPv4(h[inet.EtherLen:]).SetECN(s.codepoint)
	inet.SetTCPBody(h, n)
	sansio.FillPartial(h, n)
	s.host.Handle(s.now, []sansio.Arrival{{Train: sansio.Train{Header: h, Body: body, Checksum: sansio.ChecksumPartial}}}, &s.eff)
	return s.frames()
}

func (s *script) options() inet.TCPOptions {
	return inet.TCPOptions{HasTimestamps: s.stamps && s.Conn.stamps, TSVal: s.tsval}
}

// ack hands over an acknowledgement without data.
func (s *script) ack(upTo int) []view {
	s.t.Helper()
	return s.put(s.seq, upTo, inet.TCPAck, 0, s.options())
}

// echo hands over an acknowledgement that echoes a mark.
func (s *script) echo(upTo int) []view {
	s.t.Helper()
	return s.put(s.seq, upTo, inet.TCPAck|inet.TCPEce, 0, s.options())
}

// data hands over bytes of the peer, which acknowledges nothing new.
func (s *script) data(seq, n int) []view {
	s.t.Helper()
	return s.put(seq, int(s.tx.una), inet.TCPAck, n, s.options())
}

// send writes bytes and returns the frames.
func (s *script) send(n int) []view {
	s.t.Helper()
	s.write(s.now, piece{content: n}, &s.eff)
	return s.frames()
}

// wait goes to the next deadline and returns the frames.
func (s *script) wait() []view {
	s.t.Helper()
	if s.Conn.NextDeadline() == units.Never {
		s.t.Fatal("there is nothing to wait for")
	}
	s.now = s.Conn.NextDeadline()
	s.Conn.Expire(s.now, &s.eff)
	return s.frames()
}

func (s *script) frames() (out []view) {
	s.t.Helper()
	s.watch(&s.eff)
	s.trains = nil
	for _, send := range s.eff.Sends {
		s.trains = append(s.trains, send.Train.Frames())
	}
	for _, f := range framesOf(&s.eff) {
		out = append(out, viewOf(f, ownISN, peerISN))
	}
	s.eff.Reset()
	return out
}

// starts returns where the frames start, in order.
func starts(frames []view) (out []int) {
	for _, f := range frames {
		out = append(out, f.seq)
	}
	return out
}

// places returns n segments from the place on.
func places(from, n int) (out []int) {
	for i := range n {
		out = append(out, from+i*mss)
	}
	return out
}

func (s *script) wantStarts(what string, frames []view, want ...int) {
	s.t.Helper()
	if got := starts(frames); !slices.Equal(got, want) {
		s.t.Errorf("%s: segments from %d, want %d", what, got, want)
	}
}

// wantAck checks that frames are one acknowledgement and nothing else; 0: nothing.
func (s *script) wantAck(what string, frames []view, upTo int) {
	s.t.Helper()
	if upTo == 0 {
		if len(frames) != 0 {
			s.t.Errorf("%s: answered by %+v", what, frames)
		}
		return
	}
	if len(frames) != 1 || frames[0].ack != upTo || frames[0].size() != 0 || frames[0].flags != inet.TCPAck {
		s.t.Errorf("%s: answered by %+v, want an acknowledgement of %d", what, frames, upTo)
	}
}

func (s *script) wantWindow(what string, cwnd, ssthresh units.Bytes) {
	s.t.Helper()
	if s.cc.cwnd != cwnd || s.cc.ssthresh != ssthresh {
		s.t.Errorf("%s: cwnd %d, ssthresh %d, want %d and %d", what, s.cc.cwnd, s.cc.ssthresh, cwnd, ssthresh)
	}
}

func (s *script) wantState(what string, want State) {
	s.t.Helper()
	if s.State() != want {
		s.t.Errorf("%s: %v, want %v", what, s.State(), want)
	}
}
