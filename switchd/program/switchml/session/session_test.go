package session

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

func TestAnswerToASession(t *testing.T) {
	b := newBench(t, 0)
	got := b.must(b.connect(), udp(1<<63, 0, 1, 3))
	if got.MAC != 0x02_02_00_00_00_01 || got.Addr != 10<<24|1<<16|255<<8|254 || len(got.RDMA.QPNs) != 0 {
		t.Errorf("the switch says it is %#x, %#x, %v", got.MAC, got.Addr, got.RDMA)
	}
	if j := b.session(1 << 63); j.Elements != 256 || j.Slots != switchml.MaxSlots || !j.Complete() {
		t.Errorf("job %+v", j)
	}
}

// The engine learns of a job when rank 0 opens it, for its place in the pool, and
// when its last worker came.
func TestWhatTheEngineLearns(t *testing.T) {
	b := newBench(t, 512)
	c := []Conn{b.connect(), b.connect(), b.connect()}
	b.must(c[0], udp(5, 0, 3, 0))
	if j := b.session(5); j.Slots != 512 || len(j.Workers) != 1 {
		t.Errorf("after rank 0: %+v", j)
	}
	b.failing = errBusy // not to be asked
	b.must(c[2], udp(5, 2, 3, 2))
	_, f := b.open(c[1], udp(5, 1, 3, 1))
	wantFault(t, f, Unavailable, "UdpSession: busy")
	b.failing = nil
	b.must(c[1], udp(5, 1, 3, 1))
	b.must(c[1], udp(5, 1, 3, 1)) // again: nothing to do
	if j := b.session(5); !j.Complete() || j.Workers[1].Addr != hostAddr(1) || j.Workers[2].ID != 2 {
		t.Errorf("in the end: %+v", j)
	}
}

func TestRDMA(t *testing.T) {
	b := newBench(t, 0)
	s := udp(9, 1, 2, 1)
	s.RDMA = &RDMA{Queues: switchml.Queues{RKey: 77, QPNs: []uint32{100, 200}, PSNs: []uint32{5, 6}}, MessageBytes: 4096}
	zero := s
	zero.Rank, zero.MAC, zero.Addr = 0, macInt(0), addrInt(0)
	b.must(b.connect(), zero)
	plain := s
	plain.RDMA = nil
	_, f := b.open(b.connect(), plain)
	wantFault(t, f, Invalid, "UdpSession: rank 1 of job 9: job 1: rank 1 does not speak what the job does: set up all workers with UdpSession, or all with RdmaSession")
	got := b.must(b.connect(), s)
	if len(got.RDMA.QPNs) != 2 || len(got.RDMA.PSNs) != 2 || got.RDMA.RKey != switchml.PoolRKey {
		t.Fatalf("the switch's ends: %+v", got.RDMA)
	}
	for i, qpn := range got.RDMA.QPNs {
		if rank, at, ok := switchml.QueueOf(qpn); !ok || rank != 1 || at != i {
			t.Errorf("queue pair %d is %#x", i, qpn)
		}
	}
	if j := b.session(9); j.RDMA.MessageBytes != 4096 || j.Workers[1].RDMA.RKey != 77 || j.Workers[0].RDMA.PSNs[1] != 6 {
		t.Errorf("job %+v", j)
	}
}

