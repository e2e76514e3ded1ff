package live

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/units"
)

// sentSample is what an interface had sent at a time of [pktio.MonotonicNow].
type sentSample struct {
	ns    int64
	bytes float64
}

// rateSampler reads what interfaces of hosts have sent, again and again, as long as their lab is there.
type rateSampler struct {
	every  time.Duration
	ifaces map[string]string // by host
	stop   chan struct{}
	once   sync.Once
	wait   sync.WaitGroup

	mu      sync.Mutex
	samples map[string][]sentSample // by host
	err     error
}

func newRateSampler(every time.Duration, ifaces map[string]string) *rateSampler {
	return &rateSampler{every: every, ifaces: ifaces, stop: make(chan struct{}), samples: map[string][]sentSample{}}
}

// start begins to read in the namespaces of a lab.
func (s *rateSampler) start(ctx context.Context, lab *netns.Lab) {
	for host, iface := range s.ifaces {
		s.wait.Go(func() {
			list, err := []sentSample(nil), error(nil)
			err = lab.Do(host, func() (err error) {
				list, err = s.follow(ctx, iface)
				return err
			})
			s.mu.Lock()
			defer s.mu.Unlock()
			s.samples[host], s.err = list, errors.Join(s.err, err)
		})
	}
}

// end stops reading. It must come before the lab goes down.
func (s *rateSampler) end() error {
	s.once.Do(func() { close(s.stop) })
	s.wait.Wait()
	return s.err
}

// follow reads an interface of the namespace that its thread is in.
func (s *rateSampler) follow(ctx context.Context, iface string) (list []sentSample, err error) {
	t := time.NewTicker(s.every)
	defer t.Stop()
	for {
		n, err := sentBytes(iface)
		if err != nil {
			return list, err
		}
		list = append(list, sentSample{pktio.MonotonicNow(), n})
		select {
		case <-t.C:
		case <-s.stop:
			return list, nil
		case <-ctx.Done():
			return list, ctx.Err()
		}
	}
}

// sentBytes reads what an interface has sent (proc_pid_net(5)).
func sentBytes(iface string) (float64, error) {
	const path = "/proc/thread-self/net/dev"
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("reading what interface %s has sent: %w", iface, err)
	}
	return parseSent(text, iface)
}

// sentColumn is that of bytes sent, behind the name of the interface.
const sentColumn = 8

func parseSent(text []byte, iface string) (float64, error) {
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		name, rest, ok := strings.Cut(lines.Text(), ":")
		if !ok || strings.TrimSpace(name) != iface {
			continue
		}
		if columns := strings.Fields(rest); len(columns) > sentColumn {
			return strconv.ParseFloat(columns[sentColumn], 64)
		}
	}
	return 0, fmt.Errorf("the kernel's list of interfaces has no bytes sent by %s", iface)
}

// sentAt is what had been sent at a time, in proportion between samples.
func sentAt(list []sentSample, ns int64) float64 {
	i, _ := slices.BinarySearchFunc(list, ns, func(s sentSample, ns int64) int { return int(s.ns - ns) })
	switch {
	case len(list) == 0:
		return 0
	case i == 0:
		return list[0].bytes
	case i == len(list):
		return list[i-1].bytes
	}
	a, b := list[i-1], list[i]
	return a.bytes + (b.bytes-a.bytes)*float64(ns-a.ns)/float64(b.ns-a.ns)
}

// ratesOf returns the bits a second that hosts sent together, by interval from a time on, until one of them has sent all but
// a share of what it sent in all.
func ratesOf(samples map[string][]sentSample, from int64, interval units.Duration, rest float64) (rates []float64) {
	until := int64(1<<63 - 1)
	for _, list := range samples {
		if len(list) == 0 {
			return nil
		}
		first, last := list[0].bytes, list[len(list)-1].bytes
		at := slices.IndexFunc(list, func(s sentSample) bool { return s.bytes >= last-rest*(last-first) })
		until = min(until, list[at].ns)
	}
	step := int64(interval / units.Nanosecond)
	for t := from; t+step <= until; t += step {
		sum := 0.0
		for _, list := range samples {
			sum += sentAt(list, t+step) - sentAt(list, t)
		}
		rates = append(rates, 8*sum/interval.Seconds())
	}
	return rates
}
