package tcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/sansio"
)

const total = 8 << 20

// exchange sends total bytes in pieces and receives as many meanwhile, as one
// goroutine that owns the device would.
func exchange(d *Device, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	out := pattern(total)
	var in []byte
	for left := out; len(left) > 0 || len(in) < total; {
		var sends []sansio.Send
		for range 3 {
			n := min(len(left), rng.IntN(300_000))
			sends = append(sends, toNext(left[:n])...)
			left = left[n:]
		}
		if err := d.Send(sends); err != nil {
			return err
		}
		got, err := d.Recv(time.Duration(rng.IntN(2)) * time.Millisecond)
		if err != nil {
			return err
		}
		for _, a := range got {
			in = append(in, a.Train.Body...)
		}
	}
	if !bytes.Equal(in, out) {
		return errors.New("the stream has other bytes than were sent")
	}
	return nil
}

func TestRingMovesBothWays(t *testing.T) {
	for _, buffers := range []struct {
		name string
		edit func(a, b *Config)
	}{
		{"default", func(a, b *Config) { a.QuietEOF, b.QuietEOF = true, true }}, // one ends before the other
		{"small", func(a, b *Config) {
			a.QuietEOF, b.QuietEOF = true, true
			a.SndBuf, a.RcvBuf, b.SndBuf, b.Chunk = 100_000, 200_000, 100_000, 5_000
		}},
	} {
		t.Run(buffers.name, func(t *testing.T) {
			netnstest.CheckLeaks(t)
			a, b := ring(t, buffers.edit)
			var wg sync.WaitGroup
			for i, d := range []*Device{a, b} {
				wg.Go(func() {
					if err := errors.Join(exchange(d, uint64(i)), d.Close()); err != nil {
						t.Errorf("device %d: %v", i, err)
					}
				})
			}
			wg.Wait()
			for i, d := range []*Device{a, b} {
				if s := d.Stats(); s.TxBytes != total || s.RxBytes != total || s.Offload != "tcp" {
					t.Errorf("device %d: statistics %+v", i, s)
				}
			}
		})
	}
}

// A device with streams to two peers, of which one is dialled and one dials, keeps
// what each sends apart, and tells of the end of one behind what the other brought.
func TestStreamsToSeveralPeers(t *testing.T) {
	netnstest.CheckLeaks(t)
	middle, left, right := freeAddr(), freeAddr(), freeAddr()
	hub := Config{Streams: []Stream{{Local: middle, Remote: left}, {Local: middle, Remote: right, Passive: true}}, Chunk: 10_000, Deadline: 10 * time.Second}
	cfgs := []Config{
		hub, {Streams: []Stream{{Local: left, Remote: middle, Passive: true}}, Deadline: hub.Deadline}, {Streams: []Stream{{Local: right, Remote: middle}}, Deadline: hub.Deadline},
	}
	devices := openAll(t, cfgs)
	const n = 100_000
	both := []sansio.Send{{To: []sansio.Port{0, 1}, Train: sansio.Train{Body: pattern(n)}}}
	if err := errors.Join(devices[0].Send(both), devices[1].Send(to(0, pattern(n))), devices[2].Send(to(0, pattern(n/2)))); err != nil {
		t.Fatal(err)
	}
	if err := devices[2].Close(); err != nil { // what it was sent lies there unread, which makes it a reset
		t.Fatal(err)
	}
	got := make([][]byte, 2)
	var ended error
	for until := time.Now().Add(10 * time.Second); len(got[0]) < n || ended == nil; {
		arrivals, err := devices[0].Recv(100 * time.Millisecond)
		for _, a := range arrivals {
			got[a.Port] = append(got[a.Port], a.Train.Body...)
		}
		if err != nil {
			ended = errors.Join(ended, err)
		}
		if time.Now().After(until) {
			t.Fatalf("%d and %d bytes and %v after 10 s", len(got[0]), len(got[1]), ended)
		}
	}
	if !bytes.Equal(got[0], pattern(n)) || !bytes.HasPrefix(pattern(n/2), got[1]) {
		t.Errorf("%d and %d bytes, or others than were sent", len(got[0]), len(got[1]))
	}
	if !errors.Is(ended, ErrPeerClosed) || !strings.Contains(ended.Error(), right.Addr().String()) {
		t.Errorf("error %v, want one that wraps %v", ended, ErrPeerClosed)
	}
	if err := errors.Join(devices[1].Close(), devices[0].Close()); err != nil {
		t.Error(err)
	}
}

func TestOverflowIsAnErrorThatStays(t *testing.T) {
	const limit = 1 << 20
	a, _ := ring(t, func(a, _ *Config) { a.Limit, a.SndBuf = limit, 10_000 })
	body := pattern(100_000)
	var err error
	for i := 0; err == nil && i < 1000; i++ {
		err = a.Send(toNext(body))
		if a.streams[next].pending.len() > limit {
			t.Fatalf("%d bytes pending, limit %d", a.streams[next].pending.len(), limit)
		}
	}
	if !errors.Is(err, ErrOverflow) || !strings.Contains(err.Error(), a.streams[next].at.Remote.String()) {
		t.Fatalf("error %v, want one that wraps %v and names %v", err, ErrOverflow, a.streams[next].at.Remote)
	}
	if again := a.Send(toNext([]byte{1})); !errors.Is(again, ErrOverflow) {
		t.Errorf("the stream goes on after a hole: %v", again)
	}
}