func TestBadSessions(t *testing.T) {
	b := newBench(t, 0)
	b.must(b.connect(), udp(1, 0, 4, 0))
	for name, tc := range map[string]struct {
		change func(s *Session)
		kind   Kind
		text   string
	}{
		"no workers":   {func(s *Session) { s.Workers = 0 }, Invalid, "UdpSession: 0 workers: give num_workers, 1 to 32"},
		"many workers": {func(s *Session) { s.Workers = 33 }, Invalid, "UdpSession: 33 workers: a slot's bitmap has 32 bits, so use at most as many on one switch"},
		"rank":         {func(s *Session) { s.Rank = 4 }, Invalid, "UdpSession: rank 4 of 4 workers: ranks count from 0 to 3"},
		"far rank":     {func(s *Session) { s.Rank = 1<<32 - 1 }, Invalid, "UdpSession: rank 4294967295 of 4 workers: ranks count from 0 to 3"},
		"packet size":  {func(s *Session) { s.PacketSize = 4 }, Invalid, "UdpSession: packet_size 4 is unknown: use 1 for 256 bytes of values or 3 for 1024"},
		"negative":     {func(s *Session) { s.PacketSize = -1 }, Invalid, "UdpSession: packet_size -1 is unknown: use 1 for 256 bytes of values or 3 for 1024"},
		"no program":   {func(s *Session) { s.PacketSize = 2 }, Invalid, "UdpSession: packet_size 2, 512 bytes of values: the switch has programs for 256 and 1024, which are 1 and 3"},
		"no MAC":       {func(s *Session) { s.MAC = 0 }, Invalid, "UdpSession: rank 1 has mac 0x0: give the six octets of its interface as a number, the first most significant"},
		"long MAC":     {func(s *Session) { s.MAC = 1 << 48 }, Invalid, "UdpSession: rank 1 has mac 0x1000000000000: give the six octets of its interface as a number, the first most significant"},
		"reversed MAC": {func(s *Session) { s.MAC = 0x01_00_00_00_00_02 }, Invalid, "UdpSession: rank 1 has MAC 01:00:00:00:00:02, of a group: is its first octet the most significant?"},
		"no address":   {func(s *Session) { s.Addr = 0 }, Invalid, "UdpSession: rank 1 has ipv4 0: give its address as a number in host order"},
		"two hosts": {func(s *Session) { s.Addr = addrInt(2) }, Invalid,
			"UdpSession: rank 1: on tor, MAC 02:00:00:00:00:01 is that of host 10.1.0.2, and 10.1.0.3 that of host 02:00:00:00:00:02: give both of one interface"},
		"rank 0's host":  {func(s *Session) { s.MAC, s.Addr = macInt(0), addrInt(0) }, Invalid, "UdpSession: rank 1 of job 1: job 1: ranks 0 and 1 share an address, 02:00:00:00:00:00 10.1.0.1: give each worker an interface of its own"},
		"unknown job":    {func(s *Session) { s.ID = 2 }, OutOfOrder, "UdpSession: rank 1: there is no job 2 on tor: let rank 0 open it first, and wait for it with a Barrier"},
		"other number":   {func(s *Session) { s.Workers = 3 }, Invalid, "UdpSession: rank 1 says that job 1 has 3 workers, rank 0 said 4: give all one number"},
		"other size":     {func(s *Session) { s.PacketSize = 1 }, Invalid, "UdpSession: rank 1 says that job 1 has 64 values a packet, rank 0 said 256: give all one packet_size"},
		"another's job":  {func(s *Session) { s.Rank, s.MAC, s.Addr = 0, macInt(7), addrInt(7) }, Exists, "UdpSession: there is a job 1 on tor already, with rank 0 at 02:00:00:00:00:00 10.1.0.1: give this one another session_id, or end that one first"},
		"another's host": {func(s *Session) { *s = udp(3, 0, 1, 0) }, Exists, "UdpSession: rank 0 of job 3: 02:00:00:00:00:00 10.1.0.1 is rank 0 of job 1, whose client at client1 is connected: end that first"},
	} {
		t.Run(name, func(t *testing.T) {
			s := udp(1, 1, 4, 1)
			tc.change(&s)
			_, f := b.open(b.connect(), s)
			wantFault(t, f, tc.kind, tc.text)
			if j := b.session(1); len(b.jobs) != 1 || len(j.Workers) != 1 {
				t.Errorf("jobs %v", b.jobs)
			}
		})
	}
}

func TestUnknownHost(t *testing.T) {
	b := newBench(t, 0)
	b.m.cfg.Hosts = b.m.cfg.Hosts[:2]
	s := udp(1, 0, 1, 0)
	s.MAC, s.Addr = 0x020000000099, 0xc0000201
	_, f := b.open(b.connect(), s)
	wantFault(t, f, Unknown, "UdpSession: rank 0: tor has no host with MAC 02:00:00:00:00:99 or address 192.0.2.1: it has 02:00:00:00:00:00 10.1.0.1, 02:00:00:00:00:01 10.1.0.2")
	s.MAC = macInt(1) // any address on a known interface
	b.must(b.connect(), s)
	if w := b.session(1).Workers[0]; w.Port != 1 || w.Addr.String() != "192.0.2.1" {
		t.Errorf("worker %+v", w)
	}
}

