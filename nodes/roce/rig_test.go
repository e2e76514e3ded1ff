package roce

import (
	"net/netip"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/roce"
)

const (
	us = units.Microsecond
	ms = units.Time(units.Millisecond)
)

// write is a message to send at a time.
type write struct {
	at             units.Time
	body, unstored int
}

// unstoredByte stands for a byte without content in what an end heard or said.
const unstoredByte = -1

// end is a connection as a machine. Byte i of what end w says is byteOf(w, i).
type end struct {
	*Conn
	t        rapid.TB
	who      int
	writes   []write
	written  []int
	received []int
}

func byteOf(who, i int) byte { return byte(i*31 + i>>8*7 + who*101) }

func flow(from int) inet.Flow {
	addr := func(w int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(w + 1)}) }
	to := 1 - from
	return inet.Flow{
		SrcMAC: inet.MAC{2, byte(from)}, DstMAC: inet.MAC{2, byte(to)}, Src: addr(from), Dst: addr(to),
		SrcPort: 0x1230 + uint16(from), DstPort: 0x1230 + uint16(to),
	}
}

func newEnd(t rapid.TB, who int, cfg Config, writes []write) *end {
	t.Helper()
	cfg.Flow = flow(who)
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &end{Conn: c, t: t, who: who, writes: writes}
}

func (e *end) NextDeadline() units.Time {
	d := e.Conn.NextDeadline()
	if len(e.writes) > 0 {
		d = min(d, e.writes[0].at)
	}
	return d
}

func (e *end) Expire(now units.Time, eff *sansio.Effects) {
	for len(e.writes) > 0 && e.writes[0].at <= now {
		e.say(now, e.writes[0], eff)
		e.writes = e.writes[1:]
	}
	e.Conn.Expire(now, eff)
	e.watch()
}

func (e *end) say(now units.Time, w write, eff *sansio.Effects) {
	body := make([]byte, w.body)
	for i := range body {
		body[i] = byteOf(e.who, len(e.written))
		e.written = append(e.written, int(body[i]))
	}
	for range w.unstored {
		e.written = append(e.written, unstoredByte)
	}
	e.Write(now, body, w.unstored, eff)
	for i := range body {
		body[i] = 0xdb // borrowed until here
	}
}

func (e *end) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		e.Conn.Handle(now, &in[i].Train, eff, e.deliver)
	}
	e.watch()
}

func (e *end) deliver(body []byte, unstored int) {
	for _, b := range body {
		e.received = append(e.received, int(b))
	}
	for range unstored {
		e.received = append(e.received, unstoredByte)
	}
}

// watch checks what holds after every call.
func (e *end) watch() {
	tx := &e.tx
	if tx.acked > tx.next || tx.next > tx.highest || tx.highest > tx.end || tx.next-tx.acked > e.window {
		e.t.Fatalf("end %d: acknowledged %d, next %d, highest %d, written %d, window %d", e.who, tx.acked, tx.next, tx.highest, tx.end, e.window)
	}
	if waiting := tx.next > tx.acked && !tx.failed; waiting != (tx.deadline != units.Never) {
		e.t.Fatalf("end %d: %d packets on their way, timer at %v", e.who, tx.next-tx.acked, tx.deadline)
	}
	if tx.acked == tx.end && (tx.buffered != 0 || len(tx.messages)-tx.head != 0) {
		e.t.Fatalf("end %d: all is acknowledged, but %d bytes are kept", e.who, tx.buffered)
	}
}

func (e *end) counted(name string) int { return int(e.count.Get(name)) }

// pair joins two ends by wires.
type pair struct {
	sansiotest.Network
	ends  [2]*end
	wires [2]*sansiotest.Wire // from end w
}

func newPair(t rapid.TB, cfg Config, delay units.Duration, drop func(from int, f sansio.Train) bool, writes [2][]write) *pair {
	t.Helper()
	p := &pair{}
	var ids [2]sansiotest.NodeID
	for w := range p.ends {
		p.ends[w] = newEnd(t, w, cfg, writes[w])
		p.wires[w] = &sansiotest.Wire{Delay: delay}
		if drop != nil {
			p.wires[w].Drop = func(f sansio.Train) bool { return drop(w, f) }
		}
		ids[w] = p.Add(p.ends[w])
	}
	p.Connect(ids[0], 0, ids[1], 0, p.wires[0], p.wires[1])
	return p
}

// run runs to the end; each must have heard what the other said.
func (p *pair) run(t rapid.TB) {
	t.Helper()
	pending, err := p.Run(units.Time(10_000 * units.Second))
	if err != nil || pending {
		t.Fatalf("pending: %v, error: %v", pending, err)
	}
	p.checkHeard(t)
}

func (p *pair) checkHeard(t rapid.TB) {
	t.Helper()
	for w, e := range p.ends {
		if written := p.ends[1-w].written; !slices.Equal(e.received, written) {
			t.Fatalf("end %d heard %d bytes of %d, or others", w, len(e.received), len(written))
		}
		if e.tx.acked != e.tx.end {
			t.Fatalf("end %d has %d packets that are not acknowledged", w, e.tx.end-e.tx.acked)
		}
	}
}

func drawConfig(t *rapid.T) Config {
	mtu := rapid.SampledFrom([]int{256, 512, 1024}).Draw(t, "path MTU")
	return Config{
		PathMTU:  mtu,
		Window:   units.Bytes(rapid.IntRange(1, 10*mtu).Draw(t, "window")),
		AckEvery: rapid.IntRange(1, 6).Draw(t, "ack every"),
		Timeout:  units.Duration(rapid.Int64Range(int64(ms), int64(10*ms)).Draw(t, "timeout")),
		Retries:  1000,
		Rate:     units.Rate(rapid.SampledFrom([]int64{0, 1e9}).Draw(t, "rate")),
	}
}

func drawWrites(t *rapid.T) (out []write) {
	at := units.Time(0)
	for range rapid.IntRange(0, 5).Draw(t, "messages") {
		at += units.Time(rapid.SampledFrom([]int64{0, int64(ms / 100), int64(7 * ms)}).Draw(t, "pause"))
		w := write{at: at, body: rapid.IntRange(0, 1500).Draw(t, "body")}
		if rapid.Bool().Draw(t, "some unstored") {
			w.unstored = rapid.IntRange(0, 1500).Draw(t, "unstored")
		}
		out = append(out, w)
	}
	return out
}

// packets returns how many packets the messages need.
func packets(writes []write, mtu int) (n int) {
	for _, w := range writes {
		n += (w.body + w.unstored + mtu - 1) / mtu
	}
	return n
}

// isData reports whether a frame belongs to a message, with its PSN.
func isData(f sansio.Train) (wire.PSN, bool) {
	h := wire.BTH(f.Body)
	return h.PSN(), h.Opcode() != acknowledge
}
