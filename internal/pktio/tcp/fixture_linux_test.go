package tcp

import (
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/sansio"
)

// ports are handed out one by one, below those that the kernel chooses from, on
// an address of this process's own in 127.0.0.0/8.
var ports struct {
	sync.Mutex
	last uint16
}

func freeAddr() netip.AddrPort {
	ports.Lock()
	defer ports.Unlock()
	ports.last = (ports.last + 1) % 20_000
	pid := os.Getpid()
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 77, byte(pid >> 8), byte(pid)}), 10_000+ports.last)
}

// Ports of the devices of tests, which stand in a ring.
const (
	next     sansio.Port = 0 // dialled
	previous sansio.Port = 1 // accepted
)

// between returns the configuration of a device with a stream that it dials and
// one that it accepts.
func between(listen, dial netip.AddrPort) Config {
	return Config{
		Streams:  []Stream{next: {Local: listen, Remote: dial}, previous: {Local: listen, Remote: dial, Passive: true}},
		Deadline: 10 * time.Second,
	}
}

// ring opens two devices that are each other's neighbours; edit may change what
// each asks for.
func ring(t testing.TB, edit func(a, b *Config)) (a, b *Device) {
	t.Helper()
	addrA, addrB := freeAddr(), freeAddr()
	cfgA, cfgB := between(addrA, addrB), between(addrB, addrA)
	if edit != nil {
		edit(&cfgA, &cfgB)
	}
	var errA, errB error
	var wg sync.WaitGroup
	wg.Go(func() { a, errA = Open(context.Background(), cfgA) })
	wg.Go(func() { b, errB = Open(context.Background(), cfgB) })
	wg.Wait()
	for _, d := range []*Device{a, b} {
		if d != nil {
			t.Cleanup(func() { _ = d.Close() }) // tests that care close themselves
		}
	}
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	return a, b
}

// openAll opens devices that are each other's peers.
func openAll(t *testing.T, cfgs []Config) []*Device {
	t.Helper()
	out, errs := make([]*Device, len(cfgs)), make([]error, len(cfgs))
	var wg sync.WaitGroup
	for i, cfg := range cfgs {
		wg.Go(func() { out[i], errs[i] = Open(context.Background(), cfg) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return out
}

// pattern returns n bytes that tell their place.
func pattern(n int) []byte {
	b := make([]byte, n+4)
	for i := 0; i < n; i += 4 {
		binary.BigEndian.PutUint32(b[i:], uint32(i)*2654435761)
	}
	return b[:n]
}

func toNext(body []byte) []sansio.Send { return to(next, body) }

func to(port sansio.Port, body []byte) []sansio.Send {
	return []sansio.Send{{To: []sansio.Port{port}, Train: sansio.Train{Body: body}}}
}

// recv receives until there are n bytes.
func recv(d *Device, n int) ([]byte, error) {
	var got []byte
	for until := time.Now().Add(10 * time.Second); len(got) < n; {
		arrivals, err := d.Recv(100 * time.Millisecond)
		if err != nil {
			return got, err
		}
		if time.Now().After(until) {
			return got, errors.New("waited too long")
		}
		for _, a := range arrivals {
			if int(a.Port) != len(d.streams)-1 || // the last is the one that is accepted
				len(a.Train.Header) != 0 || a.Train.Frames() != 1 {
				return got, errors.New("arrival is not a stream's")
			}
			got = append(got, a.Train.Body...)
		}
	}
	return got, nil
}