// Barriers let go exactly those they are for, those of other numbers untouched.
func TestBarrier(t *testing.T) {
	b := newBench(t, 0)
	two := []Call{b.barrier(b.connect(), 2)}
	three := []Call{b.barrier(b.connect(), 3), b.barrier(b.connect(), 3)}
	b.waits(append(two, three...)...)
	b.done(b.barrier(b.connect(), 2))
	b.done(two[0])
	b.waits(three...)
	b.done(b.barrier(b.connect(), 3))
	b.failed(b.barrier(b.connect(), 0), Invalid, "Barrier: 0 workers: give num_workers, 1 to 32")
	b.failed(b.barrier(99, 1), Aborted, "Barrier: the connection has ended: connect again")
	b.done(b.barrier(b.connect(), 1))
}

// A client that never broadcast is one worker, however often it calls: a barrier waits
// for connections.
func TestOneConnectionIsOneWorker(t *testing.T) {
	b := newBench(t, 0)
	c := []Conn{b.connect(), b.connect(), b.connect()}
	const again = "Barrier: this client has called it again: wait for the first call"
	one := b.barrier(c[0], 3)
	two := b.barrier(c[0], 3)
	three := b.barrier(c[0], 3)
	b.failed(one, Aborted, again)
	b.failed(two, Aborted, again)
	other := b.barrier(c[1], 3)
	b.waits(three, other)
	b.done(b.barrier(c[2], 3))
	b.done(three)
	b.done(other)
}

// A barrier that waited too long says who called it and who did not.
func TestBarrierSaysWhoIsMissing(t *testing.T) {
	b := newBench(t, 1024)
	c := []Conn{b.connect(), b.connect(), b.connect()}
	for rank := range c {
		b.done(b.broadcast(c[rank], 3, rank, 4, 0))
	}
	b.must(c[0], udp(3, 0, 4, 0))
	_, _ = b.open(c[2], Session{ID: 4, Rank: 2, Workers: 4, MAC: macInt(2), Addr: addrInt(2), PacketSize: 3})
	one := b.barrier(c[0], 4)
	b.expire(10 * units.Second)
	two := b.barrier(c[1], 4)
	b.expire(DefaultPatience - 10*units.Second - 1)
	b.waits(one, two)
	b.expire(1)
	const text = "Barrier of 4 workers: not all called it within 120s: called by rank 0, rank 1; missing: " +
		"rank 2 (at client3, refused: UdpSession: rank 2: there is no job 4 on tor: let rank 0 open it first, and wait for it with a Barrier), " +
		"rank 3 (never came): start who is missing, then all again"
	b.failed(one, Late, text)
	b.failed(two, Late, text)

	anonymous, told := b.connect(), b.connect()
	b.must(told, udp(6, 0, 3, 6))
	calls := []Call{b.barrier(anonymous, 3), b.barrier(told, 3)}
	b.expire(DefaultPatience)
	for _, call := range calls {
		b.failed(call, Late, "Barrier of 3 workers: not all called it within 120s: called by rank 0, client4 (rank unknown); missing: 1 of rank 1, rank 2: start who is missing, then all again")
	}
}

func TestBroadcastSaysThatTheRootIsMissing(t *testing.T) {
	b := newBench(t, 0)
	call := b.broadcast(b.connect(), 0, 1, 3, 2)
	b.expire(DefaultPatience)
	b.failed(call, Late, "Broadcast: rank 2, the root of 3 workers, has not called it within 120s (never came): start it, then all again")
}

