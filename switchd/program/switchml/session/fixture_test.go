package session

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

const hosts = 40

func hostMAC(i int) inet.MAC    { return inet.MAC{2, 0, 0, 0, 0, byte(i)} }
func hostAddr(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 1, 0, byte(i + 1)}) }
func macInt(i int) uint64       { return 0x02_00_00_00_00_00 | uint64(i) }
func addrInt(i int) uint32      { return 10<<24 | 1<<16 | uint32(i+1) }
func switchMAC() inet.MAC       { return inet.MAC{2, 2, 0, 0, 0, 1} }
func switchAddr() netip.Addr    { return netip.AddrFrom4([4]byte{10, 1, 255, 254}) }
func udp(id uint64, rank, n, host int) Session {
	return Session{ID: id, Rank: uint32(rank), Workers: uint32(n), MAC: macInt(host), Addr: addrInt(host), PacketSize: 3}
}

// bench is a machine, an engine that keeps the books of a pool, and what was
// answered.
type bench struct {
	t       rapid.TB
	m       *Machine
	now     units.Time
	call    Call
	conn    Conn
	answers map[Call]Answer
	order   []Call // in which calls were answered

	pool    int // slots that the engine has
	jobs    map[uint8]switchml.Job
	failing error // of the engine, before it does anything
}

func newBench(t rapid.TB, slots int) *bench {
	t.Helper()
	cfg := Config{Switch: "tor", MAC: switchMAC(), Addr: switchAddr(), Slots: slots}
	for i := range hosts {
		cfg.Hosts = append(cfg.Hosts, Host{hostMAC(i), hostAddr(i), sansio.Port(i)})
	}
	m, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, m: m, answers: map[Call]Answer{}, pool: switchml.MaxSlots, jobs: map[uint8]switchml.Job{}}
}

// connect returns a new connection.
func (b *bench) connect() Conn {
	b.conn++
	b.m.Connect(b.conn, fmt.Sprintf("client%d", b.conn))
	return b.conn
}

// collect takes answers; none may come twice.
func (b *bench) collect() {
	b.t.Helper()
	for _, a := range b.m.Answers() {
		if _, twice := b.answers[a.Call]; twice {
			b.t.Fatalf("call %d is answered twice", a.Call)
		}
		b.answers[a.Call] = a
		b.order = append(b.order, a.Call)
	}
}

func (b *bench) broadcast(c Conn, value uint64, rank, n, root int) Call {
	b.t.Helper()
	b.call++
	b.m.Broadcast(b.now, b.call, c, Broadcast{Value: value, Rank: uint32(rank), Workers: uint32(n), Root: uint32(root)})
	b.collect()
	return b.call
}

func (b *bench) barrier(c Conn, n int) Call {
	b.t.Helper()
	b.call++
	b.m.Barrier(b.now, b.call, c, uint32(n))
	b.collect()
	return b.call
}

func (b *bench) hangup(c Conn) { b.m.Hangup(c); b.collect() }

// expire moves the clock.
func (b *bench) expire(d units.Duration) {
	b.t.Helper()
	b.now = b.now.Add(d)
	b.m.Expire(b.now)
	b.collect()
	if next := b.m.NextDeadline(); next <= b.now {
		b.t.Fatalf("deadline %v at %v", next, b.now)
	}
}

// open opens a session as the caller of the machine does.
func (b *bench) open(c Conn, s Session) (Opened, *Fault) {
	b.t.Helper()
	for range 1000 {
		change, f := b.m.Prepare(c, s)
		if f != nil {
			return Opened{}, f
		}
		again, f := b.m.Settle(change, b.change(change))
		b.collect()
		if again {
			continue
		}
		if f != nil {
			return Opened{}, f
		}
		return b.m.Opened(s), nil
	}
	b.t.Fatal("a session is prepared again and again")
	return Opened{}, nil
}

// must wants a session to be opened.
func (b *bench) must(c Conn, s Session) Opened {
	b.t.Helper()
	o, f := b.open(c, s)
	if f != nil {
		b.t.Fatalf("session %+v: %v", s, f)
	}
	return o
}

// change is what an engine does.
func (b *bench) change(c Change) error {
	b.t.Helper()
	if c.Empty() {
		return nil
	}
	if b.failing != nil {
		return b.failing
	}
	for _, id := range c.Remove {
		delete(b.jobs, uint8(id))
	}
	if c.Add == nil {
		return nil
	}
	if r := c.Add.Check(); r != nil {
		b.t.Fatalf("the engine is given %+v: %v", c.Add, r)
	}
	j := *c.Add
	j.Workers = slices.Clone(j.Workers)
	if _, taken := b.jobs[j.ID]; taken {
		return dataplane.Refuse(dataplane.RefusedIDTaken, "take another", "there is a job %d", j.ID)
	}
	if b.used()+j.Slots > b.pool {
		return dataplane.Refuse(dataplane.RefusedNoRoom, "end a job first", "%d slots are wanted, %d are left", j.Slots, b.pool-b.used())
	}
	b.jobs[j.ID] = j
	return nil
}

func (b *bench) used() (n int) {
	for _, j := range b.jobs {
		n += j.Slots
	}
	return n
}

