package switchml

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/strictjson"
	"github.com/inalab/inalab/internal/wire/inet"
)

func sample() Job {
	return Job{ID: 3, Session: 1 << 63, Elements: 64, Slots: 512, NumWorkers: 3, Workers: []Worker{
		{ID: 0, MAC: inet.MAC{2, 0, 0, 0, 0, 1}, Addr: netip.MustParseAddr("10.1.0.1"), Port: 4},
		{ID: 2, MAC: inet.MAC{2, 0, 0, 0, 0, 3}, Addr: netip.MustParseAddr("10.1.0.3"), Port: 6},
	}}
}

func sampleRDMA() Job {
	j := sample()
	j.RDMA = &RDMA{MessageBytes: 4096}
	for i := range j.Workers {
		j.Workers[i].RDMA = &Queues{RKey: 9, QPNs: []uint32{1, 2}, PSNs: []uint32{3, 1<<24 - 1}}
	}
	return j
}

// A job is the same for the process that it is handed to.
func TestRoundTrip(t *testing.T) {
	part := sample()
	part.Session, part.NumWorkers, part.FirstByte = 0, 0, 7
	part.Parent = &Parent{MAC: inet.MAC{2, 1}, Addr: netip.MustParseAddr("10.2.0.1"), Port: 9, UDP: 5, Self: netip.MustParseAddr("127.0.0.1")}
	for _, want := range []Job{sample(), sampleRDMA(), part} {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Job
		if err := strictjson.Decode(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %+v, %v", text, got, err)
		}
	}
}

func TestBadJobs(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*Job)
		want   string
	}{
		"elements, RDMA": {func(j *Job) { j.Elements = 32 }, "malformed-configuration: job 3 is of RDMA clients and has 32 values a packet: use 64 or 256"},
		"elements":       {func(j *Job) { j.Elements = 128 }, "malformed-configuration: job 3 has 128 values a packet: use 64 or 256, or 32 in the reference program"},
		"no slots":       {func(j *Job) { j.Slots = 0 }, "no-room: job 3 wants 0 slots: use 1 to 8192"},
		"many slots":     {func(j *Job) { j.Slots = 8193 }, "no-room: job 3 wants 8193 slots: use 1 to 8192"},
		"no workers":     {func(j *Job) { j.Workers = nil }, "no-sources: job 3 has 0 of 3 workers: name 1 to 32 workers"},
		"33 workers":     {func(j *Job) { j.NumWorkers = 33 }, "too-many-sources: job 3 has 2 of 33 workers: name at most 32: a slot's bitmap has 32 bits"},
		"too many":       {func(j *Job) { j.NumWorkers = 1 }, "too-many-sources: job 3 has 2 of 1 workers: name no more than it is made for"},
		"rank":           {func(j *Job) { j.Workers[1].ID = 3 }, "bad-source: job 3 has a worker of rank 3 in place 1: name ranks below num_workers, once, in order"},
		"rank twice":     {func(j *Job) { j.Workers[1].ID = 0 }, "bad-source: job 3 has a worker of rank 0 in place 1: name ranks below num_workers, once, in order"},
		"no address":     {func(j *Job) { j.Workers[0].Addr = netip.Addr{} }, "bad-source: job 3: rank 0 has address invalid IP: give an IPv4 address"},
		"group MAC":      {func(j *Job) { j.Workers[0].MAC[0] = 3 }, "bad-source: job 3: rank 0 has MAC 03:00:00:00:00:01: give the address of its interface"},
		"address twice":  {func(j *Job) { j.Workers[1].Addr = j.Workers[0].Addr }, "bad-source: job 3: ranks 0 and 2 share an address, 02:00:00:00:00:03 10.1.0.1: give each worker an interface of its own"},
		"two MACs":       {func(j *Job) { j.Workers[1].MAC = j.Workers[0].MAC }, "bad-source: job 3: ranks 0 and 2 share an address, 02:00:00:00:00:01 10.1.0.3: give each worker an interface of its own"},
		"no ranks":       {func(j *Job) { j.NumWorkers = 0 }, "no-sources: job 3 has 2 of 0 workers: name 1 to 32 workers"},
		"levels":         {func(j *Job) { j.Workers[0].UDP = 9 }, "needs-levels: job 3 is of RDMA clients, and has levels of switches: put all its workers on one switch"},
		"message":        {func(j *Job) { j.RDMA.MessageBytes = 300 }, "malformed-configuration: job 3 has messages of 300 bytes in packets of 256: use 1 to 16 whole packets"},
		"long message":   {func(j *Job) { j.RDMA.MessageBytes = 17 * 256 }, "malformed-configuration: job 3 has messages of 4352 bytes in packets of 256: use 1 to 16 whole packets"},
		"mixed":          {func(j *Job) { j.Workers[1].RDMA = nil }, "bad-source: job 3: rank 2 does not speak what the job does: set up all workers with UdpSession, or all with RdmaSession"},
		"no queues":      {func(j *Job) { j.Workers[1].RDMA = &Queues{} }, "bad-source: job 3: rank 2 has 0 QPNs and 0 PSNs: give 1 to 4096 of each"},
		"PSN missing":    {func(j *Job) { j.Workers[1].RDMA = &Queues{QPNs: []uint32{1}} }, "bad-source: job 3: rank 2 has 1 QPNs and 0 PSNs: give 1 to 4096 of each"},
		"long QPN":       {func(j *Job) { j.Workers[1].RDMA.QPNs[0] = 1 << 24 }, "bad-source: job 3: rank 2 has QPN 0x1000000 and PSN 0x3: give numbers of 24 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			j := sampleRDMA()
			tc.change(&j)
			if r := j.Check(); r == nil || r.Error() != tc.want {
				t.Errorf("%v, want %s", r, tc.want)
			}
		})
	}
}

// No two queue pairs of the switch have one number, nor one that management has.
func TestQPN(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rank, i := rapid.IntRange(0, MaxRanks-1).Draw(t, "rank"), rapid.IntRange(0, MaxQueues-1).Draw(t, "i")
		qpn := QPN(rank, i)
		gotRank, gotI, ok := QueueOf(qpn)
		if !ok || gotRank != rank || gotI != i || qpn < 2 || qpn > max24 {
			t.Fatalf("queue pair %d of rank %d is %#x, which is %d of rank %d, %v", i, rank, qpn, gotI, gotRank, ok)
		}
	})
	for _, other := range []uint32{0, 1, 1 << 23 >> 1, 1<<23 | MaxQueues, 1<<23 | MaxRanks<<16, 1 << 24} {
		if _, _, ok := QueueOf(other); ok {
			t.Errorf("%#x is taken for a number of the switch", other)
		}
	}
}
