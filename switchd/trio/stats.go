package trio

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
)

// Latency is a distribution of spans of time. The zero value is empty.
type Latency struct {
	N        uint64
	Sum      units.Duration
	Min, Max units.Duration
	buckets  [latencyBuckets]uint32
}

// MarshalJSON writes the number of spans and, in picoseconds, what describes them.
func (l Latency) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"n":%d,"mean_ps":%d,"min_ps":%d,"p50_ps":%d,"p99_ps":%d,"max_ps":%d}`,
		l.N, l.Mean(), l.Min, l.Quantile(0.5), l.Quantile(0.99), l.Max), nil
}

// A bucket holds spans of one power of two in picoseconds, or of one of its eight
// equal parts: the error of a quantile is below an eighth.
const (
	latencyParts   = 8
	latencyBuckets = 64 * latencyParts
)

func (l *Latency) add(d units.Duration) {
	if l.N == 0 || d < l.Min {
		l.Min = d
	}
	l.Max = max(l.Max, d)
	l.N++
	l.Sum += d
	l.buckets[bucketOf(d)]++
}

func bucketOf(d units.Duration) int {
	v := uint64(max(d, 0))
	if v < latencyParts {
		return int(v)
	}
	shift := bits.Len64(v) - 4 // leaves the leading one and three bits
	return (shift+1)*latencyParts + int(v>>shift)&(latencyParts-1)
}

// bucketStart returns the shortest span of a bucket.
func bucketStart(b int) units.Duration {
	if b < latencyParts {
		return units.Duration(b)
	}
	return units.Duration(uint64(latencyParts+b%latencyParts) << (b/latencyParts - 1))
}

// Mean returns the average, 0 of none.
func (l *Latency) Mean() units.Duration {
	if l.N == 0 {
		return 0
	}
	return l.Sum / units.Duration(l.N)
}

// Quantile returns a span that a share q (0 to 1) of all do not exceed, low by an
// eighth at most; 0 of none.
func (l *Latency) Quantile(q float64) units.Duration {
	want := uint64(math.Ceil(q * float64(l.N)))
	var seen uint64
	for b, n := range l.buckets {
		if seen += uint64(n); n > 0 && seen >= want {
			return min(max(bucketStart(b), l.Min), l.Max)
		}
	}
	return l.Max
}

// Level is a number that goes up and down, such as that of threads in use.
type Level struct {
	Now  int     `json:"now"`
	Max  int     `json:"max"`
	Mean float64 `json:"mean"` // over time, since the beginning of the run

	area  float64 // picoseconds times the number
	since units.Time
}

func (l *Level) set(now units.Time, n int) {
	l.area += float64(now-l.since) * float64(l.Now)
	l.since, l.Now, l.Max = now, n, max(l.Max, n)
}

// withMean returns the level with its mean up to now.
func (l Level) withMean(now units.Time) Level {
	l.set(now, l.Now)
	if now > 0 {
		l.Mean = l.area / float64(now)
	}
	return l
}

// stats are the measurements of a PFE.
type stats struct {
	threads      Level
	queue        Level
	wait         Latency           // for a thread
	inside       [NumFates]Latency // from arrival, or start of a timer's run, to the end of the thread
	sent         [2]Latency        // from arrival to output: of packets that arrived, of created ones
	instructions [NumFates]uint64
	most         uint64 // instructions of one thread
	xtxns        [isa.NumXTXN]uint64
}

func (s *stats) queued(now units.Time, n int) { s.queue.set(now, n) }
func (s *stats) busy(now units.Time, n int)   { s.threads.set(now, n) }

func (s *stats) started(now, ready units.Time, threads int) {
	s.wait.add(now.Sub(ready))
	s.threads.set(now, threads)
}

func (s *stats) ended(t *thread, now units.Time) {
	s.inside[t.fate].add(now.Sub(t.work.since))
	s.instructions[t.fate] += t.Executed
	s.most = max(s.most, t.Executed)
	for i, n := range &t.Issued {
		s.xtxns[i] += n
	}
}

func (s *stats) emitted(k *packet, now units.Time) {
	i := 0
	if k.created {
		i = 1
	}
	s.sent[i].add(now.Sub(k.arrived))
}