func TestSendsThatAreNoStreamAreErrors(t *testing.T) {
	for name, send := range map[string]sansio.Send{
		"wrong port": {To: []sansio.Port{2}, Train: sansio.Train{Body: pattern(1)}},
		"header":     {To: []sansio.Port{next}, Train: sansio.Train{Header: pattern(42)}},
	} {
		a, _ := ring(t, nil)
		if err := a.Send([]sansio.Send{send}); err == nil {
			t.Errorf("%s: sent", name)
		}
	}
}

func TestPeerClosedComesLastAndOnce(t *testing.T) {
	const n = 3 << 20
	a, b := ring(t, func(a, b *Config) { // one stream, from b to a
		a.Streams, b.Streams, b.SndBuf = a.Streams[previous:], b.Streams[:previous], 10_000
	})
	if err := b.Send(toNext(pattern(n))); err != nil {
		t.Fatal(err)
	}
	if b.streams[next].pending.len() == 0 {
		t.Fatal("nothing is pending: the test needs a smaller send buffer")
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	got, err := recv(a, n+1)
	wg.Wait()
	if !errors.Is(err, ErrPeerClosed) || !strings.Contains(err.Error(), b.streams[next].at.Local.Addr().String()) {
		t.Errorf("error %v, want one that wraps %v and names %v", err, ErrPeerClosed, b.streams[next].at.Local.Addr())
	}
	if !bytes.Equal(got, pattern(n)) {
		t.Errorf("%d bytes before the error, want %d", len(got), n)
	}
	if again, err := a.Recv(time.Millisecond); len(again) != 0 || err != nil {
		t.Errorf("Recv after it was told = %d arrivals, %v; want a wait", len(again), err)
	}
}

func TestQuietEOFIsSilence(t *testing.T) {
	a, b := ring(t, func(a, _ *Config) { a.QuietEOF = true })
	if err := errors.Join(b.Send(toNext(pattern(100))), b.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := recv(a, 100); !bytes.Equal(got, pattern(100)) {
		t.Fatalf("got %d bytes, %v", len(got), err)
	}
	start := time.Now()
	if got, err := a.Recv(5 * time.Millisecond); len(got) != 0 || err != nil || time.Since(start) < 5*time.Millisecond {
		t.Errorf("Recv = %v, %v after %v; want a full wait", got, err, time.Since(start))
	}
}

// A zero linger time closes by a reset, as a process does that dies with bytes unread.
func TestResetIsAnErrorInSpiteOfQuietEOF(t *testing.T) {
	a, b := ring(t, func(a, b *Config) { a.QuietEOF, b.QuietEOF = true, true })
	if err := unix.SetsockoptLinger(b.streams[next].fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Recv(time.Second); !errors.Is(err, ErrPeerClosed) || !errors.Is(err, unix.ECONNRESET) {
		t.Errorf("Recv = %v, want %v by a reset", err, ErrPeerClosed)
	}
}

func TestSendToAClosedNeighbour(t *testing.T) {
	a, b := ring(t, nil)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	for i := 0; err == nil && i < 10_000; i++ { // the first bytes are on their way before the reset comes back
		err = a.Send(toNext(pattern(10)))
	}
	if !errors.Is(err, ErrPeerClosed) {
		t.Errorf("error %v, want one that wraps %v", err, ErrPeerClosed)
	}
}

func TestCloseGivesUpOnANeighbourThatDoesNotRead(t *testing.T) {
	a, _ := ring(t, func(a, b *Config) { a.Linger, a.SndBuf, b.RcvBuf = 20*time.Millisecond, 10_000, 10_000 })
	if err := a.Send(toNext(pattern(total))); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err == nil || !strings.Contains(err.Error(), "unsent") {
		t.Errorf("Close = %v, want an error about unsent bytes", err)
	}
	if err := a.Close(); err != nil {
		t.Errorf("second Close = %v", err)
	}
}

func TestRecvWaitsAndWakes(t *testing.T) {
	a, _ := ring(t, nil)
	for _, wait := range []time.Duration{0, 100 * time.Microsecond, 5 * time.Millisecond} {
		start := time.Now()
		got, err := a.Recv(wait)
		if took := time.Since(start); len(got) != 0 || err != nil || took < wait {
			t.Errorf("Recv(%v) = %v, %v after %v", wait, got, err, took)
		}
	}
	var wg sync.WaitGroup
	wg.Go(a.Wake)
	if got, err := a.Recv(-1); len(got) != 0 || err != nil {
		t.Errorf("woken Recv = %v, %v", got, err)
	}
	wg.Wait()
}

func TestClosedDevice(t *testing.T) {
	netnstest.CheckLeaks(t)
	a, b := ring(t, nil)
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	a.Wake()
	if _, err := a.Recv(-1); err == nil {
		t.Error("a closed device received")
	}
	if err := a.Send(toNext(pattern(1))); err == nil {
		t.Error("a closed device sent")
	}
}

func TestOpenToItself(t *testing.T) {
	addr := freeAddr()
	d, err := Open(context.Background(), between(addr, addr))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Send(toNext(pattern(1000))); err != nil {
		t.Fatal(err)
	}
	if got, err := recv(d, 1000); !bytes.Equal(got, pattern(1000)) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func TestOpenEndsWithoutNeighbours(t *testing.T) {
	netnstest.CheckLeaks(t)
	cfg := between(freeAddr(), freeAddr())
	cfg.Deadline = 30 * time.Millisecond
	d, err := Open(context.Background(), cfg)
	if d != nil || !errors.Is(err, ErrNoPeer) {
		t.Fatalf("Open = %v, %v; want %v", d, err, ErrNoPeer)
	}
	for _, part := range []string{cfg.Streams[next].Remote.String(), cfg.Streams[previous].Local.String(), "connection refused"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	why := errors.New("the run was called off")
	ctx, cancel := context.WithCancelCause(context.Background())
	var wg sync.WaitGroup
	cfg.Deadline = time.Minute
	wg.Go(func() { cancel(why) })
	if d, err := Open(ctx, cfg); d != nil || !errors.Is(err, why) {
		t.Errorf("Open = %v, %v; want %v", d, err, why)
	}
	wg.Wait()
}

func TestStrangersAreTurnedAway(t *testing.T) {
	netnstest.CheckLeaks(t)
	addrA, addrB := freeAddr(), freeAddr()
	var a *Device
	var errA error
	var wg sync.WaitGroup
	wg.Go(func() { a, errA = Open(context.Background(), between(addrA, addrB)) })
	if err := knock(addrA.String()); err != io.EOF {
		t.Errorf("the stranger read %v, want to be turned away", err)
	}
	b, errB := Open(context.Background(), between(addrB, addrA))
	wg.Wait()
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	if drops := a.Stats().Drops; len(drops) != 1 || drops[0] != (sansio.Count{Name: "stranger", N: 1}) {
		t.Errorf("drops %v, want one stranger", drops)
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
}

// knock connects as somebody else, as soon as somebody listens, and reads.
func knock(addr string) error {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}}
	for until := time.Now().Add(5 * time.Second); ; {
		conn, err := dialer.Dial("tcp4", addr)
		if err != nil {
			if time.Now().After(until) {
				return err
			}
			continue
		}
		defer conn.Close()
		_, err = conn.Read(make([]byte, 1))
		return err
	}
}

func TestOpenRefuses(t *testing.T) {
	netnstest.CheckLeaks(t)
	good := freeAddr()
	listener, err := net.Listen("tcp4", freeAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	taken := netip.MustParseAddrPort(listener.Addr().String())
	away := netip.MustParseAddrPort("192.0.2.1:9100")
	passive := func(at netip.AddrPort) Config {
		return Config{Streams: []Stream{{Local: at, Remote: good, Passive: true}}}
	}
	limited := func(edit func(*Config)) Config {
		c := between(good, good)
		edit(&c)
		return c
	}
	dialling := func(at netip.AddrPort) Config { return Config{Streams: []Stream{{Local: good, Remote: at}}} }
	tests := []struct {
		want string
		cfg  Config
	}{
		{"no streams", Config{}},
		{"own address", passive(netip.AddrPort{})},
		{"own address", passive(netip.AddrPortFrom(good.Addr(), 0))},
		{"peer's address", dialling(netip.MustParseAddrPort("0.0.0.0:1"))},
		{"peer's address", dialling(netip.AddrPortFrom(good.Addr(), 0))},
		{"peer's address", dialling(netip.AddrPortFrom(netip.IPv6Loopback(), 1))},
		{"none may be negative", limited(func(c *Config) { c.Limit = -1 })},
		{"none may be negative", limited(func(c *Config) { c.Linger = -1 })},
		{"address already in use", passive(taken)},
		{"cannot assign", passive(away)},
		{"connect to peer", dialling(away)}, // not from a loopback address
	}
	for _, c := range tests {
		d, err := Open(context.Background(), c.cfg)
		if d != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open(%+v) = %v, %v; want an error about %q", c.cfg, d, err, c.want)
		}
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	a, b := ring(t, nil)
	sends := append(toNext(pattern(1000)), toNext(pattern(50_000))...)
	allocs := testing.AllocsPerRun(50, func() {
		if err := a.Send(sends); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 51_000; {
			got, err := b.Recv(time.Second)
			if err != nil || len(got) == 0 {
				t.Fatalf("received %d, %v", len(got), err)
			}
			n += len(got[0].Train.Body)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a round trip, want none", allocs)
	}
}