// session returns the engine's job of a session, which there must be.
func (b *bench) session(id uint64) switchml.Job {
	b.t.Helper()
	for _, j := range b.jobs {
		if j.Session == id {
			return j
		}
	}
	b.t.Fatalf("the engine has no job %d, only %v", id, b.jobs)
	return switchml.Job{}
}

// done wants a call to have been answered without a fault.
func (b *bench) done(c Call) uint64 {
	b.t.Helper()
	a, ok := b.answers[c]
	if !ok || a.Fault != nil {
		b.t.Fatalf("call %d: answered %v, %v", c, ok, a.Fault)
	}
	return a.Value
}

// failed wants a fault as the answer.
func (b *bench) failed(c Call, kind Kind, text string) {
	b.t.Helper()
	a, ok := b.answers[c]
	if !ok || a.Fault == nil {
		b.t.Fatalf("call %d: answered %v, %v, want %q", c, ok, a.Fault, text)
	}
	wantFault(b.t, a.Fault, kind, text)
}

func wantFault(t rapid.TB, f *Fault, kind Kind, text string) {
	t.Helper()
	if f == nil || f.Kind != kind || f.Text != text {
		t.Errorf("fault %+v, want kind %d: %s", f, kind, text)
	}
}

// waits wants a call to be unanswered.
func (b *bench) waits(calls ...Call) {
	b.t.Helper()
	for _, c := range calls {
		if a, ok := b.answers[c]; ok {
			b.t.Fatalf("call %d is answered: %v", c, a.Fault)
		}
	}
}

// worker goes through the set-up as the public client does.
type worker struct {
	b       *bench
	conn    Conn
	rank, n int
	host    int
	id      uint64 // of the session; of rank 0 from the start
	script  []string
	waiting Call // 0: none
	step    string
	dead    bool
	fault   *Fault
}

// job returns the workers of one job, on hosts from the first.
func (b *bench) job(id uint64, n, first int) (out []*worker) {
	for rank := range n {
		w := &worker{b: b, conn: b.connect(), rank: rank, n: n, host: first + rank, script: []string{"broadcast", "barrier", "session", "barrier"}}
		if rank == 0 {
			w.id, w.script = id, []string{"broadcast", "session", "barrier", "barrier"}
		}
		out = append(out, w)
	}
	return out
}

// take takes in the answer to what the worker waits for, and reports whether it
// can go on.
func (w *worker) take() bool {
	if w.waiting != 0 {
		a, ok := w.b.answers[w.waiting]
		if !ok {
			return false
		}
		if w.waiting = 0; a.Fault != nil {
			w.end(a.Fault)
		} else if w.step == "broadcast" {
			w.id = a.Value
		}
	}
	return !w.dead && len(w.script) > 0
}

// end hangs up, as the public client does after any fault.
func (w *worker) end(f *Fault) {
	w.dead, w.fault, w.waiting = true, f, 0
	w.b.hangup(w.conn)
}

func (w *worker) next() {
	w.step, w.script = w.script[0], w.script[1:]
	switch w.step {
	case "broadcast":
		w.waiting = w.b.broadcast(w.conn, w.id, w.rank, w.n, 0)
	case "barrier":
		w.waiting = w.b.barrier(w.conn, w.n)
	case "session":
		if _, f := w.b.open(w.conn, udp(w.id, w.rank, w.n, w.host)); f != nil {
			w.end(f)
		}
	}
}

// run lets workers take their steps in an order that choose gives, until none can.
func run(ws []*worker, choose func(n int) int) {
	for {
		var able []*worker
		for _, w := range ws {
			if w.take() {
				able = append(able, w)
			}
		}
		if len(able) == 0 {
			return
		}
		able[choose(len(able))].next()
	}
}

// ready wants all workers to be through, and their job to be on the engine.
func (b *bench) ready(ws []*worker) {
	b.t.Helper()
	for _, w := range ws {
		if w.dead || w.waiting != 0 || len(w.script) > 0 || w.id != ws[0].id {
			b.t.Fatalf("rank %d of %d at %q: %v", w.rank, w.n, w.step, w.fault)
		}
	}
	j := b.session(ws[0].id)
	if !j.Complete() || j.NumWorkers != len(ws) {
		b.t.Fatalf("job %+v", j)
	}
	for rank, w := range j.Workers {
		if host := ws[rank].host; int(w.ID) != rank || w.MAC != hostMAC(host) || w.Addr != hostAddr(host) || w.Port != sansio.Port(host) {
			b.t.Fatalf("rank %d is %+v", rank, w)
		}
	}
}

var errBusy = errors.New("busy")

func first(int) int { return 0 }

func last(n int) int { return n - 1 }

func sameJobs(a, b map[uint8]switchml.Job) bool {
	if len(a) != len(b) {
		return false
	}
	for id, j := range a {
		other, ok := b[id]
		if !ok || j.Session != other.Session || !slices.EqualFunc(j.Workers, other.Workers, func(v, w switchml.Worker) bool { return v.ID == w.ID && v.Addr == w.Addr }) {
			return false
		}
	}
	return true
}