// The k-th call of each rank is one broadcast, however far others are ahead.
func TestBroadcasts(t *testing.T) {
	b := newBench(t, 0)
	c := []Conn{b.connect(), b.connect(), b.connect()}
	early := b.broadcast(c[1], 0, 1, 3, 0)
	b.waits(early)
	for k := range uint64(3) {
		if got := b.done(b.broadcast(c[0], 100+k, 0, 3, 0)); got != 100+k {
			t.Errorf("the root got %d", got)
		}
	}
	if got := b.done(early); got != 100 {
		t.Errorf("rank 1 got %d, want the first value", got)
	}
	for k := range uint64(3) {
		if got := b.done(b.broadcast(c[2], 0, 2, 3, 0)); got != 100+k {
			t.Errorf("rank 2 got %d in round %d", got, k)
		}
	}
	b.failed(b.broadcast(c[1], 0, 1, 3, 1), Invalid, "Broadcast: rank 1 wants the value of rank 1, others that of rank 0: give all one root")
	b.failed(b.broadcast(c[1], 0, 1, 3, 3), Invalid, "Broadcast: root 3 of 3 workers: ranks count from 0 to 2")
	b.failed(b.broadcast(c[1], 0, 3, 3, 0), Invalid, "Broadcast: rank 3 of 3 workers: ranks count from 0 to 2")
	b.failed(b.broadcast(b.connect(), 0, 2, 3, 0), Exists, "Broadcast: rank 2 of 3 workers is at client3 already, and a job of as many workers is being set up: wait until it is, or end the client there")
	for range maxRounds - 2 { // rank 1 lacks the two latest
		b.done(b.broadcast(c[0], 0, 0, 3, 0))
	}
	b.failed(b.broadcast(c[0], 0, 0, 3, 0), NoRoom, "Broadcast: rank 0 is 16 broadcasts ahead of others: wait for them with a Barrier")
	b.failed(b.barrier(c[0], 2), Invalid, "Barrier of 2 workers, by a client that called Broadcast among 3: use one number")
}

// A call that was given up leaves no trace.
func TestCancel(t *testing.T) {
	b := newBench(t, 0)
	c := []Conn{b.connect(), b.connect()}
	given := b.broadcast(c[1], 0, 1, 2, 0)
	b.m.Cancel(given)
	b.done(b.broadcast(c[0], 5, 0, 2, 0))
	if got := b.done(b.broadcast(c[1], 0, 1, 2, 0)); got != 5 {
		t.Errorf("got %d", got)
	}
	barrier := b.barrier(c[0], 2)
	b.m.Cancel(barrier)
	one := b.barrier(c[1], 2)
	b.waits(given, barrier, one)
	again := b.barrier(c[1], 2) // before the first call is known to be given up
	b.failed(one, Aborted, "Barrier: this client has called it again: wait for the first call")
	b.done(b.barrier(c[0], 2))
	b.done(again)
}

// Who has only waited for its first broadcast is not missed when it goes.
func TestDeathBeforeTheSetUp(t *testing.T) {
	b := newBench(t, 0)
	early := b.connect()
	given, other := b.broadcast(early, 0, 1, 3, 0), b.broadcast(b.connect(), 0, 2, 3, 0)
	b.hangup(early)
	b.waits(given, other)
	again := b.broadcast(b.connect(), 0, 1, 3, 0)
	b.done(b.broadcast(b.connect(), 6, 0, 3, 0))
	if b.done(other) != 6 || b.done(again) != 6 {
		t.Error("wrong values")
	}
}

// A rank that calls Broadcast again has given its first call up.
func TestBroadcastCalledAgain(t *testing.T) {
	b := newBench(t, 0)
	c := []Conn{b.connect(), b.connect()}
	one, two := b.broadcast(c[1], 0, 1, 2, 0), b.broadcast(c[1], 0, 1, 2, 0)
	b.failed(one, Aborted, "Broadcast: rank 1 has called it again: wait for the first call")
	for k := range uint64(2) {
		b.done(b.broadcast(c[0], k, 0, 2, 0))
	}
	if b.done(two) != 0 || b.done(b.broadcast(c[1], 0, 1, 2, 0)) != 1 {
		t.Error("wrong values")
	}
}

// A job that is set up is in no other's way, and its clients may set up another
// after it, on the same connections.
func TestNextToAJob(t *testing.T) {
	b := newBench(t, 1024)
	one, two := b.job(1, 3, 0), b.job(2, 3, 10)
	run(one, last)
	b.ready(one)
	run(two, first)
	b.ready(two)
	b.ready(one)
	for _, w := range one {
		w.script = []string{"broadcast", "barrier", "session", "barrier"}
		if w.rank == 0 {
			w.id, w.script = 3, []string{"broadcast", "session", "barrier", "barrier"}
		}
	}
	run(one, last)
	b.ready(one)
	b.ready(two)
	if len(b.jobs) != 2 {
		t.Errorf("jobs %v", b.jobs)
	}
}

