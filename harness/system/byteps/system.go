package byteps

import (
	"cmp"
	"encoding/json"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/streams"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/worker"
)

// System is parameter servers with partitions, as BytePS has them.
type System struct {
	job.HostsOnly
	Transport stream.Transport // empty means TCP; others are for the virtual clock
	Colocated bool             // servers are beside workers; else on hosts of their own, as BytePS wants it
	Count     int              // servers; zero means 1, as in XAgg §VI-C
	Partition int              // bytes; zero means DefaultPartition
	Unscaled  bool             // partitions are not divided by the job's scale
}

// DefaultPartition is BYTEPS_PARTITION_BYTES in bytes, where nobody sets it (BytePS, docs/env.md).
const DefaultPartition = 4096000

// Limits of knobs, assumed: as many servers as a lab has workers, and partitions of a value to 1 GiB.
const (
	mostServers    = 200
	leastPartition = 4
	mostPartition  = 1 << 30
)

// Name returns "byteps".
func (System) Name() string { return "byteps" }

// Rank is its place in tables.
func (System) Rank() int { return job.RankEndToEnd + 25 }

// Description says what it is.
func (System) Description() string {
	return "parameter servers that answer by partitions, as BytePS does, on hosts of their own or beside workers, over TCP, or RoCE under the virtual clock"
}

// Placements of the servers, as the knob has them.
const (
	dedicated = "dedicated"
	colocated = "colocated"
)

// Configure reads the section "byteps", which may be left out.
func (s System) Configure(k job.Knobs) job.System {
	s.Transport = streams.Transport(k, "byteps.transport")
	s.Colocated = k.Choice("byteps.servers", dedicated, colocated) == colocated
	s.Count = k.IntOr("byteps.count", 1, mostServers, 1)
	s.Partition = k.IntOr("byteps.partition", leastPartition, mostPartition, DefaultPartition)
	return s
}

// Benches returns one server for all workers, on a host of its own.
func (s System) Benches(job.BenchLimits) []job.Bench {
	return []job.Bench{{Name: s.Name(), Note: "one server, on a host of its own", System: s}}
}

// FullWindow keeps the partitions.
func (s System) FullWindow(int) job.System {
	s.Unscaled = true
	return s
}

// servers returns the parameter servers that the system is, with partitions of so many bytes.
func (s System) servers(partition int) ps.System {
	return ps.System{Transport: s.Transport, Count: cmp.Or(s.Count, 1), Dedicated: !s.Colocated, Partition: partition}
}

// partition returns the bytes of a partition in a job: whole elements.
func (s System) partition(j *job.Job) int {
	n := cmp.Or(s.Partition, DefaultPartition)
	if !s.Unscaled {
		n /= j.Scale
	}
	return max(leastPartition, n/4*4)
}

// Servers returns the hosts that dedicated servers need.
func (s System) Servers(workers int) int { return s.servers(0).Servers(workers) }

// Layout joins every worker to every server by a stream.
func (s System) Layout(j *job.Job) (job.Layout, error) { return s.servers(s.partition(j)).Layout(j) }

// NewCore makes one worker, with the server beside it.
func (System) NewCore(config json.RawMessage, rec gradient.Recorder, sink trace.Sink) (worker.Collective, error) {
	return ps.System{}.NewCore(config, rec, sink)
}

// NewServer makes a dedicated server.
func (System) NewServer(config json.RawMessage, sink trace.Sink) (job.Server, error) {
	return ps.System{}.NewServer(config, sink)
}
