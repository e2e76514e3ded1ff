package session

import (
	"testing"

	"github.com/inalab/inalab/switchd/dataplane"
)

const why = "job 1 (session 7) is refused: rank 1 sends to slot 4"

// refuse has the engine refuse the job of a session.
func (b *bench) refuse(id uint64) {
	b.t.Helper()
	b.m.Refused([]dataplane.JobRefusal{{Job: b.session(id).ID, Number: 1, Why: why}})
	b.collect()
}

// Clients of a refused job are told where they call or wait; those of others are not, and rank 0
// may open the job again.
func TestRefusedJob(t *testing.T) {
	b := newBench(t, 1024)
	one, other := b.job(7, 2, 0), b.job(8, 3, 10)
	run(one, first)
	run(other, first)
	b.ready(one)
	b.ready(other)
	for _, w := range append(one, other...) {
		if !b.session(w.id).Strict {
			t.Errorf("job %+v does not refuse misfits", b.session(w.id))
		}
	}
	const text = "Barrier: " + why + "; then start all workers again"
	waits, elsewhere := b.barrier(one[0].conn, 2), b.barrier(other[0].conn, 3)
	b.refuse(7)
	b.refuse(7) // told again
	b.failed(waits, OutOfOrder, text)
	b.failed(b.barrier(one[1].conn, 2), OutOfOrder, text)
	b.waits(elsewhere)
	_, f := b.open(one[1].conn, udp(7, 1, 2, 1))
	wantFault(t, f, OutOfOrder, "UdpSession: "+why+"; then let rank 0 open the job again")
	b.barrier(other[1].conn, 3)
	b.done(b.barrier(other[2].conn, 3))
	b.done(elsewhere)

	b.must(b.connect(), udp(7, 0, 2, 0)) // though its clients are still there
	b.must(one[1].conn, udp(7, 1, 2, 1))
	if j := b.session(7); !j.Complete() {
		t.Errorf("after the reset: %+v", j)
	}
	b.waits(b.barrier(one[1].conn, 2))
	b.ready(other)
}

// A second client of a rank is refused while the first one is connected, on its host too, and
// changes nothing; it may come when that has gone.
func TestTakenRank(t *testing.T) {
	b := newBench(t, 0)
	ws := b.job(7, 2, 0)
	run(ws, last)
	b.ready(ws)
	second := b.connect()
	for _, tc := range []struct {
		rank, host int
		text       string
	}{
		{0, 0, "UdpSession: rank 0 of job 7 is the client at client1, and all its workers are connected: end one of the two, or give this one another session_id"},
		{0, 5, "UdpSession: there is a job 7 on tor already, with rank 0 at 02:00:00:00:00:00 10.1.0.1: give this one another session_id, or end that one first"},
		{1, 1, "UdpSession: rank 1 of job 7 is the client at client2, which is connected: end one of the two, or give this one a rank of its own"},
		{1, 5, "UdpSession: rank 1 of job 7 is 02:00:00:00:00:01 10.1.0.2 already: let rank 0 open the job again, which resets it"},
	} {
		_, f := b.open(second, udp(7, tc.rank, 2, tc.host))
		wantFault(t, f, Exists, tc.text)
		b.ready(ws)
	}
	b.must(ws[0].conn, udp(7, 0, 2, 0)) // who has the rank may
	b.must(ws[1].conn, udp(7, 1, 2, 1))
	b.hangup(ws[1].conn)
	b.must(second, udp(7, 1, 2, 1))
	b.hangup(second)
	b.must(b.connect(), udp(7, 0, 2, 0))
	if j := b.session(7); j.Complete() {
		t.Errorf("rank 0 has not reset %+v", j)
	}
}