// Who dies in a set-up is named to all who wait.
func TestDeathInASetUp(t *testing.T) {
	b := newBench(t, 0)
	c := []Conn{b.connect(), b.connect(), b.connect()}
	for rank := range c {
		b.done(b.broadcast(c[rank], 3, rank, 3, 0))
	}
	call := b.barrier(c[0], 3)
	b.hangup(c[2])
	const text = ": rank 2 at client3 has gone, one of 3 workers that wait for one another: start all of them again"
	b.failed(call, Aborted, "Barrier"+text)
	b.failed(b.barrier(c[1], 3), Aborted, "Barrier"+text)
	ws := b.job(4, 3, 0) // while the others still are there
	run(ws, last)
	b.ready(ws)
}

// Rank 0 that opens its job again resets it: who waits in the former one is told.
func TestRankZeroResets(t *testing.T) {
	b := newBench(t, 0)
	ws := b.job(1, 3, 0)
	ws[2].script = ws[2].script[:3]
	run(ws, first)
	waiting := ws[1].waiting
	b.waits(waiting)
	b.hangup(ws[2].conn) // breaks the cohort, which tells rank 1
	b.failed(waiting, Aborted, "Barrier: rank 2 at client3 has gone, one of 3 workers that wait for one another: start all of them again")

	anonymous := b.connect() // in the job without a broadcast
	b.hangup(ws[1].conn)
	b.must(anonymous, udp(1, 1, 3, 1))
	waiting = b.barrier(anonymous, 3)
	b.must(b.connect(), udp(1, 0, 3, 0))
	b.failed(waiting, Aborted, "Barrier: job 1 ended when rank 0 at client5 opened job 1: start all workers again")
	if j := b.session(1); len(j.Workers) != 1 {
		t.Errorf("after the reset: %+v", j)
	}
	_, f := b.open(anonymous, udp(1, 1, 3, 1)) // it rejoins
	if f != nil {
		t.Error(f)
	}
}

// A job that does not fit is refused by name; it takes the place of one whose
// clients have gone.
func TestPool(t *testing.T) {
	b := newBench(t, 4096)
	c := []Conn{b.connect(), b.connect(), b.connect()}
	b.must(c[0], udp(1, 0, 2, 0))
	b.must(c[1], udp(2, 0, 2, 1))
	_, f := b.open(c[2], udp(3, 0, 1, 2))
	wantFault(t, f, NoRoom, "UdpSession: job 3: 4096 slots are wanted, 0 are left: end a job first")
	b.hangup(c[1])
	b.session(2) // stays until its room is needed
	b.must(c[2], udp(3, 0, 1, 2))
	b.session(1)
	if len(b.jobs) != 2 {
		t.Errorf("jobs %v", b.jobs)
	}
}

// Numbers that another control plane has given out are left to it.
func TestForeignJobs(t *testing.T) {
	b := newBench(t, 1)
	for id := 1; id <= dataplane.MaxJobID; id++ {
		b.jobs[uint8(id)] = switchml.Job{ID: uint8(id)}
	}
	delete(b.jobs, 17)
	b.must(b.connect(), udp(1, 0, 1, 0))
	if b.session(1).ID != 17 {
		t.Errorf("job %+v", b.session(1))
	}
	_, f := b.open(b.connect(), udp(2, 0, 1, 1))
	wantFault(t, f, NoRoom, "UdpSession: job 2: tor has 255 jobs: end one first")
}

// What an engine refuses for good is told with its reason and fix.
func TestRefusal(t *testing.T) {
	b := newBench(t, 0)
	b.failing = dataplane.Refuse(dataplane.RefusedUnsupported, "use UdpSession", "the program speaks no RDMA")
	_, f := b.open(b.connect(), udp(1, 0, 1, 0))
	wantFault(t, f, OutOfOrder, "UdpSession: job 1: the program speaks no RDMA: use UdpSession")
	if len(b.m.jobs) != 0 {
		t.Errorf("jobs %v", b.m.jobs)
	}
}

func TestConfig(t *testing.T) {
	_, err := New(Config{Switch: "tor", Slots: 8193, Patience: -1})
	const want = "configuring SwitchML sessions of tor: address invalid IP: it must be an IPv4 address\n" +
		"jobs of 8193 slots: 1 to 8192 are possible, or 0 for that\n" +
		"patience of -1ps: it must be positive, or zero for 120s"
	if err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
}
